# SPDX-License-Identifier: MIT
"""Writes a CPU's trace, with the kernel's code, as a snapshot directory, which
OpenCSD's own tools read.

    snapshot_of.py RECORDING SNAPSHOT

RECORDING is of one CPU with an ETE and its own sink (TRBE), kernel only.

Source: OpenCSD's docs/specs/ (trace snapshots, version 1.0);
tools/perf/util/cs-etm.h in Linux (CS_ETE_…).
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
from perf_file import AUXTRACE, AUXTRACE_INFO, File

ETE = 0x5050505050505050
# The registers of the snapshot, in the order of a unit's metadata.
REGISTERS = ('TRCCONFIGR', 'TRCTRACEIDR', 'TRCIDR0', 'TRCIDR1', 'TRCIDR2',
             'TRCIDR8', 'TRCAUTHSTATUS', 'TRCDEVARCH')
PT_LOAD = 1


def registers(record):
    """Returns the registers of the first unit."""
    words = struct.unpack_from('<%dQ' % ((len(record) - 16) // 8), record, 16)
    magic, _, count = words[3:6]
    if magic != ETE:
        sys.exit('snapshot_of.py: no ETE')
    return zip(REGISTERS, words[6:6 + count])


def trace(records):
    """Returns all pieces of the buffer, each at its position."""
    whole = bytearray()
    for kind, record, piece in records:
        if kind == AUXTRACE:
            at = struct.unpack_from('<Q', record, 16)[0]
            whole[at:at + len(piece)] = piece
    return whole


def segments(path):
    """Yields address and bytes of each segment."""
    with open(path, 'rb') as file:
        data = file.read()
    at = struct.unpack_from('<Q', data, 32)[0]
    size, count = struct.unpack_from('<2H', data, 54)
    for header in range(at, at + size * count, size):
        kind, _, place, address, _, length = struct.unpack_from(
            '<2I4Q', data, header)
        if kind == PT_LOAD:
            yield address, data[place:place + length]


def write(folder, name, text):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(text if isinstance(text, (bytes, bytearray))
                   else text.encode())


def main(recording, folder):
    os.mkdir(folder)
    with open(os.path.join(recording, 'data'), 'rb') as data:
        records = File(data.read()).records
    info = next(r for kind, r, _ in records if kind == AUXTRACE_INFO)
    core = ['[device]', 'name=cpu_0', 'class=core', 'type=Cortex-A76',
            '[regs]']
    kcore = os.path.join(recording, 'kcore_dir', 'kcore')
    for i, (address, code) in enumerate(segments(kcore)):
        write(folder, f'code{i}', code)
        core += [f'[dump{i}]', f'file=code{i}', f'address={address:#x}',
                 f'length={len(code):#x}']
    write(folder, 'cpu_0.ini', '\n'.join(core) + '\n')
    write(folder, 'ete_0.ini', '\n'.join(
        ['[device]', 'name=ete_0', 'class=trace_source', 'type=ETE', '[regs]']
        + [f'{name}={value:#x}' for name, value in registers(info)]) + '\n')
    write(folder, 'trace.bin', trace(records))
    write(folder, 'trace.ini', '''[trace_buffers]
buffers=buffer1
[buffer1]
name=trbe_0
file=trace.bin
format=source_data
[source_buffers]
ete_0=trbe_0
[core_trace_sources]
cpu_0=ete_0
''')
    write(folder, 'snapshot.ini', '''[snapshot]
version=1.0
[device_list]
device0=cpu_0.ini
device1=ete_0.ini
[trace]
metadata=trace.ini
''')


main(*sys.argv[1:])
