#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares a recording made with --only with the ground truth: from the trace's
return from a probe to the start of the next probe it has every entry and exit,
once, in order, on the same CPU; before and after that there are only probes.

    judge_gating.py [--slack NS] TIMELINE.csv TRUTH.csv FUNCTION...

With one CPU the machine's clock is exact.  With several, trace and truth read
the host's clock one after the other: NS is the maximum difference, and each
interval is then searched for in the truth after the previous one.
"""
import argparse
import bisect
import csv
import re
import statistics
import sys

# The first and the last functions around a traced interval: the recorder's
# probes.
PROBE = re.compile(r"(__)?perf_|.*k(ret)?probe|ftrace_|.*rethook|pt_|native_write_msr$"
                   r"|etm4?_|coresight_|aggr_pre_handler|ring_buffer_put|__rcu_read_unlock$"
                   r"|finish_task_switch")
# Returns from an arm64 kernel's probe, which is an exception.
BACK = re.compile(r"ret_to_kernel$")
TIME, WHAT, NAME, PLACE = 0, slice(1, 3), 2, 3


def fail(text):
    print(text)
    sys.exit(1)


def read(path):
    """Returns the rows of each CPU."""
    cpus = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            row["time_ns"] = int(row["time_ns"])
            cpus.setdefault(row["cpu"], []).append(row)
    return cpus


def probe_of(rows, begin, end):
    """Returns the first and the last row of the probe that resumed the
    trace; interrupts in it may also call perf_tp_event."""
    places = [place for place in range(begin, end)
              if rows[place]["function"] == "perf_tp_event"]
    depth = rows[places[0]]["depth"] if places else None
    for place in places:
        if rows[place]["event"] == "exit" and rows[place]["depth"] == depth:
            return places[0], place
    fail(f"at {rows[begin]['time_ns']}: the probe that resumed the trace does not "
         f"end until {rows[end]['time_ns']}")


def stretches(rows):
    """Yields for each traced interval the first and the last row of the
    probe that resumed the trace, and the row of the state after it."""
    begin = None
    for place, row in enumerate(rows):
        if row["event"] != "state":
            continue
        if row["detail"] == "not asked for" and begin is not None:
            yield *probe_of(rows, begin, place), place
        begin = place if row["detail"] == "traced" else None


def interrupts(rows, ours, begin, end):
    """Yields the rows of each interrupt of the probe between these rows."""
    depth = str(int(rows[begin]["depth"]) + 1)
    places = [place for place in range(begin, end)
              if (rows[place]["event"], rows[place]["detail"],
                  rows[place]["depth"]) == ("enter", "interrupt", depth)]
    for first, behind in zip(places, places[1:] + [end]):
        yield [row for row in ours if first <= row[PLACE] < behind]


def seen(rows, flags, chosen):
    """Returns the rows that count, with their index among all; the truth
    also contains the rest of a probe after it paused the trace."""
    return [(row["time_ns"], row["event"], row["function"], place)
            for place, row in enumerate(rows)
            if row["event"] in flags and row[flags[row["event"]]] != "1" and
            row["function"] not in chosen and not PROBE.match(row["function"])]


def split(rows, begin, end, end_ns):
    """Returns the part of @rows between these indexes, and the functions
    that ended with the call."""
    inside = [row for row in rows if begin < row[PLACE] < end]
    return ([row for row in inside if row[TIME] != end_ns],
            {row[NAME] for row in inside if row[TIME] == end_ns})


def is_at(mine, real, place):
    return all(one[WHAT] == other[WHAT] for one, other in
               zip(mine, real[place:place + len(mine)])) and \
        place + len(mine) <= len(real)


def places_by(at, mine, real, first, slack):
    """Returns the positions of @mine in @real, from @first on, whose entry
    or exit @at is within @slack."""
    low = max(first + at, bisect.bisect_left(real, (mine[at][TIME] - slack,)))
    high = bisect.bisect_right(real, (mine[at][TIME] + slack + 1,))
    return {place - at for place in range(low, high)
            if is_at(mine[at:at + 1], real, place) and is_at(mine, real, place - at)}


def find(mine, real, first, slack):
    """Returns the position of @mine in @real, from @first on, nearest in
    time: the median of its entries and exits is within @slack.  A busy host
    may stop the machine for longer between the readings of the two clocks,
    which affects a few of them."""
    def distance(place):
        return statistics.median(abs(other[TIME] - one[TIME])
                                 for one, other in
                                 zip(mine, real[place:place + len(mine)]))

    anchors = {len(mine) * part // 4 for part in range(4)}
    places = set().union(*(places_by(at, mine, real, first, slack)
                           for at in anchors))
    place = min(places, key=distance, default=None)
    if place is None or distance(place) > slack + 1:
        low = max(first, bisect.bisect_left(real, (mine[0][TIME] - slack,)))
        fail(f"at {mine[0][TIME]}: {len(mine)} entries and exits from "
             f"{mine[:3]} are not in the truth, which has "
             f"{[row[:3] for row in real[low:low + 3]]}")
    return place


def check_neighbours(truth, before, behind, ends):
    """The truth has no other functions around the interval: there is a
    probe on either side.  Functions that returned to the next probe end
    there, too."""
    while truth[behind]["event"] == "exit" and truth[behind]["function"] in ends:
        behind += 1
    for place in (before, behind):
        name = truth[place]["function"]
        if not PROBE.match(name) and not BACK.match(name) and name not in ends:
            fail(f"beside a stretch, at {truth[place]['time_ns']}, there is "
                 f"{name}, which is no probe's")


def find_all(parts, true, first, slack):
    """Finds these parts in the truth, one after the other.  Returns where
    the last contiguous ones start, how many entries and exits they have,
    and the position after them."""
    begin, count, behind = first, 0, -1
    for part in parts:
        place = find(part, true, first, slack)
        begin = begin if true[place][PLACE] == behind else place
        first = place + len(part)
        behind = true[first - 1][PLACE] + 1
        count += len(part)
    return begin, count, first


def judge_cpu(timeline, truth, chosen, slack):
    ours = seen(timeline, {"enter": "begin_unseen", "exit": "end_unseen"}, chosen)
    true = seen(truth, {"enter": "is_unseen", "exit": "is_unseen"}, chosen)
    count = stretch_count = first = 0
    for probe, begin, end in stretches(timeline):
        mine, ends = split(ours, begin, end, timeline[end]["time_ns"])
        stretch_count += 1
        if not mine:
            continue
        parts = [*interrupts(timeline, ours, probe, begin), mine]
        at, found, first = find_all(parts, true, first, slack)
        check_neighbours(truth, true[at][PLACE] - 1, true[first - 1][PLACE] + 1,
                         chosen | ends)
        count += found
    return count, stretch_count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slack", type=int, default=0)
    parser.add_argument("timeline")
    parser.add_argument("truth")
    parser.add_argument("functions", nargs="+")
    options = parser.parse_args()
    truth = read(options.truth)
    count = stretch_count = cpus = 0
    for cpu, rows in sorted(read(options.timeline).items()):
        some, parts = judge_cpu(rows, truth.get(cpu, []), set(options.functions),
                                options.slack)
        count += some
        stretch_count += parts
        cpus += parts > 0
    if not count:
        fail("there is nothing to compare")
    print(f"{count} entries and exits in {stretch_count} stretches on {cpus} "
          "CPUs equal to the truth")


main()
