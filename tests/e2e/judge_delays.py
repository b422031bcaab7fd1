# SPDX-License-Identifier: MIT
"""Judges report --runqueue for the recordings of attribution_delays.sh:
judge_delays.py KTRACE FOLDER CPUS

programs/delays.c: two threads may only run on CPU 0. What they do not run they
wait, but the first to end sleeps until the other one ends; another CPU has nothing
to do but record, or a third thread fills it."""
import json
import sys

from waits import Judge, Recording

judge = Judge()


def row_of(recording, tid):
    """Returns the row of thread @tid up to when it read its counters."""
    end_ns = int(recording.run(
        "sql", "--format=csv", "SELECT max(end_ns) FROM syscall WHERE "
        f"tid = {tid} AND call = 'read'").splitlines()[-1])
    rows = json.loads(recording.run(
        "report", "--runqueue", "--with-tracer", "--format=json",
        f"--until={end_ns // 10**9}.{end_ns % 10**9:09}"))
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
    # A wait ends before the switch for the kernel, and here after it. With
    # several CPUs the clock is the host's, which may run something else then.
    switch_ns = 0 if cpus == "1" else 100000
    for tid, _, wait_ns in threads:
        row = row_of(recording, tid)
        elsewhere_ns = row["idle_elsewhere_ns"]
        # With all CPUs busy the host interrupts the machine too much.
        judge.expect(f"{mode}: it waited as long as the kernel counted",
                     mode == "full" or abs(row["total_ns"] - wait_ns) <=
                     0.02 * wait_ns + row["count"] * switch_ns, row, wait_ns)
        judge.expect(f"{mode}: its CPU was not idle",
                     row["idle_ns"] <= 0.02 * row["total_ns"], row)
        if cpus == "1" or mode == "full":
            judge.expect(f"{mode}: nor was another one",
                         elsewhere_ns <= 0.02 * row["total_ns"], row)
        else:
            judge.expect(f"{mode}: the other one was, except for its work",
                         row["total_ns"] - used_ns(recording, 1) <=
                         elsewhere_ns <= row["total_ns"], row)


def main():
    ktrace, folder, cpus = sys.argv[1:]
    for mode in ["crowd"] if cpus == "1" else ["crowd", "full"]:
        check(Recording(ktrace, folder, mode), mode, cpus)
    judge.end()


main()
