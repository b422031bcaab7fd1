#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads mutants of whole recordings with ktrace-hw and judges each run.

    mutate.py [OPTION]... PROGRAM RECORDING RECORDING...

The mutants are made from each recording in turn, with pieces of the next one,
by changing its parts: records, their fields, trace, names, code. Each is read
by one of all commands in turn, --jobs at a time.

Every run must end by itself with exit code 0 or 1, or 2 if it names an option
that does not suit the recording, within --seconds of CPU
time, --megabytes of memory and --disk-megabytes of disk, without a sanitizer's
report; one that fails must print why, with the recording's name. A mutant's
number reproduces it: --first N --count 1 --keep DIR.
Exit code: 0 if all did, otherwise 1.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from damaged_copies import damage                             # noqa: E402
from limited_run import Limits, Tally, fault, run             # noqa: E402
from mutants.commands import ASK, all_commands, filled        # noqa: E402
from mutants.mutant import Recording, make                    # noqa: E402
from mutants.viewer import ask                                # noqa: E402

FEATURE_ARCH = 6
WRONG_OPTION = re.compile(
    r"^ktrace-hw: (\S+: )?(--|the page: |only \S+ reads its trace)", re.M)
VERIFIED = re.compile(r"^stream \d+ cpu ", re.M)


def size_of(folder):
    return sum(os.lstat(os.path.join(path, name)).st_size
               for path, _, names in os.walk(folder) for name in names)


def arch_of(recording):
    data = recording.data
    text = data.contents[data.features.index(FEATURE_ARCH)]
    return text[4:].split(b"\0")[0].decode()


class Mutants:
    def __init__(self, options):
        self.options = options
        self.limits = Limits(options.seconds, options.megabytes,
                             options.disk_megabytes)
        self.recordings = [Recording(name) for name in options.recordings]
        self.commands = [all_commands(arch_of(each))
                         for each in self.recordings]

    def read(self, number):
        """Yields name, run and fault of each command that reads mutant
        @number."""
        index = number % len(self.recordings)
        recording = self.recordings[index]
        other = self.recordings[(index + 1) % len(self.recordings)]
        commands = self.commands[index]
        chosen = commands[number // len(self.recordings) % len(commands)]
        with tempfile.TemporaryDirectory(
                prefix="mutant.",
                dir=os.path.dirname(recording.folder)) as folder:
            os.mkdir(os.path.join(folder, "empty"))
            places = self.places(recording, folder)
            damage(recording.folder, places["copy"],
                   make(recording, number, other))
            before = size_of(folder)
            results = [self.judge(number, words, places, folder, before)
                       for words in chosen]
            if self.options.keep and any(why for _, _, why in results):
                self.keep(number, places["copy"])
        return results

    def places(self, recording, folder):
        """Returns a mutant's paths. The name of an archive contains the
        folder's, because messages about an archive omit the folder."""
        places = {name: os.path.join(folder, name)
                  for name in ("copy", "empty")}
        places["whole"] = recording.folder
        places["out"] = os.path.join(folder,
                                     os.path.basename(folder) + ".out")
        return places

    def judge(self, number, words, places, folder, before):
        words = filled(words, places)
        if words == [ASK]:
            done = ask(self.options.program, places["copy"], self.limits)
        else:
            done = run([self.options.program, *words], self.limits)
        why = self.fault(done, os.path.basename(folder))
        megabytes = (size_of(folder) - before) >> 20
        if megabytes > self.limits.disk_megabytes:
            why = why or f"took {megabytes} MB of disk"
        return f"mutant {number}: {' '.join(words)}", done, why

    def fault(self, done, name):
        """A command may refuse options that do not suit the recording
        (wrong usage), and verify may find differences between the engines:
        neither is a fault."""
        if done.code == 2 and WRONG_OPTION.search(done.err):
            done = done._replace(code=0)
        if done.code == 1 and VERIFIED.search(done.out):
            done = done._replace(code=0)
        return fault(done, self.limits, name)

    def keep(self, number, copy):
        target = os.path.join(self.options.keep, str(number))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(copy, target)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--disk-megabytes", type=int, default=256)
    parser.add_argument("--keep", help="a folder for mutants that fail")
    parser.add_argument("program")
    parser.add_argument("recordings", nargs="+")
    return parser.parse_args()


def main():
    options = parse()
    mutants = Mutants(options)
    numbers = range(options.first, options.first + options.count)
    tally, began = Tally(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for results in pool.map(mutants.read, numbers):
            for name, done, why in results:
                tally.add(done)
                if why:
                    tally.complain(name, why, done.err)
    print(f"{options.count} mutants, read by {tally.runs} commands in "
          f"{time.monotonic() - began:.0f} s: {tally.failed} failed; "
          f"{tally.refused} were refused; at most {tally.worst_s:.1f} s and "
          f"{tally.worst_mb} MB")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
