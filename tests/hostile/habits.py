#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages about mistakes: selections that are empty, recordings that cannot be
read, that are old or were not finished.

    habits.py PROGRAM
"""
import glob
import json
import os
import re
import shlex
import shutil
import stat
import struct
import subprocess
import sys

from judge import FACTOR, run, run_checks
from made_recording import (CODE, FINISHED_ROUND, ITRACE_START, comm, data_file,
                            fork, info, kernel_trace, mapping, origin, record,
                            write_recording)

SWITCH_CPU_WIDE, SWITCH_OUT = 15, 1 << 13
MANUALS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../../docs/man")
HOWTO = os.path.join(os.path.dirname(MANUALS), "how-to")
READERS = (("report",), ("explain",), ("report", "--flat"),
           ("report", "--sleeps"),
           ("timeline",), ("timeline", "--syscalls"), ("flamegraph",),
           ("flamegraph", "--wall"), ("export", "--format=chrome"))


def write(folder, name="one", jump_ns=100, **options):
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) +
                   origin(117, 1000))
    write_recording(folder, [comm(117, name, 1000), start,
                             kernel_trace(1500000, jump_ns=jump_ns)],
                    traces_user=False, **options)


def check_choices_that_leave_nothing(program, folder):
    write(folder)
    # All commands, unless a sanitizer makes each of them slow.
    for reader in READERS if FACTOR == 1 else READERS[::4]:
        done = run(program, *reader, "-i", folder)
        assert done.code == 0, (reader, done.err)
        for choice in ("--pid=4711", "--comm=none", "--tree=4711",
                       "--cpu=77", "--since=100", "--until=@0.000000001"):
            done = run(program, *reader, "-i", folder, choice)
            assert done.code == 1, (reader, choice, done)
            assert "nothing to show" in done.err, (reader, choice, done.err)
        for choice in ("--pid=117", "--comm=one", "--cpu=0", "--since=+0",
                       "--until=100"):
            done = run(program, *reader, "-i", folder, choice)
            assert done.code == 0, (reader, choice, done.err)
        done = run(program, *reader, "-i", folder, "--since=2", "--until=1")
        assert done.code == 2 and "is not before" in done.err, done.err


def check_unknown_options(program, folder):
    """Each line starts with the program's name."""
    for command in ("record", "report", "top", "timeline", "doctor", "serve",
                    "store report"):
        done = run(program, *command.split(), "--no-such-option")
        assert done.code == 2, (command, done)
        first = done.err.splitlines()[0]
        assert first == f"ktrace-hw {command}: unrecognized option " \
            "'--no-such-option'", done.err


# Each message has a word of the command line, which may be a terminal's
# command.
RED = "\x1b[31m"
SAID = ((RED,), ("report", "--since=" + RED), ("report", "--top=" + RED),
        ("report", RED), ("report", "-i", RED), ("report", "--" + RED),
        ("report", "--format=" + RED), ("report", "--sort=" + RED),
        ("report", "--symfs=" + RED), ("report", "--html=/none/" + RED),
        ("report", "--function=" + RED), ("report", "-o", "/none/" + RED),
        ("report", "--tree", RED), ("report", "-" + RED),
        ("timeline", "--format=" + RED), ("timeline", "--function=" + RED),
        ("flamegraph", "--format=" + RED), ("export", "--format=" + RED),
        ("export", "--format=gmon", "-o", "/none/" + RED),
        ("export", "--format=sqlite", "-o", "/none/" + RED),
        ("dump", "--format=" + RED), ("verify", RED), ("view", "--port=" + RED),
        ("diff", RED, RED), ("diff", "--format=" + RED, "a", "b"),
        ("sql", "--format=" + RED), ("sql", "select '" + RED),
        ("archive", RED), ("archive", "--unpack", RED), ("serve", RED),
        ("store", RED), ("store", "add", "--to=x.db", RED),
        ("store", "report", "--of=" + RED, "x.db"),
        ("store", "report", "--" + RED),
        ("record", "--buffer=" + RED), ("record", "--trigger=" + RED),
        ("record", "--" + RED), ("record", "--machine", RED),
        ("top", "--slice=" + RED),
        ("top", "--machine=--" + RED, "true"), ("machine", RED),
        ("machine", "run", "--" + RED))


