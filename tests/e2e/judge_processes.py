# SPDX-License-Identifier: MIT
"""Judges `ktrace-hw report --threads --format=json` of a recording of
tests/e2e/programs/processes.c: prints one line per check.

judge_processes.py JSON [--sums] [--not-known] [--exact] [--cases]
                   [--truth CSV | --truth-by-host-clock CSV] [--within NS]
                   [--runqueue JSON] [--sched RECORDING SWITCHES NS|uncertain]
                   [--instead JSON RECORDING SWITCHES]
                   [--histogram KTRACE RECORDING SWITCHES]
                   [--tracer TRUTH NS PROFILE...]
"""
import collections
import csv
import json
import re
import subprocess
import sys

from sched_times import Switches, threads_made

MS = 1000000
ON_CPU = ("user_ns", "system_call_ns", "fault_ns", "reclaim_ns", "kernel_ns",
          "interrupt_benefited_ns", "interrupt_stolen_ns", "tracer_ns",
          "guest_ns")
# Three sleeps of 10 ms, see programs/processes.c.
SLEEPER_NS = 30_000_000
CLASSES = ON_CPU + ("runnable_ns", "throttled_ns", "asleep_ns", "not_asked_ns",
                    "unknown_ns")


def expect(name, is_good, found):
    print(f"{'ok' if is_good else 'FAILED'}: {name}: {found}")


def sums(report):
    for kind in ("processes", "threads"):
        rows = report[kind]
        wrong = [row for row in rows
                 if row["wall_ns"] != sum(row[c] or 0 for c in CLASSES)
                 or {k for k in row if k.endswith("_ns")} !=
                 set(CLASSES) | {"wall_ns"}]
        expect(f"classes of {kind} add up to their wall time",
               rows and not wrong, f"{len(rows)}, {len(wrong)} do not")
    total = sum(row["wall_ns"] for row in report["threads"])
    expect("processes are the sums of their threads",
           total == sum(row["wall_ns"] for row in report["processes"]), total)


def not_known(report):
    """Without events of the scheduler it is unknown when a thread was
    woken.  Perf's records of switches still show that it was preempted."""
    rows = named(report, "sleeper")
    expect("whether it slept is not known",
           rows and all(row["asleep_ns"] is None and
                        because(row).get("no_events", 0) >= SLEEPER_NS
                        for row in rows),
           [(row["asleep_ns"], row["unknown_because"]) for row in rows])


def on_a_cpu(row):
    """The tracer column also includes the time that others wait for the
    recorder."""
    return sum(row[c] or 0 for c in ON_CPU) - (row["recorder_wait"] or 0)


def on_cpus(report):
    return sum(on_a_cpu(row) for row in report["threads"])


def because(row):
    """Returns the unknown ns by reason."""
    return {reason: int(ns) for reason, ns in
            (part.rsplit(" ", 1) for part in row["unknown_because"].split(", ")
             if " " in part)}


def exact(report):
    """Without loss nothing is unknown, and CPUs have no other time."""
    lost = report["recording"]["lost_records"]
    gaps = sum(cpu["gaps"] for cpu in report["cpus"])
    expect("nothing was lost", not lost and not gaps, f"{lost}, {gaps} gaps")
    off = sum(cpu["off_ns"] for cpu in report["cpus"])
    wall = sum(cpu["wall_ns"] for cpu in report["cpus"])
    # If a task moves between two CPUs whose clocks differ, its time continues.
    slack = 0 if len(report["cpus"]) == 1 else wall // 1000
    reasons = [(row["comm"], because(row)) for row in report["threads"]
               if row["unknown_ns"]]
    # A task may move from a traced CPU to one whose trace starts only later.
    untraced = sum(why.pop("untraced", 0) for _, why in reasons)
    # Before 6.12 the kernel turns the trace off for each event that perf
    # enables after it.
    unknown = [(comm, why) for comm, why in reasons if why]
    expect("no time is unknown that was traced", untraced <= slack and
           unknown == ([("perf", {"off": off})] if off else []),
           f"{unknown}, {untraced} before the trace of its CPU began")
    idle = sum(cpu["idle_ns"] for cpu in report["cpus"])
    busy = on_cpus(report)
    expect("threads and idle tasks have all of the CPUs' time",
           abs(wall - idle - busy - off) <= slack,
           f"{wall} = {idle} + {busy} + {off}")


