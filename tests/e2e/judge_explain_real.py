# SPDX-License-Identifier: MIT
"""Judges explain for the cases of explain_real.sh: judge_explain_real.py KTRACE
FOLDER CPUS CASE...

FOLDER/CASE.out has what the program measured by its own clock, CASE.truth what
the kernel counted, CASE.strace what strace saw in another run. Several CPUs of
the machine have the host's clock and include other work of the host: then only
what does not depend on times is judged."""
import json
import os
import re
import subprocess
import sys

from jsonschema import Draft202012Validator

from waits import Judge

KTRACE, FOLDER, CPUS = sys.argv[1:4]
CASES = sys.argv[4:]
# The head of an explanation, up to three lines of a crash, the first cause.
FIRST_LINES = 9
judge = Judge()
with open(os.path.join(os.path.dirname(__file__),
                       "../../docs/schema/explain.json"),
          encoding="utf-8") as schema:
    validator = Draft202012Validator(json.load(schema))


def explain(case, *options):
    return subprocess.run([KTRACE, "explain", "-i", f"{FOLDER}/{case}",
                           *options], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True,
                          check=True).stdout


def text_of(name):
    path = f"{FOLDER}/{name}"
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as text:
        return text.read()


def measured(case):
    """By name; seconds with a fraction become nanoseconds."""
    found = {}
    for ending in ("out", "truth"):
        for name, number in re.findall(r"^(\w+) ([\d.]+)$",
                                       text_of(f"{case}.{ending}"), re.M):
            found[name] = int(float(number) * 1e9) if "." in number \
                else int(number)
    return found


def traced_ns(case, call):
    """The time of a system call according to strace -c -w."""
    seconds = re.search(rf"^ *{call} +([\d.]+)|^ *([\d.]+) +{call}$",
                        text_of(f"{case}.strace"), re.M)
    return int(float(seconds[1] or seconds[2]) * 1e9)


def expect_traced(name, got, case, call):
    if CPUS == "1":
        expect_close(name, got, traced_ns(case, call))


def sum_of(result, is_wanted):
    return sum(part["ns"] for cause in result["causes"]
               for part in cause["parts"] if is_wanted(cause, part))


def expect_close(name, got, wanted):
    """Within 2 %. The machine's only CPU has a clock that counts instructions,
    so this also holds on a busy host."""
    if CPUS == "1":
        judge.expect(name, wanted > 0 and abs(got - wanted) <= 0.02 * wanted,
                     got, wanted)


def expect_first(case, result, cause, program, text):
    """The first cause, in the first lines; with several CPUs it is among the
    causes."""
    first = result["causes"][:1 if CPUS == "1" else None]
    lines = explain(case).splitlines()[:FIRST_LINES if CPUS == "1" else None]
    judge.expect(f"{case}: explain names the cause", (cause, program) in
                 [(c["cause"], c["program"]) for c in first], first[:2])
    judge.expect(f"{case}: in words", re.search(text, "\n".join(lines), re.M)
                 is not None, text, lines)


def is_call(*calls):
    return lambda cause, part: part.get("call") in calls


def judge_database(result):
    expect_first("database", result, "disk", "sqlite3",
                 r"sqlite3 waited for the disk\n +in fdatasync ")
    own_ns = sum(int(float(s) * 1e9) for s in
                 re.findall(r"real ([\d.]+)", text_of("database.out")))
    expect_close("database: as sqlite3's own timer", sum_of(
        result, lambda cause, part: cause["cause"] == "disk"), own_ns)
    expect_traced("database: as strace -c -w",
                  sum_of(result, is_call("fdatasync")), "database",
                  "fdatasync")


def judge_proxy(result):
    truth = measured("proxy")
    expect_first("proxy", result, "reply", "curl",
                 r"curl waited for front, another program\n +in \w+; "
                 r"in that time backend \(another process\) ran")
    expect_close("proxy: the backend as by its own clock", sum_of(
        result, lambda cause, part: part.get("program") == "backend"),
        truth["query"])
    expect_close("proxy: the wait as by curl's own clock", sum_of(
        result, lambda cause, part: cause["cause"] == "reply"),
        truth["reply"])


def judge_build(result):
    expect_first("build", result, "user", "cc1", r"cc1 .*ran its own code")
    expect_close("build: the time as bash's own", result["wall_ns"],
                 measured("build")["real"])


def judge_clone(result):
    expect_first("clone", result, "disk", "git",
                 r"git \((?:mostly process \d+|several processes)\) waited "
                 r"for the disk\n +in page faults ")
    expect_traced("clone: fsync as strace -c -w",
                  sum_of(result, is_call("fsync")), "clone", "fsync")
    expect_close("clone: the disk as by the kernel's count", sum_of(
        result, lambda cause, part: part["kind"] == "disk"),
        measured("clone")["disk"])