def check_words_do_not_reach_the_terminal(program, folder):
    write(os.path.join(folder, "ktrace.data"))
    for words in SAID:
        done = run(program, *words, folder=folder,
                   codes=(1, 2, 125, 126, 127))
        assert "\x1b" not in done.err, (words, done)
        assert re.search(r"\\x1b|\?\[31m", done.err), (words, done)


def check_options_that_contradict_each_other(program, folder):
    write(folder)
    for command, first, second in (
            ("flamegraph", "--folded", "--format=svg"),
            ("flamegraph", "--wall", "--off-cpu"),
            ("timeline", "--raw", "--syscalls"),
            ("timeline", "--raw", "--format=csv"),
            ("timeline", "--hide=read", "--syscalls")):
        for words in ((first, second), (second, first)):
            done = run(program, command, *words, "-i", folder)
            assert done.code == 2 and not done.out, (command, words, done)
            for option in first.partition("=r")[0], second:
                assert option in done.err, (command, words, done.err)
    for command, words in (("flamegraph", ("--folded", "--format=folded")),
                           ("timeline", ("--raw", "--format=raw"))):
        done = run(program, command, *words, "-i", folder)
        assert done.code == 0 and done.out, (command, words, done)


def check_columns_that_no_table_has(program, folder):
    """Wrong options are refused before anything is decoded, and nothing is
    saved for the next time."""
    write(folder)
    there = sorted(os.listdir(folder))
    shown = run(program, "report", "--help").out
    tables = re.findall("^  --([a-z-]+) {2,}",
                        shown.partition("--html")[2].partition("--input")[0],
                        re.MULTILINE)
    assert {"processes", "hits", "sleeps"} <= set(tables), tables
    for words in ((), *((f"--{name}",) for name in
                        ["flat", "interrupts", *tables])):
        for column in ("zz", "pi", "pid comm"):
            done = run(program, "report", *words, f"--sort={column}", "-i",
                       folder)
            assert done.code == 2 and not done.out, (words, done)
            assert f"no column '{column}'" in done.err, (words, done)
    for words in ("--flat",), ("--callgraph",), ("--sleeps", "--flat"):
        for columns in "--columns", "--columns=self":
            done = run(program, "report", *words, columns, "-i", folder)
            assert done.code == 2 and not done.out, (words, done)
            assert f"{words[-1]} has its own" in done.err, (words, done)
    assert sorted(os.listdir(folder)) == there


def check_window_before_trace(program, folder):
    """The running tasks are known before the trace starts."""
    start = record(ITRACE_START, struct.pack("<2I", 117, 117) +
                   origin(117, 1000))
    switches = [record(SWITCH_CPU_WIDE, struct.pack("<2I", pid, pid) +
                       origin(117, time_ns), misc) for pid, time_ns, misc in
                ((0, 2000, SWITCH_OUT), (0, 3000, 0))]
    write_recording(folder, [comm(117, "one", 1000), start, *switches,
                             kernel_trace(1500000)], traces_user=False)
    for reader in READERS if FACTOR == 1 else READERS[::4]:
        done = run(program, *reader, "-i", folder, "--since=0.0005",
                   "--until=0.0006")
        assert done.code == 1, (reader, done)
        assert "nothing to show" in done.err, (reader, done.err)


def check_what_may_not_be_read(program, folder):
    """The program is a copy below @folder, on a path that starts there: the
    clone may be in folders of another user that modes make inaccessible."""
    path = os.path.join(folder, "ktrace.data")
    write(path)
    shutil.copy(program, os.path.join(folder, "program"))
    for name in (os.path.join(path, "data"), path):
        os.chmod(name, 0)
        for arguments in (("-i", "ktrace.data"), ()):
            done = run("./program", "report", *arguments, folder=folder,
                       obeys_modes=True)
            assert done.code == 1 and "Permission denied" in done.err, done
            assert "no recording" not in done.err, done.err
        os.chmod(name, 0o700)


def check_missing_programs_of_chosen_processes(program, folder):
    """A forked process has its parent's mapped files until it execs, and
    its parent's name until it has its own."""
    starts = record(ITRACE_START, struct.pack("<2I", 117, 117) +
                    origin(117, 1000))
    write_recording(folder, [comm(117, "one", 1000), mapping(117, "/none/one"),
                             fork(118, 117, 1100), comm(118, "child", 1100),
                             fork(119, 117, 1200), comm(119, "two", 1200),
                             mapping(119, "/none/two"), starts,
                             kernel_trace(1500000)])
    for choice, missing in (((), ["one", "two"]),
                            (("--comm=one",), ["one", "two"]),
                            (("--pid=117",), ["one"]),
                            (("--comm=child",), ["one"]),
                            (("--pid=118",), ["one"]),
                            (("--tree=118",), ["one"]),
                            (("--comm=two",), ["two"]),
                            (("--comm=none",), [])):
        done = run(program, "report", "--flat", "-v", "-i", folder, *choice)
        found = set(re.findall("/none/(.*): no symbols", done.err))
        assert sorted(found) == missing, (choice, done.err)


