# SPDX-License-Identifier: MIT
"""Judges explain for the cases of explain.sh: judge_explain.py KTRACE FOLDER
CPUS CASE...

FOLDER/CASE.out has what the program measured by its own clock. Several CPUs of
the machine have the host's clock and include other work of the host: then only
what does not depend on times is judged."""
import json
import os
import re
import subprocess
import sys

from waits import Judge

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "recorded"))
import perfetto  # pylint: disable=wrong-import-position
from view_server import server  # pylint: disable=wrong-import-position

KTRACE, FOLDER, CPUS = sys.argv[1:4]
CASES = sys.argv[4:]
judge = Judge()

# The cause that must come first, its program and the one that had it wait.
FIRST = {
    "lock": ("lock", "explained", "holder"),
    "fsync": ("disk", "explained", None),
    "pipeline": ("user", "slow-stage", None),
    "children": ("user", "child", None),
    "nap": ("timer", "explained", None),
    "hog": ("cpu", "explained", "hog"),
    "throttled": ("throttled", "explained", None),
    "group": ("throttled", "explained", None),
    "high": ("memory_high", "explained", None),
    "plain": ("user", "explained", None),
    "inversion": ("inversion", "explained", "middle"),
}
# What a program's clock measured also contains parts of these kinds: the
# recorder holds a thread up, or its CPU serves interrupts, meanwhile.
ON_CPU = {"user", "system_calls", "faults", "interrupts", "kernel", "tracer"}
BESIDE = {
    "lock": ON_CPU | {"affinity", "cpu", "cpu_idle", "recorder", "timer"},
    "fsync": ON_CPU | {"cpu_idle"},
    "pipeline": ON_CPU,
    "children": ON_CPU,
    "hog": {"cpu_idle", "recorder"},
    "nap": {"cpu_idle"},
    "high": ON_CPU | {"cpu_idle"},
    "throttled": {"cpu_idle"},
    "group": {"cpu_idle"},
    "inversion": {"affinity", "cpu"},
}
# and only parts of this call.
CALL = {"fsync": "fsync"}


