#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the names of functions in a recording of names.sh.

	judge_names.py KTRACE FOLDER CASE

The program's output has the number of calls of each of its functions. The
recording "run", of the program with its symbols, says where they are."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "..", "recorded"))
# pylint: disable=wrong-import-position
from debug_server import debug_server, elfutils_server, free_port
from view_server import server
# pylint: enable=wrong-import-position

KTRACE, FOLDER, CASE = sys.argv[1:4]
# Of view/data/slice_store.h and view/answer/answer_json_internal.h.
TRACK_FIBER, TRACK_KINDS, SLICE_NAME, SLICE_NUMBERS = 3, 6, 3, 8
LEAST_COUNTS = 3
# The function in which each fiber waits, the one that called it there, and the
# number of fibers.
FIBERS = {"go": ("main.answer", "main.descend", 100),
          "goids": ("main.answer", "main.descend", 100),
          "ocaml": ("yield", "descend", 8),
          "boost-context": ("yield", "descend", 8),
          "boost-coroutine": ("yield", "descend", 8),
          "boost-fiber": ("yield", "descend", 8),
          "fibers-swap": ("yield", "descend", 8),
          "fibers-jump": ("yield", "descend", 8),
          "fibers-return": ("yield", "descend", 8)}
RUNTIMES = ("cpp", "rust", "java", "java-at-once", "node", "python", *FIBERS)
# Each fiber calls cost_of that often, and yields. Which of them goes on is only
# assumed in the last ones: they take turns with their scheduler, or start before
# they have a number.
EACH_FIBER = 12
UNEVEN_FIBERS = ("go", "goids", "ocaml", "boost-fiber", "fibers-jump")
# Code of the compiler's start files that no unwind table describes.
UNDESCRIBED = {"_init", "_fini", "register_tm_clones", "deregister_tm_clones",
               "__do_global_dtors_aux", "frame_dummy"}
failures = 0


def check(what, holds, details=""):
    global failures
    if holds:
        print(f"ok: {CASE}: {what}")
        return
    failures += 1
    print(f"not ok: {CASE}: {what}: {details}")


def rows_of(case):
    result = subprocess.run(
        [KTRACE, "report", "--flat", "-i", f"{FOLDER}/{case}", "--format=csv"],
        capture_output=True, text=True, check=False)
    if result.returncode:
        print(f"not ok: {case}: {result.stderr}")
        sys.exit(1)
    return list(csv.DictReader(result.stdout.splitlines()))


def counts_of(case):
    """The program's own counts, by function."""
    counts = {}
    with open(f"{FOLDER}/{case}.out", encoding="utf-8") as output:
        for line in output:
            name, _, number = line.rstrip().rpartition(" ")
            if name and number.isdigit():
                counts[name] = int(number)
    return counts


def messages_of(case):
    with open(f"{FOLDER}/{case}.err", encoding="utf-8") as errors:
        return errors.read()


def is_nameless(row):
    return row["function"].startswith("[") and row["function"] != "[plt]"


def gaps_ns(case):
    """The time in code that is not known, which is a gap in the trace."""
    result = subprocess.run(
        [KTRACE, "report", "-i", f"{FOLDER}/{case}", "--format=json"],
        capture_output=True, text=True, check=True)
    return sum(cpu["gap_ns"] for cpu in json.loads(result.stdout)["cpus"])


def nameless_percent(rows):
    """The share of user time in code without a name, or that is unknown."""
    user = [row for row in rows
            if row["module"].startswith("/") or is_nameless(row)]
    gap = gaps_ns(CASE)
    total = sum(int(row["self_ns"]) for row in user) + gap
    nameless = sum(int(row["self_ns"]) for row in user if is_nameless(row))
    return 100 * (nameless + gap) / max(total, 1)


def check_nameless(rows):
    percent = nameless_percent(rows)
    check("nameless user time is below 1 %", percent < 1, f"{percent:.2f} %")


def check_counts(rows, counts):
    check("the program counted", len(counts) >= LEAST_COUNTS, counts)
    for name, calls in counts.items():
        found = [int(row["calls"]) for row in rows
                 if row["function"] == name and row["module"]]
        check(f"calls of {name}", sum(found) == calls, f"{found}, not {calls}")


