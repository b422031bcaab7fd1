#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The output for a window is the same byte for byte, for any number of threads,
whether everything is decoded and cut to the window, decoding ends after the
window, or decoding starts at a checkpoint of the recording's index.  If decoding
starts at a sync point of the trace, without earlier state, the output differs
only in the functions that were open then, and a message reports this.

States of threads depend on earlier events: their windows start at checkpoints of
their own (state_index), which the first query over all states writes.  Rows of
other SQL tables depend on earlier events, too, and are made from cached records, most
of them those that the tables of report are made from (report_TABLE).  Profiles by
beneficiary and of wall time need both: checkpoints of their own
(report_PROFILE_index) and records.

    windows.py PROGRAM RECORDING...
"""
import collections
import csv
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

COMMANDS = ["report --flat --format json", "report --callgraph --comm cat,ls",
            "report --flat --cpu 0", "flamegraph", "flamegraph --folded",
            "timeline --top 30", "timeline --min-duration 10us --format json",
            "timeline --function vfs_read", "export --format=perfetto",
            "export --format=csv", "report --threads --format json",
            "report --sleeps", "report --block", "report --network", "report --guests",
            "report --spins",
            "report --between vfs_read,__schedule --format json",
            "report --function vfs_read --format json",
            "report --between ksys_read,__schedule --function vfs_read"]
# By the file that caches them.
TABLES = {"syscalls": ["report --syscalls", "report --syscalls --format json"],
          "sleeps": ["report --sleeps", "report --sleeps --format json",
                     "report --sleeps --syscalls --with-tracer"],
          "locks": ["report --locks", "report --locks --format json"],
          "runqueue": ["report --runqueue", "report --runqueue --by process",
                       "report --runqueue --with-tracer --format json"],
          "requests": ["report --requests", "report --requests --format json",
                       "report --requests --with-tracer --format json"],
          "servers": ["report --servers", "report --servers --format json",
                      "report --servers --requests --format json"],
          "user_sites": ["report --user-sites --with-tracer",
                         "report --user-sites --syscalls --format json"],
          "hits": ["report --hits", "report --hits --format json"],
          "crashes": ["report --crashes", "report --crashes --format json"],
          "threads": ["report", "report --threads --format json",
                      "report --threads --cpu 0"],
          "off_cpu": ["flamegraph --off-cpu --folded", "flamegraph --off-cpu",
                      "flamegraph --off-cpu --folded --by process"],
          "interrupts": ["report --interrupts", "report --by process",
                         "report --interrupts=both --format json",
                         "report --interrupts --by process --threads",
                         "flamegraph --folded --bill beneficiary"],
          "profile_index": ["flamegraph --folded --bill beneficiary",
                            "flamegraph --by cgroup",
                            "report --flat --bill beneficiary --format json",
                            "report --callgraph --bill beneficiary --cpu 0"],
          "wall": ["flamegraph --wall --folded", "flamegraph --wall"],
          "wall_index": ["flamegraph --wall --folded --by cgroup",
                         "flamegraph --wall --folded --cpu 0"]}
# The tables of SQL whose rows are cached, and their files.
KEPT = {"syscall": "report_syscalls", "fault": "report_faults",
        "sleep": "report_sleeps", "lock_wait": "report_locks",
        "interrupt_slice": "report_interrupts"}
SQL_WINDOWS = ["begin_ns >= {} AND begin_ns < {}",
               "begin_ns >= {} AND end_ns < {}",
               "end_ns > {} AND begin_ns < {}"]
SUMS = "SELECT * FROM profile({}, {}) ORDER BY pid, function_id, part"
PERF_RECORD_AUXTRACE = 71
INFERRED = "are inferred;"
WINDOWS = 10
SHARE_KEY = ["kind", "function", "irq", "time", "on_pid", "for_pid"]
STATE_WINDOWS = 16
EACH = 4    # commands per window; the next window gets others


def run_both(program, command, recording, *more, index=None):
    """Returns the output and the messages."""
    environment = dict(os.environ)
    if index:
        environment["KTRACE_INDEX"] = index
    done = subprocess.run([program, *command.split(), "-i", recording, *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment)
    assert done.returncode == 0, (command, more, done.stderr.decode())
    return done.stdout, done.stderr.decode()


def run(program, command, recording, *more, index=None):
    return run_both(program, command, recording, *more, index=index)[0]


def span_ns(program, recording):
    """Returns the start times of the first and of the last function."""
    text = run(program, "timeline --raw", recording, index="none").decode()
    times = [int(line.split()[2]) for line in text.splitlines()
             if line.startswith("E ")]
    return min(times), max(times)


def bounds(program, recording, seed, count):
    first, last = span_ns(program, recording)
    chance = random.Random(seed)
    for _ in range(count):
        since = chance.randrange(first, last)
        yield since, since + (last - first) // chance.choice([10, 100, 1000])


def windows(program, recording):
    for since, until in bounds(program, recording, 12, WINDOWS):
        yield ["--since", f"@{since // 10**9}.{since % 10**9:09}",
               "--until", f"@{until // 10**9}.{until % 10**9:09}"]


def compare(program, recording, cases, what, may_infer=False):
    """Compares windows with @cases, the output of full decodes cut to the
    window. With @may_infer, i.e. without an index, an output with the
    message INFERRED may differ; check_points() judges those."""
    different = 0
    for (command, window, jobs), whole in cases.items():
        shown, said = run_both(program, command, recording, *window,
                               "--jobs", jobs)
        if shown != whole and not (may_infer and INFERRED in said):
            different += 1
            print(f"FAILED: {what}: {command} {' '.join(window)} "
                  f"--jobs {jobs}")
    if not different:
        print(f"ok: {what}: {len(cases)} windows' reports")
    return different


def events(text):
    """Counts each entry and switch of a timeline, except functions that
    were open before they were seen."""
    return collections.Counter(
        (row["event"], row["time_ns"], row["cpu"], row["tid"], row["function"])
        for row in csv.DictReader(text.decode().splitlines())
        if row["event"] in ("enter", "switch", "state", "gap")
        and row["detail"] != "inferred")


def check_points(program, recording):
    """Judges windows that start at sync points."""
    failed = skipped = 0
    for window in windows(program, recording):
        ask = (program, "timeline --format csv", recording, *window)
        whole = run(*ask, index="none")
        one, said = run_both(*ask, "--jobs", "1", index="points")
        skipped += said.count(INFERRED)
        if one != run(*ask, "--jobs", "2", index="points"):
            failed += 1
            print(f"FAILED: from a point: {' '.join(window)}: other threads")
        missing = events(whole) - events(one)
        more = events(one) - events(whole)
        if missing or more:
            failed += 1
            print(f"FAILED: from a point: {' '.join(window)}: "
                  f"{missing.total()} missing, {more.total()} more, as",
                  [*missing, *more][:3])
    if not skipped:
        failed += 1
        print("FAILED: no window began at a point")
    print(f"from points: {skipped} windows, {failed} failed")
    return failed


def check_damaged(program, recording, index, cases):
    """An index with a changed byte anywhere changes no output."""
    with open(index, "rb") as file:
        good = file.read()
    chance = random.Random(13)
    failed = 0
    few = dict(random.Random(14).sample(sorted(cases.items()), 4))
    for place in [9, len(good) - 1, *chance.sample(range(len(good)), 6)]:
        bad = bytearray(good)
        bad[place] ^= 0x41
        with open(index, "wb") as file:
            file.write(bad)
        failed += compare(program, recording, few, f"byte {place} changed",
                          may_infer=True)
    with open(index, "wb") as file:
        file.write(good)
    return failed


def check_replaced(program, recording, index):
    """An index whose checkpoints are damaged is reported, and the next decode
    of the whole recording writes it anew."""
    with open(index, "rb") as file:
        good = file.read()
    table = int.from_bytes(good[16:24], "little")
    with open(index, "wb") as file:
        file.write(good[:40] + bytes(b ^ 0x41 for b in good[40:table]) +
                   good[table:])
    last = int.from_bytes(good[-32:-24], "little") + 1
    said = run_both(program, "timeline", recording, "--since",
                    f"@{last // 10**9}.{last % 10**9:09}")[1]
    failed = 0
    if "damaged checkpoints" not in said:
        print("FAILED: damaged checkpoints are not reported")
        failed += 1
    run(program, "report --flat", recording)
    with open(index, "rb") as file:
        if file.read() != good:
            print("FAILED: damaged checkpoints are not written anew")
            failed += 1
    return failed


def check_stale(program, recording, index):
    """An index that is older than the recording's file is written anew."""
    os.utime(os.path.join(recording, "data"))
    before = os.stat(index).st_ino
    run(program, "report --flat", recording)
    if os.stat(index).st_ino == before:
        print("FAILED: a stale index stays")
        return 1
    return 0


