# SPDX-License-Identifier: MIT
"""Judges the cases that attribution_sleeps.sh recorded with two CPUs:
judge_sleeps_by_host.py KTRACE FOLDER CASE...

The clock is the host's, which may run something else meanwhile: a thread may start
its sleep late, perhaps after its intended end, so that it does not sleep; or a
sleep lasts longer.  But a call lasts at least the requested time, and the sleeping
threads, their wait channels, descriptors and wakers are as with one CPU."""
import json
import re

from judge_sleeps import (DISK_HANDLER, MS, check_stacks, check_vdso,
                          checks_of, compare_labels, judge, main, of, told_labels)

# A disk's request may complete on another CPU than it was made on.
DISK = rf"interrupt ({DISK_HANDLER}|blk_complete_reqs) \S+"


def calls_of(recording, comm, name):
    rows = of(recording.records(), comm=comm, name=name)
    return sorted(rows, key=lambda row: row["start_ns"])


def sleeps_of(recording, function, *comms):
    """Returns all sleeps in a function."""
    names = ",".join(f"'{comm}'" for comm in comms)
    return json.loads(recording.run(
        "sql", "--format=json", "SELECT * FROM sleep WHERE function = "
        f"'{function}' AND comm IN ({names}) ORDER BY begin_ns"))


def check_calls(name, recording, calls, rows, count, each_ns):
    """@count calls are made, each lasts at least this long, and their
    sleeps equal those of the table."""
    slept = [call for call in calls if call["sleeps"]]
    judge.expect(f"{name}: {count} calls, of {each_ns // MS} ms or more",
                 len(calls) == count and
                 all(call["wall_ns"] >= each_ns for call in calls),
                 [call["wall_ns"] for call in calls])
    judge.expect(f"{name}: one sleep each, less than the call", slept and all(
        sum(sleep["count"] for sleep in call["sleeps"]) == 1 and
        call["asleep_ns"] + call["runnable_ns"] <= call["wall_ns"]
        for call in slept), slept)
    sums = ((len(slept), sum(call["asleep_ns"] for call in slept)),
            (sum(row["count"] for row in rows),
             sum(row["total_ns"] for row in rows)))
    judge.expect(f"{name}: the table has the calls' sleeps",
                 sums[0] == sums[1], sums)
    return len(slept)


def check_time(name, comm, recording):
    rows = of(recording.sleeps(), comm=comm)
    naps, signalled = [], []
    for row in of(rows, label="hrtimer_nanosleep"):
        stack = row["user_stack"].split(";")
        (signalled if "on_signal" in stack else naps).append(row)
    calls = calls_of(recording, comm, "clock_nanosleep")
    slept = check_calls(f"{name}: sleeps", recording, calls[:5], naps, 5,
                        20 * MS)
    judge.expect(f"{name}: a timer woke it", len(naps) == 1 and re.fullmatch(
        rf"{slept}x interrupt \S+ hrtimer_wakeup", naps[0]["wakers"]), naps)
    check_calls(f"{name}: in a signal handler", recording, calls[5:],
                signalled, 1, 30 * MS)
    check_calls(f"{name}: polls", recording,
                calls_of(recording, comm, "poll"),
                [row for row in rows if "poll" in row["stack"]], 3, 10 * MS)
    check_stacks(name, naps, signalled)
    check_vdso(name, comm, recording)


def woken_by(row, comm):
    """Returns how many of its sleeps were ended by a write of @comm. A
    timer may have woken that thread meanwhile, but not if the sleep started
    after that."""
    chains = [re.fullmatch(
        rf"(\d+)x {comm}-\d+ \S*pipe_write( < interrupt \S+ hrtimer_wakeup)?",
        chain) for chain in row["wakers"].split("; ")]
    return sum(int(chain[1]) for chain in chains if chain)


def check_pipe(recording):
    rows = recording.sleeps()
    for one, other in (("pinger", "ponger"), ("ponger", "pinger")):
        takes = [call for call in calls_of(recording, one, "read")
                 if call["result"] == 1]
        reads = [row for row in of(rows, comm=one)
                 if "pipe_read" in row["label"]]
        slept = check_calls(f"pipe: {one}", recording, takes, reads, 20, 0)
        judge.expect(f"pipe: {one} is woken by {other}", len(reads) == 1 and
                     woken_by(reads[0], other) == slept, reads)
        fds = {int(call["arguments"][0], 16) for call in takes}
        judge.expect(f"pipe: {one}'s descriptor is that of its calls",
                     reads and len(fds) == 1 and
                     reads[0]["fds"] == f"{fds.pop()} {slept}x", reads, fds)


