# SPDX-License-Identifier: MIT
"""Recordings as input of perf, also of a perf without a decoder for Arm's
trace, like perf of x86-64: it can read everything else."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from perf_file import AUXTRACE_INFO, File

FINISHED_ROUND = 68
CORESIGHT = 3


def hide_trace(file):
    """Removes the trace's type from the file.  Returns whether it was
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
    """Returns the input for perf: the recording, or a copy beside it
    without the trace's type."""
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
    """Returns perf's lines for the records, without the trace."""
    return subprocess.run(
        ["perf", "script", "--no-itrace", *options, "-F", fields, "-i",
         perf_input(recording)], capture_output=True, text=True,
        check=True).stdout.splitlines()
