# SPDX-License-Identifier: MIT
"""Judges the recordings of attribution_interrupts.sh: judge_interrupts.py
KTRACE FOLDER CASE...  One line a check."""
import collections
import csv
import io
import json
import re
import subprocess
import sys

TICKS = {"tick_nohz_handler", "tick_sched_timer"}


class Judge:
    def __init__(self):
        self.failures = 0

    def expect(self, name, holds, *details):
        print(f"{'ok' if holds else 'FAILED'}: {name}",
              *([] if holds else details))
        self.failures += not holds


class Recording:
    def __init__(self, ktrace, folder, case):
        self.ktrace, self.path = ktrace, f"{folder}/{case}"
        self.rows = self.table("both")

    def run(self, *arguments):
        return subprocess.run(
            [self.ktrace, "report", *arguments, "-i", self.path],
            check=True, capture_output=True, text=True).stdout

    def table(self, grouping):
        text = self.run(f"--interrupts={grouping}", "--format=csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        for row in rows:
            for name, value in row.items():
                if name.endswith("_ns"):
                    row[name] = int(value)
        return rows

    def total(self, column="total_ns", **wanted):
        """Sum over the rows whose fields are, or match, what is wanted."""
        return sum(row[column] for row in self.rows
                   if all(re.fullmatch(pattern, row[name])
                          for name, pattern in wanted.items()))

    def count(self, function, **wanted):
        return round(sum(
            float(row["count"]) for row in self.rows
            if row["function"] == function
            and all(row[name] == value for name, value in wanted.items())))

    def traced(self):
        """From when to when the only CPU was traced; None if there are more."""
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

    def events(self, event, start, end):
        """What perf says of a tracepoint."""
        text = subprocess.run(
            ["perf", "script", "--no-itrace", "--ns", "-F", "time,event,trace",
             "-i", self.path], capture_output=True, text=True,
            check=False).stdout
        form = re.compile(r"^\s*(\d+)\.(\d{9}):\s+" + event + r":\s+(.*)$")
        found = [m for m in map(form.match, text.splitlines()) if m]
        return [m[3] for m in found
                if start <= int(m[1]) * 10**9 + int(m[2]) <= end]


def judge_bystander(judge, case, recording):
    judge.expect(f"{case}: nothing was for the bystander",
                 recording.total(for_comm="hog") == 0,
                 [r for r in recording.rows if r["for_comm"] == "hog"])


def judge_share(judge, name, recording, whom, **work):
    """At least 95 % of the work was for whom, exactly so."""
    whole = recording.total(**work)
    part = recording.total("exact_ns", for_comm=whom, **work)
    judge.expect(f"{name}: {part} of {whole} ns for {whom}",
                 whole > 0 and part >= 0.95 * whole)


def judge_counts(judge, case, recording):
    """Interrupts and soft interrupts are as many as the kernel says."""
    traced = recording.traced()
    if not traced:
        return
    by_irq = collections.Counter(
        re.match(r"irq=(\d+)", text)[1]
        for text in recording.events("irq:irq_handler_entry", *traced))
    ours = collections.Counter()
    for row in recording.table("function"):
        if row["irq"]:
            ours[row["irq"]] += int(row["count"])
    judge.expect(f"{case}: interrupts by number, {sum(ours.values())} in all",
                 ours and ours == by_irq, ours, by_irq)
    softirqs = len(recording.events("irq:softirq_entry", *traced))
    actions = sum(int(row["count"]) for row in recording.table("function")
                  if row["kind"] == "softirq"
                  and not re.match("(handle|__do)_softirq", row["function"]))
    judge.expect(f"{case}: {actions} soft interrupts",
                 actions and softirqs == actions, softirqs)


def judge_sums(judge, case, recording):
    """The threads' interrupt time and that of idle CPUs is all of it."""
    threads = json.loads(recording.run("--threads", "--format=json"))
    of_threads = sum(
        thread["interrupt_benefited_ns"] + thread["interrupt_stolen_ns"]
        for thread in threads["threads"])
    of_idle = recording.total(on_comm="idle", time="interrupt")
    whole = recording.total(time="interrupt")
    judge.expect(f"{case}: interrupt time adds up to {whole} ns",
                 whole > 0 and of_threads + of_idle == whole,
                 of_threads, of_idle)
    parts = sum(recording.total(f"{name}_ns", time="interrupt")
                for name in ("exact", "inferred", "nobody"))
    judge.expect(f"{case}: exact, inferred and nobody's are all of it",
                 parts == whole, parts)


def judge_disk(judge, recording):
    disk = {"device": r"virtio\d+-req\.0"}
    judge_share(judge, "disk: its interrupts", recording, "reader", **disk)
    judge.expect("disk: others than the reader were interrupted",
                 recording.total(**disk, on_comm="reader")
                 < 0.05 * recording.total(**disk))
    judge_bystander(judge, "disk", recording)


def judge_udp(judge, recording):
    receive = {"device": r"virtio5-input\.0"}
    judge_share(judge, "udp: the interrupts", recording, "receiver", **receive)
    judge_share(judge, "udp: the polls", recording, "receiver", kind="napi",
                function="virtnet_poll", on_comm="hog")
    judge.expect("udp: the bystander was interrupted",
                 recording.total(**receive, on_comm="hog")
                 >= 0.5 * recording.total(**receive))
    judge_share(judge, "udp: the sender's interrupts", recording, "sender",
                device=r"virtio4-output\.0")
    judge_bystander(judge, "udp", recording)


def judge_sleep(judge, recording):
    count = recording.count("hrtimer_wakeup", for_comm="sleeper")
    judge.expect("sleep: 20 timers of the sleeper", count == 20, count)
    judge_share(judge, "sleep: timers on the bystander's time", recording,
                "sleeper", function="hrtimer_wakeup", on_comm="hog")
    ticks = [row for row in recording.rows if row["function"] in TICKS]
    judge.expect("sleep: the tick is the system's",
                 ticks and all(row["for_comm"] == "nobody" for row in ticks))
    judge_bystander(judge, "sleep", recording)


def judge_work(judge, recording):
    judge_share(judge, "work: writeback by kworkers", recording, "writer",
                kind="work_item", function="wb_workfn")
    judge.expect("work: it is no interrupt time",
                 recording.total(kind="work_item", time="interrupt") == 0)
    disk = {"device": r"virtio\d+-req\.0"}
    judge.expect("work: interrupts of its requests",
                 recording.total("exact_ns", for_comm="writer", **disk) > 0)
    judge.expect("work: interrupts of the journal's requests",
                 recording.total("exact_ns", for_comm="jbd2/.*", **disk) > 0)


def judge_ipi(judge, recording):
    ipis = {"kind": "ipi"}
    ours = sum(recording.total("inferred_ns", for_comm=comm, **ipis)
               for comm in ("pinger", "ponger"))
    whole = recording.total(**ipis)
    judge.expect(f"ipi: {ours} of {whole} ns for the two that wake each other",
                 whole > 0 and ours >= 0.5 * whole)


def main():
    ktrace, folder, *cases = sys.argv[1:]
    judge = Judge()
    for case in cases:
        recording = Recording(ktrace, folder, case)
        globals()[f"judge_{case}"](judge, recording)
        judge_counts(judge, case, recording)
        judge_sums(judge, case, recording)
    sys.exit(1 if judge.failures else 0)


main()
