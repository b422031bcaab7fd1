# SPDX-License-Identifier: MIT
"""Judges reports of recordings with fewer and fewer events, made by
attribution_levels.sh: judge_levels.py KTRACE FOLDER CPUS"""
import functools
import json
import re
import sys

from waits import Judge, Recording

judge = Judge()
WHOLE = "attribution,syscalls"
LEVELS = ("none", "sched", "irq", "all", "attribution", WHOLE)
SETS = {
    "none": set(), "sched": {"sched"}, "irq": {"sched", "irq"},
    "all": {"sched", "irq", "syscalls", "faults", "locks", "attribution"},
    "attribution": {"sched", "attribution"},
    WHOLE: {"sched", "attribution", "syscalls"},
}
TABLES = {
    "processes": ("report",),
    "threads": ("report", "--threads"),
    "syscalls": ("report", "--syscalls"),
    "sleeps": ("report", "--sleeps"),
    "servers": ("report", "--servers"),
    "calls": ("timeline", "--syscalls", "--depth=1"),
}
OFTEN = 3
# Tables without rows: only the scheduler's events show sleeps, and the
# messages that end them.
EMPTY = {("none", "sleeps"), ("none", "servers")}
# In some tables' text several columns have one common description.
SLEEPS, RESULTS = "sleeps and their wakers", "arguments and results"
WORDS = {
    "calls": {"sleeps": SLEEPS, "asleep_ns": SLEEPS, "runnable_ns": SLEEPS,
              "number": "numbers", "arguments": RESULTS, "result": RESULTS},
}
# "Not recorded: columns: the recording has no … (record OPTION)."
MISSING = re.compile(r"^Not recorded: (.*): the recording has no .* "
                     r"\(record ([^)]+)\)\.$", re.MULTILINE)
# The description of several columns.
MORE = "beneficiaries of interrupts and kernel threads"
MORE_COLUMNS = ("interrupt_benefited_ns", "interrupt_work_elsewhere",
                "kernel_work_elsewhere")


@functools.cache
def columns(recording, table):
    """Returns the number of rows in which each column is not 0; None if it
    is known in no row."""
    rows = json.loads(recording.run(*TABLES[table], "--format=json"))
    if isinstance(rows, dict):
        rows = rows[table]
    counts = {}
    for row in rows:
        for name, value in row.items():
            count = counts.setdefault(name, None)
            if value is not None:
                counts[name] = (count or 0) + bool(value)
    return counts


@functools.cache
def missing(recording, table):
    """Returns {column: option of record that provides it}, from the text."""
    text = recording.run(*TABLES[table])
    told = {column.strip(): option for names, option in MISSING.findall(text)
            for column in names.split(",")}
    if MORE in told:
        told |= dict.fromkeys(MORE_COLUMNS, told[MORE])
    return told


def level_with(option):
    """Returns the first recording that has all sets of events of
    --events=LIST."""
    wanted = set(option.split()[0].removeprefix("--events=").split(","))
    return next(level for level, sets in SETS.items()
                if wanted <= sets)


def check(recordings, level, table, cpus):
    whole = columns(recordings[WHOLE], table)
    here = columns(recordings[level], table)
    told = missing(recordings[level], table)
    judge.expect(f"{level}: {table}: rows, where there can be any",
                 bool(here) == ((level, table) not in EMPTY), here)
    # Faults and restarts occur by chance, perhaps in only one recording; and
    # if another CPU is free no thread has to wait for the recorder.
    chance = {"recorder_wait"} if cpus > 1 else set()
    silent = [name for name, count in whole.items()
              if count and count >= OFTEN and here.get(name) == 0
              and name not in chance]
    judge.expect(f"{level}: {table}: nothing is silently 0", not silent,
                 silent)
    unknown = {name for name, count in here.items()
               if count is None and whole.get(name) is not None}
    words = WORDS.get(table, {})
    judge.expect(f"{level}: {table}: the text says what is not known",
                 {words.get(name, name) for name in unknown} <= set(told),
                 unknown, told)
    for name, option in told.items():
        if not option.startswith("--events="):
            continue
        given = missing(recordings[level_with(option)], table)
        judge.expect(f"{level}: {table}: {option} gives {name}",
                     name not in given, given)


def check_empty(recordings):
    """Empty tables name the option that would fill them."""
    for level, table in sorted(EMPTY):
        judge.expect(f"{level}: {table}: what gives rows",
                     "--events=sched" in missing(recordings[level],
                                                 table).values())


def check_cpu(recording, cpus):
    """If the only CPU is recorded, all is known.  If one of two is, the
    time off that CPU is unknown, and the text reports it."""
    rows = json.loads(recording.run("report", "--format=json"))["processes"]
    unknown = [row for row in rows if row["unknown_ns"]]
    if cpus == 1:
        judge.expect("cpu: all CPUs were traced, so nothing is unknown",
                     len(rows) > 2 and not unknown, unknown)
        return
    judge.expect("cpu: what is unknown is where another CPU may have been",
                 len(rows) > 2 and unknown and all(
                     row["unknown_because"] == f"untraced {row['unknown_ns']}"
                     for row in unknown), rows)
    judge.expect("cpu: the text says so",
                 re.search("^Time off the CPU is unknown: other CPUs",
                           recording.run("report"), re.MULTILINE))


def check_default(recording):
    """The first report of a recording made without options, which has the
    events of attribution: no column is missing."""
    text = recording.run("report")
    rows = json.loads(recording.run("report", "--format=json"))["processes"]
    judge.expect("default: the first report has no column that is not known",
                 not MISSING.search(text) and
                 any(row["comm"] == "sleeper" and row["asleep_ns"] > 0
                     for row in rows), text, rows)


def main():
    ktrace, folder, cpus = sys.argv[1:]
    recordings = {level: Recording(ktrace, folder, level) for level in SETS}
    for level in LEVELS:
        for table in TABLES:
            check(recordings, level, table, int(cpus))
    known = columns(recordings["none"], "processes")
    judge.expect("none: whether a thread sleeps is not known",
                 known["asleep_ns"] is None and known["runnable_ns"]
                 and known["unknown_ns"])
    check_empty(recordings)
    check_cpu(Recording(ktrace, folder, "cpu"), int(cpus))
    check_default(Recording(ktrace, folder, "default"))
    judge.end()


main()