def named(report, comm):
    return [row for row in report["processes"] if row["comm"] == comm]


def between(name, value, low, high):
    expect(name, low <= value <= high, f"{value} in {low} to {high}")


def check_case(report, comm, count, checks):
    rows = named(report, comm)
    if not rows:
        return
    expect(f"{comm}: processes", len(rows) == count, len(rows))
    for column, low, high in checks:
        for row in rows:
            between(f"{comm}: {column}", row[column], low, high)


def cases(report):
    check_case(report, "sleeper", 1, [
        ("asleep_ns", 30 * MS, 31 * MS), ("context_switches", 4, 9)])
    check_case(report, "hog", 1, [("user_ns", 18 * MS, 20.2 * MS)])
    # The process that calls exec starts one as well.
    check_case(report, "caller", 1 + len(named(report, "exe")), [
        ("system_calls", 100, 110)])
    check_case(report, "faulter", 1, [("faults", 64, 100)])
    check_case(report, "ping", 1, [("context_switches", 20, 50)])
    check_case(report, "pong", 1, [("context_switches", 19, 50)])
    check_case(report, "tree", 1, [])
    check_case(report, "branch", 2, [])
    # It may wait for a lock that another leaf holds.
    check_case(report, "leaf", 4, [("asleep_ns", 0, MS)])
    check_case(report, "futex", 1, [
        ("threads", 3, 3), ("asleep_ns", 29.5 * MS, 33 * MS)])
    check_case(report, "exe", 1, [("threads", 2, 2),
                                  ("system_calls", 20, 100)])
    # No event shows its wake-up.
    check_case(report, "polled", 1, [
        ("asleep_ns", 9.5 * MS, 10.5 * MS), ("runnable_ns", 0, 0.6 * MS)])
    for row in report["threads"]:
        if row["comm"] == "waiter":
            between("waiter: asleep_ns", row["asleep_ns"], 9 * MS, 12 * MS)


def truth_errors(report, path):
    """Returns (ns, uncertain, signed ns, description, is the recorder's) of
    each class of each thread."""
    with open(path, newline="", encoding="utf-8") as file:
        told = {int(row["tid"]): {k: int(v) for k, v in row.items()}
                for row in csv.DictReader(file)}
    errors = []
    missing = []
    for row in report["threads"]:
        right = told.get(row["tid"])
        busy = on_a_cpu(row)
        if not right:
            if busy:
                missing.append((row["tid"], row["comm"], busy))
            continue
        row = dict(row, interrupt_ns=(row["interrupt_benefited_ns"] or 0) +
                   row["interrupt_stolen_ns"],
                   tracer_ns=row["tracer_ns"] - (row["recorder_wait"] or 0))
        for column in ("user_ns", "system_call_ns", "fault_ns", "kernel_ns",
                       "interrupt_ns", "tracer_ns"):
            error = row[column] - right[column]
            errors.append((abs(error), row["uncertain"], error,
                           f"{row['tid']} {row['comm']} {column} "
                           f"{row[column]}, in truth {right[column]}",
                           row["comm"] in ("ktrace-hw", "perf")))
    expect("each thread that ran is in the truth",
           not missing and len(told) > 3, missing)
    off = sum(because(row).get("off", 0) for row in report["threads"])
    right = sum(row["off_ns"] for row in told.values())
    expect("time is unknown when by the truth the trace was off",
           off == right, f"{off}, in truth {right}")
    return errors


def truth(report, errors):
    """The error of each class is within the report's own bound, and the
    bound is small."""
    wrong = [error for error in errors if error[0] > error[1]]
    expect("each thread's classes are the ground truth's to within uncertain",
           errors and not wrong, f"worst {max(errors)}, wrong {wrong}")
    busy = on_cpus(report)
    uncertain = sum(row["uncertain"] for row in report["threads"])
    # Each event's handler has two changes of class.
    expect("uncertain is at most a tenth of the time on CPUs",
           0 < uncertain <= busy / 10, f"{uncertain} of {busy}")


