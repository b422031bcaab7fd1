# SPDX-License-Identifier: MIT
"""Changes to a trace's bytes."""
from .values import cut_range

# Rare packets of Intel PT, and of Arm's ETMv4 and ETE.
RARE_PACKETS = (
    b"\x02\x82" * 8 + b"\x02\x23",                  # PSB, PSBEND
    b"\x02\xf3",                                    # OVF
    b"\x02\x83",                                    # TraceStop
    b"\x99\x22",                                    # MODE.TSX
    b"\x02\xc8\x00\x00\x01\x00\x00",                # VMCS
    b"\x02\x12\x01\x02\x03\x04",                    # PTW
    b"\x02\x43\x00\x00\x01\x00\x00\x00",            # PIP
    b"\x19" + b"\xff" * 7,                          # TSC
    b"\x02\x73\xff\xff\x00\xff\x01",                # TMA
    b"\x02\xa3\xff\xff\xff\xff\xff\x01",            # long TNT
    b"\xd1" + b"\xff" * 8,                          # TIP.PGE, all of an IP
    bytes(11) + b"\x80" + b"\x01\x01\x00",          # A-Sync, Trace Info
    b"\x05",                                        # Overflow
    b"\x9d" + b"\xff" * 8,                          # Address
    b"\x02" + b"\xff" * 9,                          # Timestamp
    b"\x06\x01", b"\x07",                           # Exception, its return
)


def flip(rng, trace, _):
    for _ in range(rng.randrange(1, 9)):
        trace[rng.randrange(len(trace))] ^= 1 << rng.randrange(8)


def insert_packet(rng, trace, _):
    at = rng.randrange(len(trace) + 1)
    trace[at:at] = rng.choice(RARE_PACKETS)


def replace_by_packet(rng, trace, _):
    packet = rng.choice(RARE_PACKETS)
    at = rng.randrange(len(trace))
    trace[at:at + len(packet)] = packet


def delete(rng, trace, _):
    begin, end = cut_range(rng, len(trace), rng.choice((1, 16, 4096, 1 << 30)))
    del trace[begin:end]


def repeat(rng, trace, _):
    begin, end = cut_range(rng, len(trace), rng.choice((16, 4096)))
    trace[begin:begin] = trace[begin:end] * rng.choice((1, 2, 100))


def fill(rng, trace, _):
    begin, end = cut_range(rng, len(trace), rng.choice((16, 4096, 1 << 30)))
    trace[begin:end] = bytes([rng.choice((0, 0, 0xff, 2, 0x82))]) * \
        (end - begin)


def take(rng, trace, donor):
    """Inserts a piece of trace from elsewhere."""
    if not donor:
        return
    begin, end = cut_range(rng, len(donor), rng.choice((16, 256, 16384)))
    at = rng.randrange(len(trace) + 1)
    replaced = rng.choice((0, end - begin))
    trace[at:at + replaced] = donor[begin:end]


CHANGES = (flip, flip, insert_packet, insert_packet, replace_by_packet, delete,
           repeat, fill, take, take)


def change_trace(rng, trace, donor):
    trace = bytearray(trace)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if trace:
            rng.choice(CHANGES)(rng, trace, donor)
    return bytes(trace)