def check_what_a_recorder_left_that_was_killed_early(program, folder):
    os.mkdir(os.path.join(folder, "kcore_dir"))
    done = run(program, "report", "-i", folder)
    assert done.code == 1 and folder in done.err, done
    assert "was not finished" in done.err.split("\n")[0], done.err


def check_another_engine_of_what_was_not_read_yet(program, folder):
    write(folder)
    with_ours = run(program, "report", "-i", folder, "--flat")
    os.unlink(os.path.join(folder, "index"))
    for reader in READERS:
        done = run(program, *reader, "-i", folder, "--engine=libipt")
        assert done.code == 0, (reader, done)
        assert not os.path.exists(os.path.join(folder, "index")), reader
    done = run(program, "report", "-i", folder, "--flat", "--engine=libipt")
    assert done.out == with_ours.out, (done.out, with_ours.out)


def check_trace_that_nothing_describes(program, folder):
    write(folder)
    path = os.path.join(folder, "data")
    with open(path, "rb") as data:
        content = data.read()
    described = info()[:8]
    assert content.count(described) == 1
    with open(path, "wb") as data:
        data.write(content.replace(described, struct.pack(
            "<I", FINISHED_ROUND) + described[4:]))
    for stage in ("--packets", "--blocks", "--events"):
        done = run(program, "dump", stage, "-i", folder)
        assert done.code == 1 and folder in done.err, (stage, done)


def check_several_reports(program, folder):
    write(folder)
    reports = ("--threads", "--flat", "--sleeps")
    both = json.loads(run(program, "report", "-i", folder, *reports,
                          "--format=json").out)
    assert list(both) == ["version", "threads", "flat", "sleeps"], both
    assert both.pop("version") == 1
    for name, rows in both.items():
        assert rows == json.loads(run(program, "report", "-i", folder,
                                      f"--{name}", "--format=json").out)
    done = run(program, "report", "-i", folder, *reports)
    heads = [line for line in done.out.split("\n") if line.startswith("==>")]
    assert heads == [f"==> {name} <==" for name in both], done.out
    for wrong in (("--format=csv",), ("--threads", "--crashes", "--by=comm"),
                  ("--calltree", "--format=json")):
        done = run(program, "report", "-i", folder, *reports, *wrong)
        assert done.code == 2 and not done.out, done


def check_old_recording(program, folder):
    write(os.path.join(folder, "ktrace.data.old"))
    done = run(program, "report", folder=folder)
    assert "the last recording here is ktrace.data.old" in done.err, done.err
    write(os.path.join(folder, "ktrace.data"))
    assert ".old" not in run(program, "report", folder=folder).err


def check_mistyped_command(program, folder):
    write(os.path.join(folder, "ktrace.data"))
    open(os.path.join(folder, "text"), "w", encoding="ascii").close()
    for command, code in (("no-such-command", 127), ("./no-such", 127),
                          ("./text", 126)):
        done = run(program, "record", "--machine", "--", command,
                   folder=folder, codes=(code,))
        assert command in done.err, done.err
        assert sorted(os.listdir(folder)) == ["ktrace.data", "text"]
    assert "ktrace-hw: no" not in run(program, "report", folder=folder).err


def check_machine_that_does_not_start(program, folder):
    """A failed recording leaves no empty folder, and reports that the last
    recording was moved."""
    done = run(program, "machine", "run", "true", codes=(125,),
               environment={"PATH": folder})
    assert "needs bash, which PATH does not lead to" in done.err, done
    write(os.path.join(folder, "ktrace.data"))
    done = run(program, "record", "--machine=--no-such", "--", "true",
               folder=folder)
    assert done.code == 2 and "unknown option --no-such" in done.err, done
    assert os.listdir(folder) == ["ktrace.data.old"], os.listdir(folder)
    done = run(program, "report", folder=folder, codes=(0,))
    assert "the last recording here is ktrace.data.old" in done.err, done.err


