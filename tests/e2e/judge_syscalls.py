# SPDX-License-Identifier: MIT
"""Judges report --syscalls and timeline --syscalls for the cases of
attribution_syscalls.sh: judge_syscalls.py KTRACE FOLDER CPUS CASE...

With two CPUs the clock is the host's, which may run something else meanwhile: a call
lasts at least the requested time, and its sleep may start late."""
import collections
import math
import re
import sys

from waits import Judge, Recording, count_by

# For perf's "NR 3 = 0".
EXIT = re.compile(r"NR (-?\d+) = (-?\d+)")
# clone, fork, vfork, clone3: the new task returns 0 from a call that it never
# made.
FORKS = {"x64": (56, 57, 58, 435), "arm64": (220, 435)}
# Functions that handle a page fault in the kernel.
FAULTS = {"x64": "asm_exc_page_fault", "arm64": "el1_abort"}
CLASSES = ("on_cpu_ns", "asleep_ns", "runnable_ns", "stolen_ns", "tracer_ns",
           "unknown_ns")
X32_BIT = 0x40000000
RESTARTS = (-512, -513, -514, -516)
# The wait channels of threads that wait for the disk, as in /proc/PID/wchan.
READING = {"folio_wait_bit_common", "__folio_lock_killable",
           "__lock_page_killable", "wait_on_page_bit_common"}
WRITING = READING | {"folio_wait_writeback", "jbd2_log_wait_commit",
                     "submit_bio_wait"}
judge = Judge()


def arch_of(recording):
    return "arm64" if recording.addresses("__arm64_sys_clone") else "x64"


def row_of(rows, **wanted):
    found = [r for r in rows if all(r[k] == v for k, v in wanted.items())]
    return found[0] if len(found) == 1 else None


def check_sums(name, recording):
    rows = recording.syscalls()
    bad = [r for r in rows
           if sum(r[c] for c in CLASSES) != r["total_ns"]]
    judge.expect(f"{name}: the classes add up to the time", rows and not bad,
                 bad[:2])
    records = recording.records()
    bad = [r for r in records if sum(r[c] for c in CLASSES) != r["wall_ns"]]
    judge.expect(f"{name}: for each call too", records and not bad, bad[:2])


def check_counts(name, recording):
    """Returns calls and results as perf reads the tracepoints."""
    exits = recording.perf_events("raw_syscalls:sys_exit")
    results = [(tid, *map(int, EXIT.match(text).groups()))
               for _, tid, text in exits]
    records = recording.records()
    # The recorder made calls before the trace started.
    tids = {r["tid"] for r in records if r["comm"] not in ("ktrace-hw", "?")}
    forks = FORKS[arch_of(recording)]
    results = [(tid, number, result) for tid, number, result in results
               if tid in tids and not (number in forks and result == 0)]
    ours = [r for r in records if r["tid"] in tids and r["result"] is not None]
    # A call that started before the recording has a result and no number.
    whole = collections.Counter((r["tid"], r["number"], r["result"])
                                for r in ours if r["number"] is not None)
    rest = collections.Counter(results) - whole
    judge.expect(f"{name}: calls and results are those of the tracepoints",
                 len(ours) > 20 and len(ours) == len(results)
                 and sum(rest.values())
                 == sum(r["number"] is None for r in ours),
                 len(results), len(ours), rest)
    whole = [r for r in records if r["end"] == "returned"]
    # The recorder's calls that turn the tracepoints on.
    judge.expect(f"{name}: only the recorder's calls have no result",
                 all(r["comm"] == "ktrace-hw" and r["name"] == "ioctl"
                     for r in whole if r["result"] is None))
    told = [r for r in whole if r["result"] is not None]
    for column, chosen in (
            ("count", whole),
            ("errors", [r for r in told if -4095 <= r["result"] < 0
                        and r["result"] not in RESTARTS]),
            ("restarts", [r for r in told if r["result"] in RESTARTS]),
            ("no_return", [r for r in records if r["end"] == "no_return"]),
            ("cut", [r for r in records if r["end"] == "cut"])):
        table = {(r["pid"], r["function"]): r[column]
                 for r in recording.syscalls() if r[column]}
        by_key = dict(count_by(chosen, "pid", "function"))
        judge.expect(f"{name}: {column} equals that of the calls",
                     table == by_key, table, by_key)


def nearest_rank(values, quantile):
    return sorted(values)[max(math.ceil(quantile * len(values)), 1) - 1]


