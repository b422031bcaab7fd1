# SPDX-License-Identifier: MIT
"""Each table of report has in every format the names listed in docs/formats.md, in
that order, and can be sorted and cut: judge_tables.py KTRACE
FOLDER FORMATS

FOLDER contains the recordings."""
import csv
import io
import json
import re
import subprocess
import sys

from waits import Judge

KTRACE, FOLDER, FORMATS = sys.argv[1:]
RECORDINGS = {"--servers": "requests"}  # of the others: "kernel"

# Arguments, the heading in docs/formats.md, a column to sort by, the member
# with the rows in JSON if there are others.
TABLES = (
    (["--processes"], "report: where the time went", "wall_ns", "processes"),
    (["--threads"], "report: where the time went", "wall_ns", "threads"),
    (["--servers"], "report --servers", "kernel_ns", None),
    (["--interrupts=both"], "report --interrupts", "max_ns", None),
    (["--user-sites"], "report --user-sites", "count", None),
    (["--syscalls"], "report --syscalls", "count", None),
    (["--sleeps"], "report --sleeps", "count", None),
    (["--runqueue"], "report --runqueue", "max_ns", None),
    (["--between", "vfs_read", "filemap_read"], "report --between A B", None,
     None),
    (["--function=vfs_read"], "report --function NAME", None, None),
    (["--flat"], "report --flat", None, None),
    (["--callgraph"], "report --callgraph", None, None),
)

# With threads, the column tid follows pid, and columns that only processes
# have are left out: by table.
LEFT_OUT = {"--threads": {"threads", "interrupt_work_elsewhere",
                          "kernel_work_elsewhere"}}


def run(*arguments):
    recording = f"{FOLDER}/{RECORDINGS.get(arguments[0], 'kernel')}"
    return subprocess.run([KTRACE, "report", "-i", recording, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout


def documented(heading):
    """Returns the first list of names below the heading."""
    with open(FORMATS, encoding="utf-8") as text:
        section = text.read().split(f"\n## {heading}\n", 1)[1]
    return re.split(r",\s+", re.search(r"`(\w+,\s[^`]+)`", section)[1])


def judge_names(judge, name, table, heading, member):
    text = run(*table, "--format=csv")
    header = next(csv.reader(io.StringIO(text)))
    rows = json.loads(run(*table, "--format=json"))
    rows = rows[member] if member else rows
    judge.expect(f"{name}: CSV and JSON have the same names and rows",
                 list(rows[0]) == header and
                 len(rows) == len(list(csv.DictReader(io.StringIO(text)))),
                 header, list(rows[0]))
    left_out = LEFT_OUT.get(name, set())
    names = [n for n in documented(heading) if n not in left_out]
    if left_out:
        names.insert(names.index("pid") + 1, "tid")
    judge.expect(f"{name}: they are those of docs/formats.md",
                 names == header, names, header)


def judge_order(judge, name, table, column, member):
    rows = [json.loads(run(*table, "--format=json", f"--sort={column}", *top))
            for top in ([], ["--top=2"])]
    whole, first = (r[member] if member else r for r in rows)
    values = [row[column] for row in whole]
    judge.expect(f"{name}: --sort={column}",
                 values == sorted(values, reverse=True), values)
    judge.expect(f"{name}: --top=2", first == whole[:2], len(first))


def main():
    judge = Judge()
    for table, heading, column, member in TABLES:
        name = table[0]
        judge_names(judge, name, table, heading, member)
        if column:
            judge_order(judge, name, table, column, member)
    judge.end()


main()