def check_unfinished(program, folder):
    write(folder, version="ktrace-hw", is_finished=True)
    assert "not finished" not in run(program, "report", "-i", folder).err
    write(folder, version="ktrace-hw")
    said = run(program, "report", "-i", folder).err
    assert said.startswith("ktrace-hw: warning: ") and \
        "was not finished" in said.splitlines()[0], said
    write(folder, version="6.1")
    assert "not finished" not in run(program, "report", "-i", folder).err


def check_first_words(program, folder):
    for word in ("--version", "version"):
        done = run(program, word, folder=folder)
        assert done.code == 0 and done.out.startswith("ktrace-hw "), done
    for word in ("-h", "--help", "help"):
        done = run(program, word, folder=folder)
        assert done.code == 0 and "usage: " in done.out, done
    listed = run(program, "--help").out
    commands = re.findall("^  ([a-z]+) ", listed, re.MULTILINE)
    assert len(commands) > 15, listed
    for command in commands:
        done = run(program, command, "-h", folder=folder)
        assert done.code == 0 and "usage: " in done.out, (command, done)


def examples():
    """Returns the lines of EXAMPLES; every page must have some."""
    for page in sorted(glob.glob(os.path.join(MANUALS, "*.1"))):
        with open(page, encoding="utf-8") as text:
            part = text.read().partition(".SH EXAMPLES\n")[2]
        lines = [line.replace("\\-", "-")
                 for line in part.partition("\n.SH")[0].splitlines()
                 if line.startswith("ktrace-hw ")]
        assert lines, f"{page}: no examples"
        for line in lines:
            yield shlex.split(line.partition(" && ")[0])[1:]


def howto_commands():
    """Returns the command lines of the how-to pages."""
    pages = sorted(glob.glob(os.path.join(HOWTO, "*.md")))
    assert len(pages) > 10, pages
    for page in pages:
        with open(page, encoding="utf-8") as text:
            lines = re.findall(r"^    (ktrace-hw .*)$|`(ktrace-hw ex.*?)`",
                               text.read(), re.MULTILINE)
            yield from (shlex.split(block or word)[1:]
                        for block, word in lines)


def check_examples(program, folder):
    path = os.path.join(folder, "ktrace.data")
    write(path + ".old", "ls")
    write(path, "ls")
    with open(os.path.join(path, "kcore_dir", "kallsyms"), "a",
              encoding="ascii") as out:
        out.write("".join(f"{CODE + 0x10000 + i:x} T {name}\n" for i, name in
                          enumerate(("vfs_read", "filemap_read", "write"))))
    for name in "before/1 before/2 after/1 after/2".split():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        os.symlink(path, os.path.join(folder, name))
    run_examples(program, folder, examples())
    for name in "old old1 old2 old3 new new1 new2 new3".split():
        os.symlink(path, os.path.join(folder, name))
    # The recording has only a program named ls, and is short.
    fit = {"program": "ls", "1.2": "0", "1.5": "1"}
    run_examples(program, folder, ([fit.get(word, word) for word in words]
                                   for words in howto_commands()))


def run_examples(program, folder, commands):
    for words in commands:
        codes = (0,)
        if words[0] == "machine":
            continue  # tests/recorded and e2e start it
        if words[0] in ("record", "top", "serve") or words == ["view"]:
            at = words.index("--") if "--" in words else len(words)
            words = words[:at] + ["--help"] + words[at:]
        # This machine may be unable to trace, and the function did not run.
        if words[0] in ("doctor", "selftest", "annotate"):
            codes = (0, 1)
        done = run(program, *words, folder=folder, codes=(0, 1, 2))
        assert done.code in codes, (words, done.err)


def check_devices_are_not_replaced(program, folder):
    write(folder)
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    for words in (("report", "--html", pipe),
                  ("export", "--format=sqlite", "-o", pipe)):
        done = run(program, *words, "-i", folder)
        assert done.code == 1, (words, done.err)
        assert "pipe: " in done.err, done.err
        assert "not a regular file" in done.err, done.err
        assert stat.S_ISFIFO(os.stat(pipe).st_mode), words