def truth_by_host_clock(report, errors):
    """A packet gives several branches one time.  If the host runs something
    else in between, for as long as its scheduler likes, the report does not
    know on which side of a change of class that time was, and includes it
    in its error bound.  However busy the host is, this affects few of the
    changes."""
    wrong = [error for error in errors if error[0] > error[1]]
    expect("each thread's classes are the ground truth's to within uncertain",
           len(errors) > 50 and not wrong, f"wrong {wrong}")
    busy = on_cpus(report)
    far = [error for error in errors if error[0] * 100 > busy]
    expect("nine of ten are to within a hundredth of the time on CPUs",
           len(far) * 10 <= len(errors),
           f"{len(far)} of {len(errors)} are not: {far}, {busy} in all")


def within(errors, tolerance_ns):
    """Switching on the trace, in the recorder, has wide time bounds."""
    worst = max(error for error in errors if not error[4])
    expect(f"and to within {tolerance_ns} ns", worst[0] <= tolerance_ns, worst)


def sched(report, recording, switches, within):
    """Time off the CPU equals that of the kernel's records with the ground
    truth's switches: within @within ns, or within the report's error bound."""
    told = threads_made(recording, Switches(switches))
    wrong = []
    seen = 0
    for row in report["threads"]:
        thread = told.get(row["tid"])
        if not thread or not thread.is_told:
            continue
        seen += 1
        errors = (row["asleep_ns"] - thread.asleep_ns,
                  row["runnable_ns"] + row["recorder_wait"] -
                  thread.runnable_ns)
        limit = row[within] if within == "uncertain" else int(within)
        if max(map(abs, errors)) > limit:
            wrong.append((row["tid"], row["comm"], errors))
    expect("asleep and runnable are what records and truth say",
           seen >= 3 and not wrong, f"{seen} threads, wrong {wrong}")


def runqueue(report, path):
    """The waits in the table of waits for a CPU add up to the threads'
    time."""
    with open(path, encoding="utf-8") as file:
        waits = {row["tid"]: row for row in json.load(file)}
    wrong = [(row["tid"], row["comm"], row["runnable_ns"],
              row["recorder_wait"], waits.get(row["tid"]))
             for row in report["threads"]
             if row["runnable_ns"] + row["recorder_wait"] !=
             waits.get(row["tid"], {"total_ns": 0})["total_ns"]]
    expect("waits for a CPU are the threads' runnable time",
           len(waits) >= 3 and not wrong, f"{len(waits)} threads, {wrong}")
    if not named(report, "hog"):
        return
    hog = next((row for row in waits.values() if row["comm"] == "hog"), None)
    expect("the hog is preempted, and who ran instead is named",
           hog and hog["preempted"] > 0 and
           re.match(r"[1-9][0-9]* \S+-[0-9]+", hog["instead"]), hog)


def instead(path, recording, switches):
    """The three threads that ran longest while a thread waited for the only
    CPU equal those of records and ground truth."""
    with open(path, encoding="utf-8") as file:
        told = {row["tid"]: row for row in json.load(file)}
    wrong = []
    seen = others = 0
    for tid, thread in threads_made(recording, Switches(switches)).items():
        if not thread.is_told or not thread.runnable_ns:
            continue
        seen += 1
        right = sorted(((-ns, other) for other, ns in thread.instead.items()))[:3]
        others += len(right)
        text = told.get(tid, {}).get("instead") or ""
        got = [(-int(ns), int(other)) for ns, other in
               re.findall(r"(?:^|; )(\d+) [^;]*-(\d+)(?=;|$)", text)]
        if got != right:
            wrong.append((tid, right, text))
    expect("who ran instead is what records and truth say",
           seen >= 3 and others > seen and not wrong,
           f"{seen} threads, {others} others, wrong {wrong}")


