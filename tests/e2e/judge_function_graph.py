#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges what function_graph_guest.sh made: judge_function_graph.py KTRACE DIR
KERNEL

The trace unit's timeline is the referee, which functions.sh compares with the
ground truth: of the same process, at the same time.
"""
import csv
import re
import subprocess
import sys

# In these, and what they call, the tracer does not trace itself.
HANDLERS = {"ftrace_trampoline", "ftrace_caller", "ftrace_graph_caller",
            "ftrace_graph_func", "return_to_handler",
            "ftrace_return_to_handler"}
# The kernel's entries, which ftrace cannot see: they are inferred.
FAULT = "asm_exc_page_fault"
INTERRUPTS = {"asm_sysvec_apic_timer_interrupt", "asm_common_interrupt",
              "asm_sysvec_irq_work", "el1_interrupt", "el0_interrupt"}
ENTRIES = {"entry_SYSCALL_64", "el0_svc", FAULT} | INTERRUPTS
# In these the task leaves its CPU, and the trace unit, which is switched with the
# task, does not see what ftrace sees, nor the other way round: ftrace goes by the
# task that comes as soon as the switch is announced.
SCHEDULERS = {"schedule", "__cond_resched", "preempt_schedule_irq", "__schedule",
              "preempt_schedule", "preempt_schedule_common", "preempt_schedule_notrace"}
# What the recorder takes out, since the clock calls it for each event.
LEFT_OUT = {"local_clock"}

failures = 0


def say(is_ok, case, detail=""):
    global failures
    failures += not is_ok
    print(f"ok: {case}" if is_ok else f"FAILED: {case}: {detail}")


def base(name):
    """foo of foo.isra.0, foo.cold, which have foo's number in reports."""
    return re.sub(r"\.(isra|part|constprop|cold|llvm)\b.*", "", name)


def visible(folder):
    with open(f"{folder}/functions") as lines:
        return {base(line.split()[0]) for line in lines} - LEFT_OUT


