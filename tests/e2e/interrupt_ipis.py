# SPDX-License-Identifier: MIT
"""The beneficiaries of IPIs: the tasks that they wake."""
import csv
import re
import subprocess

# Tolerated error of the beneficiaries of IPIs: of two that are in flight at
# the same time the recording does not show which arrives first. Confusing the
# two tasks, or missing one of them, would be an error of half or more.
IPI_DOUBT = 0.2
SENDS_IPI = "native_(smp_send_reschedule|send_call_func)"


def ipi_calls(recording):
    """Returns (time, CPU, function) of the calls that send IPIs, and of the
    ends of wake-ups ("" as function)."""
    with subprocess.Popen(
            [recording.ktrace, "timeline", "--format=csv",
             f"--function=/^{SENDS_IPI}|^try_to_wake_up$/",
             "-i", recording.path], stdout=subprocess.PIPE, text=True) as run:
        calls = []
        for row in csv.DictReader(run.stdout):
            is_wake = row["function"] == "try_to_wake_up"
            if row["event"] == ("exit" if is_wake else "enter") and \
                    (is_wake or re.match(SENDS_IPI, row["function"])):
                calls.append((int(row["time_ns"]), int(row["cpu"]),
                              "" if is_wake else row["function"]))
        return calls


def has_sent(wake, calls):
    """Returns whether a wake-up sent an IPI.  It needs none if another IPI
    is on its way to that CPU, or if the woken task is still falling asleep."""
    return next((bool(function) for time_ns, cpu, function in calls
                 if cpu == wake["cpu"] and time_ns >= wake["time_ns"]), False)


def judge_ipi(judge, recording):
    """Two tasks wake each other from CPU to CPU."""
    turns = [w for w in recording.wakings() if {w["by"], w["comm"]} ==
             {"pinger", "ponger"} and w["cpu"] != w["target"]]
    start, end = turns[0]["time_ns"], turns[-1]["time_ns"]
    rows = [row for row in recording.table(
        "both", f"--since=@{start / 1e9:.9f}", f"--until=@{end / 1e9:.9f}")
        if row["kind"] == "ipi"]
    calls = ipi_calls(recording)
    for comm in ("pinger", "ponger"):
        woken = [w for w in turns[:-1] if w["comm"] == comm]
        sent = sum(has_sent(wake, calls) for wake in woken)
        count = sum(float(row["count"]) for row in rows
                    if row["for_comm"] == comm)
        judge.expect(f"ipi: {count:.0f} for {sent} that {len(woken)} wake-ups of "
                     f"{comm} sent",
                     0 < sent and abs(count - sent) <= max(1, IPI_DOUBT * sent),
                     rows)
    # Other tasks also send some; one may be in flight at either end.
    sent = sum(start <= time_ns <= end for time_ns, _, function in calls
               if function)
    count = sum(float(row["count"]) for row in rows)
    judge.expect(f"ipi: {count:.0f} in all, as were sent", abs(count - sent) <= 1,
                 sent, rows)