def with_own_names(rows):
    """The rows with functions' names as their program prints them: without the
    file, which interpreters add, the sign of Node's compilers, and the module
    and number of OCaml's."""
    for row in rows:
        name = re.sub("^JS:[~^*]", "JS:", row["function"])
        if name.startswith(("JS:", "py::")):
            row["function"] = re.split("[ :]/", name)[0]
        row["function"] = plain(row["function"])
    return rows


def plain(name):
    return re.sub(r"^camlEffects\.(\w+)_\d+$", r"\1", name)


def ask(query):
    result = subprocess.run(
        [KTRACE, "sql", "-i", f"{FOLDER}/{CASE}", "--format=json", query],
        capture_output=True, text=True, check=True)
    return [tuple(row.values()) for row in json.loads(result.stdout)]


def symbol_of(name):
    """The name of the program's function in the reports."""
    if CASE != "ocaml":
        return name
    return ask("SELECT DISTINCT function FROM call WHERE function LIKE "
               f"'camlEffects.{name}_%'")[0][0]


def tracks_of(path):
    """The functions on each track of a Chrome trace, by the track's name, and
    the number of ends that do not end the track's innermost function."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names, functions, stacks, wrong = {}, {}, {}, 0
    for event in events:
        track = (event["pid"], event.get("tid"))
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[track] = event["args"]["name"]
        elif event["ph"] == "B":
            stacks.setdefault(track, []).append(event["name"])
            functions.setdefault(names[track], set()).add(event["name"])
        elif event["ph"] == "E":
            wrong += stacks[track].pop() != event["name"]
    return functions, wrong


def page_tracks():
    """The functions in the page's track of each fiber."""
    with server(KTRACE, f"{FOLDER}/{CASE}") as page:
        recording = page.wait()
        numbers = [i * TRACK_KINDS + TRACK_FIBER
                   for i in range(len(recording["fibers"]))]
        if not numbers:
            return []
        answer = page.ask("tracks", **{
            "from": 0, "to": recording["length_ns"], "pixels": 16000,
            "tracks": ",".join(map(str, numbers))})
        assert answer["is_whole"]
        return [{answer["functions"][str(name)][0]
                 for name in track["slices"][SLICE_NAME::SLICE_NUMBERS]}
                for track in answer["tracks"]]


def check_ids():
    """Each goroutine has its own id, by which the program prints what it did."""
    with open(f"{FOLDER}/{CASE}.out", encoding="utf-8") as output:
        own = {int(words[1]): int(words[3]) for words in map(str.split, output)
               if words[0] == "goroutine"}
    found = dict(ask("SELECT fiber, count(*) FROM call WHERE how = 'call' AND "
                     "function = 'main.costOf' GROUP BY fiber"))
    wrong = {goroutine: (found.get(goroutine), own.get(goroutine))
             for goroutine in set(own) | set(found)
             if found.get(goroutine) != own.get(goroutine)}
    check("each goroutine's calls, by its id", own and not wrong, wrong)


def check_fibers():
    """Each fiber has a stack of its own, in SQL and as a track of exports, and
    sleeps are of the one that slept."""
    waits, caller, count = FIBERS[CASE]
    waits, caller = symbol_of(waits), symbol_of(caller)
    fibers = ask("SELECT count(DISTINCT fiber) FROM call "
                 f"WHERE function = '{waits}' AND fiber > 0")
    check(f"{count} fibers", fibers == [(count,)], fibers)
    callers = ask("SELECT DISTINCT caller FROM call "
                  f"WHERE function = '{waits}'")
    check("no fiber is part of another one", callers == [(caller,)], callers)
    path = f"{FOLDER}/{CASE}.chrome"
    subprocess.run([KTRACE, "export", "--format=chrome", "--min-duration=0",
                    "-i", f"{FOLDER}/{CASE}", "-o", path],
                   capture_output=True, check=True)
    tracks, wrong = tracks_of(path)
    found = [name for name, functions in tracks.items()
             if name.startswith(("fiber ", "goroutine ")) and waits in functions]
    check("each fiber has a track", len(found) == count and not wrong,
          f"{found}, {wrong} wrong ends")
    found = [functions for functions in page_tracks()
             if functions & {waits, caller}]
    check("each fiber has a track in the page", len(found) == count, found)
    if CASE == "goids":
        check_ids()
    if CASE in ("go", "goids"):
        asleep = ask("SELECT count(*) FROM call WHERE fiber > 0 AND "
                     "function IN ('runtime.stopm', 'runtime.schedule')")
        check("no goroutine sleeps for the scheduler", asleep == [(0,)],
              asleep)
        return
    if CASE not in UNEVEN_FIBERS:
        each = ask("SELECT count(*) FROM call WHERE function = 'cost_of' "
                   "GROUP BY fiber")
        check("all fibers ran as often", each == [(EACH_FIBER,)] * count, each)
    if CASE not in ("boost-fiber", "ocaml"):
        # That a routine which jumps switches stacks shows when it resumes the
        # first one: fibers have no number until then.
        asleep = ask("SELECT fiber, count(*) FROM call "
                     "WHERE function LIKE '%clock_nanosleep' "
                     "AND module <> '' AND fiber > 0 GROUP BY fiber")
        check("one fiber sleeps", [11 <= count <= 12 for _, count in asleep] ==
              [True], asleep)


