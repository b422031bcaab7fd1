# SPDX-License-Identifier: MIT
"""Compares profiles by beneficiary with profiles by victim: interrupt work
is moved, function by function, and nothing else."""
import collections
import csv
import functools
import io
import os
import re
import subprocess

IS_FULL = "KTRACE_FULL" in os.environ
# The number of processes whose profiles are read if the tier is not full.
MOST_PROFILES = 3
# Functions at an interrupt's entry and exit, at which a handler's path may
# continue with another interrupt.
INTERRUPT = re.compile(r"asm_(common_interrupt|sysvec_|exc_nmi)|irq_entries_start"
                       r"|error_return|restore_regs_and_return|native_irq_return"
                       r"|el1h_64_|ret_to_k|(first|repeat|end_repeat)_nmi|nmi_restore")


def flat(recording, *arguments):
    """Returns the functions of a flat profile, perhaps several of one name,
    and their times; none if nothing ran."""
    try:
        text = recording.run("--flat", "--format=csv", *arguments)
    except subprocess.CalledProcessError:
        return []
    return [(row["function"], int(row["self_ns"]))
            for row in csv.DictReader(io.StringIO(text))]


def time_of(profile):
    return sum(ns for _, ns in profile)


def paths_of(recording, pid):
    """Returns the number of paths in a process's profiles by victim and by
    beneficiary. One that is empty, since all its time was for others, is no
    flame graph."""
    return sum(subprocess.run(
        [recording.ktrace, "flamegraph", "--folded", "--pid", str(pid),
         "--with-tracer", f"--bill={bill}", "-i", recording.path],
        check=False, capture_output=True, text=True).stdout.count("\n")
        for bill in ("victim", "beneficiary"))


def moved_times(recording):
    """Returns for each process others' time charged to it, minus its own
    time charged to others."""
    moved = collections.Counter()
    for row in recording.rows:
        moved[int(row["for_pid"])] += row["total_ns"]
        moved[int(row["on_pid"])] -= row["total_ns"]
    return {pid: ns for pid, ns in moved.items() if pid not in (0, -1)}


def judge_profiles(judge, case, recording):
    """A process's profile by beneficiary includes others' time charged to
    it and excludes its own time charged to others, to the nanosecond.  The
    full tier reads the profile of each process, other tiers those from or
    to which most time was moved."""
    moved = moved_times(recording)
    whole = [flat(recording, "--with-idle", "--with-tracer", bill)
             for bill in ("--bill=victim", "--bill=beneficiary")]
    judge.expect(f"{case}: profiles by victim and beneficiary have all time",
                 time_of(whole[0]) == time_of(whole[1]) > 0,
                 *map(time_of, whole))
    wrong, moved_ns = {}, 0
    pids = sorted(moved, key=lambda pid: (-abs(moved[pid]), pid))
    for pid in pids if IS_FULL else pids[:MOST_PROFILES]:
        # Whether work that starts within the tracer belongs to the tracer
        # depends on its path in the profile.
        profiles = [flat(recording, "--pid", str(pid), "--with-tracer",
                         f"--bill={bill}")
                    for bill in ("victim", "beneficiary")]
        victim, beneficiary = map(time_of, profiles)
        others = moved[pid]
        moved_ns += abs(others)
        # Work with several beneficiaries is divided path by path, in whole
        # nanoseconds: of the thread that did it, and for each beneficiary.
        wrong_ns = abs(beneficiary - victim - others)
        if wrong_ns > len(profiles[1]) and wrong_ns > paths_of(recording, pid):
            wrong[pid] = (victim, beneficiary, others)
    judge.expect(f"{case}: profiles of processes by beneficiary",
                 moved_ns and not wrong, wrong)


def is_below(names, handler):
    """Returns whether a path passes through the handler, and does not
    continue into an interrupt of it, which is separate work."""
    at = next((i for i, name in enumerate(names) if re.fullmatch(handler, name)),
              None)
    return at is not None and not any(map(INTERRUPT.match, names[at:]))


@functools.cache
def folded(recording, bill, *options):
    """Returns the lines of a flame graph of all processes."""
    return subprocess.run(
        [recording.ktrace, "flamegraph", "--folded", "--by=process",
         "--with-idle", f"--bill={bill}", *options, "-i", recording.path],
        check=True, capture_output=True, text=True).stdout.splitlines()


def work_below(recording, bill, handler="", *options):
    """Returns the self time of each function below the handler (or of all),
    by the process in whose profile it is."""
    work = collections.defaultdict(collections.Counter)
    for line in folded(recording, bill, *options):
        path, time_ns = line.rsplit(" ", 1)
        frames = [frame.split(":", 1) for frame in path.split(";")]
        names = [frame[-1] for frame in frames]
        if not handler or is_below(names, handler):
            work[frames[-1][0].rstrip("ku")][names[-1]] += int(time_ns)
    return work


def without(whole, shown):
    """Returns the part of each process's work that @shown leaves out."""
    return {pid: left for pid, work in whole.items()
            if (left := work - shown[pid])}


def judge_tracer(judge, case, recording, whom_pids, handler):
    """In profiles by victim and by beneficiary the tracer's own work below
    a handler is, function by function, in the profile of the interrupted
    process."""
    ran, paid = (without(work_below(recording, bill, handler, "--with-tracer"),
                         work_below(recording, bill, handler))
                 for bill in ("victim", "beneficiary"))
    functions = sum(ran.values(), collections.Counter())
    judge.expect(f"{case}: {len(functions)} functions of the tracer below "
                 f"{handler} are theirs in whose time they ran",
                 len(functions) > 5 and ran == paid and set(ran) - whom_pids,
                 {pid: work - paid.get(pid, collections.Counter())
                  for pid, work in ran.items()}, set(paid))


def judge_functions(judge, case, recording, whom, handler):
    """Everything that a handler calls is, function by function, in the
    profile of its beneficiary and in no other.  The tracer's work there
    stays with the interrupted process, and so is left out; all other work
    is only moved."""
    whole = [work_below(recording, bill, "", "--with-tracer")
             for bill in ("victim", "beneficiary")]
    sums = [sum(work.values(), collections.Counter()) for work in whole]
    judge.expect(f"{case}: each function's time is the same by both bills",
                 sums[0] == sums[1] and len(sums[0]) > 100,
                 {name: (sums[0][name], sums[1][name])
                  for name in sums[0] | sums[1]
                  if sums[0][name] != sums[1][name]})
    pids = {row["for_pid"] for row in recording.rows
            if row["for_comm"] == whom}
    ran, paid = (work_below(recording, bill, handler)
                 for bill in ("victim", "beneficiary"))
    functions = sum(ran.values(), collections.Counter())
    judge.expect(f"{case}: {len(functions)} functions below {handler} ran in "
                 f"others' time, and all of each is {whom}'s",
                 len(functions) > 5 and len(pids) == 1 and set(paid) == pids
                 and paid[next(iter(pids))] == functions
                 and set(ran) - pids, set(ran), pids,
                 {pid: functions - work for pid, work in paid.items()})
    judge_tracer(judge, case, recording, pids, handler)
