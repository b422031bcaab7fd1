# SPDX-License-Identifier: MIT
"""Splits and changes perf.data files for tests."""
import os
import pathlib
import struct
import subprocess
import tempfile

AUXTRACE_INFO, AUXTRACE = 70, 71
FEATURE_AUXTRACE = 18


class File:
    """A file, split into its parts."""

    def __init__(self, data):
        self.head = bytearray(data[:104])
        _, _, attrs_at, _, self.at, self.size = struct.unpack_from(
            '<6Q', data, 8)
        self.before = data[104:self.at]
        flags = int.from_bytes(data[72:104], 'little')
        self.features = [bit for bit in range(256) if flags >> bit & 1]
        end = self.at + self.size
        places = [struct.unpack_from('<2Q', data, end + 16 * i)
                  for i in range(len(self.features))]
        self.contents = [data[at:at + size] for at, size in places]
        self.records = list(self.read(data))

    def read(self, data):
        """Yields each record's type, the record, and the trace that follows
        it."""
        at, end = self.at, self.at + self.size
        while at < end:
            kind, _, size = struct.unpack_from('<IHH', data, at)
            record = data[at:at + size]
            at += size
            trace = b''
            if kind == AUXTRACE:
                trace = data[at:at + struct.unpack_from('<Q', record, 8)[0]]
                at += len(trace)
            yield kind, record, trace

    def write(self, path):
        with open(path, 'wb') as out:
            out.write(self.bytes())

    def bytes(self):
        """Returns the file with its current records, and with the header
        and the features moved accordingly."""
        body, index, at = [], [], self.at
        for kind, record, trace in self.records:
            if kind == AUXTRACE:
                index.append(struct.pack('<2Q', at, len(record)))
            body.append(record + trace)
            at += len(body[-1])
        struct.pack_into('<Q', self.head, 48, at - self.at)
        tables, contents = [], []
        at += 16 * len(self.features)
        for feature, content in zip(self.features, self.contents):
            if feature == FEATURE_AUXTRACE:
                content = struct.pack('<Q', len(index)) + b''.join(index)
            tables.append(struct.pack('<2Q', at, len(content)))
            contents.append(content)
            at += len(content)
        return (self.head + self.before + b''.join(body) +
                b''.join(tables) + b''.join(contents))


def compare_rewritten(profile, rewrite):
    """Returns profile(folder) of the small recording of the reference data, and
    again after rewrite(file); None, with a message, without that recording."""
    here = pathlib.Path(__file__).resolve().parent
    shared = os.environ.get('KTRACE_SHARED') or here.parent / '../shared'
    archive = pathlib.Path(shared) / 'recordings/small.tar.zst'
    if not archive.exists():
        print(f'skipped: no {archive}')
        return None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['tar', '-xaf', archive, '-C', folder], check=True)
        recording = next(pathlib.Path(folder).rglob('data')).parent
        before = profile(recording)
        rewrite(recording / 'data')
        return before, profile(recording)