def check_the_recording_is_not_written_over(program, folder):
    path = os.path.join(folder, "one")
    write(path)
    symbols = os.path.join(path, "kcore_dir", "kallsyms")
    for own in (os.path.join(path, "data"), symbols):
        with open(own, "rb") as data:
            before = data.read()
        for words in (("export", "--format=perfetto", "-o", own),
                      ("export", "--format=sqlite", "-o", own),
                      ("report", "-o", own), ("report", "--html", own)):
            done = run(program, *words, "-i", path)
            assert done.code == 2, (words, done)
            assert "is part of the recording" in done.err, done.err
        done = run(program, "diff", path, path, "-o", own)
        assert done.code == 2, done
        with open(own, "rb") as data:
            assert data.read() == before, own
    archive = os.path.join(folder, "one.ktrace")
    run(program, "archive", "-i", path, "-o", archive, codes=(0,))
    size = os.path.getsize(archive)
    done = run(program, "report", "-i", archive, "-o", archive)
    assert done.code == 2 and os.path.getsize(archive) == size, done


def check_archives_that_are_none(program, folder):
    """A failed archive leaves no empty folder; and an archive is not packed
    again."""
    path = os.path.join(folder, "one.data")
    write(path)
    archive = os.path.join(folder, "one.ktrace")
    run(program, "archive", "-i", path, "-o", archive, codes=(0,))
    with open(archive, "rb") as whole, \
            open(os.path.join(folder, "cut.ktrace"), "wb") as cut:
        cut.write(whole.read()[:100])
    there = sorted(os.listdir(folder))
    for words in (("--unpack", path, "-o", "new"),
                  ("--unpack", "cut.ktrace", "-o", "new"),
                  ("-i", archive, "-o", "two.ktrace")):
        done = run(program, "archive", *words, folder=folder, codes=(1,))
        assert sorted(os.listdir(folder)) == there, words
    assert "is already an archive" in done.err, done.err


def check_words_and_folders_that_are_none(program, folder):
    write(folder)
    done = run(program, "report", "--flat", "-i", folder, "--symfs=/none/x")
    assert done.code == 2 and "--symfs: /none/x: No such" in done.err, done
    done = run(program, "store", "reprot")
    assert done.code == 2 and "did you mean report?" in done.err, done


def check_an_operand_is_the_recording(program, folder):
    write(folder)
    for words in (*READERS, ("dump",), ("verify",), ("sql", "select 1"),
                  ("annotate", "f")):
        by_option = run(program, *words, "-i", folder, codes=(0, 1))
        words = ((words[0], folder, *words[1:]) if words[0] in "sql annotate"
                 else (*words, folder))
        by_word = run(program, *words, codes=(0, 1))
        assert by_word == by_option, (words, by_word)
        assert by_word.code == 0 or words[0] != "report", by_word
    for words in ((folder, folder), ("-i", folder, folder)):
        done = run(program, "report", *words)
        assert done.code == 2 and "does not take" in done.err, done


# The command line, and what the message must contain.
MISTYPED = (
    ("repport", "no command 'repport' (did you mean report?)"),
    ("hlep", "did you mean help?"),
    ("report --calltere", "did you mean --calltree?"),
    ("record --evnets=all -- true", "did you mean --events?"),
    ("top --slcie=1", "did you mean --slice?"),
    ("store report --wehre=x", "did you mean --where?"),
    ("report --by=proces", "(did you mean process?); it takes thread, "),
    ("report --color=alwyas", "(did you mean always?); it takes auto, "),
    ("report --between=ONE", "cannot use 'ONE'; it takes A B: the time from"),
    ("report --engine=grahp", "(did you mean graph?); it takes graph, "),
    ("report --format=jsno", "(did you mean json?); there are text, csv"),
    ("report --syscalls --columns=call --format=csv", "has all of them"),
    ("report --flat --format=cvs", "(did you mean csv?); there are text, csv"),
    ("timeline --format=jason", "(did you mean json?); there are text, raw"),
    ("flamegraph --format=fold", "(did you mean folded?); there are svg"),
    ("export --format=crome", "(did you mean chrome?); there are perfetto"),
    ("diff --format=htm a b", "(did you mean html?); there are text"),
    ("report --flat --sort=self_n", "(did you mean self_ns?); there are func"),
    ("report --syscalls --sort=totl_ns", "(did you mean total_ns?)"),
    ("sql 'SELECT 1 FROM proces'", "(did you mean process?)"),
    ("sql 'SELECT begn_ns FROM syscall'", "(did you mean begin_ns?)"))


