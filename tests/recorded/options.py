#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every option of the reading commands that selects part of a recording has its effect.

    options.py PROGRAM RECORDING

The recording is system-wide, of a shell and several of its children.
"""
import collections
import csv
import json
import os
import re
import sys
import xml.etree.ElementTree

from reader import run_checks

SVG = "{http://www.w3.org/2000/svg}"


def self_ns(rows):
    return sum(int(row["self_ns"]) for row in rows)


def calls(rows):
    return sum(int(row["calls"]) for row in rows)


def entries(rows):
    return [row for row in rows if row["event"] == "enter"]


def middle(reader):
    times = [int(row["time_ns"]) for row in reader.whole_timeline]
    return times[len(times) // 2]


def check_window(reader):
    """Two halves add up to the whole."""
    time_ns = middle(reader)
    seconds = f"@{time_ns // 10**9}.{time_ns % 10**9:09}"
    before = reader.flat("--until", seconds)
    after = reader.flat("--since", seconds)
    whole = reader.flat()
    assert self_ns(before) > 0 and self_ns(after) > 0
    assert self_ns(before) + self_ns(after) == self_ns(whole)
    assert calls(before) + calls(after) == calls(whole)
    for row in reader.timeline("--since", seconds):
        # A call that started before the window may end in it.
        assert row["event"] == "exit" or int(row["time_ns"]) >= time_ns, row
    for row in entries(reader.timeline("--until", seconds)):
        assert int(row["time_ns"]) < time_ns, row


def text_times(reader, *options):
    """Returns the times of timeline's text, in ns."""
    done = reader.run("timeline", *options, "-i", reader.recording)
    return [round(float(line.split()[0]) * 1e9) for line in
            done.stdout.decode().splitlines()
            if re.match(r" *\d+\.\d{9} ", line)]


