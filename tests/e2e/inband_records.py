# SPDX-License-Identifier: MIT
"""Shared by the judges of inband.sh and serve.sh: the records that programs
received about their own calls, and the expected content."""
import json
import subprocess

MS = 1000000
TIMES = ("on_cpu_ns", "asleep_ns", "runnable_ns", "stolen_ns", "tracer_ns",
         "unknown_ns")
SLEEP = ("count", "asleep_ns", "max_ns", "runnable_ns", "stack")
# The calls of each example in tests/e2e/programs/inband.c.
CALLS = {"getppid": ["getppid"], "read": ["pread64", "close"],
         "naps": ["clock_nanosleep"] * 3, "fsync": ["fsync"],
         "pipe": ["read", "wait4"], "faults": ["pread64"]}


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def reported(ktrace, folder, case):
    """Returns the records of the recording that the library saved."""
    return json.loads(subprocess.run(
        [ktrace, "timeline", "--syscalls", "--format=json",
         "-i", f"{folder}/{case}"],
        check=True, capture_output=True, text=True).stdout)


def as_library(call):
    """Returns a record of timeline, reduced to the fields of the library's."""
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


def first_difference(one, other):
    """Returns two values for a message: of long lists only the first
    difference."""
    if not isinstance(one, list) or len(one) != len(other):
        return one, other
    return next(pair for pair in zip(one, other) if pair[0] != pair[1])


def compare(judge, ktrace, folder, record):
    """Compares calls and their content."""
    begin, end = record["begin_ns"], record["begin_ns"] + record["wall_ns"]
    told = [as_library(call)
            for call in reported(ktrace, folder, record["case"])
            if begin <= call["start_ns"] < end]
    mine = [of_library(call) for call in record["calls"]]
    differ = [(name, *first_difference(one[name], other[name]))
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


def check_examples(judge, ktrace, folder, out):
    """Returns the records of the file @out, saved in @folder, by name."""
    records = {record["case"]: record for record in lines(out)}
    judge.expect("examples: all were recorded", list(records) == list(CALLS),
                 records)
    for record in records.values():
        check_sums(judge, record)
        compare(judge, ktrace, folder, record)
    for case, calls in CALLS.items():
        judge.expect(f"{case}: is {', '.join(calls)}, nothing else",
                     names(records[case]) == calls, names(records[case]))
    # The timer starts before the thread leaves its CPU, and may end the sleep
    # at its very time, so the two together are not shorter.
    for i, call in enumerate(records["naps"]["calls"]):
        judge.expect(f"naps: {i + 1} ms asleep in hrtimer_nanosleep",
                     len(call["sleeps"]) == 1 and
                     call["sleeps"][0]["label"] == "hrtimer_nanosleep" and
                     call["wall_ns"] >= (i + 1) * MS and
                     (i + 1) * MS - call["on_cpu_ns"] - call["tracer_ns"] <=
                     call["asleep_ns"] < (i + 1.1) * MS, call)
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
    return records
