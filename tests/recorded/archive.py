#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports of archives equal those of their recordings, even if the traced
programs are gone; perf reads an unpacked archive.

    archive.py PROGRAM FOLDER

FOLDER contains the recordings kernel, long and separate, and programs/, with the
programs of the last one.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from reader import Reader, run_checks

COMMANDS = (("report", "--flat"), ("report", "--callgraph"),
            ("timeline", "--format=csv"), ("flamegraph", "--folded"))


def archive(reader, folder, name, *options):
    path = os.path.join(folder, name + ".ktrace")
    done = reader.run("archive", "-i", os.path.join(reader.recording, name),
                      "-o", path, *options)
    assert done.returncode == 0, done.stderr.decode()
    return path


def same(whole, path, commands):
    packed = Reader(whole.program, path)
    for command in commands:
        wanted = whole.text(*command)
        assert wanted.count("\n") > 3, command
        assert packed.text(*command) == wanted, (path, command)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(path, name))
               for path, _, names in os.walk(folder) for name in names)


def middle(whole):
    """Returns the options of a window."""
    times = [row["time_ns"] for row in whole.timeline()]
    since, until = (int(times[len(times) * part // 3]) / 1e9
                    for part in (1, 2))
    return f"--since=@{since:.9f}", f"--until=@{until:.9f}"


def check_the_kernel(reader):
    """Compares the whole recording and a window of it."""
    whole = Reader(reader.program, os.path.join(reader.recording, "kernel"))
    with tempfile.TemporaryDirectory() as folder:
        path = archive(reader, folder, "kernel")
        same(whole, path, (*COMMANDS, ("report", "--flat", *middle(whole))))
        size = size_of(whole.recording)
        assert os.path.getsize(path) * 3 < size, (os.path.getsize(path), size)


def check_several_threads_and_tables(reader):
    with tempfile.TemporaryDirectory() as folder:
        path = archive(reader, folder, "long")
        whole = Reader(reader.program, os.path.join(reader.recording, "long"))
        same(whole, path, (("report", "--flat"), ("report", "--sleeps"),
                           ("report", "--syscalls"),
                           ("sql", "SELECT * FROM thread")))


def check_programs_that_are_gone(reader):
    programs = os.path.join(reader.recording, "programs")
    with tempfile.TemporaryDirectory() as folder:
        path = archive(reader, folder, "separate")
        reading = ("timeline", "--format=csv", "--lines")
        wanted = Reader(reader.program, os.path.join(
            reader.recording, "separate")).text(*reading)
        assert "work.c:" in wanted, wanted[:1000]
        os.rename(programs, programs + ".gone")
        try:
            got = Reader(reader.program, path).text(*reading)
        finally:
            os.rename(programs + ".gone", programs)
        assert got == wanted, [pair for pair in zip(
            got.splitlines(), wanted.splitlines()) if pair[0] != pair[1]][:3]


def check_perf_reads_what_is_unpacked(reader):
    if not shutil.which("perf"):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = archive(reader, folder, "kernel")
        out = os.path.join(folder, "out")
        assert reader.run("archive", "--unpack", path, "-o",
                          out).returncode == 0
        said = [subprocess.run(
            ["perf", "script", "--itrace=cr", "-F", "cpu,time,ip,addr", "-i",
             each], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            for each in (os.path.join(reader.recording, "kernel"), out)]
        assert said[0].count(b"\n") > 1000 and said[0] == said[1]


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
