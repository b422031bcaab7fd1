# SPDX-License-Identifier: MIT
"""Compares the records that programs without privileges receive through
ktrace-hw serve with root's, and checks that others receive nothing:
judge_serve.py KTRACE FOLDER"""
import json
import os
import sys

from inband_records import check_examples, lines
from waits import Judge

KTRACE, FOLDER = sys.argv[1:]
# enum ktrace_hw_status
NOT_PERMITTED, NO_SERVICE = 3, 8
WRONG_THREAD = "the thread is not one of the process that asks"
WRONG_REQUEST = "this is no request that the service knows"


def read(name):
    with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
        return file.read()


def shape(call):
    """Returns the parts of a record that do not depend on time: functions,
    sleeps and their ends."""
    return (call["name"], call["function"], call["end"], call["faults"],
            [(f["depth"], f["function"], f["calls"]) for f in call["trace"]],
            [(s["label"], s["function"], s["stack"], s["count"],
              sorted((w["comm"], w["count"]) for w in s["wakers"]))
             for s in call["sleeps"]])


def outline(call):
    """Like the comparison of other calls, for calls whose path through the
    kernel depends on earlier events: on the content of caches, free pages,
    the next task."""
    return (call["name"], call["function"], call["end"], call["faults"])


def was_interrupted(call):
    """An interrupt comes when it wants to, and may let the scheduler run."""
    return any(function["interrupt"] for function in call["trace"])


def without_faults(call):
    """Like the comparison of other calls, for calls after a fork, whose
    pages are copied when they are first written: in the call or before it,
    depending on the order in which both processes run."""
    return (call["name"], call["function"], call["end"])


def check_served(judge):
    own = check_examples(judge, KTRACE, f"{FOLDER}/own", f"{FOLDER}/own.out")
    served = check_examples(judge, KTRACE, f"{FOLDER}/served",
                            f"{FOLDER}/served.out")
    for case, like in (("getppid", shape), ("naps", outline), ("read", shape),
                       ("fsync", outline), ("pipe", without_faults),
                       ("faults", outline)):
        calls = [each[case]["calls"] for each in (own, served)]
        pairs = []
        for pair in zip(*calls):
            by = outline if like is shape and any(map(was_interrupted, pair)) \
                else like
            pairs.append([by(call) for call in pair])
        judge.expect(f"{case}: nobody is told what root is",
                     len(calls[0]) == len(calls[1]) and
                     all(root == nobody for root, nobody in pairs),
                     [pair for pair in pairs if pair[0] != pair[1]])
    times = [[case["getppid"]["calls"][0][time] for time in
              ("wall_ns", "on_cpu_ns")] for case in (own, served)]
    judge.expect("getppid: to the nanosecond", times[0] == times[1], times)
    record, = lines(f"{FOLDER}/watch.out")
    judge.expect("watch: each call once, in order",
                 [call["name"] for call in record["calls"] if call] ==
                 (["getppid"] * 20 + ["clock_nanosleep"]) * 2 and
                 not record["gaps"], record["gaps"])


def check_refused(judge):
    judge.expect("the socket is root's and the group's",
                 read("socket.out") == "660 root users\n", read("socket.out"))
    for name, words in (
            ("outsider", "this user is not in its group"),
            ("open", "the service refuses: this user is not in the service's "
                     "group")):
        judge.expect(f"{name}: not in the group, and told so",
                     read(f"{name}.code") == "1\n" and
                     read(f"{name}.out").startswith(f"{NOT_PERMITTED} ") and
                     words in read(f"{name}.out"), read(f"{name}.out"))
    told = dict(line.split(": ", 1)
                for line in read("misbehave.out").splitlines())
    expected = {
        **{name: WRONG_REQUEST for name in
           ("short", "long", "kind", "buffer", "negative")},
        "version": "the service is of another version than the library",
        "init": WRONG_THREAD, "parent": WRONG_THREAD,
        "other": WRONG_THREAD, "descriptors": "granted",
        "talk on": "granted, ConnectionResetError",
        "crowd": "closed, granted", "good": "granted",
        "hoard files": "8 served, 8 copies, few pinned, 0 writable",
        "hoard events": "[63, 62, 63], the service has as many threads of this "
                        "user as it can have"}
    for name, words in expected.items():
        judge.expect(f"misbehave: {name}: {words}",
                     told.get(name, "").startswith(words), told.get(name))
    judge.expect("misbehave: nothing else", set(told) == set(expected), told)
    judge.expect("the next one is served", read("again.code") == "0\n" and
                 "good 0" in read("again.out"), read("again.out"))


def check_killed(judge):
    told = dict(line.split(" ", 1) for line in read("orphan.out").splitlines())
    judge.expect("killed: before, all was well", told["before"] == "0 ", told)
    for when, words in (("meanwhile", "the service has ended"),
                        ("after", "the service has ended"),
                        ("anew", "the service cannot be reached")):
        judge.expect(f"killed: {when}: {words}",
                     told[when].startswith(f"{NO_SERVICE} ") and
                     words in told[when], told[when])
    judge.expect("killed: the program goes on", read("orphan.code") == "0\n")
    judge.expect("another service takes its place",
                 read("next.code") == "0\n" and "good 0" in read("next.out"),
                 read("next.out"))
    judge.expect("a service that is told to end removes its socket",
                 read("serve.code") == "0\n" and
                 "ktrace-hw.sock'" in read("left.out"), read("left.out"))


def check_sums(judge):
    """A program whose sleeps end by a pipe runs all the time."""
    sums = json.loads(read("sums.json"))
    judge.expect("sums: their share of the time is stated",
                 0 < sums["traced_ns"] < sums["all_ns"], sums["traced_ns"],
                 sums["all_ns"])
    rows = [row for row in sums["sleeps"] if row["label"] == "pipe_read"]
    judge.expect("sums: sleeps of a program that runs", rows and all(
        row["count"] and row["max_ns"] <= row["total_ns"] and
        "pipe_read" in row["stack"].split(";") for row in rows), rows)
    judge.expect("sums: nobody else gets them", read("no_sums.code") == "1\n"
                 and not read("no_sums.out") and
                 "Permission denied" in read("no_sums.err"),
                 read("no_sums.err"))
    judge.expect("sums: nothing is left of them",
                 read("summing.code") == "0\n" and
                 "ktrace-hw-folder.*'" in read("summing.left"),
                 read("summing.left"))


def check_activated(judge):
    if not os.path.exists(f"{FOLDER}/activated.code"):
        print("skipped: no systemd-socket-activate here")
        return
    judge.expect("a socket that systemd hands over is served",
                 read("activated.code") == "0\n" and
                 "good 0" in read("activated.out") and
                 "at systemd's socket" in read("activated.err") and
                 read("activated.ended") == "0\n",
                 read("activated.out"), read("activated.err"))


def check_copies(judge):
    """Of a CPU that was switched off and on, the kernel's events are closed: all
    changes since are unknown."""
    copies = read("copies.out").split()
    # Where the kernel's patches cannot be watched, each client gets a new one.
    is_blind = "cannot be followed" in read("service.err")
    expected = ["0", "0", "1", "2", "2", "3"]
    judge.expect("no client gets a copy that may be outdated",
                 copies == [str(i) for i in range(6)] if is_blind else
                 copies == expected, copies, read("copies.err"))


def main():
    judge = Judge()
    check_copies(judge)
    check_served(judge)
    check_refused(judge)
    check_killed(judge)
    check_sums(judge)
    check_activated(judge)
    judge.end()


main()