def judge_fight(result):
    expect_first("fight", result, "lock", "flock",
                 r"flock waited for a lock .*\n +in flock; "
                 r"in that time gzip ")
    ns = sum_of(result, lambda cause, part: cause["cause"] == "lock")
    expect_close("fight: as the waiter's own clock", ns,
                 measured("fight")["waited"])
    # Without the recorder's own work, which strace's run did not have.
    expect_traced("fight: as strace -c -w", sum_of(
        result, lambda cause, part: cause["cause"] == "lock"
        and part["kind"] not in ("tracer", "recorder")),
        "fight", "flock")
    check_order()


def check_order():
    """The command's processes come first, the longest first."""
    rows = json.loads(subprocess.run(
        [KTRACE, "report", "--processes", "--format=json", "-i",
         f"{FOLDER}/fight"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, check=True).stdout)["processes"]
    own = [row["comm"] in ("sh", "flock", "gzip", "sleep", "date", "true")
           for row in rows]
    walls = [row["wall_ns"] for row in rows[:sum(own)]]
    judge.expect("fight: the command's processes are the first of --processes",
                 own == sorted(own, reverse=True) and False in own
                 and walls == sorted(walls, reverse=True),
                 [(row["comm"], row["wall_ns"]) for row in rows])


def judge_quota(result):
    expect_first("quota", result, "throttled", "gzip",
                 r"gzip was throttled: its cgroup had used up its CPU quota")
    expect_close("quota: as cpu.stat", sum_of(
        result, lambda cause, part: cause["cause"] == "throttled"),
        measured("quota")["throttled"])


def judge_storm(result):
    program = result["program"]
    expect_first("storm", result, "faults", program,
                 r"was given memory \(page faults\)\n +\d+ page faults ")
    faults = sum(part.get("faults", 0) for cause in result["causes"]
                 for part in cause["parts"])
    expect_close("storm: as many as getrusage() counts", faults,
                 measured("storm")["faults"])


def judge_cold(result):
    truth = measured("cold")
    expect_first("cold", result, "disk", result["program"],
                 r"waited for the disk\n +in page faults ")
    ns = sum_of(result, lambda cause, part: part["kind"] == "disk"
                and "inside" in part)
    expect_close("cold: as the kernel's count", ns, truth["disk"])
    expect_close("cold: as the program's own clock", ns, truth["wall"])


def judge_crash(result):
    judge.expect("crash: the signal", [
        (crash["program"], "SIGSEGV" in crash["signal"])
        for crash in result["crashes"]] ==
        [(result["causes"][0]["program"], True)]
        and measured("crash")["status"] == 139, result["crashes"])
    expect_first("crash", result, "disk", result["causes"][0]["program"],
                 r"^python\S* \(process \d+\) was ended by SIGSEGV")
    judge.expect("crash: the core dump", "as it wrote its core dump" in
                 explain("crash"), explain("crash"))
    expect_close("crash: the disk as by the kernel's count", sum_of(
        result, lambda cause, part: part["kind"] == "disk"),
        measured("crash")["disk"])


def judge_killed(result):
    truth = measured("killed")
    judge.expect("killed: memory was short",
                 [crash["signal"] for crash in result["crashes"]] ==
                 ["SIGKILL (out of memory)"] * truth["oom_kill"]
                 and truth["status"] == 137, result["crashes"], truth)


def judge_loop(result):
    expect_first("loop", result, "disk", result["program"],
                 r"waited for the disk\n +in fsync ")
    expect_close("loop: as the program's own clock", sum_of(
        result, lambda cause, part: part["kind"] == "disk"),
        measured("loop")["wall"])


def judge_held(result):
    held = result.get("held_loop", {})
    why = held.get("why", {})
    lines = "\n".join(explain("held").splitlines()[:FIRST_LINES])
    judge.expect("held: the slow command comes before the disk",
                 (why.get("cause"), why.get("program")) ==
                 ("user", result["program"])
                 and (result["causes"][0]["cause"] == "disk" or CPUS != "1")
                 and re.search(
                     r"^The event loop of python\S* \(process \d+\) was held "
                     r"for .* \(no epoll_wait\)\.\n"
                     r" +python\S* ran its own code", lines, re.M), lines)
    expect_close("held: as the program's own clock", held.get("ns", 0),
                 measured("held")["held"])


def judge_straggler(result):
    last = result.get("last_worker", {})
    judge.expect("straggler: the last worker of three is named",
                 last.get("workers") == 3 and last["pid"] != result["pid"]
                 and last["sentence"].split(":")[0] in
                 explain("straggler"), last,
                 explain("straggler"))
    judge.expect("straggler: that its parent ended the pool is no crash",
                 "was ended by" not in "\n".join(
                     explain("straggler").splitlines()[:FIRST_LINES]),
                 explain("straggler"))
    expect_close("straggler: as the program's own clock", last.get("ns", 0),
                 measured("straggler")["alone"])


for name in CASES:
    explained = json.loads(explain(name, "--format=json"))
    judge.expect(f"{name}: the causes add up to the wall time",
                 sum(c["ns"] for c in explained["causes"])
                 == explained["wall_ns"] and explained["ended"],
                 explained["wall_ns"])
    errors = [error.message for error in validator.iter_errors(explained)]
    judge.expect(f"{name}: JSON is as its schema", not errors, errors[:3])
    globals()[f"judge_{name}"](explained)
judge.end()
