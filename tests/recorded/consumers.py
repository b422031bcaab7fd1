#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exports have the numbers of report --flat and sql, also when the tools that
they are made for read them: go tool pprof, gprof, callgrind_annotate,
flamegraph.pl, sqlite3, babeltrace2, pandas, and from npm speedscope, duckdb and
Firefox Profiler, if they are installed. npm's packages are expected in NODE_PATH;
with KTRACE_FULL they are installed into a temporary folder.

    consumers.py PROGRAM RECORDING RECORDING_WITH_ATTRIBUTION

With KTRACE_FULL every check reads both recordings, otherwise those of other
times than on CPUs read the second, and all others the first.
"""
import collections
import csv
import gzip
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import formats
import spans

HERE = os.path.dirname(os.path.realpath(__file__))
PACKAGES = ("speedscope", "@duckdb/node-api", "@firefox-devtools/profiler-cli")
# Programs of tests/recorded/windows_guest.sh.
PROGRAMS = ("ls", "sort", "tar", "cat", "wc")
# Slices of which speedscope can sort each in the time of a test.
SHORTEST = "5us"
CALLS = """SELECT count(*) AS calls, sum(wall_ns) AS wall_ns,
    sum(on_cpu_ns) AS on_cpu_ns FROM {}"""
QUERY_DUCKDB = """
const { DuckDBInstance } = require("@duckdb/node-api");
(async () => {
    const database = await DuckDBInstance.create(":memory:");
    const reader = await (await database.connect()).runAndReadAll(
        process.argv[1]);
    console.log(JSON.stringify(reader.getRowObjectsJson()[0]));
})();
"""

# Debian's package libdevel-nytprof-perl has the script.
FLAMEGRAPH_PL = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"

OFF_CPU = ("[runnable]", "[asleep]", "[not asked for]", "[guest]")


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


class Reader:
    def __init__(self, program, recording, folder):
        self.program, self.recording = program, recording
        self.folder = folder

    def export(self, form, *options, suffix=""):
        path = os.path.join(self.folder, form + suffix)
        run(self.program, "export", f"--format={form}", "-i", self.recording,
            "-o", path, *options)
        return path

    def flat_rows(self, *options):
        text = run(self.program, "report", "--flat", "--format=csv", "-i",
                   self.recording, *options)
        return csv.DictReader(text.splitlines())

    def flat(self):
        return {row["function"]: row for row in self.flat_rows()}

    def flat_of_processes(self):
        """Like flat(), but the sums of all processes. Profiles of processes
        charge an interrupt to the process that it was for, also one that
        interrupted the idle loop, which the other profile leaves out."""
        rows = {}
        for row in self.flat_rows("--by=process"):
            name = re.sub(r"^(?:-?\d+|\[\w+\])[ku]:", "",
                          row["function"], count=1)
            have = rows.setdefault(name, collections.Counter())
            have.update(calls=int(row["calls"]), self_ns=int(row["self_ns"]))
        return rows

    def folded(self, *options):
        """Returns the time of each innermost frame."""
        times = collections.Counter()
        for line in run(self.program, "flamegraph", "--folded", "-i",
                        self.recording, *options).splitlines():
            stack, time_ns = line.rsplit(" ", 1)
            leaf = stack.split(";")[-1]
            # A process alone has the time outside of functions.
            leaf = leaf if ";" in stack else "[unknown]"
            times[re.sub(r"^-?\d+[ku]:", "", leaf)] += int(time_ns)
        return times


def number(data, at):
    """Returns a varint of the protocol buffers' encoding, and its end."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = number(data, at)
        assert key & 7 in (0, 2), key
        value, at = number(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        assert at <= len(data)
        yield key >> 3, value


def numbers(data):
    at = 0
    while at < len(data):
        value, at = number(data, at)
        yield value


def read_pprof(path):
    """Returns the names of the values, and (functions from the innermost on,
    values, labels) of each sample."""
    with gzip.open(path) as file:
        parts = collections.defaultdict(list)
        for field, value in fields(file.read()):
            parts[field].append(value)
    strings = [text.decode() for text in parts[6]]
    assert strings[0] == ""
    functions = {}
    for message in parts[5]:
        about = dict(fields(message))
        functions[about[1]] = strings[about[2]]
    places = {}
    for message in parts[4]:
        about = dict(fields(message))
        places[about[1]] = functions[dict(fields(about[4]))[1]]
    samples = []
    for message in parts[2]:
        labels = {}
        for field, value in fields(message):
            if field == 1:
                stack = [places[place] for place in numbers(value)]
            elif field == 2:
                values = list(numbers(value))
            else:
                label = dict(fields(value))
                labels[strings[label[1]]] = (strings[label[2]] if 2 in label
                                             else label[3])
        samples.append((stack, values, labels))
    types = [strings[dict(fields(message))[1]] for message in parts[1]]
    return types, samples


def check_pprof(reader, flat):
    types, samples = read_pprof(reader.export("pprof"))
    assert types == ["calls", "cpu"], types
    calls, times = collections.Counter(), collections.Counter()
    for stack, values, labels in samples:
        calls[stack[0]] += values[0]
        times[stack[0]] += values[1]
        assert labels["process"].endswith(f"-{labels['pid']}"), labels
    for name, row in flat.items():
        assert calls[name] == int(row["calls"]), (name, calls[name], row)
        assert times[name] == int(row["self_ns"]), (name, times[name], row)


def check_wall(reader):
    """States are the innermost frames, with values of their own."""
    types, samples = read_pprof(reader.export("pprof", "--wall"))
    assert types == ["calls", "cpu", "wall", "asleep", "runnable"], types
    wall, states = collections.Counter(), collections.Counter()
    for stack, values, _ in samples:
        wall[stack[0]] += values[2]
        states["cpu"] += values[1]
        states["[asleep]"] += values[3]
        states["[runnable]"] += values[4]
    wanted = reader.folded("--wall")
    assert wall == wanted, (wall - wanted, wanted - wall)
    assert wanted["[asleep]"] and states["[asleep]"] == wanted["[asleep]"]
    assert states["[runnable]"] == wanted["[runnable]"]
    on_cpu = sum(time_ns for name, time_ns in wanted.items()
                 if name not in OFF_CPU and not name.startswith("[unknown:"))
    assert on_cpu == states["cpu"], (on_cpu, states)


def check_speedscope(reader, flat):
    with open(reader.export("speedscope"), encoding="utf-8") as file:
        profile = json.load(file)
    frames = [frame["name"] for frame in profile["shared"]["frames"]]
    times = collections.Counter()
    for process in profile["profiles"]:
        assert process["type"] == "sampled"
        assert process["unit"] == "nanoseconds"
        assert len(process["samples"]) == len(process["weights"])
        assert sum(process["weights"]) == process["endValue"]
        for stack, time_ns in zip(process["samples"], process["weights"]):
            times[frames[stack[-1]]] += time_ns
    for name, row in flat.items():
        assert times[name] == int(row["self_ns"]), (name, row)


def top(flat):
    return sorted(((int(row["self_ns"]), name) for name, row in flat.items()),
                  reverse=True)[:10]


def check_go(reader, flat):
    if not shutil.which("go"):
        print("skipped: go tool pprof is not installed")
        return
    text = run("go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=10",
               reader.export("pprof"))
    found = re.findall(r"^ *([\d.]+)ns +[\d.]+% +[\d.]+% +[\d.]+ns +[\d.]+%  "
                       r"(.*)$", text, re.M)
    assert [(int(float(time_ns)), name) for time_ns, name in found] == \
        top(flat), (found, top(flat))


def check_callgrind(reader, flat):
    path = reader.export("callgrind")
    if not shutil.which("callgrind_annotate"):
        print("skipped: callgrind_annotate is not installed")
        return
    own = subprocess.run(("callgrind_annotate", path), check=True, text=True,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT).stdout
    whole = run("callgrind_annotate", "--inclusive=yes", path)
    assert "malformed" not in own, own
    pattern = r"^ *([\d,]+) \([ \d.]+%\)  \S+:(\S+) \[.*\]$"
    rows = [(int(time_ns.replace(",", "")), name)
            for time_ns, name in re.findall(pattern, own, re.M)]
    assert rows[:10] == top(flat), (rows[:10], top(flat))
    # Recursive functions are excepted: their time is in several pairs. What
    # called the functions without a known caller is no function.
    found = dict((name, int(time_ns.replace(",", "")))
                 for time_ns, name in re.findall(pattern, whole, re.M))
    found.pop("[unseen]")
    for name, time_ns in found.items():
        assert time_ns >= int(flat[name]["total_ns"]), (name, time_ns)
    same = [name for name in found
            if found[name] == int(flat[name]["total_ns"])]
    assert len(same) > 0.9 * len(found), (len(same), len(found))


def check_flamegraph_pl(reader):
    """Each function's frames have the time of the stacks that start with them;
    the script splits some frames, because it sorts whole lines."""
    if not os.path.exists(FLAMEGRAPH_PL):
        print("skipped: flamegraph.pl is not installed")
        return
    path = os.path.join(reader.folder, "folded")
    run(reader.program, "flamegraph", "--folded", "-i", reader.recording, "-o",
        path)
    wanted, found = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, time_ns = line.rsplit(" ", 1)
            for name in ("all", *stack.split(";")):
                wanted[name] += int(time_ns)
    for name, time_ns in re.findall(
            r"<title>(.*) \(([\d,]+) ns, [\d.]+%\)</title>",
            run("perl", FLAMEGRAPH_PL, "--countname", "ns", "--minwidth", "0",
                path)):
        found[html.unescape(name)] += int(time_ns.replace(",", ""))
    assert found == wanted and wanted["all"], (found - wanted, wanted - found)


def check_sqlite3(reader):
    if not shutil.which("sqlite3"):
        print("skipped: sqlite3 is not installed")
        return
    wanted = json.loads(run(
        reader.program, "sql", "-i", reader.recording, "--format=ndjson",
        CALLS.format("call")))
    found = json.loads(run("sqlite3", "-json", reader.export("sqlite"),
                           CALLS.format("call")))
    assert found == [wanted], (found, wanted)


def check_firefox(reader):
    """Samples have the own times of all functions; markers are the system calls
    and sleeps of sql."""
    path = reader.export("firefox", "--min-duration", "0", suffix=".json.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        # Milliseconds with six decimals, as nanoseconds.
        profile = json.load(file, parse_float=lambda text:
                            int(text.replace(".", "")))
    shared, meta = profile["shared"], profile["meta"]
    for table in shared.values():
        if isinstance(table, dict):
            assert all(len(column) == table["length"] for name, column in
                       table.items() if name != "length"), table
    names = [shared["stringArray"][shared["funcTable"]["name"][function]]
             for function in shared["frameTable"]["func"]]
    categories = [row["name"] for row in meta["categories"]]
    times, markers = collections.Counter(), collections.Counter()
    for thread in profile["threads"]:
        samples, marks = thread["samples"], thread["markers"]
        assert samples["time"] == sorted(samples["time"]), thread["name"]
        for stack, weight in zip(samples["stack"], samples["weight"],
                                 strict=True):
            if stack is not None:
                times[names[shared["stackTable"]["frame"][stack]]] += weight
        for category, name, begin, end in zip(
                marks["category"], marks["name"], marks["startTime"],
                marks["endTime"], strict=True):
            if shared["stringArray"][name] not in ("wakes", "runnable"):
                markers[categories[category], "n"] += 1
                markers[categories[category], "ns"] += end - begin
    for row in reader.flat_rows("--with-idle", "--with-tracer"):
        name = row["function"]
        assert times[name] == int(row["self_ns"]), (row, times[name])
    for what, query in (
            ("System call", "count(*) AS n, sum(wall_ns) AS ns FROM syscall"),
            ("Sleep", "count(*) AS n, sum(asleep_ns) AS ns FROM sleep")):
        wanted = json.loads(run(
            reader.program, "sql", "-i", reader.recording, "--format=ndjson",
            "SELECT " + query))
        found = {name: markers[what, name] for name in wanted}
        assert wanted["n"] and found == wanted, (what, wanted, found)


def one_row(reader, query):
    return json.loads(run(reader.program, "sql", "-i", reader.recording,
                          "--format=ndjson", query))


def ctf_events(path):
    """Yields time, name and edge ("entry", "exit" or None) of each event, as
    babeltrace2 prints it."""
    last_ns = 0
    with subprocess.Popen(
            ["babeltrace2", "--clock-cycles", path], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
        for line in tool.stdout:
            at_ns, name = re.match(r"\[ *(\d+)\] \([+?.\d]+\) ([\w?]+):",
                                   line).groups()
            assert int(at_ns) >= last_ns, line
            last_ns = int(at_ns)
            yield last_ns, *re.match(r"(\w+?)(?:_(entry|exit)(?:_.*)?)?$",
                                     name).groups()
        assert not tool.stderr.read() and tool.wait() == 0


def check_ctf(reader, shortest_ns):
    """babeltrace2 finds the calls, system calls, sleeps, wake-ups and switches
    of sql, and the durations of system calls and sleeps. Shorter ones are left
    out of large recordings: it needs 10 us for an event."""
    if not shutil.which("babeltrace2"):
        print("skipped: babeltrace2 is not installed")
        return
    shortest = ("--min-duration", f"{shortest_ns}ns")
    counts, sums = collections.Counter(), collections.Counter()
    for time_ns, name, edge in ctf_events(reader.export("ctf", *shortest)):
        counts[name, edge] += 1
        sums[name] += {"entry": -time_ns, "exit": time_ns}.get(edge, 0)
    calls = one_row(reader, "SELECT count(*) AS n, sum(wall_ns) AS ns "
                            f"FROM syscall WHERE wall_ns >= {shortest_ns}")
    sleeps = one_row(reader, "SELECT count(*) AS n, sum(asleep_ns) AS ns FROM "
                             "sleep WHERE asleep_ns + runnable_ns >= "
                             f"{shortest_ns}")
    for name, wanted in (("syscall", calls), ("sleep", sleeps)):
        assert counts[name, "entry"] == counts[name, "exit"] == wanted["n"]
        assert wanted["n"] and sums[name] == wanted["ns"], (name, wanted)
    wakeups = one_row(reader, "SELECT count(*) AS n FROM wakeup")["n"]
    assert counts["sched_waking", None] + counts["sched_wakeup_new", None] \
        == wakeups, (counts, wakeups)
    steps = collections.Counter(row["event"] for row in csv.DictReader(
        run(reader.program, "export", "--format=csv", "-i", reader.recording,
            *shortest).splitlines()))
    for event, found in (("enter", ("func", "entry")),
                         ("exit", ("func", "exit"))):
        assert counts[found] == steps[event], (event, counts[found], steps)
    assert 0 < counts["sched_switch", None] <= steps["switch"] + steps["end"]


class FirefoxProfiler:
    """Firefox Profiler's command-line interface. Its daemon loads the profile;
    the command "load" starts one too, but gives it only half a second."""

    def __init__(self, packages, folder, path):
        self.command = os.path.join(packages, ".bin", "profiler-cli")
        self.settings = {**os.environ, "PROFILER_CLI_SESSION_DIR":
                         os.path.join(folder, "session")}
        self.daemon = subprocess.Popen(
            (self.command, "--daemon", path, "--session", "test"),
            env=self.settings, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def call(self, *words):
        return subprocess.run(
            (self.command, *words, "--json", "--session", "test"), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.settings,
            check=False)

    def ask(self, *words):
        done = self.call(*words)
        assert not done.returncode, done.stderr
        return json.loads(done.stdout)

    def threads(self):
        """Returns the threads, when the profile is loaded."""
        end_s = time.monotonic() + 300
        while self.daemon.poll() is None and time.monotonic() < end_s:
            done = self.call("thread", "list")
            if not done.returncode:
                return json.loads(done.stdout)["threads"]
            time.sleep(0.5)
        raise AssertionError(f"Firefox Profiler has not loaded it: {done}")

    def close(self):
        self.daemon.terminate()
        self.daemon.wait()


def check_firefox_profiler(reader, packages):
    """Firefox Profiler's own importer, which its command-line interface has,
    finds the own times of all functions, so also the ten leading ones."""
    times = collections.Counter()
    profiler = FirefoxProfiler(
        packages, reader.folder,
        reader.export("firefox", "--min-duration", "0", suffix=".json.gz"))
    try:
        for thread in profiler.threads():
            for row in profiler.ask(
                    "thread", "functions", "--include-idle", "--limit", "0",
                    "--thread", thread["threadHandle"])["functions"]:
                times[row["name"]] += round(row["selfSamples"] * 1e6)
    finally:
        profiler.close()
    rows = list(reader.flat_rows("--with-idle", "--with-tracer"))
    for row in rows:
        assert times[row["function"]] == int(row["self_ns"]), \
            (row, times[row["function"]])
    ten = [row["function"] for row in rows[:10]]
    assert sorted(ten) == sorted(name for name, _ in times.most_common(10))


def check_perf_sched(reader):
    """perf sched sees each program's switches, by record --events=switches.
    Other tasks switch before the event is enabled."""
    if not shutil.which("perf"):
        print("skipped: perf is not installed")
        return
    text = run(reader.program, "export", "--format=csv", "-i", reader.recording)
    rows = [row for row in csv.DictReader(text.splitlines())
            if row["event"] == "leave"]
    threads = {row["tid"] for row in rows if row["comm"] in PROGRAMS}
    wanted = collections.Counter(
        row["tid"] for row in rows if row["tid"] in threads)
    text = run("perf", "sched", "timehist", "-i", reader.recording)
    found = collections.Counter(re.findall(
        r"^ *[\d.]+ +\[\d+\] +.*\[(\d+)(?:/\d+)?\] +[\d.]+ ", text, re.M))
    assert wanted, "no program ran"
    for tid, count in wanted.items():
        assert found[tid] == count, (tid, count, found[tid])


def node_modules(folder, packages=PACKAGES):
    """Returns the folder of npm's packages, or None with a message."""
    if not shutil.which("node"):
        print("skipped:", " and ".join(packages), "need node")
        return None
    if os.environ.get("KTRACE_FULL") and shutil.which("npm"):
        subprocess.run(["npm", "install", "--silent", "--prefix", folder,
                        *packages], check=False)
        candidates = [os.path.join(folder, "node_modules")]
    else:
        candidates = os.environ.get("NODE_PATH", "").split(":")
    for path in candidates:
        if all(os.path.isdir(os.path.join(path, name)) for name in packages):
            return path
    print("skipped: NODE_PATH has no", " and ".join(packages))
    return None


def speedscope_sums(packages, path):
    """Returns the own time of each frame by profile, in ns."""
    found = json.loads(run("node", os.path.join(HERE, "speedscope.js"),
                           packages, path))
    assert not found["warnings"], found["warnings"][:3]
    factors = {"microseconds": 1000, "nanoseconds": 1}
    return {profile["name"]: {
        name: round(value * factors[profile["unit"]])
        for name, value in profile["own"].items()}
            for profile in found["profiles"]}


def check_speedscope_imports(reader, flat, packages):
    times = collections.Counter()
    path = reader.export("speedscope", suffix=".gz")
    for own in speedscope_sums(packages, path).values():
        times.update(own)
    for name, row in flat.items():
        assert times[name] == int(row["self_ns"]), (name, row)


def own_times(track):
    """Returns the own time of each name of a track's nested spans, listed by
    their ends: of equal ones the last is the outermost."""
    edges = sorted(((begin, -end, name) for name, begin, end in
                    reversed(track)), key=lambda edge: edge[:2])
    times, stack = collections.Counter(), []
    for begin, end, name in edges:
        while stack and stack[-1][0] <= begin:
            stack.pop()
        times[name] -= end + begin
        if stack:
            times[stack[-1][1]] += end + begin
        stack.append((-end, name))
    return times


def check_speedscope_chrome(reader, packages, *window):
    path = reader.export("chrome", "--functions-only", "--min-duration",
                         SHORTEST, *window)
    with open(path, encoding="utf-8") as file:
        tracks, _ = spans.of_chrome(file.read())
    imported = speedscope_sums(packages, path)
    assert tracks and len(imported) == len(tracks), (len(imported), len(tracks))
    wanted, found = collections.Counter(), collections.Counter()
    for track in tracks.values():
        wanted.update(own_times(track))
    for own in imported.values():
        found.update(own)
    for name, time_ns in wanted.items():
        # Its times are sums of floating-point microseconds.
        assert abs(found[name] - time_ns) <= 1000, (name, time_ns, found[name])


def middle(reader):
    """Returns the options of a window that cuts functions at both ends."""
    begin, end = (one_row(reader, f"SELECT {of}_ns AS ns FROM recording")["ns"]
                  for of in ("first", "last"))
    return [f"--{name}=@{at // 10 ** 9}.{at % 10 ** 9:09}" for name, at in
            (("since", begin + (end - begin) // 3),
             ("until", end - (end - begin) // 3))]


def check_ndjson(reader, packages):
    path = os.path.join(reader.folder, "call.ndjson.gz")
    run(reader.program, "sql", "-i", reader.recording, "--format=ndjson", "-o",
        path, "SELECT * FROM call")
    wanted = json.loads(run(
        reader.program, "sql", "-i", reader.recording, "--format=ndjson",
        CALLS.format("call")))
    assert wanted["calls"] > 100, wanted
    with gzip.open(path) as file:
        assert sum(1 for _ in file) == wanted["calls"]
    check_pandas(path, wanted)
    if not packages:
        return
    query = CALLS.format(f"read_json('{path}', format='newline_delimited')")
    found = json.loads(subprocess.run(
        ["node", "-e", QUERY_DUCKDB, query], check=True, text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "NODE_PATH": packages}).stdout)
    assert {name: int(value) for name, value in found.items()} == wanted, \
        (found, wanted)


QUERY_PANDAS = """
import json, sys, pandas
rows = pandas.read_json(sys.argv[1], lines=True)
print(json.dumps({"calls": len(rows), **{
    name: int(rows[name].sum()) for name in ("wall_ns", "on_cpu_ns")}}))
"""


def python_with_pandas():
    """Returns this interpreter, or Debian's, which has Debian's package."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                (python, "-c", "import pandas"), check=False,
                stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def check_pandas(path, wanted):
    python = python_with_pandas()
    if not python:
        print("skipped: pandas is not installed")
        return
    found = json.loads(run(python, "-c", QUERY_PANDAS, path))
    assert found == wanted, (found, wanted)


def check_recording(reader, packages, shortest_ns=0):
    flat = reader.flat()
    assert len(flat) > 100
    of_processes = reader.flat_of_processes()
    check_pprof(reader, of_processes)
    check_speedscope(reader, of_processes)
    check_go(reader, of_processes)
    check_callgrind(reader, flat)
    check_flamegraph_pl(reader)
    check_sqlite3(reader)
    check_firefox(reader)
    check_ctf(reader, shortest_ns)
    check_ndjson(reader, packages)
    if packages:
        check_speedscope_imports(reader, of_processes, packages)
        check_speedscope_chrome(reader, packages)
        check_speedscope_chrome(reader, packages, *middle(reader))
        check_firefox_profiler(reader, packages)


def main():
    program, recording, attribution = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        packages = node_modules(folder)
        parts = [os.path.join(folder, name) for name in ("one", "other")]
        for part in parts:
            os.mkdir(part)
        check_recording(Reader(program, recording, parts[0]), packages)
        other = Reader(program, attribution, parts[1])
        if os.environ.get("KTRACE_FULL"):
            check_recording(other, packages, 1000)
            check_perf_sched(other)
            formats.check_gmon(formats.Reader(program, attribution, parts[1]))
        check_wall(other)
    print("ok: exports, read by their tools")


if __name__ == "__main__":
    main()
