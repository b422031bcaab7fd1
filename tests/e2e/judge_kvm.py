# SPDX-License-Identifier: MIT
"""Judges the recording of kvm.sh: judge_kvm.py KTRACE RECORDING CPUS

With one CPU all times are of instructions, which take a nanosecond each. With
several, the clock is the host's, which may run something else meanwhile: numbers
stay as the kernel counts them, and the parts of a time are still all of it, but
between two readings of the clock, such as the program's and the trace's, any time
may pass. So only the order of these readings is compared."""
import csv
import io
import json
import subprocess
import sys

from waits import Judge

KTRACE, RECORDING, CPUS = sys.argv[1:]
# How much of a time that contains another one that one must be.
PART = 0.98 if CPUS == "1" else 0


def run(*arguments):
    return subprocess.run([KTRACE, *arguments, "-i", RECORDING], check=True,
                          capture_output=True, text=True).stdout


def counts():
    """Returns how often the vCPU's thread called each function."""
    rows = csv.DictReader(io.StringIO(run(
        "sql", "--format=csv", "SELECT function, count(*) AS count FROM call "
        "WHERE comm = 'vcpu' GROUP BY function")))
    return {row["function"]: int(row["count"]) for row in rows}


def stolen():
    """Returns how long the vCPU's thread waited for a CPU: between its first
    and last entry of the guest, and in the whole recording. "tracer" is also the
    time that it waited while the recorder had the CPU."""
    waited = ("SELECT coalesce(sum(duration_ns), 0) AS ns FROM thread_state "
              "WHERE class = 'runnable' AND tid = (SELECT tid FROM "
              "thread_state WHERE class = 'guest' LIMIT 1)")
    entries = ("FROM call WHERE comm = 'vcpu' AND "
               "function = '__svm_vcpu_run')")
    inside = (f"{waited} AND begin_ns > (SELECT min(begin_ns) {entries} AND "
              f"end_ns < (SELECT max(begin_ns) {entries}")
    return [int(run("sql", "--format=csv", query).split()[1])
            for query in (inside, waited)]


def main():
    judge = Judge()
    with open(f"{RECORDING}.out", encoding="utf-8") as out:
        told = {name: int(count) for name, count in map(str.split, out)}
    called = counts()
    entered = called.get("__svm_vcpu_run", 0)
    judge.expect(f"{entered} entries, {told['exits']} exits by the kernel",
                 entered == told["exits"] > told["writes"] > 0)
    # Each exit by its reason: port, halt, page of the guest, interrupt. The
    # program handles the first two.
    rows = json.loads(run("report", "--guests", "--with-tracer",
                          "--format=json"))
    exits = {(row["reason"], row["handled_by"]): row for row in rows}
    reasons = {key: row["count"] for key, row in exits.items()}
    port = exits[("io_interception", "user")]
    judge.expect(f"exits by reason: {reasons}",
                 port["count"] == told["writes"] and
                 reasons[("kvm_emulate_halt", "user")] == 1 and
                 reasons[("npf_interception", "kernel")] >= 1 and
                 {reason for reason, _ in reasons} <= {
                     "io_interception", "kvm_emulate_halt", "interrupt",
                     "npf_interception"} and
                 reasons[("interrupt", "kernel")] == told["irq_exits"] > 0 and
                 sum(reasons.values()) == told["exits"], told)
    parts = [column for column in port if column in (
        "kernel_ns", "user_ns", "interrupt_ns", "runnable_ns", "throttled_ns",
        "asleep_ns", "tracer_ns", "unknown_ns")]
    judge.expect("the parts of the time of each are all of it", all(
        sum(row[part] for part in parts) == row["total_ns"]
        for row in rows if not row["cut"]), rows)
    # From the machine's first to its last entry; before and after it the program
    # is in two calls only.
    inside_ns = sum(row["total_ns"] + row["guest_ns"] for row in rows)
    judge.expect(f"{inside_ns} ns of exits and of the guest, {told['run_ns']} by "
                 "the program", PART * told["run_ns"] <= inside_ns
                 <= told["run_ns"], rows)
    threads = json.loads(run("report", "--threads", "--format=json",
                             "--with-tracer"))["threads"]
    guest = {thread["comm"]: thread["guest_ns"] for thread in threads
             if thread["guest_ns"]}
    whole = guest.get("vcpu", 0)
    judge.expect(f"the guest ran {whole} ns, {told['instructions']} "
                 "instructions", guest.keys() == {"vcpu"} and
                 0 < whole <= told["run_ns"] and (CPUS != "1" or
                 abs(whole - told["instructions"]) <=
                 0.02 * told["instructions"]), guest)
    # The program's interval is between these two.
    told_ns = told["delay_at_end"] - told["delay_at_start"]
    inside_ns, whole_ns = stolen()
    judge.expect(f"{inside_ns} to {whole_ns} ns were stolen from it, the kernel "
                 f"counted {told_ns}", PART * inside_ns <= told_ns > 0 and
                 (CPUS != "1" or told_ns <= 1.02 * whole_ns) and inside_ns > 0)
    judge.end()


main()
