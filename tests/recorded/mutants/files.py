# SPDX-License-Identifier: MIT
"""Changes to the files of a recording other than perf.data: the kernel's
code and names.  Each function returns files' contents by name."""
import re
import struct

from .values import change_number, changed, cut_range

ELF_HEAD = 64
SEGMENT = 56
CODE = 0xffffffff81000000


def change_elf(content, rng):
    """Changes a field of the header or of a segment, or the content of
    segments."""
    content = bytearray(content)
    if len(content) < ELF_HEAD:
        return bytes(content)
    segments = struct.unpack_from("<H", content, 56)[0]
    head_end = min(ELF_HEAD + SEGMENT * segments, len(content))
    for _ in range(rng.choice((1, 1, 2, 4))):
        choice = rng.randrange(4)
        if choice == 0:
            change_number(rng, content, 0, ELF_HEAD)
        elif choice == 1 and head_end > ELF_HEAD:
            change_number(rng, content, ELF_HEAD, head_end, (4, 8))
        elif choice == 2:
            begin, end = cut_range(rng, len(content), 1 << 16)
            content[begin:end] = rng.choice((
                bytes(end - begin), b"\xcc" * (end - begin),
                rng.randbytes(end - begin)))
        else:
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    if rng.randrange(8) == 0:
        content = content[:rng.randrange(len(content))]
    return bytes(content)


def change_line(line, rng):
    """Changes an address, a size, a type or a name."""
    choice = rng.randrange(5)
    numbers = list(re.finditer(rb"\b(0x)?[0-9a-f]{3,}\b", line))
    if choice == 0 and numbers:
        found = rng.choice(numbers)
        digits = found.group().removeprefix(b"0x")
        text = b"%x" % changed(rng, int(digits, 16), 8)
        return line[:found.end() - len(digits)] + text + line[found.end():]
    if choice == 1:
        return line[:rng.randrange(len(line) + 1)]
    if choice == 2:
        return line + rng.choice((b"\0x", b"A" * 10000, b"\t[no_such_module]",
                                  b"\x1b[2J<b>\"", b" - \xff\xfe"))
    if choice == 3:
        at = rng.randrange(len(line) + 1)
        return line[:at] + bytes([rng.randrange(256)]) + line[at + 1:]
    return rng.choice((b"", b"ffffffffffffffff T last", b"0 T zero",
                       b"ffffffff81000000 T _stext",
                       b"ffffffffffffffff T _etext"))


def change_lines(content, rng, other):
    lines = content.split(b"\n")
    for _ in range(rng.choice((1, 1, 10, 1000))):
        at = rng.randrange(len(lines))
        lines[at] = change_line(lines[at], rng)
    begin, end = cut_range(rng, len(lines), rng.choice((1, 100, 1 << 30)))
    some = lines[begin:end]
    choice = rng.randrange(6)
    if choice == 0:
        del lines[begin:end]
    elif choice == 1:
        lines[begin:begin] = some
    elif choice == 2:
        lines[begin:end] = some[::-1]
    elif choice == 3:
        theirs = other.split(b"\n")
        begin, end = cut_range(rng, len(theirs), 1000)
        lines[begin:begin] = theirs[begin:end]
    return b"\n".join(lines)


def make_code(rng):
    """Adds a later copy of code: its name contains the address range and
    the time."""
    begin = rng.choice((CODE, CODE + 0x1000, 0, (1 << 64) - 4096,
                        0xffffffffc0000000, 0xffff800080000000,
                        rng.getrandbits(64)))
    end = begin + rng.choice((0, 1, 4096, 65536))
    if rng.randrange(4) == 0:
        end = changed(rng, end, 8)
    time_ns = changed(rng, rng.choice((0, 1000000000, 10 ** 18)), 8)
    name = f"code/{begin:x}-{end & (1 << 64) - 1:x}-{time_ns}"
    if rng.randrange(8) == 0:
        name = rng.choice(("code/unfinished", "code/x", "code/1-2",
                           "code/-1--1--1", "code/" + "f" * 200))
    return {name: rng.randbytes(rng.choice((0, 1, 4096, 65536)))}


def change_file(name, content, rng, other):
    """@other is the file of that name in another recording, or None."""
    if rng.randrange(16) == 0:
        return rng.choice((None, b"", other))
    if name.endswith(("kallsyms", "modules")):
        return change_lines(content, rng, other or content)
    if name.endswith(("index", "view")):
        return change_store(content, rng)
    return change_elf(content, rng)


def change_store(content, rng):
    """Changes files that reports cached."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 4, 16))):
        change_number(rng, content, 0, len(content), (1, 2, 4, 8))
    return bytes(content)