def check_one_clock(reader):
    """Text, --since and --until have seconds since the recording's start,
    unless --absolute or @ asks for its clock."""
    absolute = text_times(reader, "--absolute")
    relative = text_times(reader)
    assert len(relative) == len(absolute) > 100, len(relative)
    (start,) = {one - other for one, other in zip(absolute, relative)}
    assert start > 0 and min(relative) < 10**6, (start, min(relative))
    at = relative[len(relative) // 2]
    windows = [text_times(reader, "--since", since) for since in
               (f"{at}ns", f"+{at}ns", f"@{at + start}ns")]
    assert windows[0] == windows[1] == windows[2], [map(len, windows)]
    assert windows[0][0] >= at and len(windows[0]) < len(relative)
    window = text_times(reader, "--absolute", "--since", f"{at + start}ns")
    assert [time - start for time in window] == windows[0]


def check_relative_time(reader):
    assert self_ns(reader.flat("--since", "+0s")) == self_ns(reader.flat())
    done = reader.run("report", "--flat", "--since", "+9999s", "-i",
                      reader.recording)
    assert done.returncode == 1 and b"nothing to show" in done.stderr
    done = reader.run("report", "--since", "noon", "-i", reader.recording)
    assert done.returncode == 2 and b"not a time" in done.stderr


def check_cpu(reader):
    whole = self_ns(reader.flat())
    cpus = {row["cpu"] for row in reader.whole_timeline}
    parts = [self_ns(reader.flat("--cpu", cpu)) for cpu in cpus]
    assert sum(parts) == whole, (parts, whole)
    done = reader.run("report", "--cpu", "999", "-i", reader.recording)
    assert done.returncode == 1 and b"--cpu" in done.stderr
    assert reader.run("report", "--cpu", "x", "-i",
                      reader.recording).returncode == 2


def check_jobs(reader):
    """Any number of threads gives the same bytes."""
    for command in (["report", "--format=csv"], ["timeline", "--format=csv"],
                    ["export", "--format=perfetto"], ["dump", "--events"]):
        command += ["-i", reader.recording, "--jobs"]
        alone = reader.run(*command, "1")
        assert alone.returncode == 0 and alone.stdout, command
        assert reader.run(*command, "3").stdout == alone.stdout, command
    for wrong in ("0", "x", "-1"):
        done = reader.run("report", "--jobs", wrong, "-i", reader.recording)
        assert done.returncode == 2, wrong


def check_pid(reader):
    """The parts of processes, and of no process, add up; names contain the
    process."""
    # The processes with the most steps: several of their functions ran.
    steps = collections.Counter(int(row["pid"]) for row in reader.whole_timeline
                                if int(row["pid"]) > 0)
    pids = [pid for pid, _ in steps.most_common(4)]
    assert len(pids) > 3, pids
    everything = reader.flat("--pid", "-".join(("0", "65536")))
    parts = 0
    for pid in pids:
        rows = reader.flat("--pid", str(pid))
        for row in rows:
            assert re.match(rf"{pid}[ku]:", row["function"]), row
        parts += self_ns(rows)
    together = reader.flat("--pid", ",".join(map(str, pids)))
    assert self_ns(together) == parts > 0
    assert self_ns(everything) >= parts
    # A process of the recording may have run no traced code.
    busy = together[0]["function"].partition(":")[0]
    text = reader.text("report", "--callgraph", "--pid", busy[:-1])
    assert f"{busy}:" not in text and " [1]\n" in text, busy
    text = reader.text("report", "--callgraph", "--pid",
                       ",".join(map(str, pids)))
    assert f"{busy}:" in text, busy


def check_comm_and_tree(reader):
    rows = reader.whole_timeline
    shells = {int(row["pid"]) for row in rows if row["comm"] == "sh"}
    assert shells, "no shell in the recording"
    by_comm = reader.flat("--comm", "sh")
    assert by_comm
    root = min(shells)
    tree = {row["function"].split(":")[0]
            for row in reader.flat("--tree", str(root))}
    alone = {row["function"].split(":")[0]
             for row in reader.flat("--pid", str(root))}
    assert alone < tree, (alone, tree)


def check_top(reader):
    for report in ("--flat", "--callgraph"):
        rows = reader.rows("report", report, "--top", "5")
        assert rows == reader.rows("report", report)[:5]
    assert len(entries(reader.timeline("--top", "7"))) == 7
    assert len(reader.text("dump", "--events", "--top",
                           "9").splitlines()) == 10


def check_sort(reader):
    by_self = reader.flat()
    by_calls = reader.flat("--sort=calls")
    assert by_calls != by_self
    assert by_calls == with_sums(sorted(
        by_self, key=lambda row: -int(row["calls"])))
    names = [row["function"] for row in reader.flat("--sort=function")]
    assert names == sorted(names)
    assert reader.flat("--sort=calls", "--top=5") == by_calls[:5]
    for report in ("--flat", "--callgraph"):
        done = reader.run("report", report, "--sort=nonsense", "-i",
                          reader.recording)
        assert done.returncode == 2 and b"--sort" in done.stderr, report


def check_each_column_sorts(reader):
    """Unknown columns are refused before a recording is opened."""
    tables = ("flat", "processes", "threads", "servers", "requests",
              "syscalls", "sleeps", "runqueue", "interrupts", "user-sites",
              "flat --lines", "flat --by=process", "threads --by=process",
              "interrupts=both", "interrupts=both --by=process")
    for words in (f"--{table}".split() for table in tables):
        head = reader.text("report", *words, "--format=csv",
                           "--top=1").partition("\n")[0]
        columns = head.split(",")
        assert len(columns) > 5, (words, columns)
        for column in columns:
            done = reader.run("report", *words, "--sort", column, "-i",
                              "/none")
            assert done.returncode == 1, (words, column, done)
            assert b"/none" in done.stderr, (words, column, done)


def check_empty_tables(reader):
    """Without rows, CSV has its header, JSON is an array, and standard error
    says why; -q: it does not."""
    for table in ("--guests", "--hits", "--args"):
        words = ("report", table, "-i", reader.recording)
        text = reader.run(*words)
        assert text.returncode == 0 and text.stdout.strip(), (table, text)
        why = text.stdout.strip().splitlines()[0]
        for form in ("csv", "json"):
            data = reader.run(*words, f"--format={form}")
            assert data.returncode == 0 and why in data.stderr, (table, data)
            if form == "json":
                assert json.loads(data.stdout) == [], (table, data)
            else:
                rows = list(csv.reader(data.stdout.decode().splitlines()))
                assert len(rows) == 1 and len(rows[0]) > 5, (table, rows)
            quiet = reader.run(*words, f"--format={form}", "-q")
            assert why not in quiet.stderr, (table, quiet)


def with_sums(rows):
    total = 0
    for row in rows:
        total += int(row["self_ns"])
        row["cumulative_ns"] = str(total)
    return rows


def expect_schema(value):
    """Output fits docs/schema/report.json, which has all members."""
    try:
        import jsonschema
    except ImportError:
        print("skipped: the schema of JSON: no python3-jsonschema here")
        return
    path = os.path.join(os.path.dirname(__file__),
                        "../../docs/schema/report.json")
    with open(path, encoding="utf-8") as schema:
        jsonschema.Draft202012Validator(json.load(schema)).validate(value)


def check_chosen_columns(reader):
    """A part of the table without a chosen column of its own is left out."""
    for columns, parts in (("pid,wall", 1), ("pid,faults", 1),
                           ("pid,wall,faults", 2)):
        text = reader.text("report", "--processes",
                           f"--columns={columns}")
        heads = re.findall(r"^ *pid ", text, re.M)
        assert len(heads) == parts, (columns, text)


def check_several_at_once(reader):
    """Several tables in one pass equal single ones, in the order of the
    options."""
    asked = ["--syscalls", "--flat", "--runqueue", "--callgraph", "--sleeps"]
    names = [option[2:] for option in asked]
    alone = {option[2:]: json.loads(reader.text(
        "report", option, "--format=json", "--top=7")) for option in asked}
    together = json.loads(reader.text("report", *asked, "--format=json",
                                      "--top=7"))
    assert list(together) == ["version", *names], list(together)
    expect_schema(together)
    expect_schema({"version": 1, "threads": json.loads(reader.text(
        "report", "--threads", "--format=json"))})
    for name in names:
        assert together[name] == alone[name] != [], name
    text = reader.text("report", *asked, "--top=7", "--syscalls")
    assert re.findall("^==> (.*) <==$", text, re.M) == names
    # A part left out of all of them is reported once, at the end.
    left = re.compile(r"\nLeft out: the recorder, traced for .*\n")
    parts = [reader.text("report", option, "--top=7") for option in asked]
    notes = [found[0] for found in map(left.search, parts) if found]
    whole = "\n".join(f"==> {option[2:]} <==\n" + left.sub("", part)
                      for option, part in zip(asked, parts))
    assert text == whole + "".join(notes[:1]), (text, whole)
    # The beneficiaries of interrupt work need events, too.
    by = ("--by=comm", "--format=json")
    together = json.loads(reader.text("report", "--flat", "--threads", *by))
    assert together.pop("version") == 1
    for name, rows in together.items():
        assert rows == json.loads(reader.text("report", f"--{name}", *by))
    tracer = json.loads(reader.text("report", "--tracer", "--threads",
                                    "--format=json"))
    assert tracer["flat"] == json.loads(reader.text(
        "report", "--tracer", "--format=json"))
    for wrong, said in ((("--format=csv",), b"csv can only contain one table"),
                        (("--spins", "--by=comm"), b"--spins"),
                        (("--sort=calls",), b"--callgraph"),
                        (("--format=nonsense",), b"nonsense")):
        done = reader.run("report", *asked, *wrong, "-i", reader.recording)
        assert done.returncode == 2 and said in done.stderr, (wrong, done)


def check_shortest_of_chrome(reader):
    """Short functions are left out of files for browsers, with a note."""
    texts = {}
    for option in ((), ("--min-duration=1us",), ("--min-duration=0",)):
        done = reader.run("export", "--format=chrome", *option, "-i",
                          reader.recording)
        assert done.returncode == 0
        assert (b"--min-duration=0 keeps them" in done.stderr) == (not option)
        texts[option] = done.stdout
    least, same, whole = texts.values()
    assert least == same and len(least) < len(whole)


def check_formats_offered(reader):
    offered = {
        ("report",): ("text", "csv", "json"),
        ("explain",): ("text", "csv", "json"),
        ("report", "--flat"): ("text", "csv", "json"),
        ("report", "--callgraph"): ("text", "csv", "json"),
        ("timeline",): ("text", "csv", "json", "raw"),
        ("flamegraph",): ("svg", "folded"),
        ("export",): ("perfetto", "firefox", "chrome", "csv", "json", "ndjson"),
    }
    for command, formats in offered.items():
        few = () if command in (("flamegraph",), ("explain",)) else ("--top", "3")
        for name in formats:
            done = reader.run(*command, "--format", name, *few, "-i",
                              reader.recording)
            assert done.returncode == 0 and done.stdout, (command, name)
        done = reader.run(*command, "--format", "nonsense", "-i",
                          reader.recording)
        assert done.returncode == 2 and b"nonsense" in done.stderr, command


def check_function(reader):
    name = "vfs_write"
    # A timeline also contains the tracer's own calls.
    flat = {row["function"]: row for row in reader.flat("--with-tracer")}
    row = flat[name]
    begun = sum(int(row[key]) for key in ("calls", "starts", "inferred"))
    shown = reader.timeline("--function", name)
    roots = [row for row in entries(shown) if row["function"] == name]
    assert len(roots) == begun > 0, (len(roots), begun)
    depth = {row["depth"] for row in entries(
        reader.timeline("--function", name, "--depth", "1"))}
    assert {row["function"] for row in entries(
        reader.timeline("--function", name, "--depth", "1"))} == {name}, depth
    done = reader.run("timeline", "--function", "no_such_function", "-i",
                      reader.recording)
    assert done.returncode == 1 and b"no_such_function" in done.stderr


def check_depth(reader):
    shallow = entries(reader.timeline("--depth", "2"))
    assert shallow == [row for row in entries(reader.whole_timeline)
                       if int(row["depth"]) < 2]
    assert reader.run("timeline", "--depth", "0", "-i",
                      reader.recording).returncode == 2


def check_min_duration(reader):
    wanted = [row for row in reader.whole_timeline
              if row["event"] == "exit" and int(row["wall_ns"]) >= 20000]
    got = [row for row in reader.timeline("--min-duration", "20us")
           if row["event"] == "exit"]
    assert wanted and sorted(map(str, got)) == sorted(map(str, wanted))


def check_hide(reader):
    rows = entries(reader.whole_timeline)
    names = {row["function"] for row in rows}
    assert {"do_syscall_64", "vfs_read"} <= names, len(names)
    shown = entries(reader.timeline("--hide", "vfs_*,/^ksys_/"))
    left = {row["function"] for row in shown}
    assert "do_syscall_64" in left and len(shown) < len(rows)
    assert not [name for name in left if re.match("vfs_|ksys_", name)]
    picked = entries(reader.timeline("--function", "/^vfs_read$/"))
    assert picked == entries(reader.timeline("--function", "vfs_read"))
    done = reader.run("timeline", "--hide", "no_such_*", "--top=1", "-i",
                      reader.recording)
    assert done.returncode == 0 and b"no_such_*" in done.stderr, done.stderr


def check_calltree(reader):
    text = reader.text("report", "--calltree")
    assert re.search(r"^time %     total      self    calls  function\n"
                     r" ?[\d.]+ +[\d.]+ \w+ +\S+ .*\n", text, re.M), text[:500]
    # Callees are below their callers.
    assert re.search(r"^( *\S+ +\S+ \w+ .*  )entry_SYSCALL_64\w*\n"
                     r".*    ( *)do_syscall_64\n", text, re.M), text[:2000]


def check_diff(reader):
    done = reader.run("diff", "--format=csv", reader.recording,
                      reader.recording)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    assert {row["section"] for row in rows} >= {"process", "function"}
    for row in rows:
        assert row["change_ns"] == "0" and not row["note"], row
        assert row["total_a_ns"] == row["total_b_ns"], row
    self_ns = {}
    for row in reader.flat():
        self_ns[row["function"]] = (self_ns.get(row["function"], 0) +
                                    int(row["self_ns"]))
    for row in rows:
        if row["section"] == "function":
            assert int(row["total_a_ns"]) == self_ns[row["name"]], row
    ran = collections.defaultdict(int)  # by name, of programs' code and calls
    for row in csv.DictReader(reader.text(
            "report", "--processes", "--format=csv").splitlines()):
        ran[row["comm"]] += sum(int(row[name]) for name in (
            "user_ns", "system_calls", "faults"))
    asleep = {row["comm"] for row in rows if row["name"] == "asleep"}
    assert asleep == {comm for comm in asleep if ran[comm]}, (asleep, ran)
    text = reader.run("diff", reader.recording, reader.recording).stdout
    assert text.count(b"no change") == 4, text
    assert reader.run("diff", reader.recording).returncode == 2
    assert reader.run("diff", reader.recording, "/nowhere").returncode == 1


def check_flamegraph(reader):
    text = reader.text("flamegraph")
    root = xml.etree.ElementTree.fromstring(text)
    assert root.tag == SVG + "svg"
    titles = [title.text for title in root.iter(SVG + "title")]
    assert any("do_syscall_64" in title for title in titles)
    assert len(titles) > 100, len(titles)
    # Wide frames have their names even without the script.
    assert any(text.text == "do_syscall_64" for text in root.iter(SVG + "text"))
    script = "".join(part.text or "" for part in root.iter(SVG + "script"))
    for word in ("zoom", "search"):
        assert word in script, word
    assert "http" not in text.replace("http://www.w3.org/", ""), "loads"


def check_engine(reader):
    for command in (("report", "--flat"), ("timeline", "--top=500"),
                    ("dump", "--events")):
        texts = [reader.text(*command, *engine)
                 for engine in ((), ("--engine=graph",))]
        assert texts[0] == texts[1], command
        # check_verify() compares the times of the other engine.
        assert reader.text(*command, "--engine=libipt"), command
    for engine in "opencsd", "other":
        done = reader.run("report", f"--engine={engine}", "-i",
                          reader.recording)
        assert done.returncode == 2, engine


def check_verify(reader):
    for place in ((reader.recording,), ("-i", reader.recording)):
        done = reader.run("verify", *place)
        assert done.returncode == 0, done.stdout
        assert b" events equal, " in done.stdout
    assert reader.run("verify", reader.recording, "--since=1").returncode == 2
    assert reader.run("verify", reader.recording, "x").returncode == 2
    assert reader.run("verify", "/nowhere").returncode == 1


def check_dump(reader):
    stages = {
        "--records": r"mmap|switch|comm",
        "--packets": r"\bpsb\b",
        "--blocks": r" block call ",
        "--events": r" call ",
    }
    for stage, pattern in stages.items():
        text = reader.text("dump", stage)
        assert re.search(pattern, text, re.I), stage
    assert reader.text("dump", "--blocks") == reader.text("dump")


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