def ask(program, recording, query, index=None):
    return subprocess.run(
        [program, "sql", "--format=csv", recording, query], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, **({"KTRACE_INDEX": index} if index else {})}
    ).stdout


def compare_rows(program, recording, cases, what):
    different = [query for query, whole in cases.items()
                 if ask(program, recording, query) != whole]
    print(f"{'FAILED' if different else 'ok'}: {what}: {len(cases)} windows",
          *different[:1])
    return len(different)


def trace_parts(data):
    """Yields offset and size of each piece of trace in a perf.data file,
    which follows a record of that type."""
    place, size = struct.unpack_from("<QQ", data, 40)
    end = place + size
    while place < end:
        kind, _, size = struct.unpack_from("<IHH", data, place)
        if kind == PERF_RECORD_AUXTRACE:
            trace, = struct.unpack_from("<Q", data, place + 8)
            yield place + size, trace
            size += trace
        place += size


def spoil_first_third(recording):
    """Changes the trace, but not the file's size, date, start or end, from
    which the index's key is computed."""
    path = os.path.join(recording, "data")
    before = os.stat(path)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for place, size in trace_parts(data):
        for spoilt in range(place, place + size - 256, 1 << 12):
            if 1 << 17 < spoilt < len(data) // 3:
                data[spoilt:spoilt + 256] = bytes(256)
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def check_spoilt(program, recording, table, cases):
    """The trace before a window's checkpoint is not read."""
    copy = recording + ".spoilt"
    shutil.copytree(recording, copy)
    spoil_first_third(copy)
    whole = "SELECT count(*), sum(end_ns) FROM thread_state"
    failed = compare_rows(program, copy, cases,
                          f"{table} with spoilt trace before")
    if ask(program, copy, whole, "none") == ask(program, recording, whole):
        print("FAILED: trace was not spoilt")
        failed += 1
    shutil.rmtree(copy)
    return failed