def check_tiers(rows, counts):
    """A compiler's code that replaces other code of a function is entered by a
    jump from it, which counts as a tail call."""
    check("the program counted", len(counts) >= LEAST_COUNTS, counts)
    for name, calls in counts.items():
        found = [int(row["calls"]) for row in rows if row["function"] == name]
        check(f"calls of {name}", found and
              0 <= sum(found) - calls < len(found), f"{found}, not {calls}")


def check_vm(rows, counts):
    """A call is unknown until the recorder has copied the code that Java's VM
    patched for it: before a pause, or a tenth of all."""
    check("the program counted", len(counts) >= LEAST_COUNTS, counts)
    for text, calls in counts.items():
        name, _, first = text.rpartition(" ")
        found = sum(int(row["calls"]) for row in rows if row["function"] == name)
        unknown = int(first) if CASE == "java" else calls / 10
        check(f"calls of {name}", calls - unknown <= found <= calls,
              f"{found}, not {calls}")


def check_stripped(rows):
    """Each function has the calls of the same address of the full program."""
    def by_address(rows, ending):
        return {int(row["address"], 0): int(row["calls"]) for row in rows
                if row["module"].endswith(ending) and not is_nameless(row)
                and row["function"] not in UNDESCRIBED}
    full = by_address(rows_of("run"), "/named-static")
    stripped = by_address(rows, "/named-stripped")
    wrong = {hex(at): (calls, stripped.get(at))
             for at, calls in full.items() if stripped.get(at) != calls}
    check("as many functions as with symbols", len(full) == len(stripped),
          f"{len(full)} and {len(stripped)}")
    check("the same calls as with symbols", not wrong, wrong)
    names = [row["function"] for row in rows
             if row["module"].endswith("/named-stripped")
             and not is_nameless(row)]
    check("names are the file and the offset", names and all(
        name.startswith(("named-stripped+0x", "*ABS*")) for name in names),
        names)


def build_id(program):
    notes = subprocess.run(["readelf", "-n", program], capture_output=True,
                           text=True, check=True).stdout
    return re.search(r"Build ID: (\w+)", notes).group(1)


def debug_data(program):
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["objcopy", "--only-keep-debug", program, file.name],
                       check=True)
        return file.read()


def ask_servers(url, *options):
    """Whether the stripped program's functions have the names of its debug data,
    and the messages, with only the server at @url."""
    with tempfile.TemporaryDirectory() as cache:
        result = subprocess.run(
            [KTRACE, "report", "--flat", "-v", *options, "--format=csv",
             "-i", f"{FOLDER}/{CASE}"], capture_output=True, text=True,
            env=os.environ | {
                "DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": cache,
                "DEBUGINFOD_TIMEOUT": "2"}, check=True, timeout=60)
    names = {row["function"] for row in csv.DictReader(result.stdout.splitlines())
             if row["module"].endswith("/named-stripped")}
    return "walk" in names, "named-stripped+" in str(names), result.stderr


