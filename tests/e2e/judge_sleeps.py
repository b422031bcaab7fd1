# SPDX-License-Identifier: MIT
"""Judges report --sleeps and timeline --syscalls for the cases of
attribution_sleeps.sh: judge_sleeps.py KTRACE FOLDER CASE..."""
import collections
import re
import sys

from idle_wakeups import check_wakeups
from waits import Judge, Recording

judge = Judge()
MS = 1_000_000
# With one message (MSI) per queue, or with one line for the whole device.
DISK_HANDLER = "(vring|vp)_interrupt"


def of(rows, **wanted):
    return [r for r in rows if all(r[k] == v for k, v in wanted.items())]


def check_counts(name, recording):
    """Each sleep is a switch away from a task that was not runnable."""
    switches = [(int(m[1]), m[2]) for _, _, text in
                recording.perf_events("sched:sched_switch")
                for m in [re.search(r":(\d+) \[-?\d+\] (\S+) ==>", text)
                          or re.search(r"prev_pid=(\d+) .*prev_state=(\S+)",
                                       text)] if m]
    rows = recording.sleeps()
    records = recording.records()
    ours = {r["tid"] for r in records if r["comm"] not in ("ktrace-hw", "?")}
    pids = {r["pid"] for r in records if r["tid"] in ours}
    bad = []
    for pid in pids:
        tids = {r["tid"] for r in records if r["pid"] == pid}
        seen = sum(tid in tids and state[0] in "SDTtIP"
                   for tid, state in switches)
        slept = sum(r["count"] + r["cut"] for r in rows
                    if r["pid"] == pid and r["label"] != "[unseen]")
        if seen != slept:
            bad.append((pid, seen, slept))
    judge.expect(f"{name}: as many sleeps as switches away", pids and not bad,
                 bad, switches[:3])


# The C library's function is left out if it is in a file of its own.
CALLERS_OF_VDSO = ("ask_through_vdso", "clock_gettime", "__clock_gettime")


def check_vdso(name, comm, recording):
    """Seven calls in the vdso, for libc's clock_gettime()."""
    asked = of(recording.sites(), comm=comm, entry="clock_gettime")
    judge.expect(f"{name}: 7 system calls in the vdso", len(asked) == 1
                 and asked[0]["count"] == 7 and "vdso" in asked[0]["file"]
                 and asked[0]["function"].endswith("clock_gettime"), asked)
    judge.expect(f"{name}: their stack goes on behind the vdso",
                 asked and asked[0]["caller"] in CALLERS_OF_VDSO, asked)


def check_time(name, comm, recording):
    rows = of(recording.sleeps(), comm=comm)
    naps, signalled = [], []
    for row in of(rows, label="hrtimer_nanosleep"):
        stack = row["user_stack"].split(";")
        (signalled if "on_signal" in stack else naps).append(row)
    judge.expect(f"{name}: 5 sleeps of 20 ms", len(naps) == 1
                 and naps[0]["count"] == 5
                 and 20 * MS <= naps[0]["mean_ns"] <= naps[0]["max_ns"]
                 <= 20.5 * MS, naps)
    judge.expect(f"{name}: a timer woke it",
                 re.fullmatch(r"5x interrupt \S+ hrtimer_wakeup",
                              naps[0]["wakers"]), naps[0]["wakers"])
    # The recorder, which runs first, may be writing at that time.
    judge.expect(f"{name}: runnable after it is not asleep",
                 0 < naps[0]["runnable_ns"] < 5 * MS, naps[0]["runnable_ns"])
    polls = [r for r in rows if "poll" in r["stack"]]
    judge.expect(f"{name}: 3 polls of 10 ms", len(polls) == 1
                 and polls[0]["count"] == 3
                 and 30 * MS <= polls[0]["total_ns"] <= 31 * MS, polls)
    judge.expect(f"{name}: a sleep of 30 ms in a signal handler",
                 len(signalled) == 1 and signalled[0]["count"] == 1
                 and 30 * MS <= signalled[0]["total_ns"] <= 30.5 * MS,
                 signalled)
    check_vdso(name, comm, recording)
    check_stacks(name, naps, signalled)