def has_row(kind, begin, end, since, until):
    return (end > since and begin < until if kind == 2 else
            begin >= since and [begin, end][kind] < until)


def row_cases(program, recording, table):
    """Returns the expected output of queries about windows: of all rows in
    order, the ones in the window. For thread_state, queries of rows that
    overlap a window are left out: as threads sleep long, they decode
    everything before the window."""
    columns = f"SELECT begin_ns AS b, end_ns AS e, * FROM {table}"
    whole = ask(program, recording, columns, "none")
    head, *lines = whole.splitlines(keepends=True) or [b""]
    rows = [(*map(int, line.split(b",", 2)[:2]), line) for line in lines]
    kinds = 3 if table in KEPT else 2
    cases = {}
    for number, (since, until) in enumerate(
            sorted(bounds(program, recording, 16, STATE_WINDOWS))):
        kind = number % kinds
        shown = [row[2] for row in rows
                 if has_row(kind, *row[:2], since, until)]
        query = f"{columns} WHERE {SQL_WINDOWS[kind].format(since, until)}"
        cases[query] = head + b"".join(shown) if shown else b""
    return cases


def few(cases, count):
    return dict([*cases.items()][-count:])


def check_rows(program, recording, table, name):
    """@name is the file that the first query over all rows writes."""
    path = os.path.join(recording, name)
    cases = row_cases(program, recording, table)
    failed = compare_rows(program, recording, few(cases, 4), f"no {name}")
    ask(program, recording, f"SELECT count(*) FROM {table}")
    if not os.path.exists(path):
        print(f"FAILED: a query over all of {table} leaves no {name}")
        return failed + 1
    failed += compare_rows(program, recording, cases, name)
    failed += check_spoilt(program, recording, table, few(cases, 4))
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        file.write(b"damaged")
    return failed + compare_rows(program, recording, few(cases, 6),
                                 f"damaged {name}")