def timeline(ktrace, recording):
    command = [ktrace, "timeline", "-i", recording, "--format=csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for row in csv.DictReader(process.stdout):
            row["depth"] = int(row["depth"])
            row["time_ns"] = int(row["time_ns"])
            yield row
    if process.returncode:
        say(False, f"{recording}: timeline", f"exit code {process.returncode}")


class Task:
    """Whether what a task enters is the tracer's own work, or an interrupt's,
    which may come while the tracer is about to write what was entered before.
    """

    def __init__(self):
        self.frames = []

    def enter(self, row):
        while self.frames and self.frames[-1][0] >= row["depth"]:
            self.frames.pop()
        _, is_own, is_interrupt = self.frames[-1] if self.frames else (0, False, False)
        if row["function"] in HANDLERS:
            is_own = True
        elif row["function"] in INTERRUPTS:
            is_own = False
            is_interrupt = True
        self.frames.append((row["depth"], is_own or row["function"] in SCHEDULERS,
                            is_interrupt))
        return is_own, is_interrupt


def entered(ktrace, recording, tid, names):
    """(time, function, whether in an interrupt) of what task @tid enters, in
    order; faults in the kernel are not told from what they interrupt."""
    task = Task()
    steps = []
    for row in timeline(ktrace, recording):
        if row["event"] != "enter" or row["tid"] != tid:
            continue
        is_own, is_interrupt = task.enter(row)
        if is_own or row["detail"] == "inferred" or row["function"] not in names:
            continue
        if row["function"] != FAULT or not row["depth"]:
            steps.append((row["time_ns"], row["function"], is_interrupt))
    return steps


def is_call(function):
    return function.startswith(("__x64_sys_", "__arm64_sys_", "x64_sys_call"))


def compare(case, unit, graph):
    """Whether both name the same functions, up to the unit's end, where the
    process is about to be gone."""
    differs = [i for i, (a, b) in enumerate(zip(unit, graph)) if a[1] != b[1]]
    if differs:
        at = differs[0]
        say(False, case, f"at {at} of {len(unit)}: {unit[at - 2:at + 3]} by the "
            f"unit, {graph[at - 2:at + 3]} by ftrace")
        return
    late = [b[0] - a[0] for a, b in zip(unit, graph)]
    say(len(unit) > 100 and len(graph) >= len(unit), f"{case}: {len(unit)} "
        f"entries, in order", f"{len(unit)} by the unit, {len(graph)} by ftrace")
    late.sort()
    say(late[0] >= 0, f"{case}: ftrace's time is {late[len(late) // 2]} ns behind "
        f"the call (median), {late[-1]} at most", f"{-late[0]} ns before the call")


def count(steps, first, function):
    return sum(1 for step in steps if step[1] == function and step[0] >= first)


def judge_both(ktrace, folder):
    names = visible(folder)
    with open(f"{folder}/both.pid") as file:
        tid = file.read().strip()
    unit = entered(ktrace, f"{folder}/unit", tid, names | ENTRIES)
    graph = entered(ktrace, f"{folder}/graph", tid, names | ENTRIES)
    # Both trace from the first whole system call on.
    first = next(step[0] for step in unit if is_call(step[1]))
    unit = [step for step in unit if step[0] >= first]
    graph = [step for step in graph if step[0] >= first]
    for is_interrupt in (False, True):
        where = "in interrupts" if is_interrupt else "in system calls and faults"
        compare(f"every function that ftrace can see, {where}",
                *([step for step in steps
                   if step[1] in names and step[2] == is_interrupt]
                  for steps in (unit, graph)))
    for entry in sorted(ENTRIES):
        wanted = count(unit, first, entry)
        found = count(graph, first, entry)
        if wanted:
            say(abs(wanted - found) <= 1, f"{entry}: {found} of {wanted} inferred",
                f"{found} of {wanted}")


def judge_balance(ktrace, recording):
    """Each entry has its exit, of the same function, the innermost first."""
    stacks = {}
    wrong = entries = 0
    for row in timeline(ktrace, recording):
        stack = stacks.setdefault((row["tid"], row["cpu"] * (row["tid"] == "0")), [])
        if row["event"] == "enter":
            entries += 1
            stack.append(row["function"])
        elif row["event"] == "exit":
            wrong += not stack or stack.pop() != row["function"]
    say(entries > 1000 and not wrong, f"all: {entries} entries, each with its exit",
        f"{wrong} exits of {entries} entries have none")


def judge_user_time(ktrace, recording):
    """Outside the kernel a task that runs is in user space."""
    out = subprocess.run([ktrace, "report", "--processes", "--format=csv",
                          "-i", recording],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = {row["comm"]: row for row in csv.DictReader(out.splitlines())}
    for comm in "ls", "cat":
        row = rows.get(comm, {})
        say(int(row.get("user_ns", 0)) > 0 and row.get("unknown_ns") == "0",
            f"all: {comm} was in user space, and no time is unknown", row)


def functions(ktrace, recording):
    return {row["function"] for row in timeline(ktrace, recording)
            if row["event"] == "enter" and row["detail"] != "inferred"}


def judge_refusals(folder):
    with open(f"{folder}/refusals") as file:
        text = file.read()
    for wanted in ("does not see user space (--user)", "cannot trace 'no_such_function'",
                   "counts no cycles"):
        say(wanted in text, f"refused: {wanted}", text)
    say(text.count("exit 125") == 4, "refused: exit codes, without rights, too", text)
    with open(f"{folder}/left") as file:
        left = file.read().strip()
    say(left == "nop", "a recorder that is killed leaves no tracer behind", left)


def main():
    ktrace, folder, _ = sys.argv[1:]
    judge_both(ktrace, folder)
    judge_balance(ktrace, f"{folder}/all")
    judge_user_time(ktrace, f"{folder}/all")
    found = functions(ktrace, f"{folder}/filtered") - ENTRIES
    say(found == {"vfs_read", "vfs_write"}, "--filter: only these", found)
    judge_refusals(folder)
    return 1 if failures else 0


sys.exit(main())
