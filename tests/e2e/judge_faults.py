#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges recordings with faults injected by faults_guest.sh:
judge_faults.py KTRACE FOLDER [NAME...].  For a recording NAME there are
NAME.code, its recorder's exit code, NAME.err, the recorder's messages, and
NAME.ran if its command ran."""
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys

from waits import Judge

KTRACE, FOLDER = sys.argv[1:3]
KILLED, FAILED = 137, 125
# switch_cpu and amid of faults_guest.sh sleep so long after CPU 1 is on.
MIN_ON_S = 0.15
PARTS = ("user_ns", "system_call_ns", "fault_ns", "reclaim_ns", "kernel_ns",
         "interrupt_stolen_ns", "tracer_ns", "runnable_ns", "asleep_ns",
         "unknown_ns")
CALL_PARTS = ("on_cpu_ns", "asleep_ns", "runnable_ns", "stolen_ns",
              "tracer_ns", "unknown_ns")
UNFINISHED = "this recording was not finished"


def path(name):
    return os.path.join(FOLDER, name)


def text(name):
    if not os.path.exists(path(name)):
        return ""
    with open(path(name), encoding="utf-8", errors="replace") as file:
        return file.read()


def code_of(name):
    return int(text(f"{name}.code") or -1)


def ktrace(name, *arguments):
    return subprocess.run([KTRACE, *arguments, "-i", path(name)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def rows(name, *arguments):
    done = ktrace(name, *arguments, "--format=csv")
    return list(csv.DictReader(io.StringIO(done.stdout)))


class Recording:
    """One recording, and the rules for it."""

    def __init__(self, judge, name):
        self.judge = judge
        self.name = name
        self.done = ktrace(name, "report", "--threads", "--format=json")
        self.opens = self.done.returncode == 0
        self.told = json.loads(self.done.stdout) if self.opens else {}

    def expect(self, what, condition, detail=""):
        self.judge.expect(f"{self.name}: {what}", condition, detail)

    def all_of_its_time_is_told(self):
        """Known and unknown time add up to all time, for every process and
        thread."""
        for table in ("processes", "threads"):
            found = self.told.get(table, [])
            wrong = [row for row in found
                     if sum(row[part] for part in PARTS) != row["wall_ns"]]
            self.expect(f"known + unknown = wall, {table}",
                        found and not wrong, wrong[:1])

    def all_time_of_tables_is_told(self):
        """Like the check of processes, for each system call, and for wall
        time in a picture."""
        calls = rows(self.name, "report", "--syscalls", "--with-tracer")
        wrong = [row for row in calls
                 if sum(int(row[part] or 0) for part in CALL_PARTS) !=
                 int(row["total_ns"])]
        self.expect("known + unknown = total, system calls",
                    calls and not wrong, wrong[:1])
        wall = collections.Counter()
        for line in ktrace(self.name, "flamegraph", "--wall", "--with-idle",
                           "--with-tracer", "--folded").stdout.splitlines():
            path, time_ns = line.rsplit(" ", 1)
            wall[path.split(";")[0]] += int(time_ns)
        told = {f"{row['comm']}-{row['pid']}": row["wall_ns"]
                for row in json.loads(ktrace(
                    self.name, "report", "--with-tracer",
                    "--format=json").stdout)["processes"]}
        wrong = {name: (ns, wall[name]) for name, ns in told.items()
                 if wall[name] != ns}
        self.expect("wall time in the flame graph is the processes'",
                    told and not wrong, wrong)

    def both_engines_agree(self):
        done = subprocess.run([KTRACE, "verify", path(self.name)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        self.expect("both engines agree", done.returncode == 0, done.stdout)

    def is_whole(self, code=0):
        """The recording was finished, and there are no other messages."""
        self.expect("recorded", code_of(self.name) == code,
                    text(f"{self.name}.err"))
        self.expect("opens", self.opens, self.done.stderr)
        self.expect("was finished", UNFINISHED not in self.done.stderr,
                    self.done.stderr)
        self.all_of_its_time_is_told()

    def says_first_that_it_is_unfinished(self):
        first = self.done.stderr.split("\n", 1)[0]
        self.expect("says first that it was not finished",
                    UNFINISHED in first, self.done.stderr)

    def says_what_is_missing(self):
        """Expects a message with the recording's name."""
        self.expect("says what is missing", self.done.returncode == 1 and
                    re.search(f"^ktrace-hw: .*{re.escape(self.name)}.*: ",
                              self.done.stderr, re.M), self.done.stderr)

    def command_did_not_run_untraced(self):
        """The command runs only once tracing has started, which the first
        bytes of the file `data` show."""
        ran = text(f"{self.name}.ran")
        has_begun = os.path.exists(path(f"{self.name}/data")) and \
            ktrace(self.name, "dump", "--records").returncode == 0
        self.expect("the command did not run untraced", has_begun or not ran,
                    self.done.stderr)


