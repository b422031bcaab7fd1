# SPDX-License-Identifier: MIT
"""Recordings as perf reads them, one that has no decoder for Arm's trace, as perf
of x86-64 has not, too: to read everything else from."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from perf_file import AUXTRACE_INFO, File

FINISHED_ROUND = 68
CORESIGHT = 3


def hide_trace(file):
    """Has the file not say whose trace it has.  Returns whether that was
    CoreSight's."""
    for index, (kind, record, trace) in enumerate(file.records):
        if kind != AUXTRACE_INFO:
            continue
        if struct.unpack_from("<I", record, 8)[0] != CORESIGHT:
            return False
        file.records[index] = (
            FINISHED_ROUND, struct.pack("<I", FINISHED_ROUND) + record[4:],
            trace)
        return True
    return False


def perf_input(recording):
    """What to give perf as its input: the recording, or a copy beside it that
    does not say whose trace it has."""
    copy = f"{recording}.perf"
    if os.path.exists(copy):
        return copy
    with open(f"{recording}/data", "rb") as data:
        file = File(data.read())
    if not hide_trace(file):
        return recording
    file.write(copy)
    return copy


def perf_lines(recording, fields, *options):
    """What perf says of the records, without the trace, a line each."""
    return subprocess.run(
        ["perf", "script", "--no-itrace", *options, "-F", fields, "-i",
         perf_input(recording)], capture_output=True, text=True,
        check=True).stdout.splitlines()
