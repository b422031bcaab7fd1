#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The output does not depend on the number of threads that decode.

    threads.py PROGRAM RECORDING

The recording has more than 1 MiB of trace per CPU: less is decoded by a single
thread. Each command is tried with one number of threads, or with all if
KTRACE_FULL is set.
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
