#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the recordings of function_graph_guest.sh: judge_function_graph.py KTRACE DIR
CPUS

The reference is the trace unit's timeline of the same process at the same time;
functions.sh compares such timelines with the ground truth.
"""
import bisect
import csv
import subprocess
import sys

from graph_task import INTERRUPTS, SCHEDULERS, Task

# The kernel's entries, which ftrace cannot see: they are inferred.
FAULT = "asm_exc_page_fault"
ENTRIES = {"entry_SYSCALL_64", "el0_svc", FAULT} | INTERRUPTS
FOREVER = 1 << 63
# Functions that the recorder excludes, because the clock calls them for each
# event.
LEFT_OUT = {"local_clock"}

failures = 0


def say(is_ok, case, detail=""):
    global failures
    failures += not is_ok
    print(f"ok: {case}" if is_ok else f"FAILED: {case}: {detail}")


def visible(folder):
    """Returns the functions' names."""
    with open(f"{folder}/functions") as lines:
        return {line.split()[0] for line in lines} - LEFT_OUT


def is_of(names, function):
    """Returns a name without the suffix that distinguishes functions of the
    same name."""
    return function.partition("@0x")[0] in names


def timeline(ktrace, recording):
    command = [ktrace, "timeline", "-i", recording, "--format=csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for row in csv.DictReader(process.stdout):
            row["depth"] = int(row["depth"])
            row["time_ns"] = int(row["time_ns"])
            yield row
    if process.returncode:
        say(False, f"{recording}: timeline", f"exit code {process.returncode}")


class Switches:
    """Intervals in which a task was about to switch, in the trace unit's
    timeline.  The tracer itself may be preempted, which ftrace does not
    show."""

    def __init__(self):
        self.spans = []
        self.function = None

    def take(self, row):
        if self.function:
            if row["event"] == "exit" and row["function"] == self.function and \
                    row["end_unseen"] == "0":
                self.spans[-1][1] = row["time_ns"]
                self.function = None
        elif row["event"] == "enter" and row["function"] in SCHEDULERS:
            self.spans.append([row["time_ns"], FOREVER])
            self.function = row["function"]

    def has(self, row):
        at = bisect.bisect(self.spans, [row["time_ns"], FOREVER])
        return at and row["time_ns"] < self.spans[at - 1][1]


def switches(ktrace, recording):
    found = {}
    for row in timeline(ktrace, recording):
        found.setdefault(row["tid"], Switches()).take(row)
    return found


def entered(ktrace, recording, names, left_out, cpus):
    """Returns (time, function, number of interrupts around it, CPU) of the
    functions that each task enters, in order, except while it switches
    according to @left_out; faults in the kernel cannot be distinguished
    from the interrupted code."""
    tasks = {}
    for row in timeline(ktrace, recording):
        tid = row["tid"]
        if row["event"] not in ("enter", "exit") or tid == "0" or \
                (tid in left_out and left_out[tid].has(row)):
            continue
        task, steps = tasks.setdefault(tid, (Task(cpus), []))
        refused = task.refused(row)
        if refused:
            steps.remove(refused)
        if row["event"] == "exit":
            continue
        task.steps.pop(row["depth"], None)
        is_own, interrupts = task.enter(row)
        if is_own or row["detail"] == "inferred" or \
                not is_of(names, row["function"]):
            continue
        if row["function"] != FAULT or not row["depth"]:
            steps.append((row["time_ns"], row["function"], interrupts,
                          row["cpu"]))
            task.steps[row["depth"]] = steps[-1]
    return {tid: steps for tid, (_, steps) in tasks.items()}


def is_call(function):
    return function.startswith(("__x64_sys_", "__arm64_sys_", "x64_sys_call"))


def from_first_call(steps):
    """Both trace each task from its first whole system call on."""
    first = next((i for i, step in enumerate(steps) if is_call(step[1])),
                 len(steps))
    return steps[first:]


def difference(unit, graph):
    """Returns where the names of the functions differ, up to the unit's
    end, shortly before the process exits; None if they do not."""
    for i, (a, b) in enumerate(zip(unit, graph)):
        if a[1] != b[1]:
            return (f"at {i} of {len(unit)}: {unit[max(0, i - 2):i + 3]} by the "
                    f"unit, {graph[max(0, i - 2):i + 3]} by ftrace")
    if len(graph) < len(unit):
        return f"{len(unit)} by the unit, {len(graph)} by ftrace"
    return None


def compare(case, tasks, cpus):
    """Compares the functions that each of @tasks enters, by the unit and by
    ftrace."""
    differences = [found for found in (difference(*task) for task in tasks) if found]
    entries = sum(len(unit) for unit, _ in tasks)
    say(entries > 100 and not differences, f"{case}: {entries} entries, in order",
        differences or f"{entries} entries")
    late = sorted(b[0] - a[0] for unit, graph in tasks for a, b in zip(unit, graph))
    if late and not differences:
        # With the host's clock the trace's times are not more accurate than
        # that.
        say(late[0] >= 0 or cpus > 1, f"{case}: ftrace's time is "
            f"{late[len(late) // 2]} ns behind the call (median), {late[-1]} at most",
            f"{-late[0]} ns before the call")


def count(steps, function):
    return sum(1 for step in steps if step[1] == function)


def up_to_end(unit, graph, names):
    """Returns the part of @graph that the unit traced. The unit's trace
    ends in the process's last system call: up to the next function that the
    process itself enters there."""
    def own(steps):
        return [i for i, step in enumerate(steps) if is_of(names, step[1]) and
                not step[2]]
    behind = own(graph)[len(own(unit)):]
    return graph[:behind[0]] if behind else graph


def judge_entries(tasks, names, cpus):
    tasks = [(unit, up_to_end(unit, graph, names)) for unit, graph in tasks]
    for entry in sorted(ENTRIES - (INTERRUPTS if cpus > 1 else set())):
        counts = [(count(unit, entry), count(graph, entry)) for unit, graph in tasks]
        wanted, found = map(sum, zip(*counts))
        if wanted:
            say(all(abs(a - b) <= 1 for a, b in counts),
                f"{entry}: {found} of {wanted} inferred", counts)


def in_interrupts(tasks, names, count):
    """Returns the functions that each task enters within @count nested
    interrupts."""
    return [[[step for step in steps if is_of(names, step[1]) and step[2] == count]
             for steps in task] for task in tasks]


def judge_both(ktrace, folder, cpus):
    names = visible(folder)
    # With the host's clock the times of the two sources cannot be compared.
    left_out = switches(ktrace, f"{folder}/unit") if cpus == 1 else {}
    units = entered(ktrace, f"{folder}/unit", names | ENTRIES, left_out, cpus)
    graphs = entered(ktrace, f"{folder}/graph", names | ENTRIES, left_out, cpus)
    with open(f"{folder}/both.pid") as file:
        say(file.read().strip() in units, f"the process and its {len(units) - 1} "
            f"children are traced", units.keys())
    tasks = [(from_first_call(steps), from_first_call(graphs.get(tid, [])))
             for tid, steps in units.items()]
    used = {step[3] for unit, _ in tasks for step in unit}
    say(len(used) == cpus, f"on {cpus} CPUs", used)
    compare("every function that ftrace can see, in system calls and faults",
            in_interrupts(tasks, names, 0), cpus)
    compare("every function that ftrace can see, in interrupts",
            in_interrupts(tasks, names, 1) + in_interrupts(tasks, names, 2), cpus)
    judge_entries(tasks, names, cpus)


def judge_balance(ktrace, recording):
    """Each entry has an exit of the same function, the innermost first."""
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
    """Outside the kernel a running task is in user space."""
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


def judge_verify(ktrace, recording):
    done = subprocess.run([ktrace, "verify", "-i", recording], text=True,
                          capture_output=True, check=False)
    say(done.returncode == 2 and "no trace to decode" in done.stderr,
        "verify: says that there is nothing for it", done)


def judge_killed(ktrace, folder):
    """The recording contains everything up to the sleep in which its
    recorder was killed."""
    recording = f"{folder}/killed"
    done = subprocess.run([ktrace, "report", "-i", recording], text=True,
                          capture_output=True, check=False)
    say("was not finished" in done.stderr.split("\n", 1)[0],
        "killed: says first that it was not finished", done.stderr)
    with open(f"{folder}/killed.pid") as file:
        tid = file.read().strip()
    rows = [row for row in timeline(ktrace, recording) if row["tid"] == tid]
    opened = max((i for i, row in enumerate(rows) if row["event"] == "enter" and
                  row["function"] == "fifo_open"), default=len(rows))
    slept = [row["event"] for row in rows[opened:]
             if row["function"] in ("fifo_open", "schedule") and
             row["end_unseen"] != "1"]
    say(len(rows) > 20 and slept == ["enter", "enter"],
        f"killed: {len(rows)} rows, up to its command's last sleep", slept)
    say(not any(row["event"] == "gap" for row in rows), "killed: no gap")


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
    with open(f"{folder}/settings.before") as before:
        with open(f"{folder}/settings.after") as after:
            old, new = before.read(), after.read()
    say(old == new and "[global]" in old,
        "the tracer's settings are as they were", f"{old} / {new}")


def main():
    ktrace, folder, cpus = sys.argv[1:]
    judge_both(ktrace, folder, int(cpus))
    judge_balance(ktrace, f"{folder}/all")
    judge_user_time(ktrace, f"{folder}/all")
    found = functions(ktrace, f"{folder}/filtered") - ENTRIES
    say(found == {"vfs_read", "vfs_write"}, "--filter: only these", found)
    judge_verify(ktrace, f"{folder}/all")
    judge_killed(ktrace, folder)
    judge_refusals(folder)
    return 1 if failures else 0


sys.exit(main())
