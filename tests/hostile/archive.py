#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives: unpacking restores the packed files, and hostile archives do no harm.

    archive.py PROGRAM
"""
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile

from judge import run, run_checks
from made_recording import (ITRACE_START, comm, kernel_trace, mapping, origin,
                            record, user_sample, write_recording)

BLOCK = 1 << 17
STACK = 0x7ffd00001000


def frame(data, repeats=0):
    """Returns a Zstandard frame (RFC 8878) of uncompressed blocks; or of
    one byte, @repeats times, in a few blocks."""
    size = repeats or len(data)
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", size)
    for at in range(0, size, BLOCK):
        some = min(BLOCK, size - at)
        head = (at + some == size) | (repeats > 0) << 1 | some << 3
        out += struct.pack("<I", head)[:3]
        out += data if repeats else data[at:at + some]
    return out, size


def table(sizes, count=None):
    entries = b"".join(struct.pack("<2I", *each) for each in sizes)
    count = len(sizes) if count is None else count
    return (struct.pack("<2I", 0x184d2a5e, len(entries) + 9) + entries +
            struct.pack("<IBI", count, 0, 0x8f92eab1))


def seekable(*frames):
    return (b"".join(packed for packed, _ in frames) +
            table([(len(packed), size) for packed, size in frames]))


def tar_of(members):
    """@members: names with bytes, or with changes to the header."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, what in members:
            info = tarfile.TarInfo(name)
            if isinstance(what, dict):
                for key, value in what.items():
                    setattr(info, key, value)
                what = b""
            info.size = len(what)
            tar.addfile(info, io.BytesIO(what))
    return out.getvalue()


def write_file(path, data):
    with open(path, "wb") as out:
        out.write(data)


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def small_recording(folder, *records, **options):
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) +
                   origin(117, 1000))
    write_recording(folder, [comm(117, "one", 1000), *records, start,
                             kernel_trace(1500000)], **options)


def archive(program, folder, *options):
    """Returns its path."""
    path = folder + ".ktrace"
    if os.path.exists(path):
        os.unlink(path)
    done = run(program, "archive", "-i", folder, "-o", path, *options)
    assert done.code == 0, done
    return path