def check_times(name, recording):
    records = [r for r in recording.records() if r["end"] == "returned"]
    bad = []
    for row in recording.syscalls():
        walls = [r["wall_ns"] for r in records
                 if (r["pid"], r["function"]) == (row["pid"], row["function"])]
        if not walls:
            continue
        exact = (sum(walls), sum(walls) // len(walls), max(walls))
        if exact != (row["total_ns"], row["mean_ns"], row["max_ns"]):
            bad.append(row)
        for column, quantile in (("median_ns", .5), ("p99_ns", .99)):
            true = nearest_rank(walls, quantile)
            if abs(row[column] - true) > true / 100:
                bad.append((column, true, row))
    judge.expect(f"{name}: total, mean, max exact; median, p99 within 1 %",
                 not bad, bad[:2])


def check_errors(recording):
    rows = [r for r in recording.syscalls() if r["comm"] == "calls"]
    opens, closes = row_of(rows, call="openat"), row_of(rows, call="close")
    failed = [r for r in recording.records() if r["comm"] == "calls"
              and r["name"] == "openat" and r["result"] == -2]
    judge.expect("errors: 100 opens failed", len(failed) >= 100
                 and opens["errors"] == len(failed), opens, len(failed))
    judge.expect("errors: 50 closes failed", closes["errors"] == 50, closes)
    bad = [r for r in recording.records() if r["comm"] == "calls"
           and r["name"] == "close" and r["result"] == -9]
    judge.expect("errors: their argument is -1", len(bad) == 50 and all(
        int(r["arguments"][0], 16) & 0xffffffff == 0xffffffff for r in bad))


def end_of(call):
    return call["start_ns"] + call["wall_ns"]


def check_child_by_host(recording):
    nap, wait = (next(r for r in recording.records()
                      if (r["comm"], r["name"]) == key)
                 for key in (("child", "clock_nanosleep"),
                             ("parent", "wait4")))
    judge.expect("child: sleeps 30 ms",
                 nap["wall_ns"] >= 30e6 and
                 nap["asleep_ns"] <= nap["wall_ns"], nap)
    judge.expect("child: its parent waits for it", end_of(wait) > end_of(nap)
                 and wait["result"] == nap["pid"], nap, wait)


def check_child(recording, cpus):
    rows = recording.syscalls()
    child = row_of(rows, comm="child", call="exit_group")
    judge.expect("child: exit_group does not return",
                 child and child["no_return"] == 1 and child["count"] == 0,
                 child)
    if cpus > 1:
        check_child_by_host(recording)
        return
    nap = row_of(rows, comm="child", call="clock_nanosleep")
    judge.expect("child: sleeps 30 ms",
                 30e6 <= nap["asleep_ns"] <= 31e6, nap)
    wait = row_of(rows, comm="parent", call="wait4")
    judge.expect("child: its parent waits as long",
                 29e6 <= wait["asleep_ns"] <= 32e6, wait)


def check_restart(recording):
    rows = [r for r in recording.syscalls() if r["comm"] == "restarted"]
    nap = row_of(rows, call="clock_nanosleep")
    judge.expect("restart: the sleep was interrupted",
                 nap and nap["restarts"] == 1 and nap["errors"] == 0, nap)
    rest = row_of(rows, call="restart_syscall")
    judge.expect("restart: and restarted", rest and rest["count"] == 1, rest)


def check_abis(recording):
    """7 calls by int 0x80; 5 and 3 by x32, the last with a table of its
    own."""
    parent, x32_parent, x32_ioctl = map(int, recording.output().split())
    calls = [r for r in recording.records() if r["comm"] == "abis"]
    compat = [r for r in calls
              if "int80" in r["trace"][0]["function"].lower()]
    judge.expect("abis: 7 calls by int 0x80, with names and numbers",
                 len(compat) == 7 and all(
                     (r["name"], r["number"], r["result"]) ==
                     ("getppid", 64, parent) for r in compat), compat[:2])
    x32 = [r for r in calls if r["number"] is not None
           and r["number"] & X32_BIT]
    judge.expect("abis: x32 is known to this kernel",
                 (x32_parent, x32_ioctl) == (parent, -9),
                 x32_parent, x32_ioctl)
    judge.expect("abis: 8 calls by x32, with names and results",
                 [(r["name"], r["number"] & ~X32_BIT, r["result"])
                  for r in x32] == [("getppid", 110, parent),
                                    ("ioctl", 514, -9)]
                 + 4 * [("getppid", 110, parent)] + 2 * [("ioctl", 514, -9)],
                 [(r["name"], r["number"], r["result"]) for r in x32])
    native = [r["function"] for r in calls if r["name"] == "ioctl"
              and r not in x32]
    judge.expect("abis: what x32 has of its own is another function",
                 all(r["function"] not in native for r in x32
                     if r["name"] == "ioctl"), native)
    rows = [r for r in recording.syscalls() if r["comm"] == "abis"]
    judge.expect("abis: the table counts them",
                 sum(r["count"] for r in rows if r["call"] == "getppid") == 12,
                 [r for r in rows if r["call"] == "getppid"])


def check_bare(recording):
    rows = [r for r in recording.syscalls() if r["comm"] == "parent"]
    judge.expect("without tracepoints: calls are counted all the same",
                 row_of(rows, call="wait4")["count"] == 1, rows[:2])
    judge.expect("without tracepoints: what is not known is null",
                 all(r[c] is None for r in rows
                     for c in ("errors", "asleep_ns", "runnable_ns")))
    text = recording.run("report", "--syscalls")
    judge.expect("without tracepoints: the text says what is missing",
                 "(record --events=sched,syscalls)" in text
                 and "errors " not in text.splitlines()[0])


def check_copy(recording, cpus):
    """DeBox's example: a mapped file copied with write()."""
    calls = [r for r in recording.deep_records("write")
             if r["comm"] == "calls" and r["wall_ns"] > 1e6]
    judge.expect("copy: one write", len(calls) == 1, len(calls))
    call = calls[0]
    judge.expect("copy: of 10 MiB", call["result"] == 10 << 20,
                 call["result"])
    # The kernel maps up to 16 pages around one that is read.
    judge.expect("copy: page faults of reading", call["faults"] >= 2560 / 16
                 and 0 < call["fault_ns"] < call["wall_ns"],
                 call["faults"], call["fault_ns"])
    fault = FAULTS[arch_of(recording)]
    reading, writing = (
        [s for s in call["sleeps"] if function in s["stack"].split(";")]
        for function in (fault, "ext4_sync_file"))
    seen = [(s["label"], s["count"], s["stack"]) for s in call["sleeps"]]
    # 10 MiB are read ahead, up to 128 KiB at a time.  With the host's clock
    # the disk may be faster than the reader, except at the first read.
    judge.expect("copy: it slept to read, where it faulted",
                 sum(s["count"] for s in reading) >= (20 if cpus == 1 else 1)
                 and {s["label"] for s in reading} & READING, seen)
    judge.expect("copy: it slept to write, where it synchronized",
                 writing and {s["label"] for s in writing} & WRITING, seen)
    # The data that is read ahead was requested earlier, so the wait is only
    # for the rest of that time.
    if cpus == 1:
        judge.expect("copy: 2 ms at most, as the disk does", all(
            1.9e6 <= s["max_ns"] < 2.5e6 and
            s["asleep_ns"] > s["count"] * 0.5e6 for s in reading), reading)
    judge.expect("copy: the sleeps are the time asleep",
                 sum(s["asleep_ns"] for s in call["sleeps"])
                 == call["asleep_ns"])
    judge.expect("copy: the disk woke it",
                 all(w["chain"][-1]["interrupt"]
                     for s in reading for w in s["wakers"]), reading)
    faults = sum(f["calls"] for f in call["trace"]
                 if f["function"] == fault)
    judge.expect("copy: the trace has the faults", faults == call["faults"],
                 faults, call["faults"])
    check_trace(call)


def check_trace(call):
    """The callees' times add up to at most their caller's."""
    trace = call["trace"]
    bad = []
    open_functions = []
    for function in trace:
        del open_functions[function["depth"]:]
        if open_functions:
            open_functions[-1]["below"] += function["wall_ns"]
        open_functions.append(function)
        function["below"] = 0
    bad = [f for f in trace if f["below"] > f["wall_ns"]]
    judge.expect("copy: the trace's times nest", len(trace) > 100 and not bad
                 and trace[0]["wall_ns"] == call["wall_ns"], bad[:2])


def main():
    ktrace, folder, cpus, *names = sys.argv[1:]
    cases = {name: Recording(ktrace, folder, name) for name in names}
    for name in ("errors", "child", "restart"):
        check_sums(name, cases[name])
        check_counts(name, cases[name])
        check_times(name, cases[name])
    check_errors(cases["errors"])
    check_child(cases["child"], int(cpus))
    check_restart(cases["restart"])
    if "abis" in cases:
        check_abis(cases["abis"])
    check_bare(cases["bare"])
    check_copy(cases["copy"], int(cpus))
    judge.end()


main()
