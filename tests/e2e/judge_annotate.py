# SPDX-License-Identifier: MIT
"""Compares ktrace-hw annotate with the counts that programs/annotated.c keeps
of itself, and with report --flat: judge_annotate.py KTRACE FOLDER SOURCE."""
import collections
import itertools
import json
import re
import subprocess
import sys

from waits import Judge, Recording

KTRACE, FOLDER, SOURCE = sys.argv[1:4]
recording = Recording(KTRACE, FOLDER, "annotated")


def annotate(functions, *options):
    return json.loads(recording.run("annotate", functions, "--format=json",
                                    *options))


def own_counts():
    return {name: int(count) for name, count in
            (line.split() for line in recording.output().splitlines())}


def marked_lines():
    """Returns the number of the line that ends with each name's comment."""
    found = {}
    with open(SOURCE, encoding="utf-8") as source:
        for number, text in enumerate(source, 1):
            mark = re.search(r"; /\* (\w+) \*/$", text)
            if mark:
                found[mark[1]] = number
    return found


def line_of(text):
    with open(SOURCE, encoding="utf-8") as source:
        return 1 + source.read().splitlines().index(text)


def sums_of(branches):
    """Returns the sums of a test's two ways over its copies in the code, which
    the compiler may invert: one for each choice."""
    return [tuple(map(sum, zip(*chosen))) for chosen in
            itertools.product(*((branch, branch[::-1]) for branch in branches))]


def judge_program(judge):
    counts = own_counts()
    # The recorder, which is traced until it starts the program, has functions
    # named so, too.
    rows = [row for row in annotate("add,subtract,follow,run")
            if row["module"].endswith("/annotated")]
    for name, number in marked_lines().items():
        found = [row["count"] for row in rows if row["line"] == number]
        judge.expect(f"each instruction of line {name} ran {counts[name]} "
                     "times", found and set(found) == {counts[name]}, found)
    entered = [row["count"] for row in rows
               if row["function"] == "follow" and row["offset"] == 0]
    judge.expect("follow was entered as often as it counted",
                 entered == [counts["follow"]], entered)
    # Each step takes one of the two ways of `if (n % 2)`.
    steps = (counts["halves"], counts["triples"])
    line = line_of("\t\tif (n % 2) {")
    branches = [(row["taken"], row["not_taken"]) for row in rows
                if row["function"] == "follow" and row["line"] == line and
                row["taken"] is not None]
    judge.expect(f"the test of line {line} went its ways {steps} times",
                 steps in sums_of(branches), branches)
    unexecuted = [row for row in rows
                  if row["count"] == 0 and row["time_ns"]]
    judge.expect("what never ran took no time", not unexecuted, unexecuted[:3])


def judge_inlined(judge):
    counts = own_counts()
    rows = [row for row in annotate("follow", "--inlined")
            if row["function"] == "next_odd"]
    judge.expect("an inlined function has its entries",
                 [(row["into"], row["count"]) for row in rows] ==
                 [("follow", counts["triples"])], rows)


def judge_inlined_calls(judge):
    """With --inlined, every report has inlined functions as calls."""
    counts = own_counts()
    names = ("digits_of", "sum_of", "square_of", "note")
    wanted = {f"{name} (inlined)": counts[name] for name in names}
    wanted["next_odd (inlined)"] = counts["triples"]
    rows = json.loads(recording.run("report", "--flat", "--inlined",
                                    "--format=json", "--comm=annotated"))
    found = collections.Counter()
    for row in rows:
        name = row["function"].partition(":")[2]
        if name in wanted:
            found[name] += row["calls"]
    judge.expect("inlined functions have their calls", found == wanted,
                 found, wanted)
    plain = json.loads(recording.run("report", "--flat", "--format=json",
                                     "--comm=annotated"))
    times = [sum(row["self_ns"] for row in table) for table in (rows, plain)]
    judge.expect("inlined functions take their time from their callers",
                 abs(times[0] - times[1]) <= 0.001 * times[1], times)
    calls = json.loads(recording.run("sql", "--inlined", "--format=json", """
        select function, count(*) filter (where how = 'call') as calls
        from call where function like '%(inlined)' group by 1"""))
    in_sql = {row["function"]: row["calls"] for row in calls
              if row["function"] in wanted}
    judge.expect("and the same calls in SQL", in_sql == wanted, in_sql)
    callers = recording.run("report", "--inlined", "--function=square_of")
    judge.expect("an inlined call is called by the one around it",
                 "sum_of (inlined)" in callers, callers)


def judge_text(judge):
    counts = own_counts()
    text = recording.run("annotate", "run,follow")
    calls = re.search(r"call .*->.*", text) or ["no call"]
    judge.expect("an indirect call lists its targets with counts",
                 f"add {counts['adds']}" in calls[0] and
                 f"subtract {counts['subtracts']}" in calls[0], calls[0])
    judge.expect("the text has the source's lines",
                 "sink ^= n; /* halves */" in text)


def judge_kernel(judge):
    """Functions that a fault interrupts at their first instruction run it more
    or less often than they are called; the chosen ones take no faults."""
    flat = json.loads(recording.run("report", "--flat", "--format=json",
                                    "--with-tracer", "--with-idle"))
    pattern = "/^(vfs_|kmem_cache_|filemap_|rcu_|try_to_wake_up|schedule$)/"
    rows = annotate(pattern)
    called = {row["function"]: row["calls"] for row in flat
              if re.search(pattern[1:-1], row["function"])}
    ran = {row["function"]: row["count"] for row in rows
           if row["offset"] == 0 and not row["is_cold"]}
    differ = {name: (count, ran.get(name)) for name, count in called.items()
              if ran.get(name) != count}
    judge.expect(f"{len(called)} functions of the kernel were entered as often "
                 "as called", len(called) > 20 and not differ, differ)
    times = collections.Counter()
    for row in rows:
        times[row["function"]] += row["time_ns"]
    whole = sum(row["self_ns"] for row in flat if row["function"] in called)
    # Return thunks are functions of their own in annotate.
    judge.expect("their times agree within a tenth",
                 abs(sum(times.values()) - whole) < 0.1 * whole,
                 sum(times.values()), whole)


def judge_errors(judge):
    done = subprocess.run([KTRACE, "annotate", recording.path, "no_such_one"],
                          capture_output=True, text=True, check=False)
    judge.expect("a function that did not run is an error that names it",
                 done.returncode == 1 and "'no_such_one'" in done.stderr, done)


def main():
    judge = Judge()
    judge_program(judge)
    judge_inlined(judge)
    judge_inlined_calls(judge)
    judge_text(judge)
    judge_kernel(judge)
    judge_errors(judge)
    judge.end()


main()