def window_cases(program, recording, commands):
    """Returns the commands' output for windows."""
    return {(command, tuple(window), "1"):
            run(program, command, recording, *window, index="none")
            for window in sorted(windows(program, recording))[WINDOWS // 2:]
            for command in commands}


def check_spoilt_reports(program, recording, name, cases):
    """Reports print the recording's path, so the spoilt copy takes its
    place."""
    good = recording + ".good"
    os.rename(recording, good)
    shutil.copytree(good, recording)
    spoil_first_third(recording)
    failed = compare(program, recording, cases,
                     f"report_{name} with spoilt trace before")
    shutil.rmtree(recording)
    os.rename(good, recording)
    return failed


def check_reports(program, recording, name):
    """Judges windows made from the records that the first decode caches."""
    path = os.path.join(recording, f"report_{name}")
    commands = TABLES[name]
    if os.path.exists(path):
        os.remove(path)
    cases = window_cases(program, recording, commands)
    for command in commands:
        run(program, command, recording)
    if not os.path.exists(path):
        print(f"FAILED: {commands[0]} leaves no report_{name}")
        return 1
    failed = compare(program, recording, cases, f"report_{name}")
    last = max(float(window[1].lstrip("@")) for _, window, _ in cases)
    failed += check_spoilt_reports(
        program, recording, name,
        {case: shown for case, shown in cases.items()
         if float(case[1][1].lstrip("@")) == last})
    return failed + check_damaged_records(program, recording, name, cases)


def damage(path, place=None):
    """Damages a file at byte @place, else in its middle."""
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2 if place is None else place)
        file.write(b"damaged")


def check_damaged_records(program, recording, name, cases):
    """Damaged records change no window, and a window that needs all records
    has them written anew.  Of a file of checkpoints, a window needs only the
    head and one checkpoint, so the head (the key, docs/formats.md) is damaged:
    the middle of a long recording's file is in another checkpoint."""
    path = os.path.join(recording, f"report_{name}")
    with open(path, "rb") as file:
        good = file.read()
    damage(path)
    few_cases = dict(random.Random(19).sample(sorted(cases.items()), 4))
    failed = compare(program, recording, few_cases, f"damaged report_{name}")
    damage(path, 8 if name.endswith("_index") else None)
    run(program, TABLES[name][0], recording, "--since", "+1ns")
    with open(path, "rb") as file:
        if file.read() != good:
            print(f"FAILED: a damaged report_{name} is not written anew")
            failed += 1
    return failed


def shares(program, recording, *window):
    """Returns the time of each kind of work by interrupted process and
    beneficiary."""
    text = run(program, "report --interrupts=both --format csv --with-tracer",
               recording, *window).decode()
    return collections.Counter(
        {tuple(row[name] for name in SHARE_KEY): int(row["total_ns"])
         for row in csv.DictReader(text.splitlines())})