def tracer(report, truth_path, most_ns, *profiles):
    """Profiles of the tracer's own work, by victim or beneficiary, contain
    the time that it took from each process on a CPU, also in interrupts for
    others, according to the truth."""
    right = collections.Counter()
    pids = {row["tid"]: row["pid"] for row in report["threads"]
            if row["comm"] not in ("ktrace-hw", "perf")}
    with open(truth_path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            right[pids.get(int(row["tid"]))] += int(row["tracer_ns"])
    for path in profiles:
        took = collections.Counter()
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                took[row["group"]] += int(row["self_ns"])
        errors = {name: (took[name], right[row["pid"]])
                  for row in report["processes"]
                  for name in [f"{row['comm']}-{row['pid']}"] if name in took
                  and row["pid"] in right}
        wrong = {name: pair for name, pair in errors.items()
                 if abs(pair[0] - pair[1]) > most_ns}
        expect(f"the tracer's functions took each process's time, to "
               f"{most_ns} ns: {path.rsplit('/', 1)[-1]}",
               len(errors) >= 10 and not wrong,
               f"{len(errors)} processes, wrong {wrong}")


UNITS = {"ns": 1, "us": 1000, "ms": MS, "s": 1000 * MS}
BUCKET = re.compile(r"^ +([\d.]+) (\w+) - +[\d.]+ \w+ +(\d+)  #+$", re.MULTILINE)


def bucket_of(wait_ns):
    """Returns the start of the bucket: a power of two, or halfway to the
    next."""
    low = 1 << max(wait_ns.bit_length() - 1, 1)
    return low + low // 2 if wait_ns >= low + low // 2 else low


def histogram(report, ktrace, recording, switches):
    """Compares the waits for a CPU with records and ground truth, for
    processes all of whose threads were recorded completely."""
    told = {tid: thread for tid, thread in
            threads_made(recording, Switches(switches)).items()
            if thread.is_told}
    partly = {row["pid"] for row in report["threads"]
              if row["tid"] not in told}
    told = {row["tid"]: told[row["tid"]] for row in report["threads"]
            if row["pid"] not in partly}
    text = subprocess.run(
        [ktrace, "report", "--runqueue", "--with-tracer", "--pid",
         ",".join(map(str, told)), "-i", recording], check=True, text=True,
        capture_output=True).stdout
    found = collections.Counter()
    for number, unit, count in BUCKET.findall(text):
        # The report prints three digits.
        low = bucket_of(round(float(number) * UNITS[unit] * 1.01))
        found[low] += int(count)
    right = collections.Counter(bucket_of(ns) for thread in told.values()
                                for ns in thread.waits_ns)
    expect("the histogram has each wait for a CPU where records and truth do",
           len(right) >= 5 and found == right,
           f"{sum(found.values())} waits, {found - right} too many, "
           f"{right - found} missing")


def main(arguments):
    with open(arguments.pop(0), encoding="utf-8") as file:
        report = json.load(file)
    while arguments:
        what = arguments.pop(0)
        if what == "--sums":
            sums(report)
        elif what == "--not-known":
            not_known(report)
        elif what == "--exact":
            sums(report)
            exact(report)
        elif what == "--cases":
            cases(report)
        elif what == "--truth":
            errors = truth_errors(report, arguments.pop(0))
            truth(report, errors)
        elif what == "--truth-by-host-clock":
            errors = truth_errors(report, arguments.pop(0))
            truth_by_host_clock(report, errors)
        elif what == "--runqueue":
            runqueue(report, arguments.pop(0))
        elif what == "--instead":
            instead(*arguments[:3])
            del arguments[:3]
        elif what == "--sched":
            sched(report, *arguments[:3])
            del arguments[:3]
        elif what == "--histogram":
            histogram(report, *arguments[:3])
            del arguments[:3]
        elif what == "--tracer":
            tracer(report, arguments[0], int(arguments[1]), *arguments[2:])
            arguments.clear()
        elif what == "--within":
            within(errors, int(arguments.pop(0)))


main(sys.argv[1:])
