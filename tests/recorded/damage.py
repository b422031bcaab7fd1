#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads damaged copies of a recording with ktrace-hw and judges each run.

    damage.py [OPTION]... PROGRAM RECORDING

A copy is read by one command: where something is known to be missing by
`report --flat`, where bits are flipped by each of READERS in turn, --jobs
copies at a time.

Every run must end by itself with exit code 0 or 1, within --seconds of CPU
time and --megabytes of memory, without a sanitizer's report; one that fails
must say why, naming the recording; one that cannot have seen all must say so.
Exit code: 0 if all did, else 1.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading

from damaged_copies import all_cases, damage

SAID = re.compile(r"^ktrace-hw: ", re.M)
DOUBT = re.compile(r"^Incomplete:|^ktrace-hw: warning: ", re.M)
CRASH = re.compile(r"Sanitizer|runtime error:|Assertion")
# Times as much as a run may take: it hangs.  A busy computer is slower, too.
CPU_FACTOR = 20
WALL_FACTOR = 120

Run = collections.namedtuple("Run", "folder status usage err out")


class Reader:
    """Reads copies, each in a folder of its own."""

    def __init__(self, options):
        self.options = options

    def read(self, case):
        # Beside the recording: copies are links.
        with tempfile.TemporaryDirectory(
                prefix="damaged.",
                dir=os.path.dirname(os.path.abspath(
                    self.options.recording))) as folder:
            damage(self.options.recording, folder, case.changes())
            return self.run(case.reader, folder)

    def run(self, reader, folder):
        out = tempfile.TemporaryFile()
        err = tempfile.TemporaryFile()
        child = subprocess.Popen(
            [self.options.program, *reader, *self.threads(reader),
             "-i", folder],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        status, usage = self.wait(child)
        err.seek(0)
        out.seek(0)
        return Run(folder, status, usage,
                   err.read().decode(errors="replace"),
                   out.read(4096).decode(errors="replace"))

    def threads(self, reader):
        """The packets and records that dump shows are read by one."""
        if not self.options.threads or reader[0] == "dump":
            return []
        return ["--jobs", str(self.options.threads)]

    def wait(self, child):
        limit = int(CPU_FACTOR * self.options.seconds)
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (limit, limit))
        alarm = threading.Timer(WALL_FACTOR * self.options.seconds,
                                child.kill)
        alarm.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        alarm.cancel()
        return status, usage


class Judge:
    def __init__(self, options):
        self.options = options
        self.cases = 0
        self.failed = 0
        self.noticed = 0
        self.worst_s = 0.0
        self.worst_mb = 0

    def complain(self, name, why, text):
        self.failed += 1
        print(f"FAILED: {name}: {why}\n{text[:2000]}", flush=True)

    def judge(self, case, run):
        name = f"{case.name}: {' '.join(case.reader)}"
        err = run.err
        seconds = run.usage.ru_utime + run.usage.ru_stime
        megabytes = run.usage.ru_maxrss // 1024
        code = os.waitstatus_to_exitcode(run.status)
        doubt = bool(DOUBT.search(err) or DOUBT.search(run.out))
        self.cases += 1
        self.noticed += code != 0 or doubt
        self.worst_s = max(self.worst_s, seconds)
        self.worst_mb = max(self.worst_mb, megabytes)
        if code not in (0, 1) or CRASH.search(err):
            self.complain(name, f"exit code {code}", err)
        elif seconds > self.options.seconds:
            self.complain(name, f"took {seconds:.1f} s", err)
        elif megabytes > self.options.megabytes:
            self.complain(name, f"took {megabytes} MB", err)
        elif code == 1 and not (SAID.search(err) and run.folder in err):
            self.complain(name, "failed without saying where", err)
        elif code == 0 and case.needs_doubt and not doubt:
            self.complain(name, "does not say that anything is missing", err)


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
    judge = Judge(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, run in zip(cases, pool.map(Reader(options).read, cases)):
            judge.judge(case, run)
    print(f"{judge.cases} damaged copies, {judge.failed} failed; "
          f"{judge.noticed} noticed; at most {judge.worst_s:.1f} s and "
          f"{judge.worst_mb} MB")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