def judge_killed(judge, name, ends):
    """Judges a recorder killed at any time, or not at all if it had ended
    before."""
    found = Recording(judge, name)
    if code_of(name) == 0:
        ends["after its end"] = ends.get("after its end", 0) + 1
        found.is_whole()
        return
    found.expect("was killed", code_of(name) == KILLED, code_of(name))
    found.command_did_not_run_untraced()
    if found.opens:
        end = "while it recorded"
        if UNFINISHED in found.done.stderr:
            found.says_first_that_it_is_unfinished()
        else:
            # The index is written last.
            end = "behind its last write"
        found.all_of_its_time_is_told()
        found.both_engines_agree()
    else:
        end = "before there was trace"
        found.says_what_is_missing()
    ends[end] = ends.get(end, 0) + 1


def judge_kills(judge, names):
    ends = {}
    for name in names:
        judge_killed(judge, name, ends)
    print("killed " + ", ".join(f"{count} times {end}"
                                for end, count in sorted(ends.items())))
    if len(names) >= 50:
        judge.expect("kills hit before and while it recorded",
                     len(ends) >= 2, ends)


# The file in the message that had no space.
FULL = {"kcore": "kcore_dir/kcore", "modules": "kcore_dir/modules",
        "kallsyms": "kcore_dir/kallsyms", "vdso": "kcore_dir/vdso",
        "cgroups": "kcore_dir/cgroups", "data": "data"}
# The folders and files in the order of their creation.
MADE = ("small/full", "kcore_dir", "kcore_dir/kcore", "kcore_dir/modules",
        "kcore_dir/kallsyms", "kcore_dir/vdso", "small/full/code",
        "kcore_dir/cgroups", "data", "kcore_dir/clock")


def file_of(name):
    kind, _, rest = name.removeprefix("full-").partition("-")
    return MADE[int(rest) - 1] if kind == "inodes" else FULL[kind]


def judge_full(judge, name):
    said = text(f"{name}.err")
    judge.expect(f"{name}: recording fails", code_of(name) == FAILED,
                 code_of(name))
    judge.expect(f"{name}: names {file_of(name)}, and says why",
                 re.search(f"^ktrace-hw.*{file_of(name)}: .*No space left",
                           said, re.M), said)
    judge.expect(f"{name}: says nowhere that all is well",
                 "nothing lost" not in said, said)
    if not os.path.exists(path(name)):
        judge.expect(f"{name}: nothing is kept, and the command did not run",
                     not text(f"{name}.ran"))
        return
    found = Recording(judge, name)
    found.command_did_not_run_untraced()
    if found.opens:
        found.says_first_that_it_is_unfinished()
        found.all_of_its_time_is_told()
        found.both_engines_agree()
    else:
        found.says_what_is_missing()


def judge_stopped(judge):
    """Its buffer of 256 KiB is full long before the second is over."""
    found = Recording(judge, "stopped")
    found.is_whole()
    gap_ns = sum(cpu["gap_ns"] for cpu in found.told["cpus"])
    found.expect("the recorder says that trace was lost",
                 "trace was lost" in text("stopped.err"), text("stopped.err"))
    found.expect("what was lost is a gap", gap_ns > 1e8, gap_ns)
    found.all_time_of_tables_is_told()
    flat = ktrace("stopped", "report", "--flat")
    found.expect("a profile says so first",
                 "Incomplete:" in flat.stdout + flat.stderr, flat.stderr)
    found.both_engines_agree()


def length_s(name):
    return float(re.search(r": ([0-9.]+) s, ", text(f"{name}.err")).group(1))