def files_of(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            whole = os.path.join(path, name)
            found[os.path.relpath(whole, folder)] = (
                read_file(whole), os.stat(whole).st_mtime_ns)
    return found


def check_all_comes_out(program, folder):
    path = os.path.join(folder, "rec.data")
    small_recording(path, traces_user=False)
    os.mkdir(os.path.join(path, "code"))
    deep = "/".join(["folder" * 10] * 4)
    os.makedirs(os.path.join(path, deep))
    write_file(os.path.join(path, deep, "large"), os.urandom(5 << 19))
    wanted = files_of(path)
    write_file(os.path.join(path, "symbols"), b"cached by a report")
    packed = archive(program, path)
    for way in (("archive", "--unpack", packed, "-o"), ()):
        out = os.path.join(folder, "out")
        if way:
            assert run(program, *way, out).code == 0
        else:
            os.mkdir(out)
            subprocess.run(["tar", "-C", out, "-xf", packed], check=True)
        assert files_of(out) == wanted, way
        shutil.rmtree(out)
    assert run(program, "archive", "-i", path, "-o", packed).code == 1
    assert run(program, "archive", path, path).code == 2
    assert run(program, "archive", "-i", path, path).code == 2
    operand = os.path.join(folder, "operand")
    run(program, "archive", path, "-o", operand, codes=(0,))
    assert read_file(operand) == read_file(packed)


def check_commands_read_it(program, folder):
    path = os.path.join(folder, "rec.data")
    small_recording(path, traces_user=False)
    packed = archive(program, path)
    scratch = os.path.join(folder, "tmp")
    os.mkdir(scratch)
    for command in (("report", "--flat"), ("timeline",), ("dump", "--records"),
                    ("flamegraph",), ("export", "--format=csv"), ("verify",),
                    ("sql", "SELECT * FROM call")):
        wanted = run(program, *command, "-i", path)
        got = run(program, *command, "-i", packed,
                  environment={"TMPDIR": scratch})
        assert (got.code, got.out) == (wanted.code, wanted.out), command
        assert not os.listdir(scratch), os.listdir(scratch)
    # Left by a killed run; a run that still works holds a lock.
    left = os.path.join(scratch, "ktrace-hw-folder.abcdef")
    os.makedirs(os.path.join(left, "x"))
    read = ("report", "-i", packed)
    run(program, *read, environment={"TMPDIR": scratch})
    assert os.listdir(scratch), "one that is young stays"


def check_stacks(program, folder):
    """Addresses of code and of the stack are kept; everything else is
    removed."""
    path = os.path.join(folder, "rec.data")
    kept = [0x400200, STACK + 0x40, STACK]
    words = [kept[0], int.from_bytes(b"PASSWORD", "little"), kept[1],
             0x500000, kept[2], STACK - 8]
    stack = struct.pack("<6Q", *words) + b"tail"
    small_recording(path, mapping(117, "/nowhere", time_ns=1001),
                    user_sample(117, 1100, stack, STACK, 64), has_stacks=True)
    data = read_file(os.path.join(path, "data"))
    at = data.index(stack)
    for options, wanted in (
            ((), struct.pack("<6Q", kept[0], 0, kept[1], 0, kept[2], 0)
             .ljust(64, b"\0")),
            (("--keep-stacks",), stack.ljust(64, b"S"))):
        out = os.path.join(folder, "out")
        run(program, "archive", "--unpack", archive(program, path, *options),
            "-o", out)
        got = read_file(os.path.join(out, "data"))
        assert got == data[:at] + wanted + data[at + 64:], options
        shutil.rmtree(out)


def check_program_files(program, folder):
    """Mapped programs are packed, other files named in the recording are
    not."""
    path = os.path.join(folder, "rec.data")
    secret = os.path.join(folder, "secret")
    write_file(secret, b"SECRET" * 100)
    small_recording(path, mapping(117, "/bin/true", time_ns=1001),
                    mapping(117, secret, 0x600000, time_ns=1002),
                    mapping(117, "/bin/../bin/false", 0x700000, time_ns=1003))
    out = os.path.join(folder, "out")
    for options, wanted in ((), ["/bin/true"]), (("--no-files",), []):
        run(program, "archive", "--unpack", archive(program, path, *options),
            "-o", out)
        below = os.path.join(out, "files")
        assert [name for name in sorted(files_of(below)) if ".debug" not in
                name] == [name[1:] for name in wanted], files_of(below).keys()
        shutil.rmtree(out)


def check_links_are_not_followed(program, folder):
    """A recording made by another user cannot have others' files packed."""
    path = os.path.join(folder, "rec.data")
    secret = os.path.join(folder, "secret")
    small_recording(path, traces_user=False)
    wanted = files_of(path).keys() | {"code/own"}
    os.mkdir(os.path.join(path, "code"))
    write_file(os.path.join(path, "code", "own"), b"code")
    os.mkdir(secret)
    write_file(os.path.join(secret, "key"), b"SECRET")
    os.symlink(secret, os.path.join(path, "folder"))
    os.symlink(os.path.join(secret, "key"), os.path.join(path, "code/file"))
    os.symlink(path, path + ".link")
    for name in (path, path + ".link"):
        packed = os.path.join(folder, "packed")
        done = run(program, "archive", "-i", name, "-o", packed, codes=(0,))
        for link in ("folder", "code/file"):
            assert f"{link}: left out: a link" in done.err, done.err
        out = os.path.join(folder, "out")
        run(program, "archive", "--unpack", packed, "-o", out, codes=(0,))
        assert files_of(out).keys() == wanted, files_of(out).keys()
        shutil.rmtree(out)
        os.unlink(packed)


BAD_MEMBERS = (
    ("../outside", b"x"), ("/tmp/ktrace-outside", b"x"), ("a/../../b", b"x"),
    ("a//b", b"x"), ("..", b"x"),
    ("link", {"type": tarfile.SYMTYPE, "linkname": "/etc"}),
    ("hard", {"type": tarfile.LNKTYPE, "linkname": "data"}),
    ("pipe", {"type": tarfile.FIFOTYPE}), ("tty", {"type": tarfile.CHRTYPE}),
)


def check_members_that_lead_out(program, folder):
    path = os.path.join(folder, "bad.ktrace")
    inner = os.path.join(folder, "inner")
    for member in BAD_MEMBERS:
        write_file(path, seekable(frame(tar_of([("data", b"y"), member]))))
        os.mkdir(inner)
        done = run(program, "archive", "--unpack", path, "-o", inner + "/out")
        assert done.code == 1 and member[0] in done.err, (member, done)
        assert not os.listdir(inner), member
        assert run(program, "report", "-i", path).code == 1
        shutil.rmtree(inner)
    assert not os.path.exists("/tmp/ktrace-outside")
    write_file(path, seekable(frame(tar_of([("data", b"y")] * 2))))
    done = run(program, "report", "-i", path)
    assert done.code == 1 and "File exists" in done.err, done


def check_bombs(program, folder):
    path = os.path.join(folder, "bomb.ktrace")
    zeros = frame(b"\0", 1 << 20)
    # Each MB is 40 bytes; all of them would be 64 GB.
    write_file(path, b"".join([zeros[0]] * 2000) +
               table([(len(zeros[0]), 1 << 25)] * 2000))
    for data in (read_file(path), seekable(*[zeros] * 65536),
                 seekable(frame(b"\0", 1 << 24))):
        write_file(path, data)
        done = run(program, "report", "-i", path)
        assert done.code == 1 and path in done.err, done
    header = tar_of([("data", b"")])[:512]
    write_file(path, seekable(frame(header), (zeros[0], 1 << 19)))
    assert run(program, "report", "-i", path).code == 1


def check_damage(program, folder):
    """Cut anywhere, or with flipped bits: unpacking ends, and leaves no
    folder if it fails."""
    path = os.path.join(folder, "rec.data")
    bad = os.path.join(folder, "bad.ktrace")
    scratch = os.path.join(folder, "tmp")
    os.mkdir(scratch)
    small_recording(path, traces_user=False)
    good = read_file(archive(program, path))
    chance = random.Random(14)
    for i in range(60):
        data = bytearray(good)
        if i < 20:
            del data[chance.randrange(len(data)):]
        else:
            # Half of the changes are in the table at the end.
            at = chance.randrange(len(data) - (60 if i % 2 else 0),
                                  len(data)) if i % 2 else chance.randrange(
                                      len(data))
            data[at] ^= 1 << chance.randrange(8)
        write_file(bad, data)
        done = run(program, "report", "--flat", "-i", bad,
                   environment={"TMPDIR": scratch})
        assert done.code == 1 or i >= 20, (i, done)
        assert not os.listdir(scratch), i
        out = os.path.join(folder, "out")
        done = run(program, "archive", "--unpack", bad, "-o", out)
        assert done.code == 1 or i >= 20, (i, done)
        assert os.path.exists(out) == (done.code == 0), (i, done)
        shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
