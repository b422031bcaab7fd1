# SPDX-License-Identifier: MIT
"""Judges report --args for the recordings of arguments.sh:
judge_arguments.py KTRACE FOLDER KERNEL CPUS

programs/called.c knows how many bytes it reads, from which offset, the results, and
the names of the files that it fails to remove."""
import csv
import io
import json
import re
import statistics
import sys

from waits import Judge, Recording, check_facts

judge = Judge()
COUNT, SIZE, ENOENT = 40, 60, 2
MOST_NS = 8000
NAMES = [fr'"/no such\x0a/file{number}"' for number in (1, 2, 3)]


def rows_of(recording, function):
    rows = json.loads(recording.run("report", "--args", "--absolute",
                                    "--comm", "called", "--format=json"))
    for row in rows:
        row["begin_ns"] = round(row["begin_s"] * 1e9)
    return [row for row in rows if row["function"] == function]


def times_of(recording):
    """Returns how long each read took."""
    return [int(line.split()[2]) for line in recording.output().splitlines()
            if line[0].isdigit()]


def check_reads(case, rows, pattern, positions):
    """Those of the program's loader come first."""
    rows = rows[-COUNT:]
    judge.expect(f"{case}: the bytes wanted of each read", [
        int(re.search(pattern, row["arguments"])[1]) for row in rows] ==
        list(range(1, COUNT + 1)), rows)
    judge.expect(f"{case}: the result of each", [
        int(row["result"]) for row in rows] ==
        [min(n, SIZE - n) for n in range(1, COUNT + 1)], rows)
    if positions:
        judge.expect(f"{case}: the offset that a pointer leads to", [
            int(re.search(r"pos=(\d+)", row["arguments"])[1])
            for row in rows] == list(range(1, COUNT + 1)), rows)


def check_times(case, recording, rows):
    """Calls begin and end when the trace says."""
    shown = csv.DictReader(io.StringIO(recording.run(
        "timeline", "--function", "vfs_read", "--comm", "called",
        "--format=csv")))
    traced = [(int(row["time_ns"]) - int(row["wall_ns"]), int(row["wall_ns"]))
              for row in shown if row["event"] == "exit" and
              row["function"].endswith(":vfs_read") and
              row["comm"] == "called" and row["begin_unseen"] == "0"]
    judge.expect(f"{case}: each call is the trace's", traced == [
        (row["begin_ns"], row["wall_ns"]) for row in rows], rows, traced)
    took = times_of(recording)
    judge.expect(f"{case}: no call took longer than the program saw", all(
        row["wall_ns"] <= ns for row, ns in zip(rows[-COUNT:], took)), rows,
        took)


def check_timeline(recording, rows):
    """The timeline has them at the entry, and the result at the exit, of each
    call, and nowhere else."""
    text = recording.run("timeline", "--absolute", "--comm", "called")
    shown = re.findall(r"^ *(\d+)\.(\d{9}) .* vfs_read\((.+)\) \{", text,
                       re.MULTILINE)
    judge.expect("all: the arguments are at the entries of the timeline", [
        (int(s) * 10**9 + int(ns), arguments)
        for s, ns, arguments in shown] == [
            (row["begin_ns"], row["arguments"]) for row in rows], shown[:3])
    results = re.findall(r"\} = (\S+) /\* vfs_read", text)
    judge.expect("all: the results are at the exits", results == [
        row["result"] for row in rows], results)


def check_nested(recording, rows):
    outer = rows_of(recording, "__x64_sys_pread64")[-COUNT:]
    judge.expect("all: a call in another one is told apart", len(outer) ==
                 COUNT and all(
                     one["begin_ns"] < other["begin_ns"] and
                     other["begin_ns"] + other["wall_ns"] <
                     one["begin_ns"] + one["wall_ns"] and
                     one["result"] == other["result"]
                     for one, other in zip(outer, rows[-COUNT:])), outer)


def check_unlinks(case, recording, name):
    rows = rows_of(recording, "do_unlinkat")
    judge.expect(f"{case}: the names of the files, without control "
                 "characters", [row["arguments"] for row in rows] ==
                 [f"{name}={text}" for text in NAMES], rows)
    judge.expect(f"{case}: there are none", all(
        int(row["result"]) == -ENOENT for row in rows), rows)


def check_fsync(recording):
    """vfs_fsync_range() ends in a jump to ext4_sync_file(), which returns for
    both."""
    took_ns = int(recording.output().splitlines()[-1].split()[2])
    rows = [rows_of(recording, name)[-1]
            for name in ("vfs_fsync_range", "ext4_sync_file")]
    ends = [row["begin_ns"] + row["wall_ns"] for row in rows]
    judge.expect("fsync: the call lasts until the other function returns",
                 ends[0] == ends[1] and
                 0.9 * took_ns <= rows[0]["wall_ns"] <= took_ns, rows, took_ns)
    judge.expect("fsync: both have the result", [
        row["result"] for row in rows] == ["0", "0"], rows)


def check_refusals(folder, kernel):
    for case, words in (("none", "no_such_function: the kernel refuses"),
                        ("wrong", "no_such_parameter"),
                        ("named", "need Linux 6.4")):
        with open(f"{folder}/{case}.err", encoding="utf-8") as said:
            text = said.read()
        if case != "named" or kernel == "6.1":
            judge.expect(f"{case}: refused, and why", words in text and
                         "code 125" in text, text)
    with open(f"{folder}/left", encoding="utf-8") as left:
        judge.expect("no probe is left", not left.read())


def main():
    ktrace, folder, kernel, cpus = sys.argv[1:]
    everything = Recording(ktrace, folder, "all")
    rows = rows_of(everything, "vfs_read")
    check_reads("all", rows, r"arg3=(\d+)" if kernel == "6.1" else
                r"count=(\d+)", False)
    check_times("all", everything, rows)
    check_facts(judge, "all", everything, "args")
    check_timeline(everything, rows)
    joined = everything.ask("""SELECT count(*) AS count FROM read_call
        JOIN call USING (tid, function, begin_ns, end_ns, depth)
        WHERE read_call.comm = 'called'""")[0]["count"]
    judge.expect("all: each call joins one of table call", joined == len(
        json.loads(everything.run("report", "--args", "--comm", "called",
                                  "--format=json"))), joined)
    check_nested(everything, rows)
    plain = Recording(ktrace, folder, "plain")
    check_reads("plain", rows_of(plain, "vfs_read"), r"arg3=(\d+)", False)
    check_unlinks("plain", plain, "arg2")
    if kernel != "6.1":
        named = Recording(ktrace, folder, "named")
        check_reads("named", rows_of(named, "vfs_read"), r"count=(\d+)", True)
        check_unlinks("named", named, "name")
    cost = (statistics.median(times_of(plain)) -
            statistics.median(times_of(Recording(ktrace, folder, "bare"))))
    # With several CPUs the clock is the host's.
    judge.expect(f"a call costs at most {MOST_NS} instructions more",
                 cpus != "1" or 0 < cost <= MOST_NS, cost)
    check_fsync(Recording(ktrace, folder, "fsync"))
    check_refusals(folder, kernel)
    judge.end()


main()
