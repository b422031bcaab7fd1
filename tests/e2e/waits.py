# SPDX-License-Identifier: MIT
"""Shared by the judges of attribution_syscalls.sh and
attribution_sleeps.sh: the recording of a case, read by ktrace-hw and,
independently, by perf."""
import collections
import functools
import json
import re
import subprocess
import sys

from perf_input import perf_lines


class Judge:
    """Counts failures; prints one line per check."""

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

    @functools.cache
    def output(self):
        """Returns the program's messages."""
        with open(f"{self.path}.out", encoding="utf-8") as out:
            return out.read()

    def run(self, *arguments):
        return subprocess.run([self.ktrace, *arguments, "-i", self.path],
                              check=True, capture_output=True,
                              text=True).stdout

    def ask(self, query):
        """Returns the rows of a query."""
        return json.loads(subprocess.run(
            [self.ktrace, "sql", "--format=json", self.path, query],
            check=True, capture_output=True, text=True).stdout)

    def cpus(self):
        return self.ask("SELECT count(*) AS count FROM cpu")[0]["count"]

    @functools.cache
    def syscalls(self):
        return json.loads(self.run("report", "--syscalls", "--with-tracer",
                                   "--format=json"))

    @functools.cache
    def sleeps(self):
        return json.loads(self.run("report", "--sleeps", "--with-tracer",
                                   "--with-idle", "--format=json"))

    @functools.cache
    def busy_sleeps(self):
        """Returns sleeps without kernel threads that wait for work."""
        return json.loads(self.run("report", "--sleeps", "--with-tracer",
                                   "--format=json"))

    @functools.cache
    def sites(self):
        return json.loads(self.run("report", "--user-sites", "--with-tracer",
                                   "--format=json"))

    @functools.cache
    def records(self):
        return json.loads(self.run("timeline", "--syscalls", "--with-tracer",
                                   "--depth=3", "--format=json"))

    def deep_records(self, name):
        return json.loads(self.run("timeline", "--syscalls", "--with-tracer",
                                   f"--function={name}", "--format=json"))

    @functools.cache
    def perf_lines(self):
        return perf_lines(self.path, "comm,tid,event,trace")

    @functools.cache
    def kernel_symbols(self):
        with open(f"{self.path}/kcore_dir/kallsyms", encoding="utf-8") as text:
            return [line.split()[:3] for line in text]

    def addresses(self, name):
        """Returns the kernel's functions of that name."""
        return {address for address, _, symbol in self.kernel_symbols()
                if symbol == name}

    def perf_events(self, event):
        """Yields (comm, tid, text) of each record of a tracepoint, by perf."""
        form = re.compile(r"^\s*(.*?)\s+(\d+)\s+" + re.escape(event)
                          + r":\s+(.*)$")
        return [(m[1], int(m[2]), m[3])
                for m in map(form.match, self.perf_lines()) if m]


def count_by(rows, *names):
    return collections.Counter(tuple(row[n] for n in names) for row in rows)


# The reports that a table of SQL has the single facts of, and the query that adds
# these up as the report does.
FACTS = {
    "block": """SELECT device, operation, pid, function, count(*) AS count,
        sum(is_merged) AS merged, sum(requests) AS requests,
        sum(bytes) AS bytes, sum(queue_ns) AS queue_ns,
        sum(device_ns) AS device_ns, max(end_ns - begin_ns) AS max_ns
        FROM block_io GROUP BY 1, 2, 3, 4""",
    "spins": """SELECT kind, function, pid, count(*) AS count,
        sum(own_ns) AS total_ns, max(own_ns) AS max_ns FROM spin
        GROUP BY 1, 2, 3""",
    "irqsoff": """SELECT off_by, function, pid, count(*) AS count,
        sum(is_inferred) AS inferred, sum(duration_ns) AS total_ns,
        sum(uncertain_ns) AS uncertain_ns,
        max(duration_ns) AS max_ns FROM interrupts_off GROUP BY 1, 2, 3""",
    "preemptoff": """SELECT off_by, function, pid, count(*) AS count,
        sum(duration_ns) AS total_ns, sum(uncertain_ns) AS uncertain_ns,
        max(duration_ns) AS max_ns FROM preemption_off GROUP BY 1, 2, 3""",
    "idle": """SELECT cpu, state, name, cause, count(*) AS count,
        sum(end_ns - begin_ns) AS idle_ns, sum(is_exact) AS exact,
        max(delay_ns) AS max_ns FROM idle_exit GROUP BY 1, 2, 3, 4""",
    "args": """SELECT pid, tid, comm, function, arguments, result, wall_ns
        FROM read_call""",
}


def check_facts(judge, name, recording, *reports):
    """The rows of SQL add up to each of these reports, exactly."""
    for report in reports:
        asked = recording.ask(FACTS[report])
        said = json.loads(recording.run(
            "report", f"--{report}", "--with-tracer", "--absolute",
            "--format=json"))
        columns = asked[0].keys() if asked else ()
        same = sorted(json.dumps(row) for row in asked) == sorted(
            json.dumps({column: row[column] for column in columns})
            for row in said)
        judge.expect(f"{name}: SQL has what --{report} adds up",
                     said and same, asked[:3], said[:3])
