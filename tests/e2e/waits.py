# SPDX-License-Identifier: MIT
"""What the judges of attribution_syscalls.sh and attribution_sleeps.sh share:
a recording of a case, seen by ktrace-hw and, independently, by perf."""
import collections
import json
import re
import subprocess
import sys


class Judge:
    """Counts what fails; one line a check."""

    def __init__(self):
        self.failures = 0

    def expect(self, name, holds, *details):
        print(f"{'ok' if holds else 'FAILED'}: {name}",
              *([] if holds else details))
        self.failures += not holds

    def end(self):
        sys.exit(1 if self.failures else 0)


class Recording:
    def __init__(self, ktrace, folder, case):
        self.ktrace, self.path = ktrace, f"{folder}/{case}"
        with open(f"{folder}/{case}.out", encoding="utf-8") as out:
            self.output = out.read()

    def run(self, *arguments):
        return subprocess.run([self.ktrace, *arguments, "-i", self.path],
                              check=True, capture_output=True,
                              text=True).stdout

    def syscalls(self):
        return json.loads(self.run("report", "--syscalls", "--format=json"))

    def sleeps(self):
        return json.loads(self.run("report", "--sleeps", "--format=json"))

    def records(self):
        return json.loads(self.run("timeline", "--syscalls", "--depth=3",
                                   "--format=json"))

    def deep_records(self, name):
        return json.loads(self.run("timeline", "--syscalls",
                                   f"--function={name}", "--format=json"))

    def perf_events(self, event):
        """(comm, tid, text) of each record of a tracepoint, by perf."""
        text = subprocess.run(
            ["perf", "script", "--no-itrace", "-F", "comm,tid,event,trace",
             "-i", self.path], capture_output=True, text=True,
            check=True).stdout
        form = re.compile(r"^\s*(.*?)\s+(\d+)\s+" + re.escape(event)
                          + r":\s+(.*)$")
        return [(m[1], int(m[2]), m[3])
                for m in map(form.match, text.splitlines()) if m]


def count_by(rows, *names):
    return collections.Counter(tuple(row[n] for n in names) for row in rows)