def check_parts(program, recording):
    """Adjacent windows add up to the whole recording, beneficiary by
    beneficiary, except for rounding of work that crosses their borders."""
    borders = sorted(since for since, _ in bounds(program, recording, 20,
                                                  WINDOWS))
    ends = [f"@{time // 10**9}.{time % 10**9:09}" for time in borders]
    whole = shares(program, recording)
    parts = collections.Counter()
    for since, until in zip([None, *ends], [*ends, None]):
        parts.update(shares(program, recording,
                            *(["--since", since] if since else []),
                            *(["--until", until] if until else [])))
    wrong = [key for key in whole | parts
             if abs(whole[key] - parts[key]) > WINDOWS]
    print(f"{'FAILED' if wrong else 'ok'}: interrupt work of parts: "
          f"{len(whole)} rows", *wrong[:1])
    return len(wrong)


def check_writers(program, recording):
    """A profile and a table cache the same records of interrupt work."""
    path = os.path.join(recording, "report_interrupts")
    written = []
    for command in ("report --interrupts",
                    "flamegraph --folded --bill beneficiary"):
        if os.path.exists(path):
            os.remove(path)
        run(program, command, recording)
        with open(path, "rb") as file:
            written.append(file.read())
    same = written[0] == written[1]
    print(f"{'ok' if same else 'FAILED'}: report_interrupts by a table and by "
          f"a profile: {len(written[0])} and {len(written[1])} bytes")
    return not same


def check_tables(program, recording):
    return check_rows(program, recording, "thread_state", "state_index") + \
        sum(check_rows(program, recording, *kept) for kept in KEPT.items())


def check_sums(program, recording):
    """Calls that cross the end of a window are part of its sums."""
    cases = {SUMS.format(*window): ask(program, recording,
                                       SUMS.format(*window), "none")
             for window in bounds(program, recording, 18, STATE_WINDOWS // 2)}
    return compare_rows(program, recording, cases, "sums of profile")


def perf_reads(recording):
    return subprocess.run(["perf", "script", "-i", recording, "-F", "time",
                           "--itrace=i1000000i"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def check_perf(recording, original):
    """Checks that perf reads a recording with an index. Older versions of
    perf do not read recordings of other architectures."""
    if not shutil.which("perf") or perf_reads(original).returncode:
        return 0
    done = perf_reads(recording)
    if done.returncode or not done.stdout:
        print("FAILED: perf does not read a recording with an index:",
              done.stderr.decode()[:500])
        return 1
    return 0


def check_recording(program, recording, original):
    index = os.path.join(recording, "index")
    if os.path.exists(index):
        os.remove(index)
    cases = {}
    for number, window in enumerate(windows(program, recording)):
        for i in range(EACH):
            command = COMMANDS[(number * EACH + i) % len(COMMANDS)]
            whole = run(program, command, recording, *window, index="none")
            for jobs in ("1", "2"):
                cases[command, tuple(window), jobs] = whole
    failed = 0
    if os.path.exists(index):
        print("FAILED: KTRACE_INDEX=none writes one")
        failed += 1
    failed += compare(program, recording, cases, "without an index",
                      may_infer=True)
    failed += check_points(program, recording)
    # Passes for events of interrupts write the same checkpoints.
    for command in ("report --flat --jobs 1", "report --irqsoff --jobs 2"):
        if os.path.exists(index):
            os.remove(index)
        run(program, command, recording)
        if not os.path.exists(index):
            print("FAILED: a decode of the whole leaves no index")
            return failed + 1
        if os.path.getsize(index) < 1000:
            print("FAILED: the recording is too small for checkpoints")
            failed += 1
        failed += compare(program, recording, cases,
                          f"with the index of {command}")
    failed += check_damaged(program, recording, index, cases)
    failed += check_replaced(program, recording, index)
    failed += check_sums(program, recording)
    failed += check_tables(program, recording)
    failed += sum(check_reports(program, recording, name) for name in TABLES)
    failed += check_parts(program, recording)
    failed += check_writers(program, recording)
    failed += check_stale(program, recording, index)
    return failed + check_perf(recording, original)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, recording in enumerate(sys.argv[2:]):
            copy = os.path.join(folder, str(number))
            shutil.copytree(recording, copy)
            failed += check_recording(os.path.abspath(sys.argv[1]), copy,
                                      recording)
    return 1 if failed else 0


sys.exit(main())
