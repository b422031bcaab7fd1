# SPDX-License-Identifier: MIT
"""Changes to the parts of a perf.data file other than records: the header,
the events' attributes, the features."""
import struct

from .values import change_number, changed

HEAD, FLAGS_AT, DATA_AT = 104, 72, 40


def change_attributes(file, rng, _):
    """Changes the ids and attributes of the events, which precede the
    records."""
    before = bytearray(file.before)
    for _ in range(rng.choice((1, 1, 4))):
        change_number(rng, before, 0, len(before), (4, 8))
    file.before = bytes(before)


def change_feature(file, rng, other):
    if not file.features:
        return
    index = rng.randrange(len(file.features))
    content = bytearray(file.contents[index])
    choice = rng.randrange(4)
    if choice == 0:
        content = content[:rng.randrange(len(content) + 1)]
    elif choice == 1 and other.contents:
        content = rng.choice(other.contents)
    elif choice == 2:
        content = b""
    else:
        change_number(rng, content, 0, len(content))
    file.contents[index] = bytes(content)


def name_feature_otherwise(file, rng, _):
    if file.features:
        index = rng.randrange(len(file.features))
        file.features[index] = rng.randrange(256)
        bits = sum({1 << bit for bit in file.features})
        file.head[FLAGS_AT:HEAD] = bits.to_bytes(32, "little")


CHANGES = (change_attributes, change_attributes, change_feature,
           name_feature_otherwise)


def change_front(file, rng, other):
    rng.choice(CHANGES)(file, rng, other)


def change_places(content, rng):
    """Changes sizes and offsets of the header and of the features' table in
    the finished file."""
    content = bytearray(content)
    begin, size = struct.unpack_from("<2Q", content, DATA_AT)
    count = sum(bin(byte).count("1") for byte in content[FLAGS_AT:HEAD])
    table = min(begin + size, len(content))
    if rng.randrange(2):
        change_number(rng, content, 8, HEAD, (8,))
    else:
        change_number(rng, content, table,
                      min(table + 16 * count, len(content)), (8,))
    if rng.randrange(8) == 0:
        content = content[:changed(rng, len(content), 8) %
                          (len(content) + 1)]
    return bytes(content)
