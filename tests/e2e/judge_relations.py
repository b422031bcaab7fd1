#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge_relations.py FOLDER x86_64|arm64 [scope]

Judges the recordings of attribution_relations.sh in FOLDER; with "scope" only the
parts that reports leave out.
"""
import collections
import csv
import json
import re
import sys

folder, arch, *parts = sys.argv[1:]
# Functions at which the kernel is entered, and prefixes of its system call
# functions.
ENTRY, CALL = {"x86_64": ("entry_SYSCALL_64", "__x64_sys_"),
               "arm64": ("el0t_64_sync", "__arm64_sys_")}[arch]
failures = 0


def check(case, good, detail=""):
    global failures
    failures += not good
    print(f"ok: {case}" if good else f"FAILED: {case}: {detail}")


def equal(case, wanted, got):
    check(case, wanted == got, f"{got!r} is not {wanted!r}")


def about(case, wanted, got, most):
    check(case, wanted <= got <= most, f"{got} is not {wanted} to {most}")


def text(name):
    return open(f"{folder}/{name}", encoding="utf-8").read()


def rows_of(name):
    return json.loads(text(name))


def table(name):
    return list(csv.DictReader(open(f"{folder}/{name}", encoding="utf-8")))


def sections(rows):
    found = collections.defaultdict(list)
    for row in rows:
        found[row["section"]].append(row)
    return found


def folded(name):
    for line in text(name).splitlines():
        path, time_ns = line.rsplit(" ", 1)
        yield path.split(";"), int(time_ns)


def sums(name):
    total = collections.Counter()
    for path, time_ns in folded(name):
        total[path[0]] += time_ns
    return total


def judge_between():
    found = sections(rows_of("between.json"))
    reached = found["reached"][0]
    equal("--between: calls", 41, found["calls"][0]["count"])
    equal("--between: times", 40, reached["count"])
    equal("--between: the call of another file", 1,
          found["never"][0]["count"])
    equal("--between: buckets hold all", 40,
          sum(row["count"] for row in found["bucket"]))
    equal("--between: paths hold all", (40, reached["total_ns"]),
          (sum(row["count"] for row in found["path"]),
           sum(row["total_ns"] for row in found["path"])))
    check("--between: paths lead from one to the other",
          all(row["name"].startswith(f"{CALL}preadv;") and
              row["name"].endswith(";filemap_read")
              for row in found["path"]), found["path"])
    check("--between: least, median, most",
          0 < reached["min_ns"] <= reached["median_ns"] <=
          reached["p99_ns"] <= reached["max_ns"], reached)


COUNTS = ["calls", "calls_direct", "calls_tail", "calls_async", "starts",
          "inferred", "self_ns", "total_ns"]


def numbers(row):
    return [int(row[name]) for name in COUNTS]


def judge_function():
    found = sections(rows_of("all.json"))
    flat = [row for row in table("flat.csv")
            if row["function"] == "filemap_read"]
    graph = table("callgraph.csv")
    equal("--function: as in --flat", numbers(flat[0]),
          numbers(found["function"][0]))
    for section, mine, other in (("caller", "function", "caller"),
                                 ("callee", "caller", "function")):
        equal(f"--function: {section}s as in --callgraph",
              sorted((row[other], numbers(row)) for row in graph
                     if row[mine] == "filemap_read"),
              sorted((row["name"], numbers(row)) for row in found[section]))


def self_ns(name):
    return sum(int(row["self_ns"]) for row in table(name))


def duration(ns):
    """Returns a time in the form of reports: three digits in a suitable
    unit."""
    for size, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "us")):
        if ns >= size - size // 2000:
            decimals = next((d for d in (2, 1) if round(ns / size, d) <
                             10**(3 - d)), 0)
            return f"{ns / size:.{decimals}f} {unit}"
    return f"{ns} ns" if ns else "0"


def judge_scope():
    """The idle loop and the tracer are left out, to the nanosecond."""
    said = text("scope.said")
    idle = self_ns("idle.csv") - self_ns("scope.csv")
    tracer = self_ns("tracer.csv")
    equal("--flat: says what it leaves out", [duration(idle), duration(tracer)],
          re.findall(r", ([\d.]+ \w+), ", said))
    left_out = re.search("^Left out: .*", said, re.M)
    check("--flat: its text says the same",
          left_out and left_out[0] in text("scope.txt"), said)
    equal("--flat: what is shown and what is not are all",
          self_ns("whole.csv"), self_ns("scope.csv") + idle + tracer)
    names = {row["function"] for row in table("scope.csv")}
    check("--flat: no idle loop, nothing of perf's",
          not names & {"do_idle", "default_idle"} and
          not [name for name in names if name.startswith("perf_")], names)
    check("--flat: interrupts of the idle loop are there",
          [row for row in table("scope.csv") if int(row["calls_async"])])
    check("--tracer: the handlers of events",
          any(row["function"].startswith("perf_trace_")
              for row in table("tracer.csv")))
    shown = rows_of("scope.json")["threads"]
    whole = rows_of("summary.json")["threads"]
    recorder = [row for row in whole if row["comm"] == "ktrace-hw"]
    check("--threads: the recorder is left out", recorder and
          [row for row in whole if row not in recorder] == shown, recorder)
    busy = sum(row[name] for row in recorder for name in (
        "system_call_ns", "fault_ns", "reclaim_ns", "kernel_ns", "tracer_ns",
        "interrupt_benefited_ns", "interrupt_stolen_ns"))
    check("--threads: says for how long it was traced",
          f"traced for {duration(busy)} " in text("recorder.said"),
          (busy, text("recorder.said")))
    check("--threads: the tracer's time in the threads",
          all(row["tracer_ns"] >= row["recorder_wait"] for row in shown) and
          sum(row["tracer_ns"] for row in shown) > 0)


def judge_scope_of_others():
    """Call graph, flame graph and sleeps leave out the same parts as
    --flat."""
    shown, whole = (sum(time_ns for _, time_ns in folded(f"{name}_flame.txt"))
                    for name in ("scope", "whole"))
    equal("flamegraph: leaves out what --flat does",
          (self_ns("scope.csv"), self_ns("whole.csv")), (shown, whole))
    equal("--callgraph: leaves out what --flat does", self_ns("scope.csv"),
          self_ns("callgraph_scope.csv"))
    names = {name for path, _ in folded("scope_flame.txt") for name in path}
    check("flamegraph: no idle loop, nothing of perf's",
          names and not names & {"do_idle", "default_idle"} and
          not [name for name in names if name.startswith("perf_")])
    found, everybody = (table(f"{name}.csv")
                        for name in ("sleeps", "sleeps_whole"))
    check("--sleeps: the recorder is left out, --with-tracer shows it",
          found and not [row for row in found if row["comm"] == "ktrace-hw"]
          and [row for row in everybody if row["comm"] == "ktrace-hw"])
    hidden = [row for row in everybody if row not in found and
              row["comm"] != "ktrace-hw"]
    said = re.search(r"(\d+) times, .*--with-idle", text("sleeps.said"))
    equal("--sleeps: says how many of kernel threads it leaves out",
          sum(int(row["count"]) + int(row["cut"]) for row in hidden),
          said and int(said.group(1)))


def judge_slow_calls():
    found = sections(rows_of("pipe.json"))
    slow = found["slow_call"]
    equal("--function: calls seen whole", 20, found["time"][0]["calls"])
    for i in (0, 1):
        about("--function: the two that wait", 19_900_000,
              slow[i]["wall_ns"], 40_000_000)
    about("--function: the others", 1, slow[2]["wall_ns"], 1_000_000)
    classes = {row["name"]: row for row in found["class"]}
    equal("--function: the slow ones", 2, classes["slow"]["calls"])
    waits = [row for row in found["difference"] if row["name"] == "schedule"]
    about("--function: they sleep in schedule", 19_900_000,
          sum(row["off_cpu_ns"] for row in waits), 40_000_000)
    equal("--function: typical ones do not", 0,
          sum(row["typical_off_cpu_ns"] for row in waits))


def judge_wall(case, summary, wall_name, off_name=None):
    wall = sums(wall_name)
    off = sums(off_name) if off_name else None
    processes = rows_of(summary)["processes"]
    check(f"{case}: there are processes", len(processes) >= 2, processes)
    for process in processes:
        name = f"{process['comm']}-{process['pid']}"
        equal(f"{case}: {name}", process["wall_ns"], wall[name])
        if off:
            equal(f"{case}: {name} off CPUs",
                  process["asleep_ns"] + process["runnable_ns"] +
                  process["recorder_wait"], off[name])
    return sum(process["wall_ns"] for process in processes)


def judge_busy():
    """Without --with-idle, only sleeps in which kernel threads wait for work are
    left out: not of programs, and not the work of kernel threads."""
    whole, busy = sums("wall.txt"), sums("busy.txt")
    idle = {name for name, time_ns in whole.items() if time_ns != busy[name]}
    # The programs are sh and relations.
    kernel = {name for name in whole
              if not name.startswith(("relations-", "sh-", "ktrace-hw-"))}
    check("--wall: kernel threads that wait are left out", idle, whole)
    check("--wall: only these are left out", idle <= kernel, idle - kernel)
    work = [(path, time_ns) for path, time_ns in folded("wall.txt")
            if path[-1] != "[asleep]"]
    equal("--wall: work is left", sorted(work),
          sorted((path, time_ns) for path, time_ns in folded("busy.txt")
                 if path[-1] != "[asleep]"))


def judge_flames():
    judge_busy()
    whole_ns = judge_wall("--wall", "summary.json", "wall.txt", "off.txt")
    svg = text("wall.svg")
    equal("--wall: the drawing's whole", [str(whole_ns)],
          re.findall(r'data-all="(\d+)"', svg))
    check("--wall: a legend", svg.count('class="legend"') == 4 + 5)
    asleep = sum(time_ns for path, time_ns in folded("wall.txt")
                 if path[0].startswith("relations-") and
                 any("clock_nanosleep" in frame for frame in path) and
                 path[-1] == "[asleep]")
    # The two children's 20 ms and the program's own 50.
    about("--wall: sleep is where it slept", 90_000_000, asleep, 91_000_000)


def is_unnamed(function):
    """Whether the function is of the C library and has no symbol."""
    return function.startswith(("u:[libc.so.6+", "u:libc.so.6+"))


def chain(names):
    """Returns whether a path has these names in this order."""
    return ".*;".join(rf"\d+{name}(?=;|$)" for name in names)


def judge_border():
    paths = [";".join(path) for path, _ in folded("border.txt")]
    for case, names in (
            ("main, work, read, the kernel",
             ["u:main", "u:work", "u:read", f"k:{ENTRY}",
              "k:vfs_read"]),
            ("main, read, its function",
             ["u:main", "u:read", f"k:{CALL}read"]),
            ("a handler on top of what was interrupted",
             ["u:main", "u:raise", "u:handler", "u:in_handler",
              "u:sleep_ms", f"k:{ENTRY}"]),
            ("a thread begins anew",
             ["u:in_thread", "u:work", "u:read", "k:vfs_read"])):
        check(f"border: {case}", any(re.search(chain(names), path)
                                     for path in paths))
    check("border: nothing below what longjmp left",
          not any(re.search(r"u:descend;.*u:after_jump", path)
                  for path in paths))
    arcs = collections.Counter()
    for row in table("border.csv"):
        caller, function = (re.sub(r"^\d+", "", row[name])
                            for name in ("caller", "function"))
        arcs[caller, function] += int(row["calls"])
    # In the program, its thread and its child.
    equal("border: reads by work", 10, arcs["u:work", "u:read"])
    # The C library may call functions without names in between: arm64's if
    # there are threads, and every one since glibc 2.41.
    inner = sum(count for (caller, function), count in arcs.items()
                if caller == "u:read" and is_unnamed(function))
    if inner:
        check("border: read calls the C library's function", inner >= 10, inner)
    else:
        equal("border: system calls by read", 10,
              arcs["u:read", f"k:{ENTRY}"])
    equal("border: descend calls itself", 4, arcs["u:descend", "u:descend"])
    equal("border: handlers", 3, sum(
        count for (_, function), count in arcs.items()
        if function == "u:handler"))
    equal("border: after the jump", 1, sum(
        count for (caller, function), count in arcs.items()
        if function == "u:after_jump" and "descend" not in caller))
    gaps = [cpu["gaps"] for cpu in rows_of("border.json")["cpus"]]
    equal("border: no gaps, also in the vdso", [0] * len(gaps), gaps)
    judge_wall("border --wall", "border.json", "border_wall.txt")


def judge_gprof():
    """Each line after the one that gprof marks is a callee."""
    callees = collections.defaultdict(set)
    current = None
    for line in text("gprof.txt").splitlines():
        name = re.search(r"(\d+[uk]:\S+|\[unseen\])", line)
        if line.startswith("---"):
            current = None
        elif line.startswith("[") and name:
            current = name.group(1)
        elif current and name:
            callees[current].add(name.group(1))
    main = next((name for name in callees if name.endswith("u:main")), "")
    process = main.split("u:")[0]
    reached, waiting = set(), [main]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += callees[name]
    check("gprof: main calls work", f"{process}u:work" in callees[main],
          callees[main])
    check("gprof: work calls read",
          f"{process}u:read" in callees[f"{process}u:work"])
    entering = set()
    waiting = [f"{process}u:read"]
    while waiting:
        for name in callees[waiting.pop()] - entering:
            entering.add(name)
            if is_unnamed(name.removeprefix(process)):
                waiting.append(name)
    check("gprof: read enters the kernel", f"{process}k:{ENTRY}" in entering,
          entering)
    check("gprof: main leads to the system call",
          f"{process}k:{CALL}read" in reached)


def judge_flat():
    """Compares gprof's flat profile with ours: read() by main and by its
    thread."""
    gprof = collections.Counter()
    for line in text("gprof_flat.txt").splitlines():
        fields = line.split()
        if len(fields) == 7 and re.match(r"[0-9.]+$", fields[0]):
            gprof[fields[6]] += int(fields[3])
    ours = collections.Counter()
    for row in table("border_flat.csv"):
        ours[row["function"]] += int(row["calls"])
    process = next(name for name in ours
                   if name.endswith("u:main")).split("u:")[0]
    for name, calls in (("u:work", 2), ("u:read", 8), ("u:in_handler", 3),
                        ("u:after_jump", 1)):
        equal(f"flat: calls of {name}, and gprof's", (calls, calls),
              (ours[process + name], gprof[process + name]))
    # The loader and libc also call read().
    name = f"{process}k:{CALL}read"
    about(f"flat: calls of {name}", 8, ours[name], 20)
    equal(f"flat: gprof's calls of {name}", ours[name], gprof[name])


def judge_sites(name, has_faults=True):
    sites = rows_of(name)
    sleeps = collections.Counter()
    times = collections.Counter()
    for site in sites:
        if site["entry"] == "clock_nanosleep":
            sleeps[site["caller"]] += site["count"]
            times[site["caller"]] += site["asleep_ns"]
    equal(f"{name}: sleeps", {"sleep_ms": 5}, dict(sleeps))
    about(f"{name}: their time", 35_000_000, times["sleep_ms"], 36_000_000)
    if has_faults:
        equal(f"{name}: page faults", 16,
              sum(site["count"] for site in sites
                  if site["entry"] == "page_fault" and
                  site["function"] == "touch"))
    check(f"{name}: the line that sleeps",
          all(site["caller_line"].rsplit("/", 1)[-1].startswith(
              "relations.c:") for site in sites
              if site["entry"] == "clock_nanosleep"), sites)


# Copying the recorder's own stacks would make it write more, which would be
# recorded again.
def judge_recorder():
    written = [site for site in rows_of("recorder.json")
               if site["entry"] == "pwritev"]
    check("recorder.json: its writes are recorded",
          sum(site["count"] for site in written) > 0, written)
    check("recorder.json: without stacks",
          not any(site["function"] for site in written), written)


judge_scope()
judge_scope_of_others()
if not parts:
    judge_between()
    judge_function()
    judge_slow_calls()
    judge_flames()
    judge_border()
    judge_gprof()
    judge_flat()
    judge_sites("sites.json")
    # Arm's kernels have no event with the address of a page fault.
    judge_sites("stacks.json", arch == "x86_64")
    judge_recorder()
sys.exit(failures != 0)
