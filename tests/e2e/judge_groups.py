# SPDX-License-Identifier: MIT
"""Judges report --by of the recording of attribution_groups.sh: each table's
groups add up to the table without, cgroups are those that the processes were
in, and gprof reads each group's file: judge_groups.py KTRACE FOLDER"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

from waits import Judge

KTRACE, FOLDER = sys.argv[1:]
RECORDING = f"{FOLDER}/groups"

BY = (["--by=thread"], ["--by=comm"], ["--by=cgroup"],
      ["--by=process", "--comm=dd,sleep"], ["--by=choice", "--comm=dd"])

# Arguments, and the columns that add up.
TABLES = (
    (["report"], ("wall_ns", "user_ns", "system_call_ns", "asleep_ns",
                  "tracer_ns", "threads")),
    (["report", "--sleeps", "--with-idle"], ("total_ns", "cut_ns", "count")),
    (["report", "--runqueue"], ("total_ns", "count", "preempted")),
    (["report", "--syscalls"], ("total_ns", "count", "asleep_ns", "cut")),
    (["report", "--interrupts"], ("total_ns", "exact_ns", "inferred_ns",
                                  "nobody_ns")),
    (["report", "--flat", "--with-idle", "--with-tracer"], ("self_ns",)),
)


def run(command, *arguments):
    return subprocess.run([KTRACE, command, "-i", RECORDING, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout


def rows_of(table, by):
    report = json.loads(run(*table, *by, "--format=json"))
    if isinstance(report, dict):
        return report["groups" if by else "processes"]
    return report


def judge_sums(judge):
    for table, columns in TABLES:
        whole = rows_of(table, [])
        for by in BY:
            rows = rows_of(table, by)
            sums = [[sum(row[c] or 0 for row in r) for c in columns]
                    for r in (whole, rows)]
            judge.expect(f"{' '.join(table + by)}: adds up to all",
                         sums[0] == sums[1] and sum(sums[0]), sums)


def folded_ns(*arguments):
    return sum(int(line.rsplit(" ", 1)[1]) for line in
               run("flamegraph", "--folded", *arguments).splitlines())


def judge_flames(judge):
    for kind in (["--with-idle", "--with-tracer"],
                 ["--wall", "--with-idle", "--with-tracer"]):
        name = " ".join(["flamegraph", *kind])
        sums = [folded_ns(*kind, *by) for by in ([], *BY)]
        judge.expect(f"{name}: each --by has all time",
                     len(set(sums)) == 1 and sums[0], sums)


def truth():
    """Returns the last cgroup of each process."""
    with open(f"{FOLDER}/truth", encoding="utf-8") as lines:
        return {int(pid): path for pid, path in map(str.split, lines)}


def judge_cgroups(judge):
    """The threads' times add up to each cgroup's, with the cgroups that the
    processes printed."""
    wanted = collections.Counter()
    told = truth()
    for row in json.loads(run("report", "--threads",
                              "--format=json"))["threads"]:
        if told.get(row["pid"], "/") != "/":
            wanted[told[row["pid"]]] += row["wall_ns"]
    found = {row["group"]: row["wall_ns"]
             for row in rows_of(["report"], ["--by=cgroup"])}
    judge.expect("--by=cgroup: times are those of the processes in it",
                 set(wanted) == {"/a", "/b/c", "/stays", "/before"} and
                 all(found[path] == ns for path, ns in wanted.items()),
                 wanted, found)
    judge.expect("--by=cgroup: all others are in / or the kernel's",
                 set(found) - set(wanted) <= {"/", "kernel", "nobody"}, found)


def judge_special(judge):
    rows = {row["group"]: row
            for row in rows_of(["report"], ["--by=choice", "--comm=dd"])}
    dd = [row for row in rows_of(["report"], []) if row["comm"] == "dd"]
    judge.expect("--by=choice: chosen, other, kernel",
                 {"chosen", "other", "kernel"} <= set(rows) and
                 rows["chosen"]["wall_ns"] == sum(r["wall_ns"] for r in dd),
                 rows)
    nobody = sum(row["total_ns"]
                 for row in rows_of(["report", "--interrupts"], [])
                 if row["for_comm"] == "nobody")
    found = sum(row["self_ns"]
                for row in rows_of(["report", "--flat", "--with-tracer",
                                    "--with-idle"], ["--by=comm"])
                if row["group"] == "nobody")
    judge.expect("nobody has the interrupt work that is nobody's",
                 found == nobody > 0, found, nobody)


def judge_inferred(judge):
    """Inferred time is shown by function, and in the line with the sum."""
    flat = subprocess.run([KTRACE, "report", "-i", RECORDING, "--flat",
                           "--by=process", "--format=json", "--with-tracer",
                           "--with-idle"], check=True, text=True,
                          capture_output=True)
    inferred = sum(row["self_inferred_ns"] for row in json.loads(flat.stdout))
    table = sum(row["inferred_ns"]
                for row in rows_of(["report", "--interrupts"], []))
    judge.expect("functions' inferred time is that of --interrupts",
                 inferred == table > 0, inferred, table)
    text = run("report", "--flat", "--by=process", "--sort=self_inferred_ns",
               "--top=1")
    judge.expect("text marks it", re.search(r"^ .* ~\d", text, re.M), text)
    arcs = json.loads(run("report", "--callgraph", "--by=process",
                          "--format=json", "--with-tracer", "--with-idle"))
    found = sum(arc["self_inferred_ns"] for arc in arcs)
    judge.expect("calls' inferred time is that of --interrupts",
                 found == table, found, table)
    keys = {tuple(arc[name] for name in ("group", "caller", "caller_module",
                                         "function", "module", "interrupt"))
            for arc in arcs}
    judge.expect("calls have a record for each caller, callee and group",
                 len(keys) == len(arcs), len(keys), len(arcs))
    judge_inferred_pictures(judge)


def judge_inferred_pictures(judge):
    """A drawing marks frames with inferred time; folded stacks and gmon
    cannot, and print its amount beside them."""
    svg = run("flamegraph", "--by=process", "--with-tracer", "--with-idle")
    marked = len(re.findall(r", inferred\b", svg))
    judge.expect("the flame graph marks it", marked > 0, len(svg))
    for command in (["flamegraph", "--folded"],
                    ["export", "--format=gmon", "-o", f"{FOLDER}/one.out"]):
        said = subprocess.run([KTRACE, *command, "-i", RECORDING,
                               "--by=process"], check=True, text=True,
                              capture_output=True).stderr
        judge.expect(f"{' '.join(command[:2])} says how much is inferred",
                     re.search(r"^[1-9].* of it inferred", said, re.M), said)


def gprof_times(path):
    """Returns for each function that gprof reads from a group's file its
    percentage of the time, and its seconds, both with two decimals."""
    text = subprocess.run(["gprof", "-b", "-p", f"{path}.elf", path],
                          check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in text.splitlines()
             if re.match(r" *\d+\.\d\d ", line)]
    return {line[-1]: (float(line[0]), float(line[2])) for line in lines}


def is_near(told, own_ns, whole_ns):
    return abs(told[0] - 100 * own_ns / whole_ns) < 0.02 and \
        abs(told[1] - own_ns / 1e9) < 0.006


def judge_gmon(judge):
    out = f"{FOLDER}/by.out"
    run("export", "--format=gmon", "--by=cgroup", "-o", out)
    groups = {os.path.basename(path)[len("by.out."):-len(".elf")]
              for path in glob.glob(f"{out}.*.elf")}
    rows = rows_of(["report", "--flat"], ["--by=cgroup"])
    wanted = {row["group"] for row in rows}
    judge.expect("gmon: a file for each group",
                 groups == {group.replace("/", ",") for group in wanted},
                 groups, wanted)
    for group in sorted(wanted):
        told = gprof_times(f"{out}.{group.replace('/', ',')}")
        own = collections.Counter()
        for row in rows:
            if row["self_ns"] and row["group"] == group:
                own[row["function"].split(":", 1)[1]] += row["self_ns"]
        judge.expect(f"gmon: gprof has the functions of {group}",
                     own and set(own) <= set(told),
                     sorted(set(own) - set(told))[:5])
        wrong = {name: (told[name], ns) for name, ns in own.items()
                 if name in told and
                 not is_near(told[name], ns, own.total())}
        judge.expect(f"gmon: gprof has the times of {group}", not wrong,
                     wrong, own.total())


def main():
    judge = Judge()
    judge_sums(judge)
    judge_flames(judge)
    judge_cgroups(judge)
    judge_special(judge)
    judge_inferred(judge)
    judge_gmon(judge)
    judge.end()


main()
