# SPDX-License-Identifier: MIT
"""Writes a recording as a sink that all CPUs share (ETR) would have made it.

    etr_rewrap.py [--etmv4] [--barriers] FROM TO

FROM is a recording (a folder, as `perf record --kcore` and ktrace-hw write it)
of trace units with separate sinks (TRBE).  TO has the bytes of all CPUs in
formatted frames with an id for each CPU.  The n-th AUX records of the CPUs
become one: the sink is read when the last of them stops, into that CPU's
buffer.  With --barriers each starts with a barrier frame, as the kernel marks
a buffer that was full.  With --etmv4 the metadata declare the units as ETMv4,
which has the same packets.
"""
import os
import random
import shutil
import struct
import sys

from perf_file import AUXTRACE, AUXTRACE_INFO, File

AUX, AUX_OUTPUT_HW_ID = 11, 21
ETMV4, ETE = 0x4040404040404040, 0x5050505050505050
FORMAT_MASK, FIRST_ID = 0xff00, 0x10
BARRIER = b'\xff\xff\xff\x7f' * 4
IDR1_ETMV4_5 = 0x4100f450


class Formatter:
    """The CoreSight trace formatter: bytes of several ids into frames."""

    EVERY = 10      # frames, after which the id is repeated

    def __init__(self):
        self.frames = bytearray()

    def add(self, data):
        """data: pairs of id and byte."""
        at, current, count = 0, 0, 0
        data = data + [(0, 0)] * 2
        while at < len(data) - 2:
            frame = bytearray(16)
            for i in range(0, 16, 2):
                identity, byte = data[at]
                last = i == 14
                if identity != current or (i == 0 and
                                           count % self.EVERY == 0):
                    frame[i], current = identity << 1 | 1, identity
                    if not last:
                        frame[i + 1] = byte
                        at += at < len(data) - 2
                elif not last and data[at + 1][0] != current:
                    current = data[at + 1][0]
                    frame[i], frame[i + 1] = current << 1 | 1, byte
                    frame[15] |= 1 << i // 2
                    at += 1
                else:
                    frame[i] = byte & 0xfe
                    frame[15] |= (byte & 1) << i // 2
                    at += at < len(data) - 2
                    if not last:
                        frame[i + 1] = data[at][1]
                        at += at < len(data) - 2
            self.frames += frame
            count += 1


def mixed(parts):
    """Returns the bytes of several units (id -> bytes) in the order in
    which they reach the sink: each unit sends about as much at a time."""
    chance = random.Random(1)
    places = {identity: 0 for identity in parts}
    longest = max(map(len, parts.values()))
    result = []
    for step in range(0, longest, 24):
        for identity, data in sorted(parts.items()):
            end = len(data) if step + 24 >= longest else min(
                len(data) * (step + 24) // longest + chance.randrange(9),
                len(data))
            at = places[identity]
            result += [(identity, byte) for byte in data[at:end]]
            places[identity] = max(at, end)
    return result


