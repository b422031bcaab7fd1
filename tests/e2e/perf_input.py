# SPDX-License-Identifier: MIT
"""Recordings for a perf that has no decoder for Arm's trace, as perf of x86-64
has not, to read everything else from."""
import os
import struct

HEADER = struct.Struct("<IHH")
AUXTRACE_INFO, AUXTRACE, FINISHED_ROUND = 70, 71, 68
CORESIGHT = 3


def records(data):
    """(place, type) of each record."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, size = HEADER.unpack_from(data, at)
        yield at, kind
        if kind == AUXTRACE:
            size += struct.unpack_from("<Q", data, at + HEADER.size)[0]
        at += size


def perf_input(recording):
    """What to give perf as its input: the recording, or a copy beside it that
    does not say whose trace it has."""
    copy = f"{recording}.perf"
    if os.path.exists(copy):
        return copy
    with open(f"{recording}/data", "rb") as file:
        data = bytearray(file.read())
    for at, kind in records(data):
        if kind == AUXTRACE_INFO:
            break
    else:
        return recording
    if struct.unpack_from("<I", data, at + HEADER.size)[0] != CORESIGHT:
        return recording
    struct.pack_into("<I", data, at, FINISHED_ROUND)
    with open(copy, "wb") as file:
        file.write(data)
    return copy
