# SPDX-License-Identifier: MIT
"""A recording of attribution_interrupts.sh: the reports' interrupt work,
and the view of perf and the kernel."""
import collections
import csv
import functools
import io
import json
import re
import subprocess

from perf_input import perf_lines


class Recording:
    def __init__(self, ktrace, folder, case):
        self.ktrace, self.path = ktrace, f"{folder}/{case}"
        self.rows = self.table("both")
        self.before, self.after = (
            self.system_counts(f"{self.path}.{when}")
            for when in ("before", "after"))

    @staticmethod
    def system_counts(path):
        """Returns the counts in /proc/interrupts by name, over all CPUs."""
        counts = collections.Counter()
        with open(path, encoding="utf-8") as text:
            for line in text.readlines()[1:]:
                name, *fields = line.split()
                for field in fields:
                    if not field.isdigit():
                        break
                    counts[name.rstrip(":")] += int(field)
        return counts

    def disk_interrupt(self):
        """Returns the name of its interrupts as a pattern: its queue, or
        the first of the devices that share its line."""
        with open(f"{self.path}.disk", encoding="utf-8") as text:
            disk = text.read().strip()
        with open(f"{self.path}.before", encoding="utf-8") as text:
            wires = [re.findall(r"virtio[^\s,]+", line) for line in text]
        return next(re.escape(wire[0]) for wire in wires
                    if disk in wire or f"{disk}-req.0" in wire)

    @functools.cache
    def run(self, *arguments):
        return subprocess.run(
            [self.ktrace, "report", *arguments, "-i", self.path],
            check=True, capture_output=True, text=True).stdout

    def sql(self, query):
        """Returns the lines of the answer in CSV."""
        return subprocess.run(
            [self.ktrace, "sql", "--format=csv", query, "-i", self.path],
            check=True, capture_output=True, text=True).stdout.splitlines()

    def table(self, grouping, *arguments):
        text = self.run(f"--interrupts={grouping}", "--format=csv",
                        *arguments)
        rows = list(csv.DictReader(io.StringIO(text)))
        for row in rows:
            for name, value in row.items():
                if name.endswith("_ns"):
                    row[name] = int(value)
        return rows

    def total(self, column="total_ns", **wanted):
        """Returns the sum over the rows whose fields equal or match
        @wanted."""
        return sum(row[column] for row in self.rows
                   if all(re.fullmatch(pattern, row[name])
                          for name, pattern in wanted.items()))

    def shares(self, function, **wanted):
        """Returns how many slices the function has in the rows with the fields
        @wanted; a process may have a share of a slice."""
        return sum(
            float(row["count"]) for row in self.rows
            if row["function"] == function
            and all(row[name] == value for name, value in wanted.items()))

    def count(self, function, **wanted):
        return round(self.shares(function, **wanted))

    @functools.cache
    def traced(self):
        """Returns start and end of the trace of the only CPU; None if there
        are more."""
        cpus = json.loads(self.run("--format=json"))["cpus"]
        if len(cpus) > 1:
            return None
        with subprocess.Popen(
                [self.ktrace, "timeline", "--format=csv", "--top=1",
                 "-i", self.path], stdout=subprocess.PIPE, text=True) as run:
            start = next(int(row["time_ns"])
                         for row in csv.DictReader(run.stdout)
                         if row["event"] == "enter")
            run.stdout.read()
        return start, start + cpus[0]["wall_ns"]

    @functools.cache
    def perf_lines(self, fields):
        return perf_lines(self.path, fields, "--ns")

    def events(self, event, start, end):
        """Yields perf's records of a tracepoint."""
        form = re.compile(r"^\s*(\d+)\.(\d{9}):\s+" + event + r":\s+(.*)$")
        lines = self.perf_lines("time,event,trace")
        found = [m for m in map(form.match, lines) if m]
        return [m[3] for m in found
                if start <= int(m[1]) * 10**9 + int(m[2]) <= end]

    def wakings(self):
        """Returns wakers and woken threads with their CPUs, by perf."""
        lines = self.perf_lines("comm,cpu,time,event,trace")
        form = re.compile(r"^\s*(.*?)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+"
                          r"sched:sched_waking:\s+comm=(.*) pid=\d+ "
                          r"prio=\d+ target_cpu=(\d+)$")
        return [{"by": m[1], "cpu": int(m[2]), "comm": m[5],
                 "target": int(m[6]),
                 "time_ns": int(m[3]) * 10**9 + int(m[4])}
                for m in map(form.match, lines) if m]