def check_mistyped_words(program, folder):
    """The message names the right word."""
    write(os.path.join(folder, "ktrace.data"))
    for line, message in MISTYPED:
        done = run(program, *shlex.split(line), folder=folder, codes=(1, 2))
        assert message in done.err, (line, done.err)
    for line in ("banana", "report --banana", "report --format=banana"):
        done = run(program, *line.split(), folder=folder, codes=(2,))
        assert "did you mean" not in done.err, (line, done.err)


def check_help_of_a_command(program, folder):
    for words in (("report",), ("record",), ("store", "add"), ("doctor",)):
        asked = run(program, "help", *words, folder=folder, codes=(0,))
        assert asked.out == run(program, *words, "--help").out, words
        assert "--quiet" in asked.out and "--verbose" in asked.out, asked
    done = run(program, "help", "repport", folder=folder, codes=(2,))
    assert "did you mean report?" in done.err, done
    for word in ("run", "shell", "fetch", "clean"):
        done = run(program, "machine", word, "--help", codes=(0,))
        assert "usage: machine run" in done.out, done
        assert "--quiet" in done.out and "--verbose" in done.out, done


def assert_fits(value, schema, place=""):
    """Asserts what the keywords of docs/schema/ require. An undocumented member
    is an error: consumers would not know it."""
    known = {"$schema", "title", "description", "type", "required",
             "properties", "items", "enum", "const"}
    assert set(schema) <= known, (place, schema)
    types = {"object": dict, "array": list, "string": str}
    assert isinstance(value, types.get(schema.get("type"), object)), place
    assert value in schema.get("enum", [value]), (place, value)
    assert value == schema.get("const", value), (place, value)
    if isinstance(value, dict):
        assert set(schema["required"]) <= set(value), (place, value)
        for name, member in value.items():
            assert_fits(member, schema["properties"][name], f"{place}.{name}")
    if isinstance(value, list):
        for item in value:
            assert_fits(item, schema["items"], place + "[]")


