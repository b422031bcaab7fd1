# SPDX-License-Identifier: MIT
"""Damaged copies of a recording, and the command that reads each."""
import collections
import functools
import os
import random
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from perf_file import AUXTRACE, File

HEADER = struct.Struct("<8s8Q4Q")
FLAT = ["report", "--flat"]
READERS = [
    FLAT,
    ["report"],
    ["explain"],
    ["explain", "--format=json"],
    ["report", "--callgraph"],
    ["report", "--syscalls"],
    ["report", "--sleeps"],
    ["report", "--interrupts"],
    ["timeline", "--format=csv"],
    ["flamegraph", "--wall", "--folded"],
    ["sql", "SELECT count(*), sum(self_ns) FROM call"],
    ["sql", "SELECT class, sum(duration_ns) FROM thread_state GROUP BY 1"],
    ["dump", "--records"],
    ["dump", "--packets"],
    ["dump", "--blocks"],
    ["annotate", "vfs_*", "--format=csv"],
]
# The file, and the part of it from its start that is damaged: for half of the
# copies the part with the structure, for some the copies of code. Eight
# entries, so that each meets each of the readers.
PLACES = [
    ("data", 4096), ("data", 1 << 62), ("data", 1 << 62), ("data", 65536),
    ("kcore_dir/kcore", 4096), ("kcore_dir/kallsyms", 1 << 62),
    ("kcore_dir/modules", 1 << 62), ("kcore_dir/kcore", 1 << 62),
]

# changes() returns the contents of the files that differ from the recording's.
Case = collections.namedtuple("Case", "name reader changes needs_doubt")


def file_of(folder, name):
    return os.path.join(folder, name)


def read(folder, name):
    with open(file_of(folder, name), "rb") as file:
        return file.read()


def damage(recording, scratch, changes):
    """A copy of the recording with files replaced (None: left out)."""
    shutil.copytree(recording, scratch, symlinks=True,
                    copy_function=os.link, dirs_exist_ok=True)
    for name, content in changes.items():
        path = file_of(scratch, name)
        if os.path.lexists(path):
            os.unlink(path)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)


def without_trace(data):
    """Returns the recording without any trace and without features."""
    fields = list(HEADER.unpack_from(data))
    kept = b"".join(record for kind, record, _ in File(data).records
                    if kind != AUXTRACE)
    fields[6] = len(kept)
    fields[9:13] = [0, 0, 0, 0]
    return HEADER.pack(*fields) + data[HEADER.size:fields[5]] + kept


def flip(content, rng, limit):
    content = bytearray(content)
    for _ in range(1 + rng.randrange(8)):
        at = rng.randrange(min(limit, len(content)))
        content[at] ^= 1 << rng.randrange(8)
    return bytes(content)


def flipped(recording, seed):
    name, limit = PLACES[seed % len(PLACES)]
    content = read(recording, name)
    if not content:
        return {}
    return {name: flip(content, random.Random(seed), limit)}


def flips(recording, count, first):
    for seed in range(first, first + count):
        yield Case(f"flip {seed} in {PLACES[seed % len(PLACES)][0]}",
                   READERS[seed % len(READERS)],
                   functools.partial(flipped, recording, seed), False)


def missing(name, changes):
    return Case(name, FLAT, lambda: changes, True)


def cuts(data, step):
    for size in range(step, len(data), step):
        yield missing(f"cut at {size}", {"data": data[:size]})


def shifted(kcore):
    """Returns the code of another build, in which everything has another
    address."""
    return kcore[:65536] + b"\xcc" * 16 + kcore[65536:-16]


def other_kernel(recording, other):
    name = "kcore_dir/kcore"
    if other:
        yield missing("the code of another kernel", {name: read(other, name)})
    yield missing("the code moved", {name: shifted(read(recording, name))})


def incomplete(data):
    yield missing("an empty file", {"data": b""})
    yield missing("a header only", {"data": data[:104]})
    yield missing("no file", {"data": None})
    yield missing("no trace", {"data": without_trace(data)})
    yield missing("no code", {"kcore_dir/kcore": None})
    yield missing("no symbols", {"kcore_dir/kallsyms": None})


def all_cases(options):
    recording = options.recording
    data = read(recording, "data")
    yield from cuts(data, options.cut_step << 10)
    yield from incomplete(data)
    yield from other_kernel(recording, options.other)
    yield from flips(recording, options.flips, options.first_seed)
