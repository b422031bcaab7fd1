# SPDX-License-Identifier: MIT
"""Recordings written by hand, of one Intel PT event, with content that no
recorder would write."""
import os
import struct

MMAP, COMM, FORK, SAMPLE, ITRACE_START = 1, 3, 7, 9, 12
ATTR, FINISHED_ROUND, ID_INDEX = 64, 68, 69
AUXTRACE_INFO, AUXTRACE, TIME_CONV, COMPRESSED = 70, 71, 79, 81
FEATURE_VERSION, FEATURE_ARCH, FEATURE_AUXTRACE = 5, 6, 18
CODE = 0xffffffff81000000
USER = 2
PMU = 8
# IP|TID|TIME|CPU|IDENTIFIER: the fields at the records' ends.
SAMPLE_TYPE = 1 | 2 | 4 | 1 << 7 | 1 << 16
# In addition, for events that copy registers and stacks of user space.
STACKS = 1 << 12 | 1 << 13
TRACE_ID, SIDEBAND_ID = 1, 2


def attr(kind, config=0, flags=1 << 18, sample_type=SAMPLE_TYPE):
    return struct.pack("<2I5Q", kind, 136, config, 0, sample_type, 0,
                       flags).ljust(136, b"\0")


def record(kind, body, misc=0):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def origin(pid, time_ns, cpu=0):
    return struct.pack("<2IQ2IQ", pid, pid, time_ns, cpu, 0, SIDEBAND_ID)


def fork(pid, parent, time_ns):
    return record(FORK, struct.pack("<4IQ", pid, parent, pid, parent,
                                    time_ns) + origin(pid, time_ns))


def mapping(pid, path, address=0x400000, size=0x1000, time_ns=0):
    name = path.encode() + b"\0"
    name += bytes(-len(name) % 8)
    return record(MMAP, struct.pack("<2I3Q", pid, pid, address, size, 0) +
                  name + origin(pid, time_ns), USER)


def comm(pid, name, time_ns):
    return record(COMM, struct.pack("<2I", pid, pid) +
                  name.encode().ljust(16, b"\0") + origin(pid, time_ns))


def target(head, address=CODE):
    """Returns a packet of six bytes of address, sign-extended."""
    return bytes([3 << 5 | head]) + (address & (1 << 48) - 1).to_bytes(
        6, "little")


def clock(time_ns):
    return b"\x19" + time_ns.to_bytes(7, "little")


def kernel_trace(time_ns, tid=0, cpu=0, jump_ns=100):
    """Returns the trace of three jumps to themselves: see
    write_recording()."""
    data = (bytes([2, 0x82] * 8) + clock(time_ns) + b"\x99\x01" + b"\2\x23" +
            target(0x11))
    for i in range(1, 4):
        data += clock(time_ns + jump_ns * i) + target(0x0d)
    data += target(0x01)
    return trace(data + bytes(-len(data) % 8), tid=tid, cpu=cpu)


def trace(data, offset=0, index=0, tid=0, cpu=0):
    return record(AUXTRACE, struct.pack("<3Q4I", len(data), offset, 0, index,
                                        tid, cpu, 0)) + data


def info():
    words = [0] * 17
    words[0] = PMU
    words[2], words[4], words[6] = 1, 1, 1 << 1
    return record(AUXTRACE_INFO, struct.pack("<2I", 1, 0) +
                  struct.pack("<17Q", *words))


def feature_text(text):
    text = text.encode() + b"\0"
    return struct.pack("<I", len(text)) + text


def user_sample(pid, time_ns, stack, pointer, room):
    """Returns a sample of STACKS: registers ax, sp and ip, and a copy of
    the stack."""
    return record(SAMPLE, struct.pack("<2Q2IQ2I", SIDEBAND_ID, 0x400100, pid,
                                      pid, time_ns, 0, 0) +
                  struct.pack("<4Q", 2, 0, pointer, 0x400100) +
                  struct.pack("<Q", room) + stack.ljust(room, b"S") +
                  struct.pack("<Q", len(stack)))


def sideband_attr(has_stacks):
    if not has_stacks:
        return attr(1, 9)
    data = bytearray(attr(1, 9, sample_type=SAMPLE_TYPE | STACKS))
    struct.pack_into("<QI", data, 80, 1 << 0 | 1 << 7 | 1 << 8, 64)
    return bytes(data)


def data_file(records, traces_user=True, version="6.1", is_finished=False,
              has_stacks=False):
    """Returns a file with the description of the trace, followed by
    @records."""
    flags = 1 << 18 | (0 if traces_user else 1 << 4)
    ids = struct.pack("<2Q", TRACE_ID, SIDEBAND_ID)
    attrs = (attr(PMU, flags=flags) + struct.pack("<2Q", 104, 8) +
             sideband_attr(has_stacks) + struct.pack("<2Q", 112, 8))
    body = info() + b"".join(records)
    at = 104 + len(ids) + len(attrs)
    head = b"PERFILE2" + struct.pack("<8Q", 104, 152, 120, len(attrs), at,
                                     len(body), 0, 0)
    features = {FEATURE_VERSION: feature_text(version),
                FEATURE_ARCH: feature_text("x86_64")}
    if is_finished:
        features[FEATURE_AUXTRACE] = bytes(8)
    head += struct.pack("<4Q", sum(1 << bit for bit in features), 0, 0, 0)
    end = at + len(body) + 16 * len(features)
    table = b""
    for text in features.values():
        table += struct.pack("<2Q", end, len(text))
        end += len(text)
    return head + ids + attrs + body + table + b"".join(features.values())


def kcore(loads, size):
    """Returns the front of an ELF core; @loads: file offset, address, size
    of each."""
    front = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<2HI3QI6H", 4, 62, 1, 0, 64, 0, 0, 64, 56, len(loads), 0, 0, 0)
    front += b"".join(
        struct.pack("<2I6Q", 1, 7, offset, address, 0, length, length, 0)
        for offset, address, length in loads)
    assert len(front) <= size
    return front


def write_recording(folder, records, **options):
    os.makedirs(os.path.join(folder, "kcore_dir"), exist_ok=True)
    with open(os.path.join(folder, "data"), "wb") as out:
        out.write(data_file(records, **options))
    with open(os.path.join(folder, "kcore_dir", "kallsyms"), "w",
              encoding="ascii") as out:
        out.write(f"{CODE:x} T _stext\n")
    write_kcore(folder, [(4096, CODE, 4096)], 8192)
    with open(os.path.join(folder, "kcore_dir", "kcore"), "r+b") as out:
        out.seek(4096)
        out.write(b"\xff\xe0" * 2048)  # jmp *%rax


def write_kcore(folder, loads, size):
    """Makes a sparse file of @size bytes."""
    with open(os.path.join(folder, "kcore_dir", "kcore"), "wb") as out:
        out.write(kcore(loads, size))
        out.truncate(size)
