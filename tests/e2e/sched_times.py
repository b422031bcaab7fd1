# SPDX-License-Identifier: MIT
"""Computes how long threads sleep and wait for a CPU, from the kernel's
records as perf reads them and from the ground truth, to judge the reports
of ktrace-hw.  The records show when a thread is created and woken. The
scheduler's tracepoint precedes its switch by a few us; the truth has the
time of the switch."""
import bisect
import collections
import csv
import functools
import re

from perf_input import perf_lines

LINE = re.compile(r"^\s*\[(\d+)\]\s+(\d+)\.(\d+):\s+(?:sched:(\w+):\s+)?(.*)$")
MADE = re.compile(r"PERF_RECORD_FORK\(\d+:(\d+)\)")
SWITCH = re.compile(r"prev_pid=(\d+).*prev_state=(\S+) ==> .*next_pid=(\d+)")
WAKE = re.compile(r"\bpid=(\d+)")


class Thread:
    """A thread from its creation to its end."""

    def __init__(self, made_ns):
        self.asleep_ns = self.runnable_ns = 0
        self.since_ns = made_ns     # off the CPU
        self.woken_ns = made_ns     # None: asleep
        self.is_told = True         # its waker was recorded
        self.is_over = False
        self.instead = collections.Counter()  # ns by tid, while it could run
        self.waits_ns = []          # for a CPU, one by one

    def leave(self, now_ns, state):
        self.since_ns = now_ns
        # A preempted or yielding thread, or one that is about to be woken.
        self.woken_ns = now_ns if state[0] == "R" else None
        self.is_over = state[0] in "ZX"

    def wake(self, now_ns):
        if self.woken_ns is None:
            self.woken_ns = now_ns

    def begin(self, now_ns):
        """Its creator has made it runnable."""
        self.since_ns = self.woken_ns = now_ns

    def come(self, now_ns, ran):
        """@ran: (start, end, thread) of the threads that ran on its CPU."""
        if self.woken_ns is None:
            self.is_told = False
            return
        self.asleep_ns += self.woken_ns - self.since_ns
        self.runnable_ns += now_ns - self.woken_ns
        self.waits_ns.append(now_ns - self.woken_ns)
        for tid, ns in ran(self.woken_ns, now_ns):
            self.instead[tid] += ns


def events(recording):
    for line in perf_lines(recording, "cpu,time,event,trace", "--ns",
                           "--show-task-events"):
        match = LINE.match(line)
        if match:
            yield (int(match[2]) * 10**9 + int(match[3]), int(match[1]),
                   match[4], match[5])


class Switches:
    """The switches of the ground truth."""

    def __init__(self, path):
        self.times = {}
        self.tids = {}
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                cpu = int(row["cpu"])
                self.times.setdefault(cpu, []).append(int(row["time_ns"]))
                self.tids.setdefault(cpu, []).append(int(row["tid"]))

    def time_of(self, announced_ns, cpu, tid):
        """Returns when @tid got the CPU after the tracepoint announced it."""
        index = bisect.bisect_left(self.times[cpu], announced_ns)
        if self.tids[cpu][index] != tid:
            raise ValueError(f"no switch to {tid} after {announced_ns}")
        return self.times[cpu][index]

    def ran(self, cpu, begin_ns, end_ns):
        """Yields (tid, ns) of each thread that ran between."""
        times = self.times[cpu]
        index = max(bisect.bisect_right(times, begin_ns) - 1, 0)
        while index < len(times) and times[index] < end_ns:
            until = times[index + 1] if index + 1 < len(times) else end_ns
            ns = min(until, end_ns) - max(times[index], begin_ns)
            if ns and self.tids[cpu][index]:
                yield self.tids[cpu][index], ns
            index += 1


def threads_made(recording, switches):
    """Returns {tid: Thread} of the threads whose whole life was recorded."""
    threads = {}
    for now_ns, cpu, event, text in events(recording):
        made = MADE.match(text)
        # perf uses the same words, with time 0, for threads that it found
        # running.
        if made and now_ns:
            threads[int(made[1])] = Thread(now_ns)
        elif event == "sched_waking":
            tid = int(WAKE.search(text)[1])
            if tid in threads:
                threads[tid].wake(now_ns)
        elif event == "sched_wakeup_new":
            tid = int(WAKE.search(text)[1])
            if tid in threads:
                threads[tid].begin(now_ns)
        elif event == "sched_switch":
            prev, state, after = SWITCH.search(text).groups()
            now_ns = switches.time_of(now_ns, cpu, int(after))
            if int(prev) in threads:
                threads[int(prev)].leave(now_ns, state)
            if int(after) in threads and not threads[int(after)].is_over:
                threads[int(after)].come(
                    now_ns, functools.partial(switches.ran, cpu))
    return {tid: thread for tid, thread in threads.items() if thread.is_over}