def check_stacks(name, naps, signalled):
    """A handler's stack continues with the interrupted functions."""
    stack = naps[0]["user_stack"].split(";")
    wanted = ["main", "waits_outer", "waits_middle", "waits_inner"]
    at = stack.index("main") if "main" in stack else 0
    judge.expect(f"{name}: the user stack is in order",
                 stack[at:] and without_inlined(stack[at:])[:4] == wanted,
                 stack)
    stacks = [r["user_stack"].split(";") for r in signalled]
    judge.expect(f"{name}: the handler's stack goes on behind it", signalled and
                 [f for f in stacks[0] if f in
                  ("main", "waits_signalled", "raise", "on_signal")]
                 == ["main", "waits_signalled", "raise", "on_signal"], stacks)


def without_inlined(stack):
    return [f for f in stack if f not in ("wait_time", "sleep_ns")]


def check_pipe(recording):
    rows = recording.sleeps()
    for one, other in (("pinger", "ponger"), ("ponger", "pinger")):
        reads = [r for r in of(rows, comm=one) if "pipe_read" in r["label"]]
        wakers = reads[0]["wakers"] if reads else ""
        judge.expect(f"pipe: {one} is woken by {other}", len(reads) == 1
                     and reads[0]["count"] == 20
                     and re.match(rf"20x {other}-\d+ \S*pipe_write", wakers),
                     reads)
        # perf prints the arguments; read() is number 0, on arm64 63.
        told = collections.Counter(
            int(m[1], 16) for comm, _, text in
            recording.perf_events("raw_syscalls:sys_enter")
            for m in [re.search(r"NR (?:0|63) \((\w+),", text)]
            if m and comm == one)
        judge.expect(f"pipe: {one}'s descriptor is perf's",
                     reads and told and reads[0]["fds"] ==
                     f"{told.most_common(1)[0][0]} 20x", reads, told)


def check_child(recording):
    waits = of(recording.sleeps(), comm="parent", label="do_wait")
    judge.expect("child: its parent waits 30 ms", len(waits) == 1
                 and 29 * MS <= waits[0]["total_ns"] <= 32 * MS, waits)
    judge.expect("child: a timer woke the child, that woke the parent",
                 re.fullmatch(r"1x child-\d+ do_notify_parent\S* < interrupt "
                              r"\S+ hrtimer_wakeup", waits[0]["wakers"]),
                 waits[0]["wakers"])


def check_futex(recording):
    calls = [r for r in recording.records() if r["comm"] == "waiter"
             and r["name"] == "futex" and r["sleeps"]]
    calls.sort(key=lambda r: r["start_ns"])
    places = [r["sleeps"][0] for r in calls]
    judge.expect("futex: three wait", len(places) == 3, len(places))
    for what in ("others", "same_object"):
        begin = [p[f"{what}_at_begin"] for p in places]
        end = sorted(p[f"{what}_at_end"] for p in places)
        judge.expect(f"futex: {what} when they begin and end",
                     (begin, end) == ([0, 1, 2], [0, 1, 2]), begin, end)
    wakers = [w for p in places for w in p["wakers"]]
    judge.expect("futex: the fourth thread wakes them", len(wakers) == 3
                 and all(w["chain"][0]["tid"] == calls[0]["pid"]
                         and "futex" in w["chain"][0]["function"]
                         for w in wakers), wakers)


def check_disk(recording):
    rows = [r for r in of(recording.sleeps(), comm="waits")
            if "pread64" in r["stack"]]
    count = sum(r["count"] for r in rows)
    judge.expect("disk: 8 reads wait", count == 8, rows)
    # The disk delays each request by 60 ms.
    judge.expect("disk: 60 ms each", rows and all(
        r["total_ns"] >= 60 * MS * r["count"] for r in rows), rows)
    chains = [w for r in rows for w in r["wakers"].split("; ")]
    judge.expect("disk: an interrupt is where each chain comes from",
                 chains and all("interrupt" in c for c in chains), chains)


