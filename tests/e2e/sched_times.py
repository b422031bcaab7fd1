# SPDX-License-Identifier: MIT
"""How long threads sleep and wait for a CPU by the scheduler's tracepoints
alone, as perf reads them: to judge what ktrace-hw says of the same."""
import re
import subprocess

from perf_input import perf_input

LINE = re.compile(r"^\s*-?\d+\s+(\d+)\.(\d+):\s+sched:(\w+):\s+(.*)$")
SWITCH = re.compile(r"prev_pid=(\d+).*prev_state=(\S+) ==> .*next_pid=(\d+)")
WAKE = re.compile(r"\bpid=(\d+)")


class Thread:
    """From being made to its end."""

    def __init__(self, made_ns):
        self.asleep_ns = self.runnable_ns = 0
        self.since_ns = made_ns     # off the CPU
        self.woken_ns = made_ns     # None: asleep
        self.is_told = True         # whoever woke it was seen
        self.is_over = False

    def leave(self, now_ns, state):
        self.since_ns = now_ns
        # A preempted or yielding thread, or one on its way to be woken.
        self.woken_ns = now_ns if state[0] == "R" else None
        self.is_over = state[0] in "ZX"

    def wake(self, now_ns):
        if self.woken_ns is None:
            self.woken_ns = now_ns

    def come(self, now_ns):
        if self.woken_ns is None:
            self.is_told = False
            return
        self.asleep_ns += self.woken_ns - self.since_ns
        self.runnable_ns += now_ns - self.woken_ns


def events(recording):
    text = subprocess.run(
        ["perf", "script", "--no-itrace", "--ns", "-F", "tid,time,event,trace",
         "-i", perf_input(recording)], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            yield (int(match[1]) * 10**9 + int(match[2]), match[3], match[4])


def threads_made(recording):
    """{tid: Thread} of those whose whole life was recorded."""
    threads = {}
    for now_ns, event, text in events(recording):
        if event == "sched_wakeup_new":
            threads[int(WAKE.search(text)[1])] = Thread(now_ns)
        elif event == "sched_waking":
            tid = int(WAKE.search(text)[1])
            if tid in threads:
                threads[tid].wake(now_ns)
        elif event == "sched_switch":
            prev, state, after = SWITCH.search(text).groups()
            if int(prev) in threads:
                threads[int(prev)].leave(now_ns, state)
            if int(after) in threads and not threads[int(after)].is_over:
                threads[int(after)].come(now_ns)
    return {tid: thread for tid, thread in threads.items() if thread.is_over}