def check_the_schema_of_report_has_each_column(program, folder):
    """docs/schema/report.json has the names and the meanings that report
    --columns prints."""
    with open(os.path.join(MANUALS, "../schema/report.json"),
              encoding="utf-8") as file:
        schema = json.load(file)
    rows = {"processes": "process", "threads": "thread"}
    usage = run(program, "report", "--help").out
    for table in re.findall(r"^  --([a-z-]+)", usage, re.M):
        # Some options take a file's name: --columns is made in the folder.
        done = subprocess.run([os.path.abspath(program), "report",
                               f"--{table}", "--columns"], cwd=folder,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        assert not done.stdout.startswith(f"--{table}:".encode()) \
            or table in schema["properties"], table
    tables = 0
    for table in schema["properties"]:
        row = schema["$defs"].get(rows.get(table, table), {})
        row = row.get("items", row)
        if "properties" not in row:
            continue
        tables += 1
        lines = run(program, "report", f"--{table}", "--columns").out
        found = re.findall(r"^  .{26,}? ([a-z_0-9]+) +(\S.*)$", lines, re.M)
        assert [[name, member["description"]] for name, member
                in row["properties"].items()] == [
                    [name, text.strip()] for name, text in found], (table, lines)
        listed = json.loads(run(program, "report", f"--{table}", "--columns",
                                "--format=json").out)
        assert listed["version"] == schema["properties"]["version"]["const"], \
            listed["version"]
        assert [[column["name"], column["meaning"]] for column
                in listed[table]] == [[name, text.strip()] for name, text
                                      in found], table
        headings = [column["heading"] for column in listed[table]]
        assert len(set(headings)) == len(headings), (table, headings)
    assert tables > 12, tables


def check_the_doctor_writes_json(program, folder):
    done = run(program, "doctor", "--format=json", folder=folder, codes=(0, 1))
    found = json.loads(done.out)
    with open(os.path.join(MANUALS, "../schema/doctor.json"),
              encoding="utf-8") as schema:
        assert_fits(found, json.load(schema))
    assert (found["source"] == "none") == (done.code == 1), done
    text = run(program, "doctor", folder=folder).out
    for check in found["checks"]:
        assert set(check) == {"subject", "verdict", "finding", "fix"}, check
        line = f"{check['subject']:15} {check['verdict']:8} {check['finding']}"
        assert line in text, (line, text)
    assert len(found["checks"]) > 5, found
    done = run(program, "doctor", "--format=jsno", codes=(2,))
    assert "did you mean json?" in done.err, done


def check_manuals_name_the_environment(program, folder):
    """Each page has KTRACE_LOG, and some page each variable of the program."""
    del program, folder
    pages = {}
    for page in glob.glob(os.path.join(MANUALS, "*.1")):
        with open(page, encoding="utf-8") as text:
            pages[page] = text.read()
        part = pages[page].partition(".SH ENVIRONMENT\n")[2]
        assert "KTRACE_LOG" in part.partition("\n.SH")[0], page
    read = set()
    sources = os.path.join(MANUALS, "../..")
    for part in ("cmd", "common", "inband", "report", "serve", "sql", "store",
                 "symbolize"):
        for source in glob.glob(os.path.join(sources, part, "**/*.c"),
                                recursive=True):
            with open(source, encoding="utf-8") as text:
                read.update(re.findall(r'getenv\("([A-Z_]+)"', text.read()))
    # The protocol of systemd, a hook of tests, and what a shell always sets.
    read -= {"LISTEN_PID", "LISTEN_FDS", "KTRACE_INDEX", "HOME"}
    assert len(read) > 10, read
    for name in read:
        assert any(name in text for text in pages.values()), name


def check_diff_fails_if_something_got_slower(program, folder):
    for name, jump_ns in (("a1", 100), ("a2", 100), ("b1", 200), ("b2", 200),
                          ("c1", 100), ("c2", 300)):
        write(os.path.join(folder, name), jump_ns=jump_ns)

    def code(*words):
        done = run(program, "diff", "-q", *words, folder=folder)
        said = [line for line in done.err.splitlines() if "slower by" in line]
        assert bool(said) == (done.code == 1), done
        return done.code, said

    failed, said = code("--fail-over=10%", "a1,a2", "b1,b2")
    assert failed == 1 and len(said) == 1, said
    match = re.search(r"slower by ([0-9.]+) %: function _stext: ",
                      said[0])
    assert match and 50 < float(match[1]) < 150, said
    assert code("--fail-over=10", "--format=json", "a1,a2", "b1,b2")[0] == 1
    assert code("--fail-over=500%", "a1,a2", "b1,b2")[0] == 0
    assert code("--fail-over=10%", "b1,b2", "a1,a2")[0] == 0
    assert code("--fail-over=10%", "a1,a2", "c1,c2")[0] == 0
    assert code("a1,a2", "b1,b2")[0] == 0
    for words, message in (
            (("--fail-over=10%", "a1", "b1"), "several recordings"),
            (("--fail-over=x", "a1,a2", "b1,b2"), "cannot use 'x'"),
            (("--fail-over=-1", "a1,a2", "b1,b2"), "cannot use '-1'"),
            (("--fail-over=1", "--format=svg", "a1,a2", "b1,b2"),
             "cannot be combined")):
        done = run(program, "diff", *words, folder=folder, codes=(2,))
        assert message in done.err, (words, done.err)


def check_options_choose_rows_of_sql(program, folder):
    """--since, --until and --cpu are conditions on each table's columns."""
    write(folder)

    def rows(query, *options):
        done = run(program, "sql", folder, query, "--format=json", *options,
                   codes=(0,))
        return json.loads(done.out), done.err

    (span,), _ = rows("SELECT min(begin_ns) first, max(end_ns) last FROM call")
    middle = (span["first"] + span["last"]) // 2
    since, until = f"--since=@{middle}ns", f"--until=@{middle}ns"
    late = f"begin_ns < {2**63 - 1} AND (end_ns > {middle} OR end_ns IS NULL)"
    early = f"begin_ns < {middle} AND (end_ns > 0 OR end_ns IS NULL)"
    (every,), _ = rows("SELECT count(*) n FROM call")
    for table in ("call", "thread_state"):
        for option, condition in ((since, late), (until, early)):
            assert rows(f"SELECT * FROM {table}", option)[0] == rows(
                f"SELECT * FROM {table} WHERE {condition}")[0], table
    assert every["n"] > 0, every
    for option in (f"--since=@{span['last']}ns", f"--until=@{span['first']}ns"):
        part, err = rows("SELECT count(*) n FROM call", option)
        assert part == [{"n": 0}], (option, part)
        assert err == rows("SELECT count(*) n FROM call")[1], err
        assert rows("SELECT count(*) n FROM main.call",
                    option)[0] == [every]
    assert rows("SELECT sum(self_ns) n FROM profile", since)[0] == rows(
        "SELECT sum(self_ns) n FROM profile WHERE since_ns = "
        f"{middle} AND until_ns = {2**63 - 1}")[0]
    assert rows("SELECT * FROM call", "--cpu=0")[0] == rows(
        "SELECT * FROM call")[0]
    assert rows("SELECT count(*) n FROM call", "--cpu=7")[0] == [{"n": 0}]
    done = run(program, "sql", folder, "SELECT 1", "--since=x", codes=(2,))
    assert "not a time" in done.err, done


def check_quiet_and_verbose(program, folder):
    """-q drops notes and nothing else; errors stay."""
    path = os.path.join(folder, "ktrace.data")
    write(path + ".old")
    plain = run(program, "report", folder=folder, codes=(0,))
    assert "note: " in plain.err, plain
    for quiet in ("-q", "--quiet"):
        done = run(program, "report", quiet, folder=folder, codes=(0,))
        assert not done.err and done.out == plain.out, done
    for verbose in ("-v", "--verbose"):
        done = run(program, "report", verbose, folder=folder, codes=(0,))
        assert "; decoder graph" in done.err, done
    done = run(program, "report", "-q", "-i", "/none", codes=(1,))
    assert "not opened" in done.err, done


def check_binary_output_is_not_for_terminals(program, folder):
    write(folder)
    for name in ("perfetto", "pprof", "gmon"):
        master, slave = os.openpty()
        try:
            done = subprocess.run(
                [program, "export", f"--format={name}", "-i", folder],
                stdout=slave, stderr=subprocess.PIPE, text=True, check=False)
        finally:
            os.close(slave)
            os.close(master)
        assert done.returncode == 2 and "-o FILE" in done.stderr, done


def check_diff_checks_both_sides_first(program, folder):
    done = run(program, "diff", "none1,none2", "none3", folder=folder,
               codes=(1,))
    for name in ("none1", "none2", "none3"):
        assert f"{name}: not opened" in done.err, done
    write(os.path.join(folder, "one"))
    done = run(program, "diff", "-v", "one", "none", folder=folder, codes=(1,))
    assert "none: not opened" in done.err, done
    assert "decoder" not in done.err, done


WORDS_TO_COMPLETE = (
    (("ktrace-hw", "rep"), "report"),
    (("ktrace-hw", "report", "--callg"), "--callgraph"),
    (("ktrace-hw", "timeline", "--min"), "--min-duration"),
    (("ktrace-hw", "top", "--sl"), "--slice"),
    (("ktrace-hw", "record", "--user-s"), "--user-stacks"),
    (("ktrace-hw", "store", "rep"), "report"),
    (("ktrace-hw", "machine", "cl"), "clean"),
    (("ktrace-hw", "machine", "run", "--kas"), "--kaslr"))
# Prints the choices instead of passing them to zsh's own functions.
ZSH_COMPLETES = """
_describe() { print -l -- "${(P@)@[-1]%%:*}" }
_files() { print files }
words=(WORDS); CURRENT=$#words
"""


def completed(shell, script, folder):
    done = subprocess.run(
        [shell, "-c", script], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]})
    assert done.returncode == 0 and not done.stderr, (shell, done)
    return done.stdout.split()


