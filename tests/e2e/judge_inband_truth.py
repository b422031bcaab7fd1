# SPDX-License-Identifier: MIT
"""Compares the library's record of a program's own calls with the machine's
ground truth: every function that ran in each call, how often, at which
depth, and for how long: judge_inband_truth.py TOOL_PASSAGES FOLDER"""
import csv
import subprocess
import sys

from inband_records import lines
from waits import Judge

TOOL, FOLDER = sys.argv[1:]
# A packet holds six branches, of which only the last has a time; the times of
# the others are interpolated.
NS_A_CALL = 100
# The first function in the record of a call: on arm64 it is not the vector.
ENTRIES = ("entry_SYSCALL_64", "el0_svc")
# The functions in which a thread goes to sleep. Perf switches the trace off
# and on there, so calls around these points lack their exit or their entry.
SLEEP, SWITCH_OFF = "__schedule", "__perf_event_task_sched_out"


class Node:
    """A function on one path of calls."""

    def __init__(self, name, depth):
        self.name, self.depth = name, depth
        self.calls, self.wall_ns = 0, 0
        self.callees = {}

    def callee(self, name):
        return self.callees.setdefault(name, Node(name, self.depth + 1))

    def seen(self):
        """Yields its callees up to where the trace is switched off."""
        for node in self.callees.values():
            if (self.name, node.name) == (SLEEP, SWITCH_OFF):
                return
            yield node

    def walk(self):
        yield self
        for node in self.seen():
            yield from node.walk()


def seen_functions(call):
    """Like Node.seen(), for the functions of a record."""
    sleeps, off = None, None
    for function in call["trace"]:
        depth, name = function["depth"], function["function"]
        if sleeps is not None and depth <= sleeps:
            sleeps = off = None
        if name == SLEEP:
            sleeps = depth
        if sleeps is not None and depth == sleeps + 1 and name == SWITCH_OFF:
            off = depth
        if off is None:
            yield function


def passages(record):
    """Returns the entries and exits within the bracket."""
    end = record["begin_ns"] + record["wall_ns"]
    out = subprocess.run(
        [TOOL, str(record["begin_ns"]), str(end), f"{FOLDER}/truth",
         f"{FOLDER}/{record['case']}"],
        check=True, capture_output=True, text=True).stdout
    return [(int(row["time_ns"]), row["event"], row["function"])
            for row in csv.DictReader(out.splitlines())]


def calls_of(record):
    """Returns the truth's system calls, each a tree of functions; None if
    entries and exits do not match."""
    roots, stack = [], []
    for time_ns, event, function in passages(record):
        if event == "enter":
            if stack and function not in ENTRIES:
                node = stack[-1][0].callee(function)
            else:
                node = Node(function, 0)
                roots.append(node)
            node.calls += 1
            stack.append((node, time_ns))
        elif stack and stack[-1][0].name == function:
            node, begun_ns = stack.pop()
            node.wall_ns += time_ns - begun_ns
        else:
            return None
    return None if stack else [root for root in roots if root.name in ENTRIES]


def differences(call, root):
    """Returns the differences between the record's functions and the
    truth's."""
    mine = list(seen_functions(call))
    truth = list(root.walk())
    if [(f["depth"], f["function"], f["calls"]) for f in mine] != \
            [(n.depth, n.name, n.calls) for n in truth]:
        return [next(((f["depth"], f["function"], f["calls"]),
                      (n.depth, n.name, n.calls)) for f, n in zip(mine, truth)
                     if (f["depth"], f["function"], f["calls"]) !=
                     (n.depth, n.name, n.calls))]
    return [(f["function"], f["wall_ns"], n.wall_ns)
            for f, n in zip(mine, truth)
            if abs(f["wall_ns"] - n.wall_ns) > NS_A_CALL * n.calls]


def check(judge, record):
    roots = calls_of(record)
    calls = record["calls"]
    judge.expect(f"{record['case']}: {len(calls)} calls, in the truth too",
                 roots is not None and len(roots) == len(calls), roots)
    for call, root in zip(calls, roots or []):
        differ = differences(call, root)
        judge.expect(f"{record['case']}: {call['name']}: "
                     f"{len(list(seen_functions(call)))} functions on their "
                     f"paths, of {len(call['trace'])}, as the truth has them",
                     not differ, differ[:3])


def main():
    judge = Judge()
    for record in lines(f"{FOLDER}/examples.out"):
        check(judge, record)
    judge.end()


main()
