# SPDX-License-Identifier: MIT
"""Judges what reports say of recordings with fewer and fewer events, as
attribution_levels.sh made them: judge_levels.py KTRACE FOLDER"""
import functools
import json
import re
import sys

from waits import Judge, Recording

judge = Judge()
LEVELS = ("none", "sched", "irq", "all", "attribution")
TABLES = {
    "processes": ("report",),
    "threads": ("report", "--threads"),
    "syscalls": ("report", "--syscalls"),
    "sleeps": ("report", "--sleeps"),
    "servers": ("report", "--servers"),
    "calls": ("timeline", "--syscalls", "--depth=1"),
}
# "Not known: columns: the recording has no … (record OPTION)."
MISSING = re.compile(r"^Not known: (.*): the recording has no .* "
                     r"\(record (\S+)\)\.$", re.MULTILINE)


@functools.cache
def columns(recording, table):
    """What each column has: None, 0 or 1, for anything."""
    rows = json.loads(recording.run(*TABLES[table], "--format=json"))
    if isinstance(rows, dict):
        rows = rows[table]
    kinds = {}
    for row in rows:
        for name, value in row.items():
            kind = None if value is None else int(bool(value))
            kinds[name] = max(kinds.get(name, -1),
                              -1 if kind is None else kind)
    return {name: None if kind < 0 else kind for name, kind in kinds.items()}


@functools.cache
def missing(recording, table):
    """{column: option of record that gives it}, by the text."""
    text = recording.run(*TABLES[table])
    return {column.strip(): option for names, option in MISSING.findall(text)
            for column in names.split(",")}


def check(recordings, level, table):
    whole = columns(recordings["attribution"], table)
    here = columns(recordings[level], table)
    told = missing(recordings[level], table)
    silent = [name for name, kind in whole.items()
              if kind == 1 and here.get(name) == 0]
    judge.expect(f"{level}: {table}: nothing is silently 0", not silent,
                 silent)
    unknown = {name for name, kind in here.items()
               if kind is None and whole.get(name) is not None}
    # The text of some tables has other words for several columns.
    explained = unknown <= set(told) or (table == "calls" and told)
    judge.expect(f"{level}: {table}: the text says what is not known",
                 explained, unknown, told)
    for name, option in told.items():
        if not option.startswith("--events="):
            continue
        given = missing(recordings[option[len("--events="):]], table)
        judge.expect(f"{level}: {table}: {option} gives {name}",
                     name not in given, given)


def check_rows(recordings):
    """Tables without anything say so, and are not there by chance."""
    for table in ("sleeps", "servers"):
        has_rows = {level: bool(columns(recordings[level], table))
                    for level in LEVELS}
        judge.expect(f"{table}: rows from --events=sched on",
                     has_rows == {level: level != "none" for level in LEVELS},
                     has_rows)
        judge.expect(f"{table}: without, what gives them",
                     "--events=sched" in missing(recordings["none"],
                                                 table).values())


def check_cpu(recording):
    """One CPU of one: all is known.  The text of others says what is not."""
    rows = json.loads(recording.run("report", "--format=json"))["processes"]
    # Before 6.12 the kernel turns the trace off while the recorder turns
    # events on.
    unknown = [row for row in rows if row["unknown_ns"]
               and not (row["comm"] == "ktrace-hw" and re.fullmatch(
                   r"off \d+", row["unknown_because"]))]
    judge.expect("cpu: all CPUs were traced, so nothing is unknown",
                 len(rows) > 2 and not unknown, unknown)


def main():
    ktrace, folder = sys.argv[1:]
    recordings = {level: Recording(ktrace, folder, level) for level in LEVELS}
    for level in LEVELS:
        for table in TABLES:
            check(recordings, level, table)
    known = columns(recordings["none"], "processes")
    judge.expect("none: whether a thread sleeps is not known",
                 known["asleep_ns"] is None and known["runnable_ns"] is None
                 and known["unknown_ns"] == 1)
    check_rows(recordings)
    check_cpu(Recording(ktrace, folder, "cpu"))
    judge.end()


main()
