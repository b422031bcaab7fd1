# SPDX-License-Identifier: MIT
"""Judges report --runqueue and --spins for the recordings of attribution_delays.sh:
judge_delays.py KTRACE FOLDER CPUS

programs/delays.c: two threads may only run on CPU 0, or their process (taskset). What
they do not run they wait, but the first to end sleeps until the other one ends;
another CPU has nothing to do but record, or a third thread fills it."""
import collections
import json
import re
import sys

from perf_input import perf_lines
from waits import Judge, Recording, check_facts

judge = Judge()


SWITCH = re.compile(r"PERF_RECORD_SWITCH_CPU_WIDE (IN|OUT)( preempt)?")
LINE = re.compile(r"^\s*.*?\s+(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(.*)$")
WAKE = re.compile(r"^sched:sched_wak(?:ing|eup_new):.*\bpid=(\d+)\b")


def common_ns(waits, parts, is_elsewhere):
    """Returns the least and the greatest length that the waits have in common with
    the parts of their CPU, or of the other one."""
    pairs = [(wait, part) for cpu, its in waits.items() for wait in its
             for other, those in parts.items()
             if (other != cpu) == is_elsewhere for part in those]
    return tuple(
        sum(max(0, min(wait[end], part[end]) - max(wait[begin], part[begin]))
            for wait, part in pairs)
        for begin, end in ((1, 2), (0, 3)))


class Scheduled:
    """When thread @tid waited for a CPU, and when each CPU was idle, up to
    @end_ns: by the kernel's events of switches and wake-ups, as perf reads
    them. A CPU switches between the event sched_switch and the next thread's
    record, and a preempted thread leaves it between its record and that one:
    with the host's clock there may be milliseconds between."""

    def __init__(self, recording, tid, end_ns):
        self.tid, self.end_ns = tid, end_ns
        # Earliest and latest begin, earliest and latest end, by CPU.
        self.waits = collections.defaultdict(list)
        self.idle = collections.defaultdict(list)
        self.switch_ns = {}  # the last sched_switch, by CPU
        self.idle_left_ns = {}
        self.since_ns, self.is_on = None, False
        self.left_ns, self.left_cpu = None, None
        self.idle_since_ns = {}
        for line in perf_lines(recording.path, "comm,tid,cpu,time,event,trace",
                               "--ns", "--show-switch-events"):
            match = LINE.match(line)
            if match:
                tid_of, cpu = int(match[1]), int(match[2])
                now_ns = int(match[3]) * 10**9 + int(match[4])
                self.take(tid_of, cpu, min(now_ns, end_ns), match[5])
        for cpu, since_ns in self.idle_since_ns.items():
            self.idle[cpu].append((*since_ns, end_ns, end_ns))

    def take(self, tid, cpu, now_ns, text):
        switch, wake = SWITCH.search(text), WAKE.match(text)
        if wake and int(wake[1]) == self.tid and not self.is_on and \
                self.since_ns is None:
            self.since_ns, self.left_cpu = now_ns, None
        if text.startswith("sched:sched_switch:"):
            self.switch_ns[cpu] = now_ns
        if not switch:
            return
        comes = switch[1] == "IN"
        switch_ns = self.switch_ns.get(cpu, now_ns)
        if comes and cpu == self.left_cpu:
            self.left_ns, self.left_cpu = now_ns, None
        if not tid and comes:
            self.idle_since_ns[cpu] = (switch_ns, now_ns)
        elif not tid:
            self.idle_left_ns[cpu] = now_ns
        elif comes and cpu in self.idle_since_ns:
            self.idle[cpu].append((*self.idle_since_ns.pop(cpu),
                                   self.idle_left_ns.get(cpu, now_ns), now_ns))
        if tid != self.tid:
            return
        if comes and self.since_ns is not None:
            self.waits[cpu].append((
                self.since_ns, max(self.since_ns, self.left_ns or 0),
                switch_ns, now_ns))
        self.is_on = comes
        self.since_ns = now_ns if switch[2] else None
        self.left_cpu = cpu if switch[2] else None

    def total_ns(self):
        """Returns the least and the greatest length of the waits."""
        return common_ns(self.waits, self.waits, False)

    def idle_ns(self, is_elsewhere):
        """Returns how long during the waits the CPU, or the other one, was
        idle: the least and the greatest length."""
        return common_ns(self.waits, self.idle, is_elsewhere)


def end_of(recording, tid):
    """Returns when thread @tid read its counters."""
    return int(recording.run(
        "sql", "--format=csv", "SELECT max(end_ns) FROM syscall WHERE "
        f"tid = {tid} AND call = 'read'").splitlines()[-1])


def row_of(recording, tid, end_ns):
    """Returns the row of thread @tid up to then."""
    rows = json.loads(recording.run(
        "report", "--runqueue", "--with-tracer", "--format=json",
        f"--until=@{end_ns // 10**9}.{end_ns % 10**9:09}"))
    return next(row for row in rows if row["tid"] == tid)


