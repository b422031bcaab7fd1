#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording, and a copy with its trace in samples as in perf record
--aux-sample, must have the same profile.

    tests/golden/aux_samples.py PROGRAM

The recording is ../shared/recordings/small.tar.zst, or in KTRACE_SHARED.
"""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
from perf_file import AUXTRACE, File, compare_rewritten

SAMPLE = 9
IP, TID, TIME, CPU, IDENTIFIER, AUX = 1, 2, 4, 1 << 7, 1 << 16, 1 << 20
PSB = bytes([2, 0x82] * 8)
ROOM = 60000


def event_with_samples(file):
    """Makes the first event have samples with trace; returns its id."""
    size, at = struct.unpack_from('<2Q', file.head, 16)
    before = bytearray(file.before)
    attr = at - 104
    ids_at = struct.unpack_from('<Q', before, attr + size - 16)[0]
    kind = struct.unpack_from('<Q', before, attr + 24)[0]
    assert kind & ~(TID | TIME | CPU | IDENTIFIER | IP) == 0, hex(kind)
    struct.pack_into('<Q', before, attr + 24, kind | AUX)
    file.before = bytes(before)
    return kind, struct.unpack_from('<Q', before, ids_at - 104)[0]


def sample(kind, event, cpu, data):
    data += bytes(-len(data) % 8)
    body = b''
    for bit, value in ((IDENTIFIER, struct.pack('<Q', event)),
                       (IP, bytes(8)), (TID, bytes(8)), (TIME, bytes(8)),
                       (CPU, struct.pack('<Q', cpu))):
        body += value if kind & bit else b''
    body += struct.pack('<Q', len(data)) + data
    return struct.pack('<IHH', SAMPLE, 1, 8 + len(body)) + body


def windows(data):
    """Yields intervals that overlap: each shares the trace after a sync
    point with the next one."""
    places, at = [], data.find(PSB)
    while at >= 0:
        places.append(at)
        at = data.find(PSB, at + 16)
    start = 0
    while start + ROOM < len(data):
        yield data[start:start + ROOM]
        start = [place for place in places
                 if start < place < start + ROOM - 64][-1]
    yield data[start:]


def rewrite(path):
    with open(path, 'rb') as original:
        file = File(original.read())
    kind, event = event_with_samples(file)
    streams = {}
    for number, record, trace in file.records:
        if number == AUXTRACE:
            at, cpu = (struct.unpack_from('<Q', record, 16)[0],
                       struct.unpack_from('<I', record, 40)[0])
            streams.setdefault(cpu, bytearray())[at:] = trace
    file.records = [item for item in file.records if item[0] != AUXTRACE] + [
        (SAMPLE, sample(kind, event, cpu, part), b'')
        for cpu, stream in streams.items() for part in windows(bytes(stream))]
    file.write(path)


def profile(folder):
    done = subprocess.run([sys.argv[1], 'report', '--flat', '-i', folder],
                          capture_output=True, text=True, timeout=120,
                          check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def main():
    profiles = compare_rewritten(profile, rewrite)
    if profiles:
        whole, sampled = profiles
        assert whole == sampled, f'{whole[:1500]}\n{sampled[:1500]}'
        print(f'aux samples: {len(whole.splitlines())} equal lines')


if __name__ == '__main__':
    main()
