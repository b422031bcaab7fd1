# SPDX-License-Identifier: MIT
"""Changes to the records of a perf.data file (perf_file.File): each
function takes the file, a source of random numbers and another recording's
file."""
import struct

from perf_file import AUXTRACE

from .trace import change_trace
from .values import change_number, changed, cut_range

HEAD = 8
# The kernel's types and perf's own start at these.
TYPES = (range(0, 24), range(64, 84), (1 << 31, (1 << 32) - 1))
LONGEST = 65528


def pick(file, rng):
    """Returns an index such that each type of record is equally likely,
    however rare."""
    kind = rng.choice(sorted({kind for kind, _, _ in file.records}))
    return rng.choice([i for i, (other, _, _) in enumerate(file.records)
                       if other == kind])


def put(file, index, record):
    kind = struct.unpack_from("<I", record)[0]
    file.records[index] = (kind, bytes(record), file.records[index][2])


def change_type(file, rng, _):
    index = pick(file, rng)
    record = bytearray(file.records[index][1])
    struct.pack_into("<I", record, 0, rng.choice(list(rng.choice(TYPES))))
    put(file, index, record)


def change_misc(file, rng, _):
    index = pick(file, rng)
    record = bytearray(file.records[index][1])
    struct.pack_into("<H", record, 4, changed(
        rng, struct.unpack_from("<H", record, 4)[0], 2))
    put(file, index, record)


def state_other_size(file, rng, _):
    """Makes the stated size of a record differ from its real size."""
    index = pick(file, rng)
    record = bytearray(file.records[index][1])
    struct.pack_into("<H", record, 6, rng.choice((
        0, 1, 7, 8, 16, 65535, changed(rng, len(record) & 65535, 2))))
    put(file, index, record)


def make_longer_or_shorter(file, rng, _):
    index = pick(file, rng)
    record = bytearray(file.records[index][1])
    size = rng.choice((HEAD, HEAD + 8 * rng.randrange(32), len(record) + 8,
                       max(HEAD, len(record) - 8), LONGEST))
    record = record[:size].ljust(size, rng.choice((b"\0", b"A", b"\xff")))
    struct.pack_into("<H", record, 6, size)
    put(file, index, record)


def change_field(file, rng, _):
    index = pick(file, rng)
    record = bytearray(file.records[index][1])
    change_number(rng, record, HEAD, min(len(record), 512))
    put(file, index, record)


def take_field(file, rng, _):
    """Replaces a task, a time or an id by another record's, or by other
    bytes."""
    index = pick(file, rng)
    record = bytearray(file.records[index][1])
    source = file.records[pick(file, rng)][1]
    size = rng.choice((4, 8))
    most = min(len(record), len(source)) // size
    if most * size <= HEAD:
        return
    at = rng.randrange(HEAD // size, most) * size
    origin = rng.choice((at, rng.randrange(HEAD // size, most) * size))
    record[at:at + size] = source[origin:origin + size]
    put(file, index, record)


def change_text(file, rng, _):
    """Replaces a possible name by one without an end, a path to elsewhere,
    or bytes that are not a name."""
    index = pick(file, rng)
    record = bytearray(file.records[index][1])
    if len(record) < HEAD + 8:
        return
    text = rng.choice((b"A" * 4096, b"/../../../../etc/passwd\0", b"\0" * 64,
                       b"\x1b]0;x\a<script>\"'\n\r\t%s%n\0", b"\xff\xfe\x80",
                       b"[kernel.kallsyms]_text\0", b"//anon\0", b"\n" * 32))
    at = rng.randrange(HEAD, len(record))
    record[at:at + len(text)] = text[:len(record) - at]
    put(file, index, record)


def duplicate(file, rng, _):
    record = file.records[pick(file, rng)]
    times = rng.choice((1, 1, 2, 100))
    at = rng.randrange(len(file.records) + 1)
    file.records[at:at] = [record] * times


def delete(file, rng, _):
    del file.records[pick(file, rng)]


def delete_some(file, rng, _):
    begin, end = cut_range(rng, len(file.records), 200)
    del file.records[begin:end]


def delete_type(file, rng, _):
    kind = file.records[pick(file, rng)][0]
    file.records = [each for each in file.records if each[0] != kind]


def move(file, rng, _):
    record = file.records.pop(pick(file, rng))
    file.records.insert(rng.randrange(len(file.records) + 1), record)


def swap(file, rng, _):
    one, other = pick(file, rng), pick(file, rng)
    records = file.records
    records[one], records[other] = records[other], records[one]


def reverse(file, rng, _):
    begin, end = cut_range(rng, len(file.records), 200)
    file.records[begin:end] = file.records[begin:end][::-1]


def shuffle(file, rng, _):
    begin, end = cut_range(rng, len(file.records), 200)
    some = file.records[begin:end]
    rng.shuffle(some)
    file.records[begin:end] = some


def splice(file, rng, other):
    """Inserts records of another recording, or replaces ours by them."""
    begin, end = cut_range(rng, len(other.records), 50)
    at = rng.randrange(len(file.records) + 1)
    replaced = rng.choice((0, 0, end - begin))
    file.records[at:at + replaced] = other.records[begin:end]


def splice_one(file, rng, other):
    record = other.records[pick(other, rng)]
    file.records.insert(rng.randrange(len(file.records) + 1), record)


def change_aux(file, rng, other):
    """Changes bytes of trace.  The record states their new number, but the
    kernel's AUX records do not."""
    index = rng.choice([i for i, each in enumerate(file.records)
                        if each[0] == AUXTRACE] or [None])
    if index is None or len(file.records[index][1]) < 2 * HEAD:
        return
    kind, record, trace = file.records[index]
    donor = b"".join(each[2] for each in rng.choice((file, other)).records)
    trace = change_trace(rng, trace, donor)
    trace += bytes(-len(trace) % 8)
    record = bytearray(record)
    struct.pack_into("<Q", record, HEAD, len(trace))
    file.records[index] = kind, bytes(record), trace


CHANGES = (
    change_type, change_misc, state_other_size, make_longer_or_shorter,
    change_field, change_field, change_field, change_field, change_field,
    take_field, take_field, change_text, duplicate, delete, delete_some,
    delete_type, move, swap, reverse, shuffle, splice, splice, splice_one,
    change_aux, change_aux, change_aux, change_aux, change_aux,
)


def change_records(file, rng, other):
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        if file.records:
            rng.choice(CHANGES)(file, rng, other)