def new_info(record, etmv4):
    words = list(struct.unpack_from('<%dQ' % ((len(record) - 16) // 8),
                                    record, 16))
    at, result = 3, words[:3]
    for _ in range(words[1] & 0xffffffff):
        magic, cpu, count = words[at:at + 3]
        fields = words[at + 3:at + 3 + count]
        at += 3 + count
        fields[1] = FIRST_ID + cpu
        if etmv4 and magic == ETE:
            magic, fields = ETMV4, fields[:7] + fields[8:]
            fields[3] = IDR1_ETMV4_5
        result += [magic, cpu, len(fields)] + fields
    body = record[8:16] + struct.pack('<%dQ' % len(result), *result)
    return struct.pack('<IHH', AUXTRACE_INFO, 0, len(body) + 8) + body


class Sink:
    """Collects the units' output, and AUX records, which are read into the
    buffer of the CPU that stops last.  A thread has one buffer, and runs on
    one CPU at a time."""

    THREAD = 0xffffffff

    def __init__(self, records, cpu_of, barriers):
        self.cpu_of, self.barriers = cpu_of, barriers
        self.heads, self.traces, self.sizes, self.spans = {}, {}, {}, {}
        for kind, record, trace in records:
            if kind == AUXTRACE:
                at, buffer = struct.unpack_from('<Q16xI', record, 16)
                self.traces.setdefault(buffer, {})[at] = trace
                self.heads[buffer] = record
            elif kind == AUX:
                self.spans.setdefault(cpu_of(record), []).append(record)
        self.done = {cpu: 0 for cpu in self.spans}

    def buffer_of(self, cpu):
        return self.THREAD if self.THREAD in self.heads else cpu

    def bytes_of(self, cpu, record):
        """perf pads the pieces of a buffer to multiples of 8 bytes, so they
        overlap."""
        at, size = struct.unpack_from('<2Q', record, 8)
        result = b''
        for first, piece in sorted(self.traces[self.buffer_of(cpu)].items(),
                                   reverse=True):
            if first < at + size and at < first + len(piece):
                begin = max(at, first)
                result = piece[begin - first:at + size - first] + result
                size = begin - at
        return result

    def parts_of(self, cpu, record):
        """Returns source id -> bytes that are read when @record is written;
        nothing if a CPU has yet to stop."""
        number = self.done[cpu]
        self.done[cpu] += 1
        if self.THREAD in self.heads:
            return {FIRST_ID + cpu: self.bytes_of(cpu, record)}
        others = {other: spans[number] for other, spans in self.spans.items()
                  if number < len(spans)}
        if any(self.done[other] <= number for other in others):
            return {}
        return {FIRST_ID + other: self.bytes_of(other, span)
                for other, span in others.items()}

    def take(self, record):
        """Returns the replacement of an AUX record."""
        cpu = self.cpu_of(record)
        parts = self.parts_of(cpu, record)
        formatter = Formatter()
        if not parts:
            return []
        if self.barriers:
            formatter.frames += BARRIER
        formatter.add(mixed(parts))
        return self.records(self.buffer_of(cpu), record,
                            bytes(formatter.frames))

    def records(self, buffer, aux, frames):
        at = self.sizes.setdefault(buffer, 0)
        self.sizes[buffer] += len(frames)
        head, aux = bytearray(self.heads[buffer]), bytearray(aux)
        flags = struct.unpack_from('<Q', aux, 24)[0] & ~FORMAT_MASK
        struct.pack_into('<2Q', head, 8, len(frames), at)
        struct.pack_into('<3Q', aux, 8, at, len(frames), flags)
        return [(AUXTRACE, bytes(head), frames), (AUX, bytes(aux), b'')]


def cpu_place(file):
    """Returns the offset of the CPU in a sample id, from its end: only an
    identifier follows (PERF_SAMPLE_CPU, _STREAM_ID, _IDENTIFIER)."""
    kind = struct.unpack_from('<Q', file.before, file.attr + 24)[0]
    return 8 * (1 + (kind >> 9 & 1) + (kind >> 16 & 1))


def rewrap(source, target, etmv4, barriers):
    shutil.copytree(source, target)
    path = os.path.join(target, 'data')
    with open(path, 'rb') as data:
        file = File(data.read())
    file.attr = struct.unpack_from('<Q', file.head, 24)[0] - 104
    place = cpu_place(file)

    def cpu_of(record):
        return struct.unpack_from('<I', record, len(record) - place)[0]

    sink = Sink(file.records, cpu_of, barriers)
    result, high = [], None
    for kind, record, trace in file.records:
        if kind == AUXTRACE_INFO:
            record = new_info(record, etmv4)
        elif kind == AUX_OUTPUT_HW_ID:
            word = struct.unpack_from('<Q', record, 8)[0]
            high = word & ~0xff if high is None else high
            record = record[:8] + struct.pack(
                '<Q', high | FIRST_ID + cpu_of(record)) + record[16:]
        if kind == AUX:
            result += sink.take(record)
        elif kind != AUXTRACE:
            result.append((kind, record, trace))
    file.records = result
    os.remove(path)
    file.write(path)


if __name__ == '__main__':
    options = {word for word in sys.argv[1:] if word.startswith('--')}
    names = [word for word in sys.argv[1:] if word not in options]
    if len(names) != 2 or options - {'--etmv4', '--barriers'}:
        sys.exit(__doc__)
    rewrap(*names, '--etmv4' in options, '--barriers' in options)
