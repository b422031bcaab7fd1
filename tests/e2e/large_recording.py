#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the memory of a report does not grow with the recording.

    large_recording.py KTRACE RECORDING FOLDER MEGABYTES

Repeats the trace of RECORDING, made by record --threads on one CPU, until
FOLDER/large has MEGABYTES of it, with the time stamps of each copy after those
of the previous one. Reports that recording and one of a sixteenth of the size.
"""
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import time

# The packet before a PSB may end like one of its pairs.
PSB = re.compile(rb"(?:\x02\x82){8}(?!\x02\x82)")
# header, size, offset, reference, index, thread, cpu, reserved
AUXTRACE = struct.Struct("<IHHQQQIIII")
TSC = 0x19
ALLOWED_MB = 64


def trace_of(path):
    """Returns the trace in a file of AUXTRACE records, without padding."""
    with open(path, "rb") as file:
        records = file.read()
    trace = bytearray()
    at = 0
    while at < len(records):
        fields = AUXTRACE.unpack_from(records, at)
        at += AUXTRACE.size
        del trace[fields[4]:]
        trace += records[at:at + fields[3]]
        at += fields[3]
    return trace


def time_at(trace, at):
    return int.from_bytes(trace[at:at + 7], "little")


class Repeated:
    """Trace from one PSB up to another, and its time stamps."""

    def __init__(self, trace):
        points = [match.start() for match in PSB.finditer(trace)]
        self.trace = trace[points[0]:points[-1]]
        self.stamps = [point + 17 - points[0] for point in points[:-1]
                       if trace[point + 16] == TSC]
        self.period = (time_at(trace, points[-1] + 17) -
                       time_at(trace, points[0] + 17))

    def next(self):
        """Moves the time stamps on by a period."""
        for at in self.stamps:
            ticks = time_at(self.trace, at) + self.period
            self.trace[at:at + 7] = ticks.to_bytes(7, "little")


def write(path, repeated, size):
    """Writes at least @size bytes of trace, in records of 4 MiB or more."""
    offset = 0
    with open(path, "wb") as file:
        while offset < size:
            trace = bytearray()
            while len(trace) < 4 << 20:
                trace += repeated.trace
                repeated.next()
            padding = -len(trace) % 8
            file.write(AUXTRACE.pack(71, 0, AUXTRACE.size,
                                     len(trace) + padding, offset, 0, 0,
                                     0xffffffff, 0, 0))
            file.write(trace + bytes(padding))
            offset += len(trace)
    return offset


def anonymous_mb(pid):
    """Returns the memory that the system cannot take back: without the pages
    of the recording."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            found = re.search(r"RssAnon:\s*(\d+)", status.read())
    except OSError:
        found = None
    return int(found[1]) >> 10 if found else 0


def peak_mb(ktrace, recording):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen([ktrace, "report", "--flat", "-i", recording],
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as child:
        peak = 0
        while child.poll() is None:
            peak = max(peak, anonymous_mb(child.pid))
            time.sleep(0.05)
    if child.returncode:
        sys.exit(f"not ok: large: report ended with {child.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return peak, after.ru_utime - before.ru_utime


def measure(ktrace, source, folder, size):
    target = os.path.join(folder, "large")
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("data.0"))
    repeated = Repeated(trace_of(os.path.join(source, "data.0")))
    written = write(os.path.join(target, "data.0"), repeated, size)
    peak, seconds = peak_mb(ktrace, target)
    shutil.rmtree(target)
    print(f"large: {written >> 20} MB: {peak} MB of memory, {seconds:.1f} s "
          "of CPU")
    return peak


def main():
    ktrace, source, folder, megabytes = sys.argv[1:]
    size = int(megabytes) << 20
    free = shutil.disk_usage(folder).free
    if free < size + (4 << 30):
        print(f"skipped: large: {free >> 30} GB of disk are free")
        return
    small = measure(ktrace, source, folder, size // 16)
    large = measure(ktrace, source, folder, size)
    if large > small + ALLOWED_MB:
        sys.exit(f"not ok: large: memory grew from {small} to {large} MB")
    print("ok: large: memory does not grow with the recording")


main()
