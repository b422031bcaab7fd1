#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The exported profiles have the numbers of report --flat, also when the tools
that they are made for read them: go tool pprof and callgrind_annotate, if they
are installed.

    consumers.py PROGRAM RECORDING RECORDING_WITH_ATTRIBUTION
"""
import collections
import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

OFF_CPU = ("[runnable]", "[asleep]", "[not asked for]", "[guest]")


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


class Reader:
    def __init__(self, program, recording, folder):
        self.program, self.recording = program, recording
        self.folder = folder

    def export(self, form, *options):
        path = os.path.join(self.folder, form)
        run(self.program, "export", f"--format={form}", "-i", self.recording,
            "-o", path, *options)
        return path

    def flat(self):
        text = run(self.program, "report", "--flat", "--format=csv", "-i",
                   self.recording)
        return {row["function"]: row
                for row in csv.DictReader(text.splitlines())}

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
    own = run("callgrind_annotate", path)
    whole = run("callgrind_annotate", "--inclusive=yes", path)
    assert "malformed" not in own, own
    pattern = r"^ *([\d,]+) \([ \d.]+%\)  \S+:(\S+) \[.*\]$"
    rows = [(int(time_ns.replace(",", "")), name)
            for time_ns, name in re.findall(pattern, own, re.M)]
    assert rows[:10] == top(flat), (rows[:10], top(flat))
    # Recursive functions are excepted: their time is in several pairs.
    found = dict((name, int(time_ns.replace(",", "")))
                 for time_ns, name in re.findall(pattern, whole, re.M))
    same = [name for name in found
            if found[name] == int(flat[name]["total_ns"])]
    assert len(same) > 0.9 * len(found), (len(same), len(found))


def main():
    program, recording, attribution = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(program, recording, folder)
        flat = reader.flat()
        assert len(flat) > 100
        check_pprof(reader, flat)
        check_speedscope(reader, flat)
        check_go(reader, flat)
        check_callgrind(reader, flat)
        check_wall(Reader(program, attribution, folder))
    print("ok: exported profiles, read by their tools")


main()
