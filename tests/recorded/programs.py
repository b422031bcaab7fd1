#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""User programs in a trace: functions, libraries, the vdso, source lines.

    programs.py PROGRAM FOLDER

FOLDER holds a recording of work.c for each way to build it.
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

# The calls that work.c makes.
CALLS = {"main": 1, "branch": 10, "leaf": 20}
LINES = {"leaf": "leaf(unsigned long number)\n",
         "branch": "branch(unsigned long number)\n",
         "main": "int main(void)\n"}
VDSO_CALLS = 5


def flat(program, recording, *options):
    done = subprocess.run(
        [program, "report", "--flat", "--format=csv", "--lines", "-i",
         recording, *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    rows = {}
    for row in csv.DictReader(done.stdout.decode().splitlines()):
        pid_space, _, name = row["function"].partition(":")
        if pid_space.endswith("u"):
            rows[name] = row
    return rows, done.stderr.decode()


def check_calls(rows, wanted):
    for name, calls in wanted.items():
        assert name in rows, f"{name} is not in {sorted(rows)}"
        assert int(rows[name]["calls"]) == calls, rows[name]


def check_vdso(program, recording):
    """clock_gettime() in the vdso has the name of the library's function."""
    done = subprocess.run(
        [program, "report", "--flat", "--format=csv", "-i", recording],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    calls = [int(row["calls"])
             for row in csv.DictReader(done.stdout.decode().splitlines())
             if row["module"].endswith("/vdso")
             and row["function"].endswith("clock_gettime")]
    assert calls == [VDSO_CALLS], calls


def check_lines(rows):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "work.c")
    with open(source, encoding="utf-8") as file:
        lines = file.readlines()
    for name, text in LINES.items():
        path, _, number = rows[name]["source"].rpartition(":")
        assert path.endswith("work.c"), rows[name]
        assert text in lines[int(number) - 1], (rows[name], text)


def check_full(program, folder, name):
    rows, _ = flat(program, os.path.join(folder, name), "--comm", name)
    check_calls(rows, CALLS)
    check_lines(rows)
    check_vdso(program, os.path.join(folder, name))


def check_stripped(program, folder):
    """Without symbols there are names by offsets, from the unwind tables, all
    calls and the libraries' names."""
    rows, _ = flat(program, os.path.join(folder, "stripped"), "--comm",
                   "stripped")
    check_vdso(program, os.path.join(folder, "stripped"))
    assert not set(CALLS) & set(rows)
    calls = [int(row["calls"]) for name, row in rows.items()
             if name.startswith("stripped+0x")]
    assert not set(CALLS.values()) - set(calls), calls


def check_deleted(program, folder):
    """The recorder kept the file of a program that was removed before the
    recording's end. Without that file there is a warning, and the program's
    code is a gap."""
    rows, errors = flat(program, os.path.join(folder, "deleted"), "--comm",
                        "vanishing")
    check_calls(rows, CALLS)
    check_lines(rows)
    assert "vanishing" not in errors, errors
    with tempfile.TemporaryDirectory() as place:
        recording = os.path.join(place, "without")
        shutil.copytree(os.path.join(folder, "deleted"), recording,
                        ignore=shutil.ignore_patterns("programs", "index"))
        _, errors = flat(program, recording, "-v")
        assert "/vanishing: no symbols" in errors, errors
        text = subprocess.run([program, "report", "--flat", "-i", recording],
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL,
                              check=True).stdout.decode()
        assert "Incomplete:" in text, text[:300]


def main():
    program, folder = sys.argv[1:3]
    checks = [(name, lambda name=name: check_full(program, folder, name))
              for name in ("pie", "static", "separate")]
    checks.append(("stripped", lambda: check_stripped(program, folder)))
    checks.append(("deleted", lambda: check_deleted(program, folder)))
    failed = 0
    for name, check in checks:
        try:
            check()
            print(f"ok: {name}")
        except (AssertionError, KeyError) as error:
            failed += 1
            print(f"FAILED: {name}: {str(error)[:1000]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
