#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Any number of threads that decode tells the same of a recording.

    threads.py PROGRAM RECORDING

The recording has more than 1 MiB of trace to a CPU: less is decoded by one.
Each command is tried with one number of threads, where KTRACE_FULL is set with all.
"""
import os
import sys

from reader import run_checks

COMMANDS = [
    ["report", "--flat"],
    ["report", "--interrupts"],
    ["timeline", "--format=csv"],
    ["flamegraph", "--wall", "--folded"],
]
THREADS = ["2", "3", "16"]
IS_FULL = "KTRACE_FULL" in os.environ


def check_is_long_enough(reader):
    assert os.path.getsize(os.path.join(reader.recording, "data")) > 3 << 19


def check_same(reader):
    for number, command in enumerate(COMMANDS):
        alone = reader.text(*command, "--jobs", "1")
        assert alone.count("\n") > 10, (command, alone[:200])
        for count in THREADS if IS_FULL else [THREADS[number % len(THREADS)]]:
            assert reader.text(*command, "--jobs", count) == alone, (
                command, count)


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