def check_child(recording):
    naps = calls_of(recording, "child", "clock_nanosleep")
    waits = calls_of(recording, "parent", "wait4")
    judge.expect("child: it sleeps for 30 ms, and its parent waits for it",
                 len(naps) == 1 and naps[0]["wall_ns"] >= 30 * MS and
                 len(waits) == 1 and waits[0]["start_ns"] + waits[0]["wall_ns"]
                 > naps[0]["start_ns"] + naps[0]["wall_ns"], naps, waits)
    sleeps = sleeps_of(recording, "do_wait", "parent")
    # A child that starts late does not wait for the timer.
    begins = [row["begin_ns"] for row in sleeps]
    woken = sleeps_of(recording, "hrtimer_nanosleep", "child")
    chain = r"child-\d+ do_notify_parent\S*"
    if begins and woken and \
            begins[0] < woken[0]["begin_ns"] + woken[0]["asleep_ns"]:
        chain += r" < interrupt \S+ hrtimer_wakeup"
    judge.expect("child: who woke it, and that one",
                 len(sleeps) == 1 and re.fullmatch(chain, sleeps[0]["wakers"]),
                 sleeps, chain)


def check_futex(recording):
    calls = [row for row in calls_of(recording, "waiter", "futex")
             if row["result"] == 0]
    places = [row["sleeps"][0] for row in calls if row["sleeps"]]
    judge.expect("futex: all sleep whom somebody wakes",
                 len(places) == len(calls) >= 1, len(places), len(calls))
    count = list(range(len(places)))
    for what in ("others", "same_object"):
        begin = sorted(place[f"{what}_at_begin"] for place in places)
        end = sorted(place[f"{what}_at_end"] for place in places)
        judge.expect(f"futex: {what} when they begin and end",
                     (begin, end) == (count, count), begin, end)
    wakers = [waker for place in places for waker in place["wakers"]]
    judge.expect("futex: the fourth thread wakes them",
                 len(wakers) == len(places) and all(
                     waker["chain"][0]["tid"] == calls[0]["pid"] and
                     "futex" in waker["chain"][0]["function"]
                     for waker in wakers), wakers)


def check_disk(recording):
    rows = [row for row in of(recording.sleeps(), comm="waits")
            if "pread64" in row["stack"]]
    reads = [call for call in calls_of(recording, "waits", "pread64")
             if call["result"] == 4096]
    slept = check_calls("disk: reads", recording, reads, rows, 8, 60 * MS)
    chains = [chain for row in rows for chain in row["wakers"].split("; ")]
    judge.expect("disk: its interrupt is where each comes from", slept and all(
        re.fullmatch(rf"\d+x {DISK}", chain) for chain in chains), chains)


def check_chain(recording):
    """Threads that were woken while the first slept are part of its chain
    of wakers."""
    waits = sleeps_of(recording, "do_wait", "first")
    reads = sleeps_of(recording, "pipe_read", "second")
    pages = sleeps_of(recording, "folio_wait_bit_common", "third")
    judge.expect("chain: the first waits for the second, that for the third, "
                 "that for the disk", len(waits) == 1 and len(pages) >= 1,
                 waits, reads, pages)
    chain = r"second-\d+ do_notify_parent\S*"
    for sleeps, link in ((reads, r"third-\d+ \S*pipe_write"),
                         (pages[-1:], DISK)):
        if not sleeps or sleeps[0]["begin_ns"] + sleeps[0]["asleep_ns"] <= \
                waits[0]["begin_ns"]:
            break
        chain += " < " + link
    judge.expect("chain: who woke it, as far as it waited for that",
                 re.fullmatch(chain, waits[0]["wakers"]), waits, chain)


def check_labels(name, recording):
    """A process that does not wait yet, or no longer, has 0, or the
    function in which it exited."""
    told = [row for row in told_labels(recording)
            if row[2] not in ("0", "do_task_dead")]
    judge.expect(f"{name}: labels were read", told)
    compare_labels(name, recording, told)


main(checks_of(globals()))