def used_ns(recording, cpu):
    """Returns how long @cpu ran anything."""
    report = json.loads(recording.run("report", "--format=json"))
    return sum(one["traced_ns"] - one["idle_ns"] for one in report["cpus"]
               if one["cpu"] == cpu)


def check(recording, mode, cpus):
    threads = [[int(word) for word in line.split()]
               for line in recording.output().splitlines()]
    judge.expect(f"{mode}: both threads ran", len(threads) == 2, threads)
    for tid, _, wait_ns in threads:
        end_ns = end_of(recording, tid)
        row = row_of(recording, tid, end_ns)
        elsewhere_ns = row["idle_elsewhere_ns"]
        most_idle_ns = 0.02 * row["total_ns"]
        told = Scheduled(recording, tid, end_ns)
        # With several CPUs the clock is the host's, which may run something
        # else, also between a wait's end and the switch that shows it, and
        # between the time from which the kernel counts, at the start of
        # schedule(), and the switch.
        least = 0.98 if cpus == "1" else 0.95
        judge.expect(f"{mode}: it waited as long as the kernel counted",
                     mode == "full" or least * wait_ns <= row["total_ns"] and
                     (cpus != "1" or row["total_ns"] <= 1.02 * wait_ns), row,
                     wait_ns)
        # A CPU that the other one wakes is idle as long as the host runs
        # something else.
        for name, ours_ns, told_ns in (
                ("it waited", row["total_ns"], told.total_ns()),
                ("its CPU was idle meanwhile", row["idle_ns"],
                 told.idle_ns(False)),
                ("another one was", elsewhere_ns, told.idle_ns(True))):
            judge.expect(f"{mode}: {name} as long as the switches show",
                         told_ns[0] - most_idle_ns <= ours_ns <=
                         told_ns[1] + most_idle_ns, row, told_ns)
        if cpus == "1":
            judge.expect(f"{mode}: no CPU was idle", max(
                row["idle_ns"], elsewhere_ns) <= most_idle_ns, row)
        elif mode != "full":
            judge.expect(f"{mode}: only its affinity kept it from it",
                         0.98 * (elsewhere_ns - row["idle_ns"]) <=
                         row["affinity_ns"] <= elsewhere_ns and elsewhere_ns,
                         row)
            judge.expect(f"{mode}: the other one was, except for its work",
                         row["total_ns"] - used_ns(recording, 1) <=
                         elsewhere_ns <= row["total_ns"], row)


def check_explanation(recording):
    """The path to the end is through one of the two threads, which may not use
    the idle CPU while it waits for the other one, and through the process's
    other thread. While the recorder has the CPU, that is the cause."""
    tids = [int(line.split()[0]) for line in recording.output().splitlines()]
    rows = json.loads(recording.run("report", "--runqueue", "--format=json"))
    least = min(row["affinity_ns"] - row["recorder_ns"] for row in rows
                if row["tid"] in tids)
    most = sum(row["affinity_ns"] for row in rows if row["comm"] == "delays")
    causes = json.loads(recording.run("explain", "--format=json"))["causes"]
    found = sum(cause["ns"] for cause in causes if cause["cause"] == "affinity"
                and cause["program"] == "delays")
    judge.expect("pair: explain names the affinity, and its time",
                 found and 0.98 * least <= found <= 1.02 * most, found, least,
                 most)


WAITING = ["smp_call_function_many_cond", "smp_call_function_single",
           "multi_cpu_stop", "native_queued_spin_lock_slowpath",
           "__pv_queued_spin_lock_slowpath", "queued_read_lock_slowpath",
           "queued_write_lock_slowpath", "mutex_spin_on_owner",
           "rwsem_spin_on_owner", "osq_lock"]


def check_flat(recording, mode):
    """All waits are the own time of the functions that wait."""
    options = "--with-tracer", "--format=json"
    rows = json.loads(recording.run("report", "--spins", *options))
    flat = json.loads(recording.run("report", "--flat", "--with-idle",
                                    *options))
    own = [row for row in flat if row["function"] in WAITING]
    for column, of_flat in (("count", ("calls", "starts", "inferred")),
                            ("total_ns", ("self_ns",))):
        judge.expect(f"{mode}: {column} as in the flat profile",
                     sum(row[column] for row in rows) ==
                     sum(row[name] for row in own for name in of_flat), rows,
                     own)
    return rows


def check_barrier(recording):
    """Every call waits for the other CPU, which runs the other thread."""
    rows = check_flat(recording, "barrier")
    _, runner, times, took_ns = (int(word) for word in
                                 recording.output().split())
    calls = [row for row in rows if row["kind"] == "ipi" and
             "membarrier" in row["function"]]
    judge.expect("barrier: each call is counted", len(calls) == 1 and
                 calls[0]["count"] == times, calls)
    judge.expect("barrier: they wait no longer than they take",
                 0 < calls[0]["total_ns"] <= took_ns, calls, took_ns)
    judge.expect("barrier: the thread on the other CPU answers, from user "
                 "space", f"delays-{runner} in user space" in
                 calls[0]["ended_by"].split(";")[0], calls)


