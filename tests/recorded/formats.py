#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All formats contain the same data of one recording.

    formats.py PROGRAM RECORDING
"""
import collections
import csv
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import perfetto
import spans

FLAT_COLUMNS = ("function,calls,self_ns,total_ns,calls_direct,calls_tail,"
                "calls_async")


class Reader:
    def __init__(self, program, recording, folder):
        self.program = program
        self.recording = recording
        self.folder = folder

    @functools.cache
    def text(self, *arguments):
        """Reads each output only once: the program writes the same each
        time."""
        return subprocess.run(
            [self.program, *arguments, "-i", self.recording],
            stdout=subprocess.PIPE, check=True).stdout.decode()

    def file(self, *arguments):
        path = os.path.join(self.folder, "export")
        subprocess.run([self.program, *arguments, "-i", self.recording,
                        "-o", path], check=True)
        return path


def as_text(value):
    return "" if value is None else str(value)


def check_same_records(reader, *arguments):
    """CSV and JSON have the same names and values."""
    rows = list(csv.reader(reader.text(*arguments, "--format=csv")
                           .splitlines()))
    records = json.loads(reader.text(*arguments, "--format=json"),
                         parse_float=str, parse_int=str)
    compare_records(rows, records)


def check_summary(reader):
    """In CSV the table of processes is first; in JSON all tables are in one
    object."""
    rows = list(csv.reader(reader.text("report", "--format=csv")
                           .split("\n\n")[0].splitlines()))
    whole = json.loads(reader.text("report", "--format=json"),
                       parse_float=str, parse_int=str)
    assert {"recording", "cpus", "processes"} <= set(whole), list(whole)
    compare_records(rows, whole["processes"], 2)


def compare_records(rows, records, least=3):
    names = rows[0]
    assert len(rows) >= least, "nearly empty"
    assert len(rows) - 1 == len(records), (len(rows), len(records))
    for row, record in zip(rows[1:], records):
        assert list(record) == names, f"{list(record)} is not {names}"
        values = [as_text(value) for value in record.values()]
        assert values == row, f"{values} is not {row}"


def check_flat(reader):
    text = reader.text("report", "--flat", "--format=csv")
    assert text.startswith(FLAT_COLUMNS + ","), text[:100]
    last_ns = None
    rows = list(csv.DictReader(text.splitlines()))
    keys = [(row["function"], row["module"]) for row in rows]
    assert len(keys) == len(set(keys)), sorted(
        key for key in set(keys) if keys.count(key) > 1)
    for row in rows:
        parts = sum(int(row["calls_" + how])
                    for how in ("direct", "tail", "async"))
        assert int(row["calls"]) == parts, row
        self_ns = int(row["self_ns"])
        assert last_ns is None or self_ns <= last_ns, row
        assert int(row["total_ns"]) >= self_ns, row
        last_ns = self_ns


HOW = {"call": "calls_direct", "system_call": "calls_direct",
       "tail": "calls_tail", "interrupt": "calls_async", "start": "starts",
       "inferred": "inferred"}


def check_calls(reader):
    """By name, the counted calls of each function equal the entries in the
    timeline; also where a function calls into its own middle, as
    __switch_to_asm does to stuff the return stack."""
    flat, shown = collections.Counter(), collections.Counter()
    has_idle = False
    for row in csv.DictReader(reader.text(
            "report", "--flat", "--with-idle", "--with-tracer",
            "--format=csv").splitlines()):
        name = re.sub(r"^\d+[ku]:", "", row["function"])
        for column in set(HOW.values()):
            flat[name, column] += int(row[column])
    for row in csv.DictReader(
            reader.text("timeline", "--format=csv").splitlines()):
        if row["event"] == "enter":
            shown[row["function"], HOW[row["detail"]]] += 1
            has_idle = has_idle or row["tid"] == "0"
    # An exception whose handler is the interrupted function is counted, but
    # opens no function. The same holds for a call within code without names,
    # where several functions count as one.
    wrong = {key: (flat[key], shown[key]) for key in flat | shown
             if flat[key] < shown[key] or
             (flat[key] > shown[key] and key[1] != "calls_async" and
              not key[0].startswith("["))}
    assert not wrong, wrong
    switches = sum(flat["__switch_to_asm", column]
                   for column in set(HOW.values()))
    assert switches > 1 or not has_idle, "nothing switched tasks"


def check_graph_keys(reader):
    """Each pair of caller and callee has one record, whatever their names."""
    keys = [tuple(row[name] for name in ("caller", "caller_module", "function",
                                         "module", "interrupt"))
            for row in csv.DictReader(reader.text(
                "report", "--callgraph", "--format=csv").splitlines())]
    assert len(keys) == len(set(keys)) > 10, sorted(
        key for key in set(keys) if keys.count(key) > 1)


def check_raw(reader):
    """timeline --raw has the entries and exits of the CSV."""
    wanted = [(row["event"][1], row["time_ns"], row["pid"])
              for row in csv.DictReader(
                  reader.text("timeline", "--format=csv").splitlines())
              if row["event"] in ("enter", "exit")]
    kinds = {"n": "E", "x": "X"}
    wanted = [(kinds[kind], time, pid) for kind, time, pid in wanted]
    got = []
    for line in reader.text("timeline", "--raw").splitlines():
        kind, address, time, pid = line.split(" ")
        assert re.fullmatch("[0-9a-f]{16}", address), line
        got.append((kind, time, pid))
    assert got == wanted, "entries or exits differ"


def check_folded(reader):
    """The paths' times add up to the functions'."""
    flat = sum(int(row["self_ns"]) for row in csv.DictReader(
        reader.text("report", "--flat", "--format=csv").splitlines()))
    folded = sum(int(line.rpartition(" ")[2]) for line in
                 reader.text("flamegraph", "--folded").splitlines())
    assert folded == flat, f"{folded} is not {flat}"


def by_task(found, tid_of):
    """Returns the spans of tasks by tid, and of idle tasks by the track's
    name."""
    tasks = {}
    for track, list_of_spans in found.items():
        tid = tid_of(track)
        if tid is not None:
            tasks.setdefault(tid, []).extend(list_of_spans)
    return {tid: sorted(found) for tid, found in tasks.items()}


def idle_number(name):
    """swapper/3 is task (0, 3), as in of_csv()."""
    found = re.fullmatch(r"(swapper|unknown)/(\d+)", name)
    if not found:
        return None
    return 0 if found[1] == "swapper" else -1, int(found[2])


def check_chrome(reader, wanted):
    found, names = spans.of_chrome(reader.text("export", "--format=chrome",
                                                "--min-duration=0"))

    def tid_of(track):
        pid, tid = track
        idle = idle_number(names.get(track, ""))
        if idle:
            return idle
        return None if pid >= 1 << 22 or tid >= spans.SIDE_TIDS else (tid, 0)

    assert by_task(found, tid_of) == wanted, "spans differ"


def check_perfetto(reader, wanted):
    path = reader.file("export", "--format=perfetto")
    found = perfetto.Perfetto(path)

    def tid_of(track):
        if track in found.parents:
            return None
        tid = found.tids[track]
        return (tid, 0) if tid else idle_number(found.names[track])

    assert by_task(found.spans, tid_of) == wanted, "spans differ"
    check_switches(reader, found.switches)
    slices = sum(map(len, found.spans.values()))
    size = os.path.getsize(path)
    assert size < 8 * slices + 10000, f"{size} bytes for {slices} slices"


def entries(program, recording):
    """Counts the entries of each function by thread, without the addresses that
    tell functions of one name apart: in trace.dat all are in one list of
    symbols. The kernel's entry points are not in trace.dat files of the kernel:
    their reader adds them."""
    text = subprocess.run(
        (program, "export", "-q", "--format=csv", "-i", recording), check=True,
        stdout=subprocess.PIPE, text=True).stdout
    return collections.Counter(
        (row["tid"], re.sub(r"@0x[0-9a-f]+$", "",
                            re.sub(r"\s", "_", row["function"])))
        for row in csv.DictReader(text.splitlines()) if row["event"] == "enter"
        and not re.match(r"asm_|entry_|el[01]|\[", row["function"]))


def check_trace_dat(reader):
    """Our reader of the kernel's own trace.dat files finds the same calls."""
    path = reader.file("export", "--format=trace.dat", "--min-duration=0")
    wanted = entries(reader.program, reader.recording)
    found = entries(reader.program, path)
    assert sum(wanted.values()) > 1000, wanted
    assert found == wanted, (found - wanted, wanted - found)


