#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Apart from functions, the Perfetto export contains the same data as the
reports, and its wake-ups are those of perf script.

    side_tracks.py PROGRAM RECORDING
"""
import collections
import csv
import functools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import perf_file
import perfetto
from reader import Reader, run_checks
from sql_rows import ask


@functools.cache
def exported(reader, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "export")
        done = reader.run("export", "--format=perfetto", *arguments, "-i",
                          reader.recording, "-o", path)
        assert done.returncode == 0, done.stderr.decode()
        return perfetto.Perfetto(path)


def perf_wakings(reader):
    """Yields (time_ns, cpu, waker's tid, tid, is new) from perf script."""
    text = subprocess.run(
        ["perf", "script", "--ns", "-F", "tid,cpu,time,event,trace", "-i",
         os.path.join(reader.recording, "data")], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=True).stdout.decode(errors="replace")
    line = re.compile(r"\s*(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +"
                      r"sched:(sched_waking|sched_wakeup_new): .*\bpid=(\d+)")
    for found in filter(None, map(line.match, text.splitlines())):
        tid, cpu, seconds, nanoseconds, event, woken = found.groups()
        yield (int(seconds) * 10**9 + int(nanoseconds), int(cpu), int(tid),
               int(woken), event == "sched_wakeup_new")


def check_wakings(reader):
    if not shutil.which("perf"):
        print("skipped: wakings: no perf here")
        return
    wanted = sorted(perf_wakings(reader))
    found = sorted(exported(reader).wakings)
    assert found == wanted, (len(found), len(wanted),
                             set(found) ^ set(wanted))
    print(f"   {len(found)} wake-ups")


def sleep_sums(export, seen_whole):
    """Returns by (process, label): count, total, longest, runnable
    afterwards."""
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    runnable = {(tid, span.begin_ns): span.end_ns - span.begin_ns
                for tid, span in export.side_track("sleeps")
                if span.name == "runnable"}
    for tid, span in export.side_track("sleeps"):
        if span.name == "runnable" or seen_whole == ("is_cut" in span.notes):
            continue
        entry = sums[export.pids[tid], span.name]
        time_ns = span.end_ns - span.begin_ns
        entry[0] += 1
        entry[1] += time_ns
        entry[2] = max(entry[2], time_ns)
        entry[3] += runnable.get((tid, span.end_ns), 0)
    return dict(sums)


def check_sleeps(reader):
    whole = collections.defaultdict(lambda: [0, 0, 0, 0])
    cut = collections.defaultdict(lambda: [0, 0])
    for row in reader.rows("report", "--sleeps", "--with-tracer", "--with-idle"):
        key = int(row["pid"]), row["label"]
        if int(row["count"]):
            entry = whole[key]
            entry[0] += int(row["count"])
            entry[1] += int(row["total_ns"])
            entry[2] = max(entry[2], int(row["max_ns"]))
            entry[3] += int(row["runnable_ns"])
        if int(row["cut"]):
            cut[key][0] += int(row["cut"])
            cut[key][1] += int(row["cut_ns"])
    found = sleep_sums(exported(reader), True)
    assert found == whole, (found, dict(whole))
    found = {key: value[:2] for key, value in
             sleep_sums(exported(reader), False).items()}
    assert found == cut, (found, dict(cut))
    print(f"   {sum(entry[0] for entry in whole.values())} sleeps")


def check_waits(reader):
    """Waits without sleep, I/O and calls with arguments are those of SQL. Parts of
    I/O have no notes."""
    export = exported(reader)
    for track, query in (
            ("spins", "SELECT tid, begin_ns, end_ns, kind FROM spin"),
            ("arguments", """SELECT tid, begin_ns, end_ns, function
                FROM read_call WHERE wall_ns IS NOT NULL"""),
            ("block I/O", """SELECT tid, begin_ns, end_ns, operation
                FROM block_io WHERE end_ns > begin_ns""")):
        wanted = sorted(tuple(row.values()) for row in ask(reader, query))
        found = sorted(
            (int(span.notes["on_tid"]) if "on_tid" in span.notes else owner,
             span.begin_ns, span.end_ns, span.name)
            for owner, span in export.side_track(track) if span.notes)
        assert found == wanted, (track, found[:3], wanted[:3])
        print(f"   {track}: {len(found)}")


def check_off(reader):
    """Intervals without interrupts or preemption are those of SQL."""
    export = exported(reader)
    for track, table in (("interrupts off", "interrupts_off"),
                         ("preemption off", "preemption_off")):
        wanted = sorted(tuple(row.values()) for row in ask(
            reader, f"""SELECT cpu, begin_ns, end_ns, off_by, tid
            FROM {table}"""))
        found = sorted((int(owner.split()[1]), span.begin_ns, span.end_ns, span.notes["kind"],
                        int(span.notes["on_tid"]))
                       for owner, span in export.side_track(track))
        assert found == wanted, (track, found[:3], wanted[:3])
        print(f"   {track}: {len(found)}")


def check_blocked(reader):
    """The wait channel of each sleep is in the thread's state in Perfetto."""
    export = exported(reader)
    wanted = sorted((span.end_ns, tid, span.name)
                    for tid, span in export.side_track("sleeps")
                    if span.name not in ("runnable", "[unseen]"))
    assert sorted(export.blocked) == wanted, "places differ"


def check_states(reader):
    """By Perfetto's rules, threads that sleep and are woken are runnable."""
    export = exported(reader)
    events = [(time_ns, 1, prev, state)
              for time_ns, _, prev, _, state in export.switches if prev]
    events += [(time_ns, 2, tid, None)
               for time_ns, _, _, tid, is_new in export.wakings if not is_new]
    events += [(time_ns, 3, after, None)
               for time_ns, _, _, after, _ in export.switches if after]
    states = {}
    woken = 0
    for _, kind, tid, state in sorted(events, key=lambda event: event[:2]):
        if kind == 2 and states.get(tid) == 1:
            woken += 1
        states[tid] = {1: state, 2: 0, 3: None}[kind] \
            if kind != 2 or states.get(tid) == 1 else states.get(tid)
    arrows = sum(1 for _, span in export.side_track("sleeps") if span.last_flow)
    assert not arrows or woken > arrows / 2, (woken, arrows)
    print(f"   {woken} times from asleep to runnable")


def check_flows(reader, *arguments):
    """Each arrow leads from one waker to the one thread that it woke."""
    export = exported(reader, *arguments)
    marks = {span.flow: span for span in export.instants}
    ends = {span.last_flow: (tid, span)
            for tid, span in export.side_track("sleeps") if span.last_flow}
    assert len(marks) == len(export.instants), "a flow begins twice"
    assert set(marks) == set(ends), "flows do not pair up"
    for flow, mark in marks.items():
        tid, span = ends[flow]
        assert mark.begin_ns <= span.begin_ns, (flow, mark.begin_ns)
        assert mark.notes["woken_tid"] == str(tid), (flow, mark.notes)
        assert export.names[mark.track] == "sleeps", flow
    print(f"   {len(marks)} arrows")


def check_system_calls(reader):
    """Returns counts, times, and the number that did not return, by process
    and call."""
    wanted = {(int(row["pid"]), row["call"]):
              [int(row["count"]), int(row["total_ns"]), int(row["max_ns"]),
               int(row["no_return"]), int(row["cut"])]
              for row in reader.rows("report", "--syscalls", "--with-tracer")}
    found = {}
    export = exported(reader)
    for tid, span in export.side_track("system calls"):
        entry = found.setdefault((export.pids[tid], span.name),
                                 [0, 0, 0, 0, 0])
        end = span.notes.get("end", "returned")
        time_ns = span.end_ns - span.begin_ns
        if end == "returned":
            entry[0] += 1
            entry[1] += time_ns
            entry[2] = max(entry[2], time_ns)
        entry[3] += end == "no_return"
        entry[4] += end == "cut"
    assert found == wanted, {key: (found.get(key), wanted.get(key))
                             for key in set(found) | set(wanted)
                             if found.get(key) != wanted.get(key)}
    print(f"   {sum(entry[0] for entry in wanted.values())} system calls")


def check_arguments(reader):
    """Arguments and results equal those in timeline --syscalls, if they
    were recorded."""
    export = exported(reader)
    text = reader.text("timeline", "--syscalls", "--with-tracer")
    compared = 0
    for _, span in export.side_track("system calls"):
        if "arguments" not in span.notes or "end" in span.notes:
            continue
        arguments = span.notes["arguments"].replace('\\\\"', '"')
        assert f"{span.name}{arguments} = {span.notes.get('result', '?')}" \
            in text, (span.name, span.notes)
        compared += 1
    print(f"   {compared} system calls with arguments")


def check_recorders_calls(reader):
    """Returns the number of calls that timeline --syscalls reports as
    omitted."""
    def calls(*arguments):
        done = reader.run("timeline", "--syscalls", "--format=json", *arguments,
                          "-i", reader.recording)
        assert done.returncode == 0, done.stderr.decode()
        said = re.search(r"Left out: (\d+) calls of the recorder",
                         done.stderr.decode())
        return (collections.Counter(row["comm"]
                                    for row in json.loads(done.stdout)),
                int(said.group(1)) if said else 0)

    everybody, none = calls("--with-tracer")
    others, left_out = calls()
    assert none == 0 and not others - everybody, others - everybody
    missing = everybody - others
    assert left_out == missing.total() == missing["ktrace-hw"], \
        (missing, left_out)
    print(f"   {left_out} of {everybody.total()} calls")


def check_interrupts(reader):
    """Returns counts by kind, function and interrupted task."""
    wanted = collections.Counter()
    for row in reader.rows("report", "--interrupts=on"):
        wanted[row["kind"], row["function"], max(int(row["on_pid"]), 0)] += \
            round(float(row["count"]))
    export = exported(reader)
    found = collections.Counter(
        (span.notes["kind"], span.name, int(span.notes["on_pid"]))
        for track in ("interrupts", "kernel work")
        for _, span in export.side_track(track))
    assert found == wanted, ((found - wanted), (wanted - found))
    print(f"   {sum(wanted.values())} pieces of interrupt work")


def damage(recording, folder):
    """Returns a copy in which bytes of the second half have other values."""
    copy = os.path.join(folder, "damaged")
    shutil.copytree(recording, copy,
                    ignore=shutil.ignore_patterns("index", "view"))
    with open(os.path.join(copy, "data"), "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        for part in range(50, 100, 2):
            file.seek(size * part // 100)
            file.write(b"\xff" * 24)
    return copy


def check_gaps(reader):
    """Compares the gaps of a damaged copy, because the recordings here have
    none."""
    with tempfile.TemporaryDirectory() as folder:
        compare_gaps(Reader(reader.program, damage(reader.recording, folder)))


def compare_gaps(reader):
    wanted = collections.Counter()
    rows = reader.text("sql", "--format=csv",
                       "SELECT cpu, reason, end_ns - begin_ns AS ns FROM gap")
    for row in csv.DictReader(rows.splitlines()):
        wanted[f"CPU {row['cpu']} trace", "gap: " + row["reason"]] += \
            int(row["ns"])
    found = collections.Counter()
    count = 0
    for cpu, span in exported(reader).side_track("trace"):
        if span.name.startswith("gap"):
            count += 1
            found[cpu, span.name] += span.end_ns - span.begin_ns
            assert {"lost_bytes", "offset"} == set(span.notes), span.notes
    assert found == wanted, (found, wanted)
    print(f"   {count} gaps, {sum(found.values())} ns")


def sql_rows(reader, query):
    return list(csv.DictReader(
        reader.text("sql", "--format=csv", query).splitlines()))


def check_runnable(reader):
    """The counter adds up to the waits for a CPU of all threads, which include
    those for the recorder, whose time is the tracer's."""
    counts = exported(reader).counters["threads that wait for a CPU"]
    assert counts == sorted(counts) and counts[-1][1] == 0, counts[-1]
    assert min(value for _, value in counts) == 0 < max(
        value for _, value in counts)
    found = sum(value * (after - time_ns) for (time_ns, value), (after, _)
                in zip(counts, counts[1:]))
    row, = sql_rows(reader, """
        SELECT sum(CASE WHEN class IN ('runnable', 'throttled') THEN duration_ns
            END) AS waits, sum(duration_ns) AS most FROM thread_state
        WHERE class IN ('runnable', 'throttled', 'tracer')""")
    assert int(row["waits"]) <= found <= int(row["most"]), (found, row)


def check_frequencies(reader):
    """Each change of the ratio in CBR packets is one of the frequency."""
    changes = collections.defaultdict(list)
    cpu = None
    for line in reader.text("dump", "--packets").splitlines():
        cpu = (re.match(r"stream \d+ cpu (\d+)", line) or [None, cpu])[1]
        found = re.search(r"\bcbr +(?:0x)?([0-9a-f]+)", line)
        if found and changes[cpu][-1:] != [found[1]]:
            changes[cpu].append(found[1])
    found = collections.Counter(
        cpu for _, cpu, _ in exported(reader).frequencies)
    assert sum(found.values()) == sum(map(len, changes.values())) > 0, \
        (found, changes)
    assert all(100_000 < khz < 10_000_000
               for _, _, khz in exported(reader).frequencies)


# A PSB: the last eight pairs of a row of them, since the packet before may end
# like one of these. Intel SDM, volume 3, 33.4.2.17.
PSB = re.compile(b"(?:\x02\x82){8}(?!\x02\x82)")


def check_rings(reader):
    """A ring held the bytes of a reading up to a sync point, in steps of 32 KiB."""
    with open(os.path.join(reader.recording, "data"), "rb") as file:
        records = perf_file.File(file.read()).records
    points = collections.defaultdict(list)
    for kind, record, trace in records:
        if kind == perf_file.AUXTRACE:
            cpu, = struct.unpack_from("<i", record, 40)
            points[cpu].extend(found.start() for found in
                               PSB.finditer(trace))
    assert points
    for cpu, wanted in points.items():
        held = [value for _, value in
                exported(reader).counters[f"CPU {cpu} trace in the ring"]]
        assert set(held) <= set(wanted), (cpu, set(held) - set(wanted))
        assert max(wanted) - max(held) <= 32 << 10, (cpu, held[-1])


def check_processes(reader):
    """Perfetto's tree of processes has each thread and its last name."""
    tree = exported(reader).tree
    rows = sql_rows(reader, "SELECT pid, tid, comm FROM thread")
    assert len(rows) > 5, rows
    for row in rows:
        assert tree[int(row["tid"])] == (int(row["pid"]), row["comm"]), row
    assert 2 in exported(reader).children.values(), "no kernel threads"


def check_min_duration(reader):
    """--min-duration omits shorter slices and nothing else."""
    least_ns = 20000
    whole = exported(reader)
    export = exported(reader, "--min-duration", "20us")
    for track in ("system calls", "interrupts", "kernel work"):
        wanted = sorted((str(owner), span.begin_ns, span.name)
                        for owner, span in whole.side_track(track)
                        if span.end_ns - span.begin_ns >= least_ns)
        found = sorted((str(owner), span.begin_ns, span.name)
                       for owner, span in export.side_track(track))
        assert found == wanted, track
    assert export.wakings == whole.wakings, "wake-ups differ"
    check_flows(reader, "--min-duration", "20us")


def check_functions_only(reader):
    export = exported(reader, "--functions-only")
    assert not export.parents and not export.wakings and export.switches
    whole = exported(reader)
    functions = [{(whole_or.names[track], tuple(sorted(spans)))
                  for track, spans in whole_or.spans.items()
                  if whole_or.tids.get(track)}
                 for whole_or in (whole, export)]
    assert functions[0] == functions[1], "functions differ"


if __name__ == "__main__":
    if not shutil.which("protoc"):
        print("skipped: no protoc here")
        sys.exit(0)
    sys.exit(run_checks(globals()))
