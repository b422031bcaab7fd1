#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the snapshots of triggers with the program's own measurements.

    judge_triggers.py KTRACE RECORDING TRUTH LIMIT_NS FREEZE_NS CPUS

TRUTH has a line for each slow read, as slow_reads writes it: number, begin and
end, and "stalled" if it was meant to be fast, but the host was slow.  Each read that
took more than LIMIT_NS must have exactly one hit, and there must be no other hits.
The snapshot of a read that was meant to be slow must contain the sleep and its waker.
The trace of the CPU that hit must end within FREEZE_NS of the hit (0: only printed).
With two CPUs the slow reads are on both in turn, and the snapshots must have both.
"""
import csv
import re
import subprocess
import sys

# The tolerated difference between the clocks of the program and of the
# recording, and the time for which the recorder saves the trace before the
# program continues.
SLACK_NS = (300_000, 2_000_000)
# With the host's clock slow reads are twice as far apart, and the recorder's
# duration depends on the load of the host.
HOST_SLACK_NS = (400_000_000, 1 << 63)
# The number of hits of which the end of the trace is checked.
LOOKED_AT = 6


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def read_truth(path, limit_ns):
    """Returns start, end and whether it was meant to be slow, of each
    expected hit."""
    with open(path, encoding="ascii") as file:
        reads = [line.split() for line in file]
    return [(int(begin), int(end), not stalled)
            for _, begin, end, *stalled in reads
            if not stalled or int(end) - int(begin) > limit_ns]


def judge_latencies(hits, truth, limit_ns, slack):
    clocks_ns, keeping_ns = slack
    first = None
    for hit, (begin, end, _) in zip(hits, truth):
        latency = int(hit["latency_ns"])
        hit_begin = int(hit["time_ns"]) - latency
        first = first or hit_begin - begin
        if latency <= limit_ns:
            yield f"hit {hit['hit']}: {latency} ns is not more than the limit"
        if not -clocks_ns < end - begin - latency < keeping_ns:
            yield (f"hit {hit['hit']}: {latency} ns, the program says "
                   f"{end - begin}")
        if abs(hit_begin - begin - first) > clocks_ns:
            yield f"hit {hit['hit']} is another read than {begin}"


def judge_causes(hits, truth, text, limit_ns):
    parts = re.split(r"^Hit \d+: ", text, flags=re.M)[1:]
    if len(parts) != len(hits):
        yield f"{len(parts)} hits in the text, not {len(hits)}"
    for hit, part, (_, _, is_slow) in zip(hits, parts, truth):
        if not is_slow:
            continue
        if not re.search(r"slept \d+ times, [\d.]+ m?s, in \S*pipe_read", part):
            yield f"hit {hit['hit']}: no sleep in the pipe"
        if not re.search(r"woken 1x by slow_reads-\d+ .*pipe_write < interrupt"
                         r".*hrtimer_wakeup", part):
            yield f"hit {hit['hit']}: not woken by the writer's timer"
        if hit["call"] != "read" or int(hit["asleep_ns"]) < limit_ns:
            yield f"hit {hit['hit']}: {hit['call']} {hit['asleep_ns']}"
        if int(hit["typical_wall_ns"]) * 10 > int(hit["wall_ns"]):
            yield f"hit {hit['hit']}: the typical call is as slow"


def judge_cpus(ktrace, recording, hits, cpus):
    """All CPUs have slow reads, which are in their snapshots."""
    all_cpus = {str(cpu) for cpu in range(cpus)}
    if {hit["cpu"] for hit in hits} != all_cpus:
        yield f"hits are on CPUs {sorted({hit['cpu'] for hit in hits})}"
    for hit in hits[::max(1, len(hits) // LOOKED_AT)]:
        end_ns = int(hit["time_ns"])
        rows = csv.DictReader(lines_of(
            ktrace, "timeline", "--format=csv", "-i", recording,
            f"--since=@{(end_ns - int(hit['latency_ns'])) / 1e9:.9f}",
            f"--until=@{end_ns / 1e9:.9f}"))
        found = {row["cpu"] for row in rows if row["event"] == "enter"}
        if found != all_cpus:
            yield f"hit {hit['hit']}: the trace is of CPUs {sorted(found)}"


def freezes(ktrace, recording, hits):
    """Returns how long after some of the hits the trace of their CPU ends."""
    for hit in hits[::max(1, len(hits) // LOOKED_AT)]:
        time_ns, frozen_ns = int(hit["time_ns"]), int(hit["frozen_ns"])
        rows = csv.DictReader(lines_of(
            ktrace, "timeline", "--format=csv", "-i", recording,
            f"--since=@{(time_ns - 20_000) / 1e9:.9f}",
            f"--until=@{(frozen_ns + 1_000) / 1e9:.9f}"))
        yield max((int(row["time_ns"]) for row in rows
                   if row["cpu"] == hit["cpu"] and
                   row["event"] in ("enter", "exit") and
                   int(row["time_ns"]) <= frozen_ns), default=0) - time_ns


def main():
    ktrace, recording, truth_path, limit_ns, freeze_ns, cpus = sys.argv[1:]
    hits = list(csv.DictReader(lines_of(
        ktrace, "report", "--hits", "--format=csv", "--top=1000", "-i",
        recording)))
    text = "\n".join(lines_of(ktrace, "report", "--hits", "--top=1000", "-i",
                              recording))
    truth = read_truth(truth_path, int(limit_ns))
    problems = []
    if len(hits) != len(truth) or not truth:
        problems.append(f"{len(hits)} hits, {len(truth)} slow reads")
    if any(int(hit["not_kept"]) for hit in hits):
        problems.append("some were not kept")
    problems += judge_latencies(hits, truth, int(limit_ns),
                                SLACK_NS if cpus == "1" else HOST_SLACK_NS)
    problems += judge_causes(hits, truth, text, int(limit_ns))
    problems += judge_cpus(ktrace, recording, hits, int(cpus))
    times = sorted(freezes(ktrace, recording, hits))
    if times and int(freeze_ns) and not 0 <= times[-1] <= int(freeze_ns):
        problems.append(f"the trace went on for {times[-1]} ns")
    for problem in problems[:10]:
        print(problem)
    if not problems:
        frozen = sorted(int(h["frozen_ns"]) - int(h["time_ns"]) for h in hits)
        print(f"{len(hits)} of {len(truth)}; the trace of the CPU ends "
              f"{times[len(times) // 2]} ns after the hit (median; most "
              f"{times[-1]}), all trace is stopped after "
              f"{frozen[len(frozen) // 2]} ns")
    sys.exit(bool(problems))


main()
