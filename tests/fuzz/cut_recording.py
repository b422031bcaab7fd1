#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cuts a small input for fuzz_recording out of a recording: some trace, with
the records of that time, the code that it ran and that code's symbols.

    cut_recording.py PROGRAM RECORDING BEGIN SIZE OUT

BEGIN and SIZE are in bytes of the first stream's trace.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "hostile")]
from made_recording import kcore                              # noqa: E402
from perf_file import AUXTRACE, File                          # noqa: E402

# Sync points, where decoding can start: PSB of Intel PT, A-Sync of ETMv4 and
# ETE.
SYNCS = (b"\x02\x82" * 8, bytes(11) + b"\x80")
MOST_RECORDS = 24
AROUND_NS = 200000
LATER = ("sample", "switch", "comm", "fork", "exit", "text-poke")


def dump(program, folder, *options):
    return subprocess.run([program, "dump", *options, "-i", folder],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout.decode(errors="replace")


def cut_trace(file, begin, size):
    """Keeps one piece of trace, which starts at a sync point."""
    kept, position = None, 0
    for kind, record, trace in file.records:
        if kind != AUXTRACE or kept:
            continue
        if begin < position + len(trace):
            at = max(begin - position, 0)
            at = max(trace.find(sync, at) for sync in SYNCS)
            assert at >= 0, "no synchronisation point behind that"
            part = trace[at:at + size]
            part += bytes(-len(part) % 8)
            offset = struct.unpack_from("<Q", record, 16)[0] + at
            kept = (kind, record[:8] + struct.pack("<2Q", len(part), offset) +
                    record[24:], part)
        position += len(trace)
    assert kept, "the trace is shorter than that"
    file.records = [each for each in file.records if each[0] != AUXTRACE]
    file.records.append(kept)


def place_records(file):
    """Returns the records by offset."""
    at, placed = file.at, {}
    for each in file.records:
        placed[at] = each
        at += len(each[1]) + len(each[2])
    return placed


def cut_records(file, lines, first_ns, last_ns):
    """Keeps the records of that time, and those that describe how the trace
    was made."""
    placed = place_records(file)
    left_out, count = set(), 0
    for line in lines.splitlines():
        time_ns, _, byte, _, _, _, _, kind, *_ = line.split()
        if kind in LATER or kind == "mmap":
            within = (first_ns - AROUND_NS <= int(time_ns) <=
                      last_ns + AROUND_NS)
            count += within and kind != "mmap"
            if (not within and not line.endswith("_text")) or \
                    count > MOST_RECORDS:
                left_out.add(int(byte))
    file.records = [each for at, each in placed.items()
                    if at not in left_out]


def join(ranges):
    joined = []
    for first, end in sorted(ranges):
        if joined and first <= joined[-1][1] + 32:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([first, end])
    return joined


def read_code(path, ranges):
    """Returns a kcore of only these ranges."""
    with open(path, "rb") as file:
        head = file.read(1 << 16)
    offset, count = struct.unpack_from("<Q", head, 32)[0], \
        struct.unpack_from("<H", head, 56)[0]
    loads = [struct.unpack_from("<2I6Q", head, offset + 56 * i)
             for i in range(count)]
    pieces, places = [], []
    at = 64 + 56 * len(ranges)
    with open(path, "rb") as file:
        for first, end in ranges:
            for _, _, place, address, _, size, _, _ in loads:
                if address <= first and end <= address + size:
                    file.seek(place + first - address)
                    pieces.append(file.read(end - first))
                    places.append((at, first, end - first))
                    at += end - first
    front = kcore(places, at)
    return front.ljust(64 + 56 * len(ranges), b"\0") + b"".join(pieces)


def read_symbols(path, ranges):
    with open(path, encoding="ascii", errors="replace") as file:
        lines = sorted(file.read().splitlines())
    addresses = [int(line.split()[0], 16) for line in lines]
    kept, at = [], 0
    for i, line in enumerate(lines):
        end = addresses[i + 1] if i + 1 < len(lines) else 1 << 64
        while at < len(ranges) and ranges[at][1] <= addresses[i]:
            at += 1
        if at < len(ranges) and ranges[at][0] < end and \
                line.split()[1] in "tT" or " _stext" in line:
            kept.append(line)
    return "\n".join(kept).encode() + b"\n"


def cut(program, recording, begin, size):
    with open(os.path.join(recording, "data"), "rb") as data:
        file = File(data.read())
    cut_trace(file, begin, size)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(recording, "kcore_dir"),
                   os.path.join(folder, "kcore_dir"))
        file.write(os.path.join(folder, "data"))
        blocks = [(int(time), int(first, 16), int(last, 16))
                  for time, first, last in re.findall(
                      r"^(\d+) .*block.* ([0-9a-f]{16})-([0-9a-f]{16})",
                      dump(program, folder, "--blocks"), re.M)]
        assert blocks, "nothing was decoded of it"
        cut_records(file, dump(program, folder, "--records"),
                    blocks[0][0], blocks[-1][0])
        file.write(os.path.join(folder, "data"))
        with open(os.path.join(folder, "data"), "rb") as data:
            made = data.read()
    ranges = join([(first, last + 16) for _, first, last in blocks])
    copies = os.path.join(recording, "kcore_dir")
    return {"data": made,
            "kcore_dir/kcore": read_code(os.path.join(copies, "kcore"),
                                         ranges),
            "kcore_dir/kallsyms": read_symbols(
                os.path.join(copies, "kallsyms"), ranges)}


def main():
    program, recording, begin, size, path = sys.argv[1:]
    files = cut(os.path.abspath(program), os.path.abspath(recording),
                int(begin), int(size))
    with open(path, "wb") as out:
        for name, content in files.items():
            out.write(b"@@file " + name.encode() + b"\n" + content)


if __name__ == "__main__":
    main()
