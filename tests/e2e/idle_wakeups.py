# SPDX-License-Identifier: MIT
"""Checks report --idle and SQL's idle_exit against the kernel's records as perf
reads them, and against the trace's calls.  All times are of one recording, so
the host's speed does not matter."""
import bisect
import collections
import re

from perf_input import perf_lines
from waits import check_facts

LEFT = 2**32 - 1
SENDERS = ("native_smp_send_reschedule", "native_send_call_func_single_ipi",
           "native_send_call_func_ipi")
RECORD = re.compile(r"^\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+):\s+(.*)$")


def records(recording):
    """Yields (cpu, time in ns, event, fields) of idle states and hrtimers."""
    for line in perf_lines(recording.path, "cpu,time,event,trace", "--ns"):
        match = RECORD.match(line.strip())
        if match and match[4] in ("power:cpu_idle", "timer:hrtimer_start",
                                  "timer:hrtimer_expire_entry"):
            yield (int(match[1]), int(match[2] + match[3]), match[4],
                   dict(re.findall(r"(\w+)=(\S+)", match[5])))


def read_records(recording):
    """Returns the starts of idle states by CPU, and the expired hrtimers by
    CPU: (time of the record, how late the handler was)."""
    idle, expired = collections.defaultdict(list), collections.defaultdict(list)
    expiry = {}
    for cpu, time_ns, event, fields in records(recording):
        if event == "power:cpu_idle":
            if int(fields["state"]) != LEFT:
                idle[cpu].append(time_ns)
        elif event == "timer:hrtimer_start":
            expiry[fields["hrtimer"]] = int(fields["expires"])
        elif fields["hrtimer"] in expiry:
            late_ns = int(fields["now"]) - expiry[fields["hrtimer"]]
            expired[cpu].append((time_ns, late_ns))
    return idle, expired


def is_timer(row, expired, next_ns):
    """Whether a timer that expired in the handler explains the delay: the
    handler read the clock between its start and the timer's record."""
    times = [time_ns for time_ns, _ in expired]
    first = bisect.bisect_left(times, row["end_ns"])
    last = bisect.bisect_left(times, next_ns)
    return any(late_ns - (time_ns - row["end_ns"]) <= row["delay_ns"] <=
               late_ns for time_ns, late_ns in expired[first:last])


def check_wakeups(judge, case, recording):
    """Returns the number of exact delays."""
    idle, expired = read_records(recording)
    rows = recording.ask("SELECT * FROM idle_exit ORDER BY cpu, begin_ns")
    calls = {(call["cpu"], call["begin_ns"]) for call in recording.ask(
        "SELECT cpu, begin_ns FROM call WHERE function IN "
        f"{SENDERS}")}
    wrong = []
    for cpu, starts in idle.items():
        mine = [row for row in rows if row["cpu"] == cpu]
        seen = [row["begin_ns"] for row in mine]
        # The trace may start after the events do, and the last state last.
        judge.expect(f"{case}: CPU {cpu} is idle as often as perf reads",
                     seen and seen == [time_ns for time_ns in starts if
                                       seen[0] <= time_ns <= seen[-1]],
                     starts[:3], seen[:3])
        for row, until_ns in zip(mine, seen[1:] + [2**63]):
            if row["cause"] == "timer" and (
                    row["is_exact"] or
                    not is_timer(row, expired[cpu], until_ns)):
                wrong.append(row)
            if row["cause"] == "cpu" and (
                    row["by_cpu"] == cpu or
                    (row["by_cpu"], row["end_ns"] - row["delay_ns"])
                    not in calls):
                wrong.append(row)
    judge.expect(f"{case}: each delay starts at a timer's expiry or where "
                 "another CPU sends an interrupt", not wrong, wrong[:3])
    # On a busy host, timers may be due before CPUs are idle, except with one
    # CPU, whose clock is its own.
    judge.expect(f"{case}: timers woke CPUs", len(idle) > 1 or any(
        row["cause"] == "timer" for row in rows), rows[:3])
    check_facts(judge, case, recording, "idle")
    return sum(row["is_exact"] for row in rows)
