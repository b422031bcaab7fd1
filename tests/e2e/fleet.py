# SPDX-License-Identifier: MIT
"""Whether a fleet that docs/tutorial/fleet.sh made is as docs/tutorial/fleet.md says:
fleet.py KTRACE FOLDER CHAPTER [--write].  FOLDER has the recordings and fleet.db."""
import collections
import json
import os
import re
import shlex
import subprocess
import sys

from waits import Judge

KTRACE, FOLDER, CHAPTER = sys.argv[1:4]
WRITES = sys.argv[4:] == ["--write"]
BLOCK = re.compile(r"(?<=```\n)\$ (ktrace-hw (?:.|\n)*?)\n(?=```\n)")
OPEN = "ktrace-hw report --sleeps --comm bookkeeper"
SLOWEST = """SELECT path, begin_ns, end_ns FROM syscall JOIN recording
    USING (recording) WHERE call = 'fsync' AND comm = 'bookkeeper'
    ORDER BY wall_ns DESC LIMIT 1"""


def run(command):
    command = command.replace("ktrace-hw", shlex.quote(KTRACE), 1)
    return subprocess.run(command, shell=True, cwd=FOLDER, check=True,
                          capture_output=True, text=True).stdout


def store(arguments):
    return json.loads(run(f"ktrace-hw store {arguments} --format=json "
                          "fleet.db"))


def store_sql(query):
    return json.loads(run(f'ktrace-hw store sql --format=json fleet.db '
                          f'"{query}"'))


def recordings():
    return sorted(name for name in os.listdir(FOLDER)
                  if re.fullmatch(r"[\d.]+-build4[12]-\d+", name))


def seconds(time_ns):
    return f"{time_ns // 10**9}.{time_ns % 10**9:09}"


def way_back():
    """Returns the command that opens the bookkeeper's slowest fsync()."""
    call = store_sql(SLOWEST)[0]
    return f"{OPEN} --since @{seconds(call['begin_ns'])} \\\n" \
        f"      --until @{seconds(call['end_ns'] + 1)} " \
        f"-i {os.path.basename(call['path'])}"


def split(block):
    """A command of a block, and its output in the chapter."""
    lines = block.split("\n")
    if block.startswith(OPEN):
        end = 2 if lines[0].endswith("\\") else 1
    elif block.count('"') < 2:
        end = 1
    else:
        end = 1 + [number for number, line in enumerate(lines)
                   if '"' in line][1 if lines[0].count('"') == 1 else 0]
    return "\n".join(lines[:end]), lines[end:]


def title(command, lines):
    """Returns the words of a table's head without numbers. The head of diff
    has two lines, broken depending on the widths."""
    words = " ".join(lines[:2 if " diff " in command else 1]).split()
    return {word for word in words if re.fullmatch(r"p\d+|[^\d]+", word) and
            word not in ("ns", "us", "ms", "s")}


def has_kernels(command):
    """A small fleet may lack some of the chapter's comparisons."""
    there = {name.split("-")[0] for name in recordings()}
    return set(re.findall(r"kernel=([\d.]+)", command)) <= there


def go_through(judge, text):
    """Runs all commands of the chapter; returns it with their output."""
    def compare(match):
        command, before = split(match[1])
        if not has_kernels(command):
            return match[0]
        if command.startswith(OPEN):
            command = way_back()
        after = [line.rstrip() for line in run(command).rstrip().split("\n")]
        judge.expect(f"{' '.join(command.split())[:60]}: as in the chapter",
                     WRITES or command.startswith(OPEN) or
                     title(command, before) == title(command, after), before[:2], after[:2])
        return "$ " + "\n".join([command, *after]) + "\n"
    return BLOCK.sub(compare, text)


def wall_times():
    """Returns the durations of each call and kernel, from the recordings
    themselves."""
    times = collections.defaultdict(list)
    for name in recordings():
        for row in json.loads(run(
                f"ktrace-hw sql --format=json {name} \"SELECT call, kernel, "
                "wall_ns FROM syscall, recording WHERE ended = 'returned' "
                'AND NOT is_recorder"')):
            times[row["call"], row["kernel"]].append(row["wall_ns"])
    return times


def nearest_rank(values, percent):
    return sorted(values)[(percent * len(values) + 99) // 100 - 1]


def judge_report(judge):
    times = wall_times()
    reported = {(row["call"], row["kernel"]): (
        row["count"], row["p50_ns"], row["p90_ns"], row["p99_ns"])
        for row in store("report --by item,kernel")}
    counted = {key: (len(values), *(nearest_rank(values, percent)
                                    for percent in (50, 90, 99)))
               for key, values in times.items()}
    different = [(key, reported.get(key), counted.get(key))
                 for key in {*reported, *counted}
                 if reported.get(key) != counted.get(key)]
    judge.expect(f"counts and percentiles of {len(counted)} calls of kernels "
                 "are those of the recordings", counted and not different,
                 different[:3])
    judge.expect("all recordings are in the store", store_sql(
        "SELECT count(*) AS n FROM recording") == [{"n": len(recordings())}])


def judge_build(judge):
    first = store("diff --a build=41 --b build=42")[0]
    judge.expect("what build 42 does otherwise is found first, and surely",
                 first["call"] == "clock_nanosleep" and first["q"] < 0.05 and
                 290e3 < first["b_ns"] - first["a_ns"] < 310e3, first)


def judge_kernels(judge):
    def slept(kernel):
        row, = store_sql(
            "SELECT sum(CASE WHEN asleep_ns > 0 THEN 1 ELSE 0 END) AS slept, "
            "count(*) AS calls FROM syscall JOIN recording USING (recording) "
            "WHERE comm = 'bookkeeper' AND call = 'fsync' AND kernel LIKE "
            f"'{kernel}.%'")
        return row["slept"] / row["calls"]
    judge.expect("fsync() seldom sleeps in 6.1", slept("6.1") < 0.2,
                 slept("6.1"))
    judge.expect("and always in 6.12", slept("6.12") > 0.9, slept("6.12"))
    diff = store("diff --only fsync --a kernel=6.1 --b kernel=6.12")[0]
    judge.expect("fsync() is slower in 6.12, and that is sure",
                 diff["b_ns"] > diff["a_ns"] and diff["p"] < 0.01, diff)


def judge_slow(judge):
    slowest = store("slow --only fsync --top 1")[0]
    shown = run(slowest["open"] + " --syscalls --format=json")
    judge.expect("the slowest fsync() is a backup's", slowest["comm"] == "dd",
                 slowest)
    judge.expect("and its command shows it", any(
        call["name"] == "fsync" and call["wall_ns"] == slowest["took_ns"]
        for call in json.loads(shown)), slowest["open"], shown[:300])


def main():
    judge = Judge()
    with open(CHAPTER, encoding="utf-8") as chapter:
        text = go_through(judge, chapter.read())
    judge_report(judge)
    judge_build(judge)
    judge_kernels(judge)
    judge_slow(judge)
    if WRITES and not judge.failures:
        with open(CHAPTER, "w", encoding="utf-8") as chapter:
            chapter.write(text)
    judge.end()


main()
