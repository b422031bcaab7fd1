#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A full disk: what cannot be written is named, with the system's reason; nothing
is left behind, and what is only cached fails nothing.

    full_disk.py PROGRAM

Disks are full in user and mount namespaces of their own (unshare -rm); files may
not grow (RLIMIT_FSIZE) and standard output is /dev/full everywhere.
"""
import contextlib
import os
import resource
import shutil
import subprocess
import sys

from judge import FACTOR, run_checks
from made_recording import (CODE, kernel_trace, write_kcore,
                            write_recording)

FULL, TOO_LARGE = "No space left on device", "File too large"
DISK_KB = 256
INSIDE = "KTRACE_FULL_DISK_INSIDE"

NUMBERS = ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c "
           "LIMIT 900000) ")

# Options by command; the file to write comes last.
WRITERS = (
    ["report", "--flat", "-o"],
    ["report", "--threads", "--format=json", "-o"],
    ["report", "--html"],
    ["flamegraph", "-o"],
    ["timeline", "-o"],
    ["export", "--format=perfetto", "-o"],
    ["export", "--format=chrome", "-o"],
    ["export", "--format=csv", "-o"],
    ["export", "--format=json", "-o"],
    ["export", "--format=gmon", "-o"],
    ["export", "--format=sqlite", "-o"],
    ["archive", "-o"],
    ["dump", "-o"],
)


def ask(program, *arguments, out=subprocess.PIPE, limit=None, **environment):
    """The exit code and standard error."""
    def confine():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [program, *arguments], stdin=subprocess.DEVNULL, stdout=out,
        stderr=subprocess.PIPE, env={**os.environ, **environment},
        preexec_fn=confine, timeout=60 * FACTOR, check=False)
    said = done.stderr.decode(errors="replace")
    assert "Sanitizer" not in said, said
    assert "out of memory" not in said, f"{arguments}: {said}"
    return done.returncode, said


def expect_failure(answer, path, reason):
    """The file and the reason are in one line, and the exit code is 1."""
    code, said = answer
    lines = [line for line in said.splitlines()
             if path in line and line.endswith(reason)]
    assert code == 1 and lines, f"{path}: {code}: {said}"


def made(folder):
    path = os.path.join(folder, "made")
    write_recording(path, [kernel_trace(1000)], traces_user=False)
    return path


@contextlib.contextmanager
def full_disk(folder, fill=True):
    """A folder on a disk of its own, which is full."""
    path = os.path.join(folder, "disk")
    os.mkdir(path)
    subprocess.run(["mount", "-t", "tmpfs", "-o",
                    f"size={DISK_KB}k,mode=755", "tmpfs", path], check=True)
    try:
        if fill:
            fill_up(path)
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def fill_up(path):
    with open(os.path.join(path, "fill"), "wb", buffering=0) as out:
        with contextlib.suppress(OSError):
            while out.write(bytes(4096)):
                pass


def check_standard_output(program, folder):
    recording = made(folder)
    for arguments in (
            ["--help"], ["--version"], ["sql", "--schema"],
            ["completion", "bash"], ["report", "--help"],
            ["report", "--flat", "-i", recording],
            ["report", "--threads", "--format=json", "-i", recording],
            ["timeline", "-i", recording],
            ["flamegraph", "-i", recording],
            ["export", "--format=chrome", "-i", recording],
            ["sql", recording, "SELECT * FROM call"],
            ["diff", recording, recording],
            ["diff", "--format=svg", recording, recording],
            ["dump", "-i", recording],
            ["verify", recording]):
        with open("/dev/full", "wb") as out:
            answer = ask(program, *arguments, out=out)
        expect_failure(answer, "standard output", FULL)
        assert answer[1].count(FULL) == 1, answer[1]


def check_files_that_may_not_grow(program, folder):
    recording = made(folder)
    path = os.path.join(folder, "out")
    for arguments in WRITERS:
        expect_failure(ask(program, arguments[0], "-i", recording,
                           *arguments[1:], path, limit=0),
                       folder, TOO_LARGE)
        assert not os.path.exists(path), arguments


def check_files_on_a_full_disk(program, folder):
    recording = made(folder)
    with full_disk(folder) as disk:
        path = os.path.join(disk, "out")
        for arguments in WRITERS:
            expect_failure(ask(program, arguments[0], "-i", recording,
                               *arguments[1:], path), path, FULL)
        for arguments in (["sql", "-o", path, recording, "SELECT * FROM call"],
                          ["diff", "-o", path, recording, recording],
                          ["diff", "--format=html", "-o", path, recording,
                           recording],
                          ["diff", "--format=svg", "-o", path, recording,
                           recording],
                          ["store", "add", "--to", path, recording]):
            expect_failure(ask(program, *arguments), path, FULL)
        left = set(os.listdir(disk)) - {"fill"}
        assert left <= {"out"} and (not left or not os.path.getsize(path)), left


def check_old_file_stays(program, folder):
    recording = made(folder)
    with full_disk(folder, fill=False) as disk:
        path = os.path.join(disk, "out")
        with open(path, "w", encoding="ascii") as out:
            out.write("old")
        fill_up(disk)
        expect_failure(ask(program, "report", "--flat", "-i", recording, "-o",
                           path), path, FULL)
        with open(path, encoding="ascii") as kept:
            assert kept.read() == "old"


def check_caches_beside_the_recording(program, folder):
    with full_disk(folder, fill=False) as disk:
        recording = made(disk)
        fill_up(disk)
        for arguments in (
                ["report", "-i", recording], ["report", "--syscalls", "-i",
                                              recording],
                ["timeline", "-i", recording],
                ["sql", recording, "SELECT count(*) FROM sleep"],
                ["sql", recording, "SELECT count(*) FROM thread_state"],
                ["verify", recording]):
            code, said = ask(program, *arguments)
            assert code == 0 and FULL not in said, f"{arguments}: {said}"
        expect_failure(ask(program, "report", "-i", recording, "--html",
                           os.path.join(folder, "page.html")),
                       os.path.join(recording, "view"), FULL)
        code, said = ask(program, "report", "--flat", "-i", recording)
        assert code == 0, said


def check_archives(program, folder):
    recording = made(folder)
    archive = os.path.join(folder, "made.ktrace")
    code, said = ask(program, "archive", "-i", recording, "-o", archive)
    assert code == 0, said
    with full_disk(folder) as disk:
        to = os.path.join(disk, "unpacked")
        expect_failure(ask(program, "archive", "--unpack", archive, "-o", to),
                       to, FULL)
        expect_failure(ask(program, "report", "-i", archive, TMPDIR=disk),
                       disk, FULL)


def check_temporary_files(program, folder):
    recording = made(folder)
    # Code in two places is mapped from one file of both.
    apart = os.path.join(folder, "apart")
    write_recording(apart, [kernel_trace(1000)], traces_user=False)
    write_kcore(apart, [(4096, CODE, 4096), (8192, CODE + (1 << 20), 4096)],
                12288)
    with open(os.path.join(apart, "kcore_dir", "kcore"), "r+b") as out:
        out.seek(4096)
        out.write(b"\xff\xe0" * 4096)
    with full_disk(folder) as disk:
        for arguments in (
                ["report", "--flat", "-i", apart],
                ["sql", recording,
                 NUMBERS + "SELECT percentile(50, x) FROM c"],
                ["sql", recording,
                 NUMBERS + "SELECT x FROM c ORDER BY -x LIMIT 899999"]):
            expect_failure(ask(program, *arguments, TMPDIR=disk), disk, FULL)


def can_mount():
    return shutil.which("unshare") and subprocess.run(
        ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False).returncode == 0


def main():
    if INSIDE in os.environ:
        return run_checks(globals())
    if can_mount():
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "-rm", sys.executable, *sys.argv])
    print("skipped: no disk can be full here: unshare -rm mounts nothing")
    return run_checks({name: check for name, check in globals().items()
                       if name in ("check_standard_output",
                                   "check_files_that_may_not_grow")})


if __name__ == "__main__":
    sys.exit(main())
