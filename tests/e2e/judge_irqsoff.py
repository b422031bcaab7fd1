# SPDX-License-Identifier: MIT
"""Compares report --irqsoff with the ground truth: judge_irqsoff.py NAME REPORT TRUTH

REPORT is its JSON; TRUTH is what tool_switches --interrupts printed: the flag that
lets interrupts through, as the machine's processor had it at the start of each block
of code. So an interval may be shorter there, by the instructions before it."""
import csv
import json
import sys

from waits import Judge

judge = Judge()


def true_intervals(lines):
    """Returns the lengths of all intervals of which the trace shows both ends."""
    since = {}
    lengths = []
    for line in csv.DictReader(lines):
        cpu, time_ns = line["cpu"], int(line["time_ns"])
        begin_ns = since.pop(cpu, None)
        if line["on"] == "0":
            since[cpu] = time_ns
        elif line["on"] == "1" and begin_ns is not None:
            lengths.append(time_ns - begin_ns)
    return lengths


def is_within(value, true_value, share):
    return abs(value - true_value) <= share * true_value


def main():
    name, report, truth = sys.argv[1:]
    with open(report, encoding="utf-8") as file:
        rows = json.load(file)
    with open(truth, encoding="utf-8") as file:
        lengths = true_intervals(file)
    count = sum(row["count"] for row in rows)
    total_ns = sum(row["total_ns"] for row in rows)
    uncertain_ns = sum(row["uncertain_ns"] for row in rows)
    longest_ns = max(row["max_ns"] for row in rows)
    judge.expect(f"{name}: as many intervals with interrupts off as true",
                 is_within(count, len(lengths), 0.01), count, len(lengths))
    # A packet gives several blocks one time, and the report does not know
    # where between two packets an interval ended. With several CPUs the clock
    # is the host's, and the host may run something else between the two.
    judge.expect(f"{name}: as long as true, to within uncertain_ns",
                 abs(total_ns - sum(lengths)) <=
                 uncertain_ns + 0.01 * sum(lengths),
                 total_ns, sum(lengths), uncertain_ns)
    if "two" not in name:
        judge.expect(f"{name}: as long as true", is_within(
            total_ns, sum(lengths), 0.01), total_ns, sum(lengths))
        judge.expect(f"{name}: the longest is as long as true", is_within(
            longest_ns, max(lengths), 0.02), longest_ns, max(lengths))
    judge.expect(f"{name}: some delayed an interrupt and a thread",
                 any(" by asm_" in row["delayed"] for row in rows))
    judge.end()


main()