def judge_clock(judge):
    """The recording uses perf's clock, which nobody can set."""
    found = Recording(judge, "clock")
    found.is_whole()
    found.expect("the clock was set", text("clock.fault_code") == "0\n",
                 text("clock.fault"))
    times = [int(row["time_ns"]) for row in rows("clock", "timeline")
             if row["event"] in ("enter", "exit")]
    found.expect("times never go back", times == sorted(times))
    span_s = (times[-1] - times[0]) / 1e9
    found.expect("it is as long as it took", span_s <= length_s("clock") + 0.01 < 60,
                 (span_s, length_s("clock")))
    timed = Recording(judge, "timed")
    timed.is_whole(143)
    begin, end = map(float, text("timed.uptime").split())
    timed.expect("--duration is kept", 0.5 <= length_s("timed") <= 1 and
                 end - begin < 60, (length_s("timed"), end - begin))


def judge_unloaded(judge):
    found = Recording(judge, "unloaded")
    found.is_whole()
    found.expect("the module was unloaded",
                 text("unloaded.fault_code") == "0\n", text("unloaded.fault"))
    calls = [row["function"] for row in rows("unloaded", "timeline")]
    found.expect("what it ran at its end is there",
                 {"cleanup_module", "dummy_cleanup_module"} & set(calls))
    found.both_engines_agree()


def judge_two(judge, first, second, refused):
    Recording(judge, first).is_whole()
    if not refused:
        Recording(judge, second).is_whole()
        return
    said = text(f"{second}.err")
    judge.expect(f"{second}: is refused beside {first}",
                 code_of(second) == FAILED and
                 "the trace unit is in use (another recording" in said, said)
    judge.expect(f"{second}: its command did not run",
                 not text(f"{second}.ran"))
    judge.expect(f"{second}: leaves nothing",
                 not os.path.exists(path(second)))


def with_switched_cpu(judge, name):
    """Returns a whole recording during which a CPU was switched, and what the
    recorder wrote to its standard error."""
    found = Recording(judge, name)
    found.is_whole()
    found.expect("the CPU was switched", text(f"{name}.fault_code") == "0\n",
                 text(f"{name}.fault"))
    return found, text(f"{name}.err")


def judge_switched_off(judge, name, is_late=False):
    """From the switch on CPU 1 is not traced any more, whatever runs there.
    @is_late: it was switched on before, too."""
    found, said = with_switched_cpu(judge, name)
    found.expect("the recorder says so",
                 "warning: CPU 1 was switched off" in said and
                 "nothing lost" not in said, said)
    cpus = {cpu["cpu"]: cpu for cpu in found.told["cpus"]}
    missing_s = float(re.search(r"CPU 1 was switched off ([0-9.]+) s",
                                said).group(1))
    gap_s = cpus[1]["gap_ns"] / 1e9
    found.expect("CPU 1 has a gap since", gap_s >= 0.9 * missing_s,
                 (gap_s, missing_s))
    found.expect("CPU 1 is accounted for up to the end", is_late or
                 cpus[1]["wall_ns"] >= 0.9 * cpus[0]["wall_ns"],
                 (cpus[1]["wall_ns"], cpus[0]["wall_ns"]))
    found.both_engines_agree()


def judge_events_off(judge, name):
    """The trace of threads goes on, the events of CPU 1 do once it is back."""
    found, said = with_switched_cpu(judge, name)
    found.expect("the recorder says so",
                 re.search("warning: CPU 1 was switched off for [0-9.]+ s; "
                           "events on it until now are not recorded", said) and
                 "later events" not in said and
                 "nothing lost" not in said, said)
    seen = subprocess.run(
        [KTRACE, "sql", "--format=csv", path(name),
         "SELECT DISTINCT cpu, comm FROM call WHERE function = 'read_zero'"],
        capture_output=True, text=True, check=False)
    found.expect("a program that runs there then is charged its calls",
                 seen.stdout == "cpu,comm\n1,dd\n", seen)
    found.expect("records are lost",
                 found.told["recording"]["lost_records"] >= 1,
                 found.told["recording"])
    found.both_engines_agree()


