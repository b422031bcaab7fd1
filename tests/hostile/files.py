#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings that name files which must not be opened: pipes, devices, files
outside the recording.

    files.py PROGRAM
"""
import os
import struct
import sys

from judge import run, run_checks
from made_recording import (CODE, ITRACE_START, comm, kernel_trace, mapping,
                            origin, record, trace, write_recording)

# TIP.PGE with six bytes of address: to 0x400000, in user space.
INTO_USER = (bytes([2, 0x82] * 8 + [2, 0x23, 0xd1]) +
             (0x400000).to_bytes(6, "little") + bytes([6] * 8))


def report(program, folder, *options):
    done = run(program, "report", "--flat", "-i", folder, *options)
    run(program, "dump", "--blocks", "-i", folder, *options)
    return done


def replace(folder, name, make):
    path = os.path.join(folder, "kcore_dir", name)
    if os.path.lexists(path):
        os.unlink(path)
    make(path)


def check_copies_that_are_no_files(program, folder):
    write_recording(folder, [trace(INTO_USER)], traces_user=False)
    for name in ("kallsyms", "modules", "kcore", "kcore_end"):
        for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path),
                     lambda path: os.symlink("/proc/kmsg", path)):
            replace(folder, name, make)
            done = report(program, folder)
            assert f"{name}: cannot " in done.err, done.err
            assert "not a regular file" in done.err, done.err
        os.unlink(os.path.join(folder, "kcore_dir", name))


def check_vdso_that_is_no_file(program, folder):
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) + origin(117, 0))
    write_recording(folder, [mapping(117, "[vdso]"), start, trace(INTO_USER)])
    replace(folder, "vdso", os.mkfifo)
    assert "vdso: no symbols: not a regular" in report(program, folder).err


def check_mapped_files_that_are_none(program, folder):
    pipe = os.path.join(folder, "pipe")
    recording = os.path.join(folder, "recording")
    os.mkfifo(pipe)
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) + origin(117, 0))
    for path in (pipe, "/dev/null", "/dev/tty", "/proc/kmsg",
                 "/proc/self/environ"):
        write_recording(recording,
                        [mapping(117, path), start, trace(INTO_USER)])
        done = report(program, recording)
        assert f"{path}: no symbols: not a regular file" in done.err, done.err


EVIL = "/no\x1b[31mx\x07\ny\x9b"
ESCAPED = "/no\\x1b[31mx\\x07\\x0ay"


def check_names_leave_terminals_alone(program, folder):
    """Also paths in messages and dumps are escaped."""
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) + origin(117, 0))
    write_recording(folder, [comm(117, "c\x1b]\ny", 0), mapping(117, EVIL),
                             start, kernel_trace(1000)])
    with open(os.path.join(folder, "kcore_dir", "kallsyms"), "wb") as out:
        out.write(b"%x T f\x1b[2J\xff\n" % CODE)
    for words, name in ((("--records",), ESCAPED),
                        (("--records",), "comm c\\x1b]\\x0ay"),
                        (("--events",), "f\\x1b[2J\\xff\n")):
        done = run(program, "dump", *words, "-i", folder, codes=(0,))
        assert name in done.out, done.out
        assert "\x1b" not in done.out, done.out
    write_recording(folder, [mapping(117, EVIL), start, trace(INTO_USER)])
    done = report(program, folder)
    assert ESCAPED in done.err and "\x1b" not in done.err, done.err


def check_folders_whose_names_command_terminals(program, folder):
    """The newest recording here is used without being named."""
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) + origin(117, 0))
    for name in ("e\x1b[31m.data.old", "e\x1b[31m.data"):
        write_recording(os.path.join(folder, name), [start, kernel_trace(1000)])
        done = run(program, "report", "--comm=none", folder=folder)
        assert "e\\x1b[31m.data" in done.err, done.err
        assert "\x1b" not in done.err, done.err


def check_nothing_outside_symfs(program, folder):
    root = os.path.join(folder, "root")
    recording = os.path.join(folder, "recording")
    os.mkdir(root)
    with open(os.path.join(folder, "secret"), "wb") as out:
        out.write(b"\x90" * 4096)
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) + origin(117, 0))
    write_recording(recording, [mapping(117, "/../secret"), start,
                                trace(INTO_USER)])
    done = run(program, "report", "--flat", "-i", recording, "--symfs", root)
    assert "secret" not in done.err + done.out, done.err


DEVICE = "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n"
SOURCE = ("[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4\n"
          "[regs]\nTRCCONFIGR=0x1\nTRCTRACEIDR=0x10\nTRCIDR0=0x28000ea1\n")
TRACE = ("[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile={}\n"
         "format=source_data\n[source_buffers]\nETM_0=ETB_0\n"
         "[core_trace_sources]\ncpu_0=ETM_0\n")


def write_snapshot(folder, buffer="trace.bin", dump="code.bin"):
    os.makedirs(folder, exist_ok=True)
    for name, text in (
            ("snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\n"
             "device0=core.ini\ndevice1=source.ini\n"
             "[trace]\nmetadata=trace.ini\n"),
            ("core.ini", DEVICE + f"[dump]\nfile={dump}\naddress=0x8000\n"),
            ("source.ini", SOURCE), ("trace.ini", TRACE.format(buffer)),
            ("trace.bin", "\0" * 64), ("code.bin", "\0" * 64)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as out:
            out.write(text)


def check_snapshot_stays_inside(program, folder):
    inside = os.path.join(folder, "inside")
    with open(os.path.join(folder, "outside.bin"), "wb") as out:
        out.write(bytes(64))
    write_snapshot(inside)
    assert "outside" not in report(program, inside).err
    for name in ("../outside.bin", os.path.join(folder, "outside.bin")):
        write_snapshot(inside, dump=name)
        done = report(program, inside)
        assert f"{name}: cannot read: it is outside" in done.err, done.err
        write_snapshot(inside, buffer=name)
        done = run(program, "report", "--flat", "-i", inside)
        assert done.code == 1 and "it is outside" in done.err, done.err
    os.mkfifo(os.path.join(inside, "pipe"))
    write_snapshot(inside, dump="pipe")
    assert "pipe: cannot read: not a regular" in report(program, inside).err


def check_trace_of_no_cpu(program, folder):
    write_snapshot(folder)
    for name, text in (("source.ini", SOURCE.replace("ETM4", "STM500")),
                       ("trace.ini", TRACE.split("[core_trace")[0].format(
                           "trace.bin"))):
        with open(os.path.join(folder, name), "w", encoding="ascii") as out:
            out.write(text)
    done = run(program, "report", "-i", folder)
    assert done.code == 1 and "type 'STM500'" in done.err, done.err
    assert "malformed" not in done.err, done.err


def check_a_pipe_beside_recordings(program, folder):
    os.mkfifo(os.path.join(folder, "pipe"))
    assert "no recording" in run(program, "report", folder=folder).err


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
