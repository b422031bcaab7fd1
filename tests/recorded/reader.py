# SPDX-License-Identifier: MIT
"""Runs the commands that read a recording, and the checks of a file."""
import csv
import functools
import os
import subprocess
import sys


class Reader:
    def __init__(self, program, recording):
        self.program = os.path.abspath(program)
        self.recording = os.path.abspath(recording)

    def run(self, *arguments, folder=None):
        return subprocess.run([self.program, *arguments], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @functools.cache
    def text(self, *arguments):
        """Reads each output only once: the program writes the same each
        time."""
        done = self.run(*arguments, "-i", self.recording)
        assert done.returncode == 0, (arguments, done.stderr.decode())
        return done.stdout.decode()

    def rows(self, *arguments):
        return list(csv.DictReader(
            self.text(*arguments, "--format=csv").splitlines()))

    def flat(self, *arguments):
        return self.rows("report", "--flat", *arguments)

    def timeline(self, *arguments):
        return self.rows("timeline", *arguments)

    @functools.cached_property
    def whole_timeline(self):
        """Reads it only once: it has some 200,000 rows."""
        return self.timeline()


def run_checks(functions):
    """Runs each check_NAME of @functions with the Reader of the recording
    on the command line; prints a line for each."""
    reader = Reader(*sys.argv[1:3])
    failed = 0
    for name, check in list(functions.items()):
        if not name.startswith("check_"):
            continue
        try:
            check(reader)
            print(f"ok: {name[6:]}")
        except AssertionError as error:
            failed += 1
            line = error.__traceback__.tb_next.tb_lineno
            print(f"FAILED: {name[6:]}, line {line}: {str(error)[:1000]}")
    return 1 if failed else 0