def check_switches(reader, switches):
    """Compares the running thread of each CPU by Perfetto's rules with the
    timeline's."""
    rows = [row for row in csv.DictReader(
        reader.text("timeline", "--format=csv").splitlines())
            if row["event"] == "switch"]
    told = {(int(row["time_ns"]), int(row["cpu"]), int(row["tid"]))
            for row in rows}
    running = {}
    for time_ns, cpu, prev, after, state in sorted(switches):
        assert running.get(cpu, 0) == prev != after, (time_ns, cpu, prev)
        assert state in (0, 1) and (prev or not state), (time_ns, state)
        assert after == 0 or (time_ns, cpu, after) in told, (time_ns, after)
        running[cpu] = after
    ran = {after for *_, after, _ in switches} - {0}
    assert ran == {tid for *_, tid in told if tid > 0} and ran, ran


def gprof_rows(path):
    """Returns name -> (self seconds, calls) of gprof's flat profile."""
    text = subprocess.run(["gprof", "-b", "-p", path + ".elf", path],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    rows = re.findall(r"^ *([\d.]+)(?: +[\d.]+){2} +(\d+)(?: +[\d.]+){2}  (.+)$",
                      text, re.M)
    return text, {name.strip(): (float(percent), int(calls))
                  for percent, calls, name in rows}


def own_calls(reader):
    """Returns name -> number of calls by itself, which gprof's profile
    omits."""
    calls = {}
    for row in csv.DictReader(
            reader.text("report", "--callgraph", "--format=csv").splitlines()):
        if row["caller"] == row["function"]:
            calls[row["function"]] = (calls.get(row["function"], 0) +
                                      int(row["calls"]))
    return calls


def check_gmon(reader):
    """gprof's flat profile has the percentages and calls of --flat."""
    path = reader.file("export", "--format=gmon")
    text, rows = gprof_rows(path)
    assert "Flat profile:" in text, text[:200]
    flat = list(csv.DictReader(
        reader.text("report", "--flat", "--format=csv").splitlines()))
    names = [row["function"] for row in flat]
    own = own_calls(reader)
    compared = 0
    for row in flat:
        calls = int(row["calls"]) - own.get(row["function"], 0)
        # gprof shows calls only of functions that were called, and cannot
        # distinguish functions with the same name.
        if calls == 0 or names.count(row["function"]) > 1:
            continue
        got = rows.get(row["function"])
        assert got, f"{row['function']}: not in gprof's profile"
        assert got[1] == calls, (row, got)
        assert abs(got[0] - float(row["time_percent"])) < 0.02, (row, got)
        compared += 1
    assert compared > 20, f"only {compared} functions"
    return compared


def main():
    program, recording = sys.argv[1:3]
    folder = tempfile.mkdtemp()
    reader = Reader(program, recording, folder)
    wanted = by_task(spans.of_csv(reader.text("timeline", "--format=csv")),
                     lambda tid: tid)
    checks = [
        ("report", lambda: check_summary(reader)),
        ("report --flat", lambda: check_same_records(
            reader, "report", "--flat")),
        ("report --callgraph", lambda: check_same_records(
            reader, "report", "--callgraph")),
        ("calls are entries", lambda: check_calls(reader)),
        ("call graph keys", lambda: check_graph_keys(reader)),
        ("timeline", lambda: check_same_records(reader, "timeline")),
        ("flat's columns and sums", lambda: check_flat(reader)),
        ("timeline --raw", lambda: check_raw(reader)),
        ("flamegraph --folded", lambda: check_folded(reader)),
        ("chrome", lambda: check_chrome(reader, wanted)),
        ("trace.dat", lambda: check_trace_dat(reader)),
    ]
    if shutil.which("protoc"):
        checks.append(("perfetto", lambda: check_perfetto(reader, wanted)))
    else:
        print("skipped: perfetto: no protoc here")
    if shutil.which("gprof"):
        checks.append(("gmon", lambda: check_gmon(reader)))
    else:
        print("skipped: gmon: no gprof here")
    failed = 0
    for name, check in checks:
        try:
            check()
            print(f"ok: {name}")
        except AssertionError as error:
            failed += 1
            print(f"FAILED: {name}: {str(error)[:2000]}")
    shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