def check_bad_servers(path, data, other):
    """A server without right debug data leaves the names of before, with a
    reason."""
    cases = {"404": ({}, None, "no server has its debug data"),
             "another file's": ({path: other}, None, "of another file"),
             "cut off": ({path: data}, len(data) // 2, "or sent all of it"),
             "half of": ({path: data[:len(data) // 2]}, None, "damaged data")}
    for what, (files, sent_bytes, reason) in cases.items():
        with debug_server(files, sent_bytes) as (url, _):
            named, has_before, messages = ask_servers(url, "--debuginfod")
        check(f"debuginfod: {what} debug data", has_before and not named and
              re.search(f"named-stripped: .*{reason}", messages), messages)
    with debug_server({}, is_silent=True) as (url, asked):
        named, has_before, messages = ask_servers(url, "--debuginfod")
    check("debuginfod: a silent server is queried once", has_before and
          len(asked) == 1 and "Timer expired" in messages, messages)
    _, has_before, messages = ask_servers(
        f"http://127.0.0.1:{free_port()}", "--debuginfod")
    check("debuginfod: no server", has_before and
          messages.count("Connection refused") == 1, messages)


def check_servers():
    """Names from a debuginfod server, only with consent."""
    if not shutil.which("debuginfod-find"):
        print("skipped: names.sh: stripped: no client of debuginfod")
        return
    programs = os.path.join(os.path.dirname(KTRACE), "tests/e2e/programs")
    stripped, full = f"{programs}/named-stripped", f"{programs}/named-static"
    path, data = f"/buildid/{build_id(stripped)}/debuginfo", debug_data(full)
    with debug_server({path: data}) as (url, asked):
        check("debuginfod: nothing is sent without consent",
              not ask_servers(url)[0] and not asked, asked)
        named, has_before, messages = ask_servers(url, "--debuginfod")
        check("debuginfod: names", named and not has_before, messages)
    check_bad_servers(path, data, debug_data(f"{programs}/named"))
    if not shutil.which("debuginfod"):
        print("skipped: names.sh: stripped: no server of elfutils")
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(full, folder)
        with elfutils_server(folder) as url:
            check("debuginfod: names from the server of elfutils",
                  ask_servers(url, "--debuginfod")[0])


def check_budget(rows):
    messages = messages_of(CASE)
    check("the recorder reports the file over the budget",
          "which has room for 512 MiB" in messages, messages)
    check("no copy is in the recording",
          not os.path.exists(f"{FOLDER}/{CASE}/programs"))
    check("its time is nameless", nameless_percent(rows) > 50)


def check_traces(rows):
    """LuaJIT makes its code writable to patch it, and executable again: what
    ran is what was there at that time, or a gap. It has no names."""
    user_ns = sum(int(row["self_ns"]) for row in rows
                  if row["module"].startswith("/") or is_nameless(row))
    gap = gaps_ns(CASE)
    check("little code is unknown", gap < 0.02 * user_ns, f"{gap}, {user_ns}")
    blocks = subprocess.run(
        [KTRACE, "dump", "--blocks", "-i", f"{FOLDER}/{CASE}"],
        capture_output=True, text=True, check=True).stdout
    check("no code is another one", "bad trace" not in blocks)
    functions = {row["function"] for row in rows if int(row["self_ns"])}
    check("the interpreter and its traces ran",
          "[generated code]" in functions and
          len([name for name in functions
               if name.startswith("luajit+0x")]) > 20, functions)


def check_shell(rows):
    names = {row["function"] for row in rows
             if row["function"].startswith("dash+0x")}
    check("many functions of dash ran", len(names) > 40, len(names))


def check_archive():
    """The copies of files are packed, unless --no-files is given."""
    for options, wanted in ((), True), (("--no-files",), False):
        name = f"{CASE}.archive{len(options)}"
        subprocess.run(
            [KTRACE, "archive", "-i", f"{FOLDER}/{CASE}", "-o",
             f"{FOLDER}/{name}", *options], capture_output=True, check=True)
        has = "walk" in [row["function"] for row in rows_of(name)]
        check(f"names in an archive {' '.join(options)}", has == wanted)


def main():
    rows = rows_of(CASE)
    if CASE == "budget":
        check_budget(rows)
        return
    if CASE == "luajit":
        check_traces(rows)
        return
    check_nameless(rows)
    if CASE == "stripped":
        check_stripped(rows)
        check_servers()
    elif CASE == "shell":
        check_shell(rows)
    elif CASE == "pivot":
        check_counts(rows, counts_of(CASE))
        check_archive()
    elif CASE == "node":
        check_tiers(with_own_names(rows), counts_of(CASE))
    elif CASE in ("java", "java-at-once"):
        check_vm(rows, counts_of(CASE))
    elif CASE != "running":
        check_counts(with_own_names(rows), counts_of(CASE))
    if CASE in FIBERS:
        check_fibers()
    if CASE not in ("run", "stripped", "shell", *RUNTIMES):
        check("no name of this computer's dash",
              not [row for row in rows if row["function"].startswith("dash+")])
        check("no warning", "copied" not in messages_of(CASE),
              messages_of(CASE))


main()
sys.exit(failures > 0)
