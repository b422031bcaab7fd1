#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exports have the numbers of report --flat and sql, also when the tools that
they are made for read them: CONSUMERS has one line for each. Tools that are
missing are skipped. npm's packages are expected in NODE_PATH; with KTRACE_FULL
they are installed into a temporary folder.

    consumers.py PROGRAM RECORDING...

One line for each consumer and recording has the counts and sums that the consumer
printed and that are also ours. With KTRACE_FULL every consumer reads each recording,
otherwise only the last, and times off the CPUs need its attribution.
"""
import collections
import csv
import functools
import gzip
import html
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import formats
import perfetto
import spans

HERE = os.path.dirname(os.path.realpath(__file__))
PACKAGES = ("speedscope", "@duckdb/node-api", "@firefox-devtools/profiler-cli",
            "d3-flame-graph", "d3-selection", "jsdom")
# Programs of tests/recorded/windows_guest.sh.
PROGRAMS = ("ls", "sort", "tar", "cat", "wc")
# As many calls as babeltrace2, protoc and speedscope read in the time of a test:
# exports of slices leave out shorter ones.
MOST_CALLS = 200_000
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
    # perf prints threads' names as they are, which may be no UTF-8.
    return subprocess.run(words, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True,
                          errors="backslashreplace").stdout


class Skipped(Exception):
    """A consumer cannot be run here, and why."""


class Reader:
    def __init__(self, program, recording, folder, packages):
        self.program, self.recording = program, recording
        self.folder, self.packages = folder, packages

    def export(self, form, *options, suffix=""):
        path = os.path.join(self.folder, form + suffix)
        run(self.program, "export", f"--format={form}", "-i", self.recording,
            "-o", path, *options)
        return path

    def flat_rows(self, *options):
        text = run(self.program, "report", "--flat", "--format=csv", "-i",
                   self.recording, *options)
        return csv.DictReader(text.splitlines())

    def flat_by_name(self, *options):
        """Returns the sums of the functions of each name: consumers find
        functions of several files by their names only."""
        rows = collections.defaultdict(collections.Counter)
        for row in self.flat_rows(*options):
            rows[row["function"]].update(
                {name: int(row[name])
                 for name in ("calls", "self_ns", "total_ns")})
        assert len(rows) > 100, rows
        return rows

    @functools.cached_property
    def flat(self):
        return self.flat_by_name()

    def rows(self, query):
        return [json.loads(line) for line in run(
            self.program, "sql", "-i", self.recording, "--format=ndjson",
            query).splitlines()]

    def row(self, query):
        """Returns the only row of a query in SQL."""
        row, = self.rows(query)
        return row

    @functools.cached_property
    def shortest_ns(self):
        """The duration of the shortest of MOST_CALLS calls, 0 if there are less."""
        return self.row(f"""SELECT coalesce((SELECT wall_ns FROM call
            ORDER BY wall_ns DESC LIMIT 1 OFFSET {MOST_CALLS}), 0) AS ns""")["ns"]

    @property
    def shortest(self):
        return "--min-duration", f"{self.shortest_ns}ns"

    @functools.cached_property
    def events(self):
        """Returns the number of events of each kind in the timeline of slices
        that are not shorter than shortest_ns, and the sum of the functions'
        times under "ns"."""
        events = collections.Counter()
        with subprocess.Popen(
                (self.program, "export", "-q", "--format=csv", "-i",
                 self.recording, *self.shortest), text=True,
                stdout=subprocess.PIPE) as tool:
            for row in csv.DictReader(tool.stdout):
                events[row["event"]] += 1
                if row["event"] in ("enter", "exit"):
                    time_ns = int(row["time_ns"])
                    events["ns"] += time_ns if row["event"] == "exit" \
                        else -time_ns
        assert events["enter"] == events["exit"] > 1000, events
        return events

    @functools.cached_property
    def syscalls(self):
        """Returns the number and sum of system calls, by the same limit."""
        row = self.row("SELECT count(*) AS n, sum(wall_ns) AS ns FROM syscall "
                       f"WHERE wall_ns >= {self.shortest_ns}")
        assert row["n"], row
        return row

    @functools.cached_property
    def sleeps(self):
        row = self.row("SELECT count(*) AS n, sum(asleep_ns) AS ns FROM sleep "
                       f"WHERE asleep_ns + runnable_ns >= {self.shortest_ns}")
        assert row["n"], row
        return row

    @functools.cached_property
    def wakeups(self):
        return self.row("SELECT count(*) AS n FROM wakeup")["n"]

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


def check_pprof(reader):
    types, samples = read_pprof(reader.export("pprof"))
    assert types == ["calls", "cpu", "faults"], types
    calls, times, faults = (collections.Counter() for _ in range(3))
    for stack, values, labels in samples:
        calls[stack[0]] += values[0]
        times[stack[0]] += values[1]
        # The recorder and unknown tasks are left out, with their faults.
        if not labels["process"].startswith(("ktrace-hw", "unknown")):
            faults[labels["pid"]] += values[2]
            assert not values[2] or labels["cgroup"].startswith("/"), labels
        assert labels["process"] == "unknown" or \
            labels["process"].endswith(f"-{labels['pid']}"), labels
    for name, row in reader.flat.items():
        assert calls[name] == row["calls"], (name, calls[name], row)
        assert times[name] == row["self_ns"], (name, times[name], row)
    wanted = {row["pid"]: row["n"] for row in reader.rows("""SELECT pid,
        count(*) AS n FROM fault WHERE kind = 'page_fault' GROUP BY pid""")}
    assert faults.total() and \
        faults == {pid: wanted.get(pid, 0) for pid in faults}, (faults, wanted)
    return f"{len(times)} functions, {calls.total()} calls, {times.total()} " \
        f"ns, {faults.total()} page faults of programs"


def check_wall(reader):
    """States are the innermost frames, with values of their own."""
    types, samples = read_pprof(reader.export("pprof", "--wall"))
    assert types == ["calls", "cpu", "faults", "wall", "asleep", "runnable"], types
    wall, states = collections.Counter(), collections.Counter()
    for stack, values, _ in samples:
        # As a frame of folded stacks.
        wall[stack[0].replace(";", ":")] += values[3]
        states["cpu"] += values[1]
        states["[asleep]"] += values[4]
        states["[runnable]"] += values[5]
    wanted = reader.folded("--wall")
    assert wall == wanted, (wall - wanted, wanted - wall)
    assert wanted["[asleep]"] and states["[asleep]"] == wanted["[asleep]"]
    assert states["[runnable]"] == wanted["[runnable]"]
    on_cpu = sum(time_ns for name, time_ns in wanted.items()
                 if name not in OFF_CPU and not name.startswith("[unknown:"))
    assert on_cpu == states["cpu"], (on_cpu, states)
    return f"{states['cpu']} ns on CPUs, {states['[asleep]']} ns asleep"


def check_speedscope(reader):
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
    return compare_own_times(reader, times)


def compare_own_times(reader, times):
    for name, row in reader.flat.items():
        assert times[name] == row["self_ns"], (name, times[name], row)
    return f"{len(times)} functions, {times.total()} ns"


def top(rows):
    """Returns time and name of the ten leading functions of Reader.flat."""
    return sorted(((row["self_ns"], name) for name, row in rows.items()),
                  reverse=True)[:10]


def text_of_ten(ten):
    return f"ten functions, {sum(time_ns for time_ns, _ in ten)} ns, first " \
        f"{ten[0][1]} {ten[0][0]} ns"


def check_go(reader):
    text = run("go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=10",
               reader.export("pprof"))
    found = re.findall(r"^ *([\d.]+)ns +[\d.]+% +[\d.]+% +[\d.]+ns +[\d.]+%  "
                       r"(.*)$", text, re.M)
    found = [(int(float(time_ns)), name) for time_ns, name in found]
    assert found == top(reader.flat), (found, top(reader.flat))
    return text_of_ten(found)


def check_callgrind(reader):
    flat, path = reader.flat, reader.export("callgrind")
    own = subprocess.run(("callgrind_annotate", path), check=True, text=True,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT).stdout
    whole = run("callgrind_annotate", "--inclusive=yes", path)
    assert "malformed" not in own, own
    pattern = r"^ *([\d,]+) \([ \d.]+%\)  [^:]+:(.+) \[[^][]*\]$"
    rows = [(int(time_ns.replace(",", "")), name)
            for time_ns, name in re.findall(pattern, own, re.M)]
    assert rows[:10] == top(reader.flat), (rows[:10], top(reader.flat))
    # Recursive functions are excepted: their time is in several pairs. What
    # called the functions without a known caller is no function.
    found = collections.Counter()
    for time_ns, name in re.findall(pattern, whole, re.M):
        found[name] += int(time_ns.replace(",", ""))
    found.pop("[unseen]")
    for name, time_ns in found.items():
        assert time_ns >= flat[name]["total_ns"], (name, time_ns)
    same = [name for name in found if found[name] == flat[name]["total_ns"]]
    assert len(same) > 0.9 * len(found), (len(same), len(found))
    return text_of_ten(rows[:10])


def folded_stacks(reader):
    """Returns the file of folded stacks, and the sum of the stacks that contain a
    function, by function."""
    path = os.path.join(reader.folder, "folded")
    run(reader.program, "flamegraph", "--folded", "-i", reader.recording, "-o",
        path)
    wanted = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, time_ns = line.rsplit(" ", 1)
            for name in ("all", *stack.split(";")):
                wanted[name] += int(time_ns)
    return path, wanted


def compare_frames(found, wanted):
    assert found == wanted and wanted["all"], (found - wanted, wanted - found)
    return f"{len(found)} functions, {found['all']} ns"


def check_flamegraph_pl(reader):
    """The frames' times are found, although the script splits some frames, because
    it sorts whole lines, and makes <> of names to ()."""
    if not os.path.exists(FLAMEGRAPH_PL):
        raise Skipped("Debian's libdevel-nytprof-perl is not installed")
    path, folded = folded_stacks(reader)
    found, wanted = collections.Counter(), collections.Counter()
    for name, time_ns in folded.items():
        wanted[name.replace("<", "(").replace(">", ")")] += time_ns
    for name, time_ns in re.findall(
            r"<title>(.*) \(([\d,]+) ns, [\d.]+%\)</title>",
            run("perl", FLAMEGRAPH_PL, "--countname", "ns", "--minwidth", "0",
                path)):
        found[html.unescape(name)] += int(time_ns.replace(",", ""))
    return compare_frames(found, wanted)


def check_d3_flame_graph(reader):
    path, wanted = folded_stacks(reader)
    found = json.loads(run(
        "node", os.path.join(HERE, "d3_flame_graph.js"), reader.packages, path))
    return compare_frames(collections.Counter(found), wanted)


def text_of_calls(found):
    return f"{found['calls']} calls, {found['wall_ns']} ns, on CPUs " \
        f"{found['on_cpu_ns']} ns"


def check_sqlite3(reader):
    found, = json.loads(run("sqlite3", "-json", reader.export("sqlite"),
                            CALLS.format("call")))
    wanted = reader.row(CALLS.format("call"))
    assert found == wanted, (found, wanted)
    return text_of_calls(found)


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
    for name, row in reader.flat_by_name("--with-idle",
                                         "--with-tracer").items():
        assert times[name] == row["self_ns"], (name, row, times[name])
    for what, query in (
            ("System call", "count(*) AS n, sum(wall_ns) AS ns FROM syscall"),
            ("Sleep", "count(*) AS n, sum(asleep_ns) AS ns FROM sleep")):
        wanted = reader.row("SELECT " + query)
        found = {name: markers[what, name] for name in wanted}
        assert wanted["n"] and found == wanted, (what, wanted, found)
    return f"{len(times)} functions, {times.total()} ns, " \
        f"{markers['System call', 'n']} system calls, {markers['Sleep', 'n']} sleeps"


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


def check_ctf(reader):
    """babeltrace2 finds the calls, system calls, sleeps, wake-ups and switches
    of sql, and the durations of system calls and sleeps."""
    counts, sums = collections.Counter(), collections.Counter()
    for time_ns, name, edge in ctf_events(
            reader.export("ctf", *reader.shortest)):
        counts[name, edge] += 1
        sums[name] += {"entry": -time_ns, "exit": time_ns}.get(edge, 0)
    for name, wanted in (("syscall", reader.syscalls),
                         ("sleep", reader.sleeps)):
        assert counts[name, "entry"] == counts[name, "exit"] == wanted["n"]
        assert sums[name] == wanted["ns"], (name, wanted, sums)
    assert counts["sched_waking", None] + counts["sched_wakeup_new", None] \
        == reader.wakeups, counts
    events = reader.events
    assert counts["func", "entry"] == counts["func", "exit"] == events["enter"]
    assert sums["func"] == events["ns"], (sums, events)
    assert 0 < counts["sched_switch", None] <= events["switch"] + events["end"]
    return f"{events['enter']} calls, {events['ns']} ns, " \
        f"{reader.syscalls['n']} system calls, {reader.syscalls['ns']} ns, " \
        f"{reader.sleeps['n']} sleeps, {reader.sleeps['ns']} ns, " \
        f"{reader.wakeups} wake-ups"


def check_trace_cmd(reader):
    """trace-cmd, whose library KernelShark reads files with, finds the calls,
    system calls, wake-ups and switches of sql, and the system calls' times."""
    path = reader.export("trace.dat", *reader.shortest)
    counts, sum_ns = collections.Counter(), 0
    with subprocess.Popen(
            ("trace-cmd", "report", "-R", "-t", "-i", path), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tool:
        for line in tool.stdout:
            found = re.match(r".*-\d+ +\[\d+\] +([\d.]+): (\w+): ", line)
            if not found:
                continue
            call = re.match(r"sys_(enter|exit)_", found[2])
            name = call[0] if call else found[2]
            counts[name] += 1
            sum_ns += {"sys_enter_": -1, "sys_exit_": 1}.get(name, 0) * \
                int(found[1].replace(".", ""))
    calls, events = reader.syscalls, reader.events
    assert counts["sys_enter_"] == counts["sys_exit_"] == calls["n"], counts
    assert sum_ns == calls["ns"], (sum_ns, calls)
    assert counts["sched_waking"] + counts["sched_wakeup_new"] == \
        reader.wakeups, counts
    assert counts["funcgraph_entry"] == counts["funcgraph_exit"] == \
        events["enter"], (counts, events)
    assert 0 < counts["sched_switch"] <= events["switch"] + events["end"]
    return f"{events['enter']} calls, {calls['n']} system calls, " \
        f"{calls['ns']} ns, {reader.wakeups} wake-ups"


def check_perfetto(reader):
    """protoc decodes the file by Perfetto's .proto; a model of Perfetto's importer
    finds the calls, system calls, sleeps and wake-ups of sql, and their times."""
    export = perfetto.Perfetto(reader.export("perfetto", *reader.shortest))
    calls = [end_ns - begin_ns for track, spans_of in export.spans.items()
             if track not in export.parents and track in export.tids and
             (export.tids[track] or formats.idle_number(export.names[track]))
             for _, begin_ns, end_ns in spans_of]
    events = reader.events
    assert (len(calls), sum(calls)) == (events["enter"], events["ns"]), \
        (len(calls), sum(calls), events)
    for track, wanted in (("system calls", reader.syscalls),
                          ("sleeps", reader.sleeps)):
        found = [span.end_ns - span.begin_ns
                 for _, span in export.side_track(track)
                 if span.name != "runnable"]
        assert (len(found), sum(found)) == tuple(wanted.values()), \
            (track, len(found), sum(found), wanted)
    assert len(export.wakings) == reader.wakeups, len(export.wakings)
    assert export.counters and export.frequencies and export.children
    return f"{len(calls)} calls, {sum(calls)} ns, {reader.syscalls['n']} system " \
        f"calls, {reader.sleeps['n']} sleeps, {reader.wakeups} wake-ups"


class FirefoxProfiler:
    """Firefox Profiler's command-line interface. Its daemon loads the profile;
    the command "load" starts one too, but gives it only half a second."""

    def __init__(self, packages, folder, path):
        self.command = os.path.join(packages, ".bin", "profiler-cli")
        sessions = os.path.join(folder, "session")
        self.settings = {**os.environ, "PROFILER_CLI_SESSION_DIR": sessions}
        self.started = os.path.join(sessions, "test.json")
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
        """Returns the threads, when the profile is loaded. A command that is
        called before the daemon has written its file removes the daemon's
        socket."""
        end_s = time.monotonic() + 600
        done = None
        while self.daemon.poll() is None and time.monotonic() < end_s:
            if os.path.exists(self.started):
                done = self.call("thread", "list")
                if not done.returncode:
                    return json.loads(done.stdout)["threads"]
            time.sleep(0.5)
        raise AssertionError(f"Firefox Profiler has not loaded it: {done}")

    def close(self):
        self.daemon.terminate()
        self.daemon.wait()


def check_firefox_profiler(reader):
    """Firefox Profiler's own importer, which its command-line interface has,
    finds the own times of all functions, so also the ten leading ones."""
    times = collections.Counter()
    profiler = FirefoxProfiler(
        reader.packages, reader.folder,
        reader.export("firefox", "--min-duration", "0", suffix=".json.gz"))
    try:
        for thread in profiler.threads():
            for row in profiler.ask(
                    "thread", "functions", "--include-idle", "--limit", "0",
                    "--thread", thread["threadHandle"])["functions"]:
                times[row["name"]] += round(row["selfSamples"] * 1e6)
    finally:
        profiler.close()
    rows = reader.flat_by_name("--with-idle", "--with-tracer")
    for name, row in rows.items():
        assert times[name] == row["self_ns"], (name, row, times[name])
    found = sorted(((time_ns, name) for name, time_ns in
                    times.most_common(10)), reverse=True)
    assert found == top(rows), (found, top(rows))
    return text_of_ten(found)


def check_perf_sched(reader):
    """perf sched sees each program's switches, by record --events=switches.
    Other tasks switch before the event is enabled. The default tier's
    recording has no such events."""
    if not os.environ.get("KTRACE_FULL") and "sched:sched_switch" not in run(
            "perf", "evlist", "-i", reader.recording):
        raise Skipped("not recorded with --events=switches")
    left, threads = collections.Counter(), set()
    with subprocess.Popen(
            (reader.program, "export", "-q", "--format=csv", "-i",
             reader.recording, *reader.shortest), text=True,
            stdout=subprocess.PIPE) as tool:
        for row in csv.DictReader(tool.stdout):
            if row["event"] == "leave":
                left[row["tid"]] += 1
                if row["comm"] in PROGRAMS:
                    threads.add(row["tid"])
    wanted = {tid: count for tid, count in left.items() if tid in threads}
    text = run("perf", "sched", "timehist", "-i", reader.recording)
    found = collections.Counter(re.findall(
        r"^ *[\d.]+ +\[\d+\] +.*\[(\d+)(?:/\d+)?\] +[\d.]+ ", text, re.M))
    if not wanted:
        raise Skipped("none of " + ", ".join(PROGRAMS) + " ran")
    for tid, count in wanted.items():
        assert found[tid] == count, (tid, count, found[tid])
    return f"{len(wanted)} threads, {sum(wanted.values())} switches"


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


def check_speedscope_imports(reader):
    times = collections.Counter()
    path = reader.export("speedscope", suffix=".gz")
    for own in speedscope_sums(reader.packages, path).values():
        times.update(own)
    return compare_own_times(reader, times)


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


def compare_chrome(reader, *window):
    path = reader.export("chrome", "--functions-only", *reader.shortest,
                         *window)
    with open(path, encoding="utf-8") as file:
        tracks, _ = spans.of_chrome(file.read())
    imported = speedscope_sums(reader.packages, path)
    assert tracks and len(imported) == len(tracks), (len(imported), len(tracks))
    wanted, found = collections.Counter(), collections.Counter()
    for track in tracks.values():
        wanted.update(own_times(track))
    for own in imported.values():
        found.update(own)
    for name, time_ns in wanted.items():
        # Its times are sums of floating-point microseconds.
        assert abs(found[name] - time_ns) <= 1000, (name, time_ns, found[name])
    return f"{len(tracks)} tracks, {len(found)} functions, {found.total()} ns"


def check_speedscope_chrome(reader):
    """Spans beside functions have arguments, which their ends must repeat."""
    window = middle(reader)
    tracks = speedscope_sums(
        reader.packages, reader.export("chrome", *reader.shortest, *window))
    return f"{compare_chrome(reader)}; in a window: " \
        f"{compare_chrome(reader, *window)}; with all, {len(tracks)} tracks"


def middle(reader):
    """Returns the options of a window that cuts functions at both ends."""
    begin, end = (reader.row(f"SELECT {of}_ns AS ns FROM recording")["ns"]
                  for of in ("first", "last"))
    return [f"--{name}=@{at // 10 ** 9}.{at % 10 ** 9:09}" for name, at in
            (("since", begin + (end - begin) // 3),
             ("until", end - (end - begin) // 3))]


def calls_as_ndjson(reader):
    """Returns the file with the rows of SQL's table call, and their sums."""
    path = os.path.join(reader.folder, "call.ndjson.gz")
    if not os.path.exists(path):
        run(reader.program, "sql", "-i", reader.recording, "--format=ndjson",
            "-o", path, "SELECT begin_ns, tid, comm, function, wall_ns, on_cpu_ns "
            "FROM call")
    wanted = reader.row(CALLS.format("call"))
    assert wanted["calls"] > 100, wanted
    return path, wanted


def check_duckdb(reader):
    path, wanted = calls_as_ndjson(reader)
    query = CALLS.format(f"read_json('{path}', format='newline_delimited')")
    found = json.loads(subprocess.run(
        ["node", "-e", QUERY_DUCKDB, query], check=True, text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "NODE_PATH": reader.packages}).stdout)
    found = {name: int(value) for name, value in found.items()}
    assert found == wanted, (found, wanted)
    return text_of_calls(found)


# In parts, in at most 2 GB.
QUERY_PANDAS = """
import collections, json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
import pandas
sums = collections.Counter()
for rows in pandas.read_json(sys.argv[1], lines=True, chunksize=20000):
    sums.update(calls=len(rows), wall_ns=int(rows["wall_ns"].sum()),
                on_cpu_ns=int(rows["on_cpu_ns"].sum()))
print(json.dumps(sums))
"""


def check_pandas(reader):
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                (python, "-c", "import pandas"), check=False,
                stderr=subprocess.DEVNULL).returncode == 0:
            break
    else:
        raise Skipped("Debian's python3-pandas is not installed")
    path, wanted = calls_as_ndjson(reader)
    found = json.loads(subprocess.run(
        (python, "-c", QUERY_PANDAS, path), check=True, text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}).stdout)
    assert found == wanted, (found, wanted)
    return text_of_calls(found)


def check_gprof(reader):
    compared = formats.check_gmon(formats.Reader(
        reader.program, reader.recording, reader.folder))
    return f"{compared} functions, their calls, and shares of time to 0.02 %"


# Name, the program that it needs or NPM, check.
NPM = object()
CONSUMERS = (
    ("pprof, a decoder of ours", "python3", check_pprof),
    ("pprof --wall, a decoder of ours", "python3", check_wall),
    ("speedscope, a reader of ours", "python3", check_speedscope),
    ("firefox, a reader of ours", "python3", check_firefox),
    ("go tool pprof", "go", check_go),
    ("callgrind_annotate", "callgrind_annotate", check_callgrind),
    ("flamegraph.pl", "perl", check_flamegraph_pl),
    ("gprof", "gprof", check_gprof),
    ("sqlite3", "sqlite3", check_sqlite3),
    ("babeltrace2", "babeltrace2", check_ctf),
    ("trace-cmd", "trace-cmd", check_trace_cmd),
    ("perfetto, by its .proto", "protoc", check_perfetto),
    ("perf sched", "perf", check_perf_sched),
    ("pandas", "python3", check_pandas),
    ("d3-flame-graph", NPM, check_d3_flame_graph),
    ("duckdb", NPM, check_duckdb),
    ("speedscope", NPM, check_speedscope_imports),
    ("speedscope, of chrome", NPM, check_speedscope_chrome),
    ("Firefox Profiler", NPM, check_firefox_profiler),
)


def read_by(consumer, reader):
    """Returns whether @consumer did not fail, after a line about it."""
    name, needs, check = consumer
    started_s = time.monotonic()
    try:
        if needs is NPM and not reader.packages:
            raise Skipped("npm's packages are missing")
        if needs is not NPM and not shutil.which(needs):
            raise Skipped(f"{needs} is not installed")
        print(f"ok: {name}: {check(reader)} "
              f"({time.monotonic() - started_s:.0f} s)", flush=True)
    except Skipped as reason:
        print(f"skipped: {name}: {reason}")
    except (AssertionError, subprocess.CalledProcessError) as error:
        print(f"FAILED: {name}: {str(error)[:2000]}", flush=True)
        return False
    return True


def main():
    program, *recordings = sys.argv[1:]
    if not os.environ.get("KTRACE_FULL"):
        recordings = recordings[-1:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        packages = node_modules(folder)
        for recording in recordings:
            part = os.path.join(folder, str(recordings.index(recording)))
            os.mkdir(part)
            reader = Reader(program, recording, part, packages)
            print(f"{recording}: {reader.row(CALLS.format('call'))['calls']} "
                  "calls")
            failed += sum(not read_by(consumer, reader)
                          for consumer in CONSUMERS)
            shutil.rmtree(part)
    most_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory of this test at most {most_kb >> 10} MB, of a consumer at most "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MB")
    assert most_kb < 2 << 20, most_kb
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
