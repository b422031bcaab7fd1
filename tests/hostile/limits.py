#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small recordings that would need much time, memory or disk (common/budget.h).

    limits.py PROGRAM
"""
import os
import shutil
import struct
import subprocess
import sys

from judge import FACTOR, run, run_checks
from made_recording import (ATTR, CODE, COMPRESSED, FINISHED_ROUND, ID_INDEX,
                            ITRACE_START, attr, fork, kernel_trace, mapping,
                            origin, record, trace, write_kcore,
                            write_recording)

PSB = bytes([2, 0x82] * 8 + [2, 0x23])
NO_CPU = 0xffffffff
# Counts with which the time grows; sanitizers multiply the time.
MANY_STREAMS, MANY_PIECES = 60000 // FACTOR, 200000 // FACTOR
MANY_FILES, MANY_FORKS = 60000 // FACTOR, 150000 // FACTOR
MANY_MODULES = 100000 // FACTOR


def read(program, folder):
    """Returns the messages about the recording, from a report and block by
    block."""
    flat = run(program, "report", "--flat", "-i", folder)
    if FACTOR > 1:
        # Sanitizers multiply the time, and both commands open a recording in
        # the same way.
        return flat.err
    blocks = run(program, "dump", "--blocks", "-i", folder)
    assert flat.code == 0 or "ktrace-hw: " + folder in flat.err, flat.err
    return flat.err + blocks.err


def check_kcore_of_many_loads(program, folder):
    size, count = 150 << 20, 400
    write_recording(folder, [trace(PSB)], traces_user=False)
    write_kcore(folder, [(24576, (1 << 64) - (1 << 31) - (count - i) *
                          (size + (1 << 20)), size) for i in range(count)],
                24576 + size)
    said = read(program, folder)
    assert "kcore: byte 24576: more code than a kernel has" in said, said


def check_kcore_of_overlapping_loads(program, folder):
    write_recording(folder, [trace(PSB)], traces_user=False)
    write_kcore(folder, [(4 << 20, 0xffffffff80000000 + i * 8, 1 << 20)
                         for i in range(65000)], 5 << 20)
    assert "more code than a kernel has" in read(program, folder)


def check_kcore_of_distant_loads(program, folder):
    write_recording(folder, [trace(PSB)], traces_user=False)
    write_kcore(folder, [(4 << 20, 0xffff888000000000 + i * (128 << 20), 4096)
                         for i in range(65000)], 5 << 20)
    assert "more code than a kernel has" in read(program, folder)


def check_code_folder(program, folder):
    write_recording(folder, [trace(PSB)], traces_user=False)
    os.mkdir(os.path.join(folder, "code"))
    first, size = 0xffffffff00000000, (1 << 30) + 4096
    with open(os.path.join(folder, "code", f"{first:x}-{first + size:x}-1"),
              "wb") as out:
        out.truncate(size)
    assert "more code than a kernel has" in read(program, folder)


def check_forks_in_a_circle(program, folder):
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) + origin(117, 0))
    write_recording(folder, [fork(117, 5001, 0), fork(5001, 117, 0)] * 2 +
                    [start, trace(PSB)])
    read(program, folder)


def ids(first, count):
    return record(ATTR, attr(1) + struct.pack(f"<{count}Q",
                                              *range(first, first + count)))


def index(event_id):
    return record(ID_INDEX, struct.pack("<5Q", 1, event_id, 0, 0, 0))


def check_id_index(program, folder):
    write_recording(folder, [ids(i * 7000, 7000) for i in range(20)] +
                    [index(i) for i in range(40000)] + [trace(PSB)])
    read(program, folder)


def check_id_index_between_attributes(program, folder):
    write_recording(folder, [part for i in range(20000)
                             for part in (ids(i, 1), index(i))] + [trace(PSB)])
    read(program, folder)


def check_streams(program, folder):
    write_recording(folder, [trace(bytes(8), 0, i, i, NO_CPU)
                             for i in range(MANY_STREAMS)])
    assert "more than 4096 CPUs and threads" in read(program, folder)


def check_pieces_of_one_stream(program, folder):
    write_recording(folder, [trace(bytes(8), i * 16) for i in range(MANY_PIECES)])
    read(program, folder)


def check_files_that_are_not_there(program, folder):
    """There is one line for all, and details of the first ones with -v."""
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) + origin(117, 0))
    write_recording(folder, [mapping(117, f"/none/{i}", 0x400000 + i * 4096)
                             for i in range(MANY_FILES)] + [start, trace(PSB)])
    line = f"warning: {MANY_FILES} files of programs could not be read: no " \
        "symbols of /none/0 and others"
    said = run(program, "report", "--flat", "-i", folder).err
    assert said.count("no symbols") == 1 and line in said, said[:5000]
    said = run(program, "report", "--flat", "-v", "-i", folder).err
    assert said.count("no symbols: No such file") == 100, said[:5000]
    assert line in said, said[-5000:]


def check_forks_of_a_parent_without_name(program, folder):
    write_recording(folder, [fork(1000 + i, 117, i)
                             for i in range(MANY_FORKS)] + [trace(PSB)])
    run(program, "report", "--flat", "-i", folder)


def check_symbols_of_many_modules(program, folder):
    write_recording(folder, [trace(PSB)], traces_user=False)
    with open(os.path.join(folder, "kcore_dir", "kallsyms"), "w",
              encoding="ascii") as out:
        out.write("".join(f"{CODE + i * 16:x} t f\t[m{i}]\n"
                          for i in range(MANY_MODULES)))
    run(program, "report", "--flat", "-i", folder)


def check_export_of_a_thread(program, folder):
    """No CPU has such a large number."""
    write_recording(folder, [kernel_trace(1000, tid=117, cpu=NO_CPU)])
    done = run(program, "export", "--format=chrome", "-i", folder, codes=(0,))
    assert "unknown CPU trace" in done.out, done.out
    run(program, "export", "--format=perfetto", "-i", folder, codes=(0,))
    run(program, "timeline", "-i", folder, codes=(0,))


def bomb(folder, unit):
    """Returns COMPRESSED records of 160 MiB of @unit, in less than a
    thousandth."""
    packed = subprocess.run(["zstd", "-qc"], input=unit * (
        (160 << 20) // len(unit)), stdout=subprocess.PIPE, check=True).stdout
    assert len(packed) < 160 << 10
    parts = [packed[i:i + 65000] for i in range(0, len(packed), 65000)]
    write_recording(folder, [
        struct.pack("<IHH", COMPRESSED, 0, 8 + len(part)) + part
        for part in parts] + [trace(PSB)])


def check_bombs(program, folder):
    if not shutil.which("zstd"):
        print("skipped: no zstd here")
        return
    for name, unit, text in (
            ("zeros", bytes(8), "malformed inside"),
            ("short", record(FINISHED_ROUND, b""), "unpack to more"),
            ("long", record(200, bytes(65000)), "unpack to more")):
        path = os.path.join(folder, name)
        bomb(path, unit)
        said = read(program, path)
        assert text in said and "data: byte " in said, said


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