def judge_switched_on(judge, name):
    """What ran on CPU 1 since it came online is traced."""
    found, said = with_switched_cpu(judge, name)
    found.expect("the recorder says so",
                 "warning: CPU 1 was switched on during the recording; it is "
                 "traced since" in said and "nothing lost" not in said, said)
    told = found.told["recording"]
    found.expect("its first milliseconds are lost",
                 min(told["lost_records"], told["truncated_trace"]) >= 1, told)
    cpus = {cpu["cpu"]: cpu for cpu in found.told["cpus"]}
    found.expect("CPU 1 is traced", 1 in cpus and cpus[1]["traced_ns"] > 0,
                 cpus)
    seen = subprocess.run(
        [KTRACE, "sql", "--format=csv", path(name),
         "SELECT count(*) > 0, count(DISTINCT cpu) FROM call "
         "WHERE comm = 'ls' AND cpu = 1"], capture_output=True, text=True,
        check=False)
    found.expect("the program that ran there is in the trace",
                 seen.stdout.endswith("\n1,1\n"), seen)
    found.both_engines_agree()


def judge_untraced(judge, name):
    """CPU 1 is not traced: nothing says that nothing was lost."""
    found = Recording(judge, name)
    found.is_whole()
    said = text(f"{name}.err")
    found.expect("the recorder says so",
                 "warning: CPU 1 was switched on during the recording; what "
                 "ran there is not recorded" in said and "nothing lost" not in said, said)
    cpus = {cpu["cpu"]: cpu for cpu in found.told["cpus"]}
    found.expect("CPU 1 is a gap to the end",
                 1 in cpus and cpus[1]["traced_ns"] == 0 and
                 cpus[1]["gap_ns"] > 0.9 * MIN_ON_S * 1e9, cpus)
    found.both_engines_agree()
    found.expect("records are lost",
                 found.told["recording"]["lost_records"] >= 1,
                 found.told["recording"])


def judge_graph(judge, name):
    """The kernel's own tracer has the functions of CPU 1 from the first on."""
    found, said = with_switched_cpu(judge, name)
    found.expect("the recorder says so",
                 "warning: CPU 1 was switched on during the recording" in said and
                 "nothing lost" not in said, said)
    cpus = {cpu["cpu"]: cpu for cpu in found.told["cpus"]}
    found.expect("CPU 1 is traced", 1 in cpus and cpus[1]["traced_ns"] > 0,
                 cpus)
    seen = subprocess.run(
        [KTRACE, "sql", "--format=csv", path(name),
         "SELECT count(*) > 0 FROM call WHERE cpu = 1 AND function = "
         "'cpuhp_thread_fun'"], capture_output=True, text=True, check=False)
    found.expect("what brought CPU 1 up is in the trace",
                 seen.stdout.endswith("\n1\n"), seen)
    found.expect("records are lost",
                 found.told["recording"]["lost_records"] >= 1,
                 found.told["recording"])


def names_of(prefix):
    return sorted(name.removesuffix(".code") for name in os.listdir(FOLDER)
                  if name.startswith(prefix) and name.endswith(".code"))


PARTS_OF_GUEST = {
    "kills": lambda judge: judge_kills(judge, names_of("killed-")),
    "full_disks": lambda judge: [judge_full(judge, name)
                                 for name in names_of("full-")],
    "accidents": lambda judge: [judge_stopped(judge), judge_unloaded(judge),
                                judge_clock(judge)],
    "two_at_once": lambda judge: [
        judge_two(judge, "cpus-first", "cpus-second", True),
        judge_two(judge, "cpus-first-again", "task-second", True),
        judge_two(judge, "task-first", "cpus-second-again", True),
        judge_two(judge, "tasks-first", "tasks-second", False)],
    "switched_on": lambda judge: [
        judge_switched_on(judge, "plugged"),
        judge_switched_on(judge, "plugged-filter"),
        judge_switched_on(judge, "plugged-threads"),
        judge_untraced(judge, "plugged-snapshot"),
        judge_untraced(judge, "plugged-task"),
        judge_untraced(judge, "plugged-briefly"),
        judge_graph(judge, "plugged-graph"),
        judge_switched_off(judge, "plugged-twice", is_late=True)],
    "switched_off": lambda judge: [
        judge_switched_off(judge, "unplugged"),
        judge_switched_off(judge, "replugged"),
        judge_switched_off(judge, "replugged-threads"),
        judge_events_off(judge, "replugged-task")],
}


def main():
    judge = Judge()
    Recording(judge, "whole").is_whole()
    for part in sys.argv[3:]:
        PARTS_OF_GUEST[part](judge)
    judge.end()


if __name__ == "__main__":
    main()
