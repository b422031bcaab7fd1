#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads damaged copies of a recording with ktrace-hw and judges each run.

    damage.py [OPTION]... PROGRAM RECORDING

Each copy is read by one command: a copy from which data was removed by
`report --flat`, a copy with flipped bits by one of READERS in turn. --jobs
copies are read at a time.

Every run must end by itself with exit code 0 or 1, within --seconds of CPU
time and --megabytes of memory, without a sanitizer's report; one that fails
must print why, with the recording's name; one that cannot have read everything
must report that. Exit code: 0 if all did, otherwise 1.
"""
import argparse
import concurrent.futures
import os
import re
import sys
import tempfile

from damaged_copies import all_cases, damage
from limited_run import Limits, Tally, fault, run

DOUBT = re.compile(r"^Incomplete:|^ktrace-hw: warning: ", re.M)
DISK_MEGABYTES = 1024


class Reader:
    """Reads copies, each in its own folder."""

    def __init__(self, options):
        self.options = options
        self.limits = Limits(options.seconds, options.megabytes,
                             DISK_MEGABYTES)

    def read(self, case):
        # Beside the recording, so that copies can be links.
        with tempfile.TemporaryDirectory(
                prefix="damaged.",
                dir=os.path.dirname(os.path.abspath(
                    self.options.recording))) as folder:
            damage(self.options.recording, folder, case.changes())
            done = run([self.options.program, *case.reader,
                        *self.threads(case.reader), "-i", folder],
                       self.limits)
            return done, fault(done, self.limits, folder)

    def threads(self, reader):
        """Returns the option for the number of threads; dump decodes in one
        thread."""
        if not self.options.threads or reader[0] == "dump":
            return []
        return ["--jobs", str(self.options.threads)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--flips", type=int, default=40)
    parser.add_argument("--cut-step", type=int, default=64, help="KiB")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--threads", type=int,
                        help="that each copy is decoded by")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--other", help="a recording of another kernel")
    parser.add_argument("program")
    parser.add_argument("recording")
    options = parser.parse_args()
    cases = list(all_cases(options))
    tally, noticed = Tally(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (done, why) in zip(cases, pool.map(Reader(options).read,
                                                     cases)):
            doubt = bool(DOUBT.search(done.err) or DOUBT.search(done.out))
            if done.code == 0 and case.needs_doubt and not doubt:
                why = why or "does not say that anything is missing"
            tally.add(done)
            noticed += done.code != 0 or doubt
            if why:
                tally.complain(f"{case.name}: {' '.join(case.reader)}", why,
                               done.err)
    print(f"{tally.runs} damaged copies, {tally.failed} failed; "
          f"{noticed} noticed; at most {tally.worst_s:.1f} s and "
          f"{tally.worst_mb} MB")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
