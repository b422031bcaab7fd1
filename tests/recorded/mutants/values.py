# SPDX-License-Identifier: MIT
"""Values for a number in a mutant: near the old value, a bound, or any."""
import struct

FORMATS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


def changed(rng, value, size):
    """Returns another number of @size bytes."""
    mask = (1 << 8 * size) - 1
    choices = (
        lambda: value + rng.randrange(-16, 17),
        lambda: value ^ 1 << rng.randrange(8 * size),
        lambda: (1 << rng.randrange(8 * size)) - rng.randrange(2),
        lambda: rng.randrange(16),
        lambda: mask - rng.randrange(16),
        lambda: value * 2,
        lambda: rng.getrandbits(8 * size),
    )
    return rng.choice(choices)() & mask


def change_number(rng, content, begin, end, sizes=(2, 4, 8)):
    """Changes one number of @content between @begin and @end, at an offset
    that is a multiple of its size."""
    size = rng.choice([size for size in sizes if size <= end - begin] or [1])
    if end - begin < size:
        return
    at = begin + rng.randrange((end - begin) // size) * size
    value, = struct.unpack_from(FORMATS[size], content, at)
    struct.pack_into(FORMATS[size], content, at, changed(rng, value, size))


def cut_range(rng, count, most):
    """Returns the range of 1 to @most of @count items."""
    length = rng.randrange(1, min(most, count) + 1)
    begin = rng.randrange(count - length + 1)
    return begin, begin + length
