#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording, and a copy as if made after the TSC exceeded the 56 bits of its
packets, must have the same profile.

    tests/golden/late_clock.py PROGRAM

The recording is ../shared/recordings/small.tar.zst, or in KTRACE_SHARED.
The records' times are unchanged; the conversion from the TSC and the references
of AUXTRACE records, which perf uses, are moved by 2^56 ticks.
"""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
from perf_file import AUXTRACE, AUXTRACE_INFO, File, compare_rewritten

TIME_CONV = 79
STEP = 1 << 56
WORD = 1 << 64


def moved(shift, mult, zero):
    """Returns time_zero for a counter that is a STEP higher at the same
    time."""
    return (zero - (STEP >> shift) * mult) % WORD


def move_info(record):
    """Moves time_zero in AUXTRACE_INFO: after header, type and a reserved
    word, the words INTEL_PT_TIME_SHIFT, _MULT and _ZERO follow the first
    one."""
    words = list(struct.unpack_from(f'<{(len(record) - 16) // 8}Q', record, 16))
    words[3] = moved(*words[1:4])
    return record[:16] + struct.pack(f'<{len(words)}Q', *words)


def move_conversion(record):
    words = struct.unpack_from('<3Q', record, 8)
    return record[:8] + struct.pack('<3Q', *words[:2],
                                    moved(*words)) + record[32:]


def move_trace(record):
    """Moves the reference near the moved counter: perf needs the upper
    bits."""
    return record[:24] + struct.pack('<Q', STEP + (1 << 40)) + record[32:]


def rewrite(path):
    change = {AUXTRACE_INFO: move_info, TIME_CONV: move_conversion,
              AUXTRACE: move_trace}
    with open(path, 'rb') as original:
        file = File(original.read())
    file.records = [(kind, change[kind](record) if kind in change else record,
                     trace) for kind, record, trace in file.records]
    file.write(path)


def profiles(folder):
    """Returns the profiles by the default decoder, and by its reference."""
    return {options: subprocess.check_output(
        [sys.argv[1], 'report', '--flat', *options, '-i', folder], text=True,
        stderr=subprocess.STDOUT, timeout=300)
            for options in ((), ('--engine=libipt',))}


def main():
    compared = compare_rewritten(profiles, rewrite)
    if compared:
        before, after = compared
        for engine, text in before.items():
            assert text == after[engine], f'{text[:1500]}\n{after[engine][:1500]}'
        print(f'late clock: {len(before)} equal profiles')


if __name__ == '__main__':
    main()
