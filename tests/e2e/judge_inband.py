# SPDX-License-Identifier: MIT
"""What the library told programs of their own calls, against what they did and
against timeline --syscalls: judge_inband.py KTRACE FOLDER CASE..."""
import json
import subprocess
import sys

from waits import Judge

KTRACE, FOLDER, *CASES = sys.argv[1:]
MS = 1000000
# enum ktrace_hw_status
NO_UNIT, NOT_PERMITTED, BUSY, MISUSE, NO_TRACE = 2, 3, 4, 6, 7
TIMES = ("on_cpu_ns", "asleep_ns", "runnable_ns", "stolen_ns", "tracer_ns",
         "unknown_ns")
SLEEP = ("count", "asleep_ns", "max_ns", "runnable_ns", "stack")


def read(name):
    with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
        return file.read()


def lines(name):
    return [json.loads(line) for line in read(f"{name}.out").splitlines()]


def reported(case):
    """The records of the recording that the library saved."""
    return json.loads(subprocess.run(
        [KTRACE, "timeline", "--syscalls", "--format=json",
         "-i", f"{FOLDER}/{case}"],
        check=True, capture_output=True, text=True).stdout)


def as_library(call):
    """A record of timeline, with what the library has of it."""
    mine = {name: call[name] for name in
            ("name", "end", "start_ns", "wall_ns", "faults", "fault_ns",
             *TIMES)}
    mine["function"] = call["function"] or ""
    mine["sleeps"] = [
        {"label": sleep["label"] or "", "function": sleep["function"] or "",
         "wakers": [(w["count"], w["chain"][0]["tid"])
                    for w in sleep["wakers"] if w["chain"]],
         **{name: sleep[name] for name in SLEEP}}
        for sleep in call["sleeps"]]
    mine["trace"] = call["trace"]
    return mine


def of_library(call):
    mine = dict(call)
    mine["sleeps"] = [
        {**sleep, "wakers": [(w["count"], w["tid"]) for w in sleep["wakers"]]}
        for sleep in call["sleeps"]]
    return mine


def compare(judge, record):
    """The same calls, with the same in them."""
    begin, end = record["begin_ns"], record["begin_ns"] + record["wall_ns"]
    told = [as_library(call) for call in reported(record["case"])
            if begin <= call["start_ns"] < end]
    mine = [of_library(call) for call in record["calls"]]
    differ = [(name, one[name], other[name])
              for one, other in zip(mine, told) for name in other
              if one[name] != other[name]]
    judge.expect(f"{record['case']}: {len(mine)} calls as timeline --syscalls "
                 "tells them", mine and len(mine) == len(told) and not differ,
                 len(mine), len(told), differ[:3])


def check_sums(judge, record):
    judge.expect(f"{record['case']}: no gap, nothing lost",
                 not record["gaps"] and not record["lost_records"], record)
    for call in record["calls"]:
        whole = sum(call[name] for name in TIMES)
        judge.expect(f"{record['case']}: {call['name']} returned; its times "
                     "add up", call["end"] == "returned" and
                     whole == call["wall_ns"] == call["trace"][0]["wall_ns"],
                     call["end"], whole, call["wall_ns"])


def names(record):
    return [call["name"] for call in record["calls"]]


def wakers(call):
    return {waker["tid"] for sleep in call["sleeps"]
            for waker in sleep["wakers"]}