def contains(outer, inner):
    return outer["tid"] == inner["tid"] and \
        outer["begin_ns"] <= inner["begin_ns"] and \
        inner["end_ns"] <= outer["end_ns"]


def check_spins(recording):
    """A call that needs the lock of a file (rwsem) or a pipe (mutex) spins for it
    while the holder runs: no longer than the call uses a CPU by the kernel's count,
    and most of its time on a CPU for itself (the clock is the host's). The holder
    ends these waits, and nobody else does, also if it leaves its CPU meanwhile."""
    rows = check_flat(recording, "spin")
    for (kind, call, function), line in zip(
            (("rwsem", "pwrite64", "file_write_iter"),
             ("mutex", "ioctl", "pipe_write")), recording.output().splitlines()):
        waiter, holder, times, used_ns = (int(word) for word in line.split())
        calls = recording.ask(
            "SELECT tid, begin_ns, end_ns, on_cpu_ns, asleep_ns FROM syscall "
            f"WHERE tid = {waiter} AND call = '{call}'")
        spins = recording.ask(
            "SELECT tid, begin_ns, end_ns, own_ns FROM spin "
            f"WHERE kind = '{kind}' AND tid = {waiter}")
        # If the host stops the holder, a call may find the lock free; if the
        # holder has no CPU, a call sleeps.
        late = [one for one in calls
                if one["on_cpu_ns"] > 1000000 and not one["asleep_ns"]]
        judge.expect(f"spin: {len(late)} of {times} calls spin for the {kind}",
                     len(calls) == times and late and all(
                         any(contains(one, spin) for spin in spins)
                         for one in late), late, spins)
        spun_ns = sum(spin["own_ns"] for spin in spins)
        own_ns = sum(one["on_cpu_ns"] for one in calls)
        judge.expect(f"spin: {spun_ns} of {own_ns} ns of them",
                     0.9 * own_ns <= spun_ns <= min(own_ns, used_ns), used_ns)
        rows_of = [row for row in rows if row["kind"] == kind and
                   row["comm"] == "delays" and row["function"] in
                   ("shmem_file_write_iter", "pipe_ioctl")]
        its_ns = sum(int(ns) for row in rows_of for ns, name, tid, where in
                     re.findall(r"(\d+) (\S+)-(\d+) in (\w+)",
                                row["ended_by"])
                     if int(tid) == holder and where.endswith(function))
        all_ns = sum(row["total_ns"] for row in rows_of)
        judge.expect(f"spin: its holder ends {its_ns} of {all_ns} ns of the "
                     f"waits for the {kind}", its_ns and
                     its_ns >= 0.98 * all_ns, holder, rows)


def check_preemption(ktrace, folder):
    """The kernel's count is 0 in user space and 2 where a CPU switches tasks: at
    none of these times the trace says otherwise. membarrier(2) waits for the
    other CPUs with preemption off: without an NMI in the wait, which the trace unit
    raises when a part of its buffer is full, and in which it traces nothing."""
    recording = Recording(ktrace, folder, "barrier")
    text = recording.run("report", "--preemptoff", "--with-tracer")
    judge.expect("barrier: the count of preemption is never wrong",
                 "Not known" not in text and "Left out: " not in text, text)
    name = "'membarrier_private_expedited'"
    spins, offs = (recording.ask(
        f"SELECT tid, begin_ns, end_ns FROM {table} WHERE function = {name}")
                   for table in ("spin", "preemption_off"))
    nmis = recording.ask("SELECT tid, begin_ns, end_ns FROM call "
                         "WHERE function = 'exc_nmi'")
    spins = [spin for spin in spins if not any(
        contains(spin, nmi) for nmi in nmis)]
    calls = recording.ask("""SELECT count(*) AS count FROM syscall
        WHERE call = 'membarrier' AND comm = 'delays'""")[0]["count"]
    judge.expect("barrier: each waits with preemption off",
                 calls - 1 - len(nmis) <= len(spins) and all(any(
                     contains(off, spin) for off in offs) for spin in spins),
                 spins, offs, nmis, calls)


def main():
    ktrace, folder, cpus = sys.argv[1:]
    for mode in ["crowd"] if cpus == "1" else ["crowd", "full", "pair"]:
        check(Recording(ktrace, folder, mode), mode, cpus)
    if cpus != "1":
        check_explanation(Recording(ktrace, folder, "pair"))
        check_barrier(Recording(ktrace, folder, "barrier"))
        check_facts(judge, "barrier", Recording(ktrace, folder, "barrier"),
                    "spins", "irqsoff", "preemptoff")
        check_preemption(ktrace, folder)
        check_spins(Recording(ktrace, folder, "spin"))
    judge.end()


main()