def check_chain(recording):
    """The second thread wakes the first, the third wakes the second, and
    the disk's interrupt wakes the third."""
    waits = of(recording.sleeps(), comm="first", label="do_wait")
    chain = waits[0]["wakers"].split(" < ") if waits else []
    wanted = [r"1x second-\d+ do_notify_parent\S*", r"third-\d+ \S*pipe_write",
              rf"interrupt {DISK_HANDLER} \S+"]
    judge.expect("chain: second, third, the disk's interrupt",
                 len(waits) == 1 and len(chain) == len(wanted)
                 and all(map(re.fullmatch, wanted, chain)), waits)


def told_labels(recording):
    """Yields the kernel's data about waiting threads: case, process,
    /proc/PID/wchan."""
    told = [line.split() for line in recording.output().splitlines()]
    return [(how, int(pid), wchan.partition(".cold")[0])
            for how, pid, wchan in told]


def compare_labels(name, recording, told):
    for how, pid, wchan in told:
        ours = {row["label"] for row in of(recording.sleeps(), pid=pid)}
        # Some functions have several names: __do_sys_pause, __x64_sys_pause.
        judge.expect(f"{name}: {how} waits in {wchan}, as it says",
                     wchan in ours or any(
                         recording.addresses(wchan)
                         & recording.addresses(label) for label in ours),
                     ours)


def check_labels(name, recording):
    told = told_labels(recording)
    judge.expect(f"{name}: five labels were read", len(told) == 5, told)
    compare_labels(name, recording, told)


def checks_of(functions):
    """Returns each case's check, made of a module's functions."""
    check_time, check_labels = functions["check_time"], functions["check_labels"]
    return {
        "stacks": lambda r: check_time("stacks", "waits", r),
        "static": lambda r: check_time("static", "waits-static", r),
        "labels": lambda r: check_labels("labels", r),
        **{case: functions["check_" + case]
           for case in ("pipe", "child", "futex", "disk", "chain")},
    }


CHECKS = checks_of(globals())


def check_idle(case, recording):
    """Only kernel threads that sleep in their own function, or with a time
    limit, are left out by default."""
    starts = {"ret_from_fork_asm", "ret_from_fork", "kthread"}
    left_out = [row for row in recording.sleeps()
                if row not in recording.busy_sleeps()]
    wrong = [row for row in left_out if row["label"] != "[unseen]" and
             row["label"] != next(name for name in row["stack"].split(";")
                                  if name not in starts) and
             not re.search(rf";{row['label']};schedule_(hr)?timeout",
                           row["stack"])]
    judge.expect(f"{case}: RCU's own pace is left out",
                 not of(recording.busy_sleeps(), label="rcu_gp_fqs_loop"))
    judge.expect(f"{case}: {len(left_out)} sleeps for want of work",
                 len(left_out) == len(recording.sleeps()) -
                 len(recording.busy_sleeps()) and not wrong, wrong)
    if case == "disk":
        judge.expect("disk: a kworker waits for work",
                     any(row["label"] == "worker_thread" for row in left_out)
                     and not of(recording.busy_sleeps(),
                                label="worker_thread"), left_out)


def main(checks):
    ktrace, folder, *cases = sys.argv[1:]
    exact = 0
    for case in cases:
        recording = Recording(ktrace, folder, case)
        check_counts(case, recording)
        check_idle(case, recording)
        checks[case](recording)
        if recording.addresses("asm_sysvec_reschedule_ipi"):
            exact += check_wakeups(judge, case, recording)
    judge.expect(f"{exact} wake-ups by other CPUs, on "
                 f"{recording.cpus()} CPUs", bool(exact) ==
                 (recording.cpus() > 1 and bool(recording.addresses(
                     "asm_sysvec_reschedule_ipi"))))
    judge.end()


if __name__ == "__main__":
    main(CHECKS)