def check_completion(program, folder):
    script = run(program, "completion", "bash").out
    os.symlink(program, os.path.join(folder, "ktrace-hw"))
    for words, expected in WORDS_TO_COMPLETE:
        listed = " ".join(words)
        found = completed("bash", f"{script}\nCOMP_WORDS=({listed})\n"
                          f"COMP_CWORD={len(words) - 1}\n_ktrace_hw\n"
                          'printf "%s\\n" "${COMPREPLY[@]}"', folder)
        assert found == [expected], (words, found)
    assert run(program, "completion", "tcsh").code == 2
    fish = shutil.which("fish")
    if not fish:
        print("skipped: no fish here (the full tier installs it)")
    for words, expected in WORDS_TO_COMPLETE if fish else ():
        line = " ".join(words)
        found = completed(fish, run(program, "completion", "fish").out +
                          f"\ncomplete -C '{line}'", folder)
        assert expected in found, (words, found)
    zsh = shutil.which("zsh")
    if not zsh:
        print("skipped: no zsh here (the full tier installs it)")
    else:
        script = run(program, "completion", "zsh").out
        for words, expected in WORDS_TO_COMPLETE:
            found = completed(zsh, ZSH_COMPLETES.replace(
                "WORDS", " ".join(words)) + script, folder)
            assert expected in found, (words, found)


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