def printed(case, *command):
    return subprocess.run([KTRACE, *command, "-i", f"{FOLDER}/{case}"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout


def explain(case, *options):
    return printed(case, "explain", *options)


def measured(case):
    with open(f"{FOLDER}/{case}.out", encoding="utf-8") as text:
        return {name: int(ns) for name, ns in
                re.findall(r"^(\w+) (\d+)$", text.read(), re.M)}


def is_close(ns, wanted_ns, slack_ns=0):
    return abs(ns - wanted_ns) <= 0.02 * wanted_ns + slack_ns


def check_sums(case, result):
    judge.expect(f"{case}: the causes add up to the wall time",
                 sum(c["ns"] for c in result["causes"]) == result["wall_ns"]
                 == result["end_ns"] - result["begin_ns"], result["wall_ns"])
    judge.expect(f"{case}: so do the parts of each", all(
        sum(p["ns"] for p in c["parts"]) == c["ns"] for c in result["causes"]))


def check_wall(case, result, clock):
    """The program starts and ends within its process's life: exec, the dynamic
    linker and the exit take a few milliseconds in the machine."""
    rest_ns = result["wall_ns"] - clock["wall"]
    judge.expect(f"{case}: the wall time is the program's", result["ended"]
                 and 0 < rest_ns < 0.02 * clock["wall"] + 15_000_000,
                 result["wall_ns"], clock["wall"])


def check_first(case, result, clock):
    cause, program, actor = FIRST[case]
    first = result["causes"][0]
    judge.expect(f"{case}: the first cause is why", (
        first["cause"], first["program"], first.get("actor")) ==
        (cause, program, actor), first)
    ns = sum(p["ns"] for c in result["causes"] for p in c["parts"]
             if (c["program"] == program or cause == "throttled")
             and (cause not in ("lock", "throttled", "inversion") or c["cause"] == cause)
             and p["kind"] in {cause} | BESIDE[case]
             and (case not in CALL or p.get("call") == CALL[case]))
    judge.expect(f"{case}: as long as the program says",
                 is_close(ns, clock[cause], 1_000_000), ns, clock[cause])


def check_place(case, result):
    """The system call, and the line of the program that made it."""
    places = {"lock": ("futex", "take_lock"), "fsync": ("fsync", "save"),
              "nap": ("clock_nanosleep", "nap")}
    if case not in places:
        return
    part = result["causes"][0]["parts"][0]
    judge.expect(f"{case}: with the call and its place",
                 (part.get("call"), part.get("user")) == places[case]
                 and re.search(r"explained\.c:\d+$", part.get("line", "")),
                 part)


def check_text(case):
    """One screen, each cause with a command that shows its evidence."""
    lines = explain(case).splitlines()
    commands = [line for line in lines if "See: " in line]
    judge.expect(f"{case}: at most a screen", 5 < len(lines) <= 40
                 and all(len(line) <= 100 for line in lines),
                 len(lines), [line for line in lines if len(line) > 100])
    command = commands[0].split("See: ktrace-hw ", 1)[1].split()
    shown = subprocess.run([KTRACE, *command, "-i", f"{FOLDER}/{case}"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, check=False)
    judge.expect(f"{case}: with its evidence", shown.returncode == 0
                 and shown.stdout, command, shown.stderr)


def report(case, *options):
    return subprocess.run([KTRACE, "report", "-i", f"{FOLDER}/{case}",
                           *options], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True,
                          check=True).stdout


def check_report(case):
    """report begins with the explanation, unless options choose a part."""
    first = explain(case).rstrip("\n")
    head = first.index("took")
    judge.expect(f"{case}: report begins with it",
                 first in report(case) and "==>" not in report(case)
                 and first[:head] not in report(case, "--processes")
                 and "What had to happen" not in report(case, "--since", "+0"),
                 report(case)[:300])


def check_comm():
    result = json.loads(explain("pipeline", "--comm", "slow-stage",
                              "--format=json"))
    judge.expect("pipeline: of one program only",
                 result["program"] == "slow-stage"
                 and (result["causes"][0]["cause"] == "user" or CPUS != "1")
                 and sum(c["ns"] for c in result["causes"])
                 == result["wall_ns"], result)


def check_window():
    whole = json.loads(explain("nap", "--format=json"))
    since, until = (f"@{(whole['begin_ns'] + at) / 1e9:.9f}"
                    for at in (50_000_000, 150_000_000))
    part = json.loads(explain("nap", "--since", since, "--until", until,
                              "--format=json"))
    judge.expect("nap: of a window only", part["wall_ns"] == 100_000_000
                 and not part["ended"]
                 and sum(c["ns"] for c in part["causes"]) == 100_000_000,
                 part)


def check_waiting():
    """A program that waits for a child at the end: the child is named, and the path
    ends in it."""
    whole = json.loads(explain("children", "--format=json"))
    # The path is in a child: its parent waits.
    middle = next(c for c in whole["causes"] if
                  (c["cause"], c["program"]) == ("user", "child"))["longest"]
    until = f"@{(middle['begin_ns'] + middle['ns'] // 2) / 1e9:.9f}"
    part = json.loads(explain("children", "--until", until, "--format=json"))
    waited = part["waits_for"]
    judge.expect("children: the child that is waited for is named",
                 not whole["waits_for"] and not part["ended"] and
                 [w["program"] for w in waited] == ["child"] and
                 "It waits for its child child (pid "
                 f"{waited[0]['pid']}), still running."
                 in explain("children", "--until", until), waited)
    judge.expect("children: and what it does is the cause",
                 (part["causes"][0]["cause"], part["causes"][0]["program"]) ==
                 ("user", "child") or CPUS != "1",
                 part["causes"][0])
    judge.expect("children: up to the end of the window",
                 sum(c["ns"] for c in part["causes"]) == part["wall_ns"], part)
    check_worker(whole)


def check_worker(result):
    """A child that its parent or a sibling ended by kill() is no crash."""
    text = explain("children")
    line = re.search(r"^worker \(process (\d+)\) was ended by a signal of explained, "
                     r"its parent, at", text, re.M)
    first, second = sorted(result["crashes"], key=lambda c: c["time_ns"])
    judge.expect("children: who sent the worker its signal", line and
                 (first["pid"], first["sender_pid"]) ==
                 (int(line.group(1)), result["pid"]),
                 result["crashes"], text)
    lodger = explain("children", "--comm", "lodger")
    judge.expect("children: a sibling sent a signal", second["sender_pid"]
                 not in (result["pid"], second["pid"]) and re.search(
                     rf"^lodger \(process {second['pid']}\) was ended by a signal "
                     "of rival, its sibling, at", lodger, re.M), second, lodger)
    judge.expect("children: that is not the first to be read",
                 line and line.start() > text.index("The longest waits"), text)


def check_throttled(case, truth_ns):
    """The tables that explain refers to say the same."""
    rows = {option: json.loads(subprocess.run(
        [KTRACE, "report", option, "--comm", "explained", "--format=json",
         "-i", f"{FOLDER}/{case}"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, check=True).stdout)
        for option in ("--threads", "--runqueue")}
    threads = rows["--threads"]["threads"]
    result = [sum(r["throttled_ns"] for r in r_) for r_ in
            (threads, rows["--runqueue"])]
    judge.expect(f"{case}: in the tables of threads and of waits",
                 result[0] == result[1] and is_close(result[0], truth_ns),
                 result, truth_ns)
    path = f"{FOLDER}/{case}.perfetto"
    subprocess.run([KTRACE, "export", "-q", "--format=perfetto", "--comm",
                    "explained", "--min-duration", "1us", "-i",
                    f"{FOLDER}/{case}", "-o", path], check=True)
    found = sum(span.end_ns - span.begin_ns for _, span in
                perfetto.Perfetto(path).side_track("throttled"))
    judge.expect(f"{case}: in Perfetto's tracks", found and
                 is_close(found, result[0]), found, result)
    with server(KTRACE, f"{FOLDER}/{case}") as page:
        recording = page.wait()
    at = recording["states"].index("throttled")
    shown = sum(t["state_ns"][at] for t in recording["threads"]
                if t["name"] == "explained")
    judge.expect(f"{case}: as a state in the page", shown == result[0],
                 shown, result)
    judge.expect(f"{case}: the classes add up", all(
        r["wall_ns"] == sum(r[c] or 0 for c in r if c.endswith("_ns") and c
                            not in ("wall_ns", "recorder_wait"))
        for r in threads), threads)


def check_high(result):
    """All sleeps in which memory.high delays the program have that cause, also if
    the soft interrupt of another CPU expires their timers."""
    rows = json.loads(printed("high", "report", "--sleeps", "--comm", "explained",
                              "--format=json"))
    slept_ns = sum(row["total_ns"] for row in rows
                   if "cgroup_handle_over_high" in row["label"])
    ns = sum(part["ns"] for cause in result["causes"]
             for part in cause["parts"] if part["kind"] == "memory_high")
    judge.expect("high: each sleep for memory.high has that cause",
                 0 < slept_ns == ns, slept_ns, ns)


def check_advice(name, result):
    """Whatever load the machine has, system calls' events cost time."""
    tracer = [c for c in result["causes"] if c["cause"] == "tracer"]
    wanted = ["most while the recorder saved the trace; less without --user "
              "(or --everything)" if 2 * sum(
                  p["ns"] for p in c["parts"] if p["kind"] == "recorder")
              > c["ns"] else "most by --events=syscalls; less: record --user"
              for c in tracer]
    judge.expect(f"{name}: how to record with less", tracer and
                 [c.get("details") for c in tracer] == wanted, tracer)


def check_plain(result):
    """Only the kernel and the scheduler's events are recorded."""
    part = result["causes"][0]["parts"][0]
    judge.expect("plain: user code is not split", result["causes"][0]["cause"]
                 == "user" and "function" not in part, result["causes"][0])
    judge.expect("plain: what that needs is named",
                 "its functions need record --user" in explain("plain"),
                 explain("plain"))


def check_pipe(whole):
    """Cut while the last program of a pipeline waits for the first one, which
    writes at its end."""
    written_ns = int(printed("pipe", "sql", "--format=csv", """
        SELECT max(begin_ns) FROM syscall
        WHERE comm = 'explained' AND call = 'write'""").split()[1])
    until = f"@{(written_ns - 1_000_000) / 1e9:.9f}"
    part = json.loads(explain("pipe", "--until", until, "--format=json"))
    judge.expect("pipe: each program of the pipeline up to the one that works",
                 [(w["program"], w.get("inferred")) for w in part["waits_for"]]
                 == [("head", None), ("sort", True), ("explained", True)],
                 part["waits_for"])
    judge.expect("pipe: what that does is the cause",
                 (part["causes"][0]["cause"], part["causes"][0]["program"]) ==
                 ("user", "explained") or CPUS != "1", part["causes"][0])
    judge.expect("pipe: that this is inferred is said",
                 "its pipe is inferred" in explain("pipe", "--until", until)
                 and not whole["waits_for"], whole["waits_for"])


def judge_one(name):
    result = json.loads(explain(name, "--format=json"))
    check_sums(name, result)
    check_text(name)
    if name == "plain":
        check_plain(result)
    elif name == "pipe":
        check_pipe(result)
    elif CPUS == "1":
        truth = measured(name)
        check_wall(name, result, truth)
        check_first(name, result, truth)
        check_place(name, result)
    else:
        judge.expect(f"{name}: why is among the causes", FIRST[name][:2] in
                     [(c["cause"], c["program"]) for c in result["causes"]],
                     result["causes"])


for case_name in CASES:
    judge_one(case_name)
if "throttled" in CASES and CPUS == "1":
    check_throttled("throttled", measured("throttled")["throttled"])
if "high" in CASES:
    check_high(json.loads(explain("high", "--format=json")))
if "children" in CASES:
    check_waiting()
if "pipeline" in CASES:
    check_comm()
if "fsync" in CASES:
    check_advice("fsync", json.loads(explain("fsync", "--format=json")))
if "nap" in CASES:
    check_window()
    check_report("nap")
judge.end()
