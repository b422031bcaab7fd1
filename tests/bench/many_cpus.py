# SPDX-License-Identifier: MIT
"""Writes a recording of many CPUs from a recording of one: each CPU does the
same at the same time, with threads of its own.

    many_cpus.py RECORDING OUTPUT CPUS

The records of processes, switches and trace are repeated for each CPU, with
another CPU and, except for the idle task, other thread ids. Samples stay those
of the first CPU.

Source: perf_event_open(2), "Overflow handling" and "MMAP layout"; struct
perf_event_attr of linux/perf_event.h.
"""
import os
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
from perf_file import AUXTRACE, File

COMM, EXIT, FORK, MMAP2, AUX, START, SWITCH, SWITCH_WIDE = (
    3, 4, 7, 10, 11, 12, 14, 15)
REPEATED = (COMM, EXIT, FORK, MMAP2, AUX, START, SWITCH, SWITCH_WIDE)
# Where each record has process and thread ids.
IDS = {COMM: (8, 12), EXIT: (8, 12, 16, 20), FORK: (8, 12, 16, 20),
       MMAP2: (8, 12), AUX: (), START: (8, 12), SWITCH: (),
       SWITCH_WIDE: (8, 12)}
TID, ID, CPU, STREAM_ID, IDENTIFIER, TIME = (
    1 << bit for bit in (1, 6, 7, 9, 16, 2))
# Far above the threads of the recording.
THREADS = 1 << 20


def sizes_of(file):
    """Returns the sizes of a record's last fields: from its CPU on, and from
    its thread ids on."""
    attribute = struct.unpack_from('<Q', file.head, 24)[0] - len(file.head)
    kinds = struct.unpack_from('<Q', file.before, attribute + 24)[0]
    if not kinds & CPU or not kinds & TID:
        sys.exit('many_cpus.py: the records have no CPU')
    from_cpu = 8 + 8 * bool(kinds & IDENTIFIER)
    return from_cpu, from_cpu + 8 * (
        1 + sum(bool(kinds & bit) for bit in (TIME, ID, STREAM_ID)))


def moved(kind, record, cpu, sizes):
    """Returns a record as CPU @cpu has it."""
    record = bytearray(record)
    end = len(record)
    places = [*IDS[kind], end - sizes[1], end - sizes[1] + 4]
    for place in places:
        number = struct.unpack_from('<i', record, place)[0]
        if number > 0:
            struct.pack_into('<i', record, place, number + cpu * THREADS)
    struct.pack_into('<I', record, end - sizes[0], cpu)
    return bytes(record)


def repeated(kind, record, trace, cpus, sizes):
    """Yields a record for all CPUs."""
    if kind == AUXTRACE:
        for cpu in range(cpus):
            own = bytearray(record)
            # idx, tid, cpu
            struct.pack_into('<IiI', own, 32, cpu, -1, cpu)
            yield kind, bytes(own), trace
    elif kind in REPEATED:
        for cpu in range(cpus):
            yield kind, moved(kind, record, cpu, sizes), trace
    else:
        yield kind, record, trace


def main(path, output, cpus):
    shutil.copytree(path, output, ignore=shutil.ignore_patterns(
        'index', 'report_*', 'symbols'))
    place = os.path.join(output, 'data')
    with open(place, 'rb') as data:
        file = File(data.read())
    sizes = sizes_of(file)
    file.records = [copy for kind, record, trace in file.records
                    for copy in repeated(kind, record, trace, cpus, sizes)]
    file.write(place)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