def check_examples(judge):
    records = {record["case"]: record for record in lines("examples")}
    judge.expect("examples: all were recorded", list(records) == CASES, records)
    for record in records.values():
        check_sums(judge, record)
        compare(judge, record)
    expected = {"getppid": ["getppid"], "read": ["pread64", "close"],
                "naps": ["clock_nanosleep"] * 3, "fsync": ["fsync"],
                "pipe": ["read", "wait4"], "faults": ["pread64"]}
    for case, calls in expected.items():
        judge.expect(f"{case}: is {', '.join(calls)}, nothing else",
                     names(records[case]) == calls, names(records[case]))
    for i, call in enumerate(records["naps"]["calls"]):
        judge.expect(f"naps: {i + 1} ms asleep in hrtimer_nanosleep",
                     len(call["sleeps"]) == 1 and
                     call["sleeps"][0]["label"] == "hrtimer_nanosleep" and
                     (i + 1) * MS <= call["asleep_ns"] < (i + 1.1) * MS, call)
    sleeps = records["fsync"]["calls"][0]["sleeps"]
    judge.expect("fsync: sleeps until the journal has been written",
                 "jbd2_log_wait_commit" in [s["label"] for s in sleeps], sleeps)
    first, second = records["pipe"]["calls"]
    judge.expect("pipe: asleep for 5 ms in the pipe, then until the child ends",
                 4 * MS < first["asleep_ns"] < 6 * MS and
                 first["sleeps"][0]["label"] == "pipe_read" and
                 second["sleeps"][0]["label"] == "do_wait", first, second)
    judge.expect("pipe: the child ends both sleeps",
                 wakers(first) == wakers(second) and min(wakers(first)) > 0,
                 wakers(first), wakers(second))
    fault = records["faults"]["calls"][0]
    judge.expect("faults: 8 pages, each touched once",
                 fault["faults"] == 8 and
                 0 < fault["fault_ns"] < fault["wall_ns"], fault["faults"])


def check_watch(judge):
    record, = lines("watch")
    calls = [call["name"] for call in record["calls"] if call]
    judge.expect("watch: each call once, in order",
                 calls == (["getppid"] * 20 + ["clock_nanosleep"]) * 2 and
                 not record["gaps"], calls, record["gaps"])


def check_errors(judge):
    full, again = lines("full")
    judge.expect("full: the gap is said, what was before it is there",
                 full["gaps"] and full["gap_reason"] == "lost" and
                 500 < full["calls"] < 5000, full)
    judge.expect("full: the next bracket is whole",
                 not again["gaps"] and again["calls"] == 1, again)
    told = dict(line.split(" ", 1) for line in
                read("misuse.out").splitlines())
    wrong, good = str(MISUSE), "0"
    expected = {"end": wrong, "next": wrong, "begin": good, "again": wrong,
                "elsewhere": wrong, "save": str(NO_TRACE), "good": good,
                "second": str(BUSY), "none": f"{MISUSE} 1 {MISUSE}"}
    judge.expect("misuse: each has its status", told == expected, told)
    for case, status, words in (
            ("denied", NOT_PERMITTED, "record as root"),
            ("unit", NO_UNIT, "no trace unit")):
        judge.expect(f"{case}: the reason is said",
                     read(f"{case}.code") == "1\n" and
                     read(f"{case}.out").startswith(f"{status} ") and
                     words in read(f"{case}.out"), read(f"{case}.out"))


def check_web(judge):
    log = read("web.out").splitlines()
    judge.expect("web: three files of the disk and an order are slow",
                 [line.split(":")[0] for line in log] ==
                 ["GET /1", "GET /2", "GET /3", "POST /order"], log)
    judge.expect("web: the disk is why files are",
                 all("asleep" in line and "in folio_wait_bit_common, woken by"
                     in line for line in log[:3]), log)
    judge.expect("web: the order waits for the journal",
                 "fsync" in log[3] and "jbd2" in log[3], log)
    judge.expect("web: all were answered",
                 read("web.sizes").split() == ["65555"] * 6 + ["24"],
                 read("web.sizes"))


def check_cost(judge):
    """In instructions: docs/inband.md has them."""
    for line in read("cost.out").splitlines():
        name, alone, begin, inside, _, least, _ = line.split()
        # The call itself is not slowed: a sleep is, by perf's two switches.
        judge.expect(f"cost: {line}", int(begin) < 5000 and
                     int(least) < 4000000 and
                     int(inside) < int(alone) + 5000, name)


def main():
    judge = Judge()
    check_examples(judge)
    check_watch(judge)
    check_errors(judge)
    check_web(judge)
    check_cost(judge)
    judge.end()


main()
