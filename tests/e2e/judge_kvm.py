# SPDX-License-Identifier: MIT
"""Judges the recording of kvm.sh: judge_kvm.py KTRACE RECORDING.  All numbers are
of instructions, which take a nanosecond each on the machine's only CPU, so they
do not depend on the host."""
import csv
import io
import json
import subprocess
import sys

from waits import Judge

KTRACE, RECORDING = sys.argv[1:]


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
    # Each exit by its reason: port, halt, page of the guest, interrupt.
    reasons = {name: called.get(name, 0) for name in (
        "io_interception", "kvm_emulate_halt", "npf_interception",
        "intr_interception")}
    judge.expect(f"exits by reason: {reasons}",
                 reasons["io_interception"] == told["writes"] and
                 reasons["kvm_emulate_halt"] == 1 and
                 reasons["npf_interception"] >= 1 and
                 sum(reasons.values()) == told["exits"], told)
    threads = json.loads(run("report", "--threads", "--format=json",
                             "--with-tracer"))["threads"]
    guest = {thread["comm"]: thread["guest_ns"] for thread in threads
             if thread["guest_ns"]}
    whole = guest.get("vcpu", 0)
    judge.expect(f"the guest ran {whole} ns, {told['instructions']} "
                 "instructions", guest.keys() == {"vcpu"} and
                 abs(whole - told["instructions"]) <=
                 0.02 * told["instructions"], guest)
    # The program's interval is between these two.
    told_ns = told["delay_at_end"] - told["delay_at_start"]
    inside_ns, whole_ns = stolen()
    judge.expect(f"{inside_ns} to {whole_ns} ns were stolen from it, the kernel "
                 f"counted {told_ns}", 0.98 * inside_ns <= told_ns
                 <= 1.02 * whole_ns and inside_ns > 0)
    judge.end()


main()
