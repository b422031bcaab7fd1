#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of functions and tasks may contain control characters and the
delimiters of a format: the output of every command remains valid.

    names.py PROGRAM RECORDING

RECORDING is of --events=attribution, and has sort among its commands.
"""
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import xml.dom.minidom

from reader import run_checks

# Appended to the original names: ESC, BEL, quotes, bytes that are not UTF-8,
# and U+0085, which terminals also obey.
EVIL = b"\x1b[31m\x07<&;\"\\\xff\x80\xc2\x85"
WRITTEN = r'\x1b[31m\x07<&;"\\xff\x80\xc2\x85'
RENAMED = (b"vfs_read", b"ksys_read", b"pipe_read", b"schedule", b"do_wait",
           b"do_sys_poll", b"filemap_read", b"__x64_sys_read",
           b"autoremove_wake_function")
# Control characters, and bytes that are not UTF-8 as Python decodes them.
COMMANDING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")
TABLES = ("flat", "calltree", "callgraph", "processes", "threads", "servers",
          "requests", "syscalls", "sleeps", "runqueue", "locks", "block",
          "spins", "irqsoff", "preemptoff", "idle", "args", "interrupts", "user-sites", "crashes", "hits")


def evil(recording):
    """Makes a copy of @recording with such names and without cached files."""
    folder = os.path.join(tempfile.mkdtemp(), "evil")
    os.makedirs(folder)
    shutil.copytree(os.path.join(recording, "kcore_dir"),
                    os.path.join(folder, "kcore_dir"))
    if os.path.isdir(os.path.join(recording, "code")):
        os.symlink(os.path.join(recording, "code"),
                   os.path.join(folder, "code"))
    symbols = os.path.join(folder, "kcore_dir", "kallsyms")
    with open(symbols, "rb") as text:
        renamed, count = re.subn(
            b" ([tT] (?:%s))$" % b"|".join(RENAMED),
            lambda found: b" " + found[1] + EVIL, text.read(),
            flags=re.MULTILINE)
    assert count >= len(RENAMED), count
    with open(symbols, "wb") as text:
        text.write(renamed)
    with open(os.path.join(recording, "data"), "rb") as data:
        content = data.read()
    # The name of a task, and the recorded command.
    for found, replaced in ((b"sort".ljust(8, b"\0"),
                             b"\x1b\n\x07\xff".ljust(8, b"\0")),
                            (b"| sort |", b"|\x1bsort |")):
        assert found in content, found
        content = content.replace(found, replaced)
    with open(os.path.join(folder, "data"), "wb") as data:
        data.write(content)
    return folder


def asked(reader, *words):
    done = reader.run(*words, "-i", reader.recording)
    assert done.returncode == 0, (words, done.stderr[-300:])
    said = done.stderr.decode(errors="surrogateescape")
    assert not COMMANDING.search(said), (words, said)
    return done.stdout.decode(errors="surrogateescape")


def check_text_commands_no_terminal(reader):
    every = [f"--{table}" for table in TABLES]
    name = os.fsdecode(EVIL)
    for words in (("report", *every),
                  ("report", "--function", "vfs_read" + name),
                  ("report", "--between", "ksys_read" + name,
                   "vfs_read" + name),
                  ("report", "--sleeps", "--by=comm"),
                  ("timeline", "--syscalls", "--details"),
                  ("timeline", "--top=50000"),
                  ("flamegraph", "--folded", "--wall"),
                  ("annotate", "vfs_*"),
                  ("dump", "--events", "--top=50000")):
        text = asked(reader, *words)
        found = COMMANDING.search(text)
        assert not found, (words, text[max(0, found.start() - 60):found.end()])
        if words[0] != "flamegraph":
            assert WRITTEN in text, words


def check_every_line_of_folded_stacks_has_its_number(reader):
    for line in asked(reader, "flamegraph", "--folded").splitlines():
        assert re.fullmatch(r".* \d+", line), line


def check_json_is_json(reader):
    every = [f"--{name}" for name in TABLES
             if name not in ("calltree", "callgraph")]
    tables = json.loads(asked(reader, "report", *every, "--format=json"))
    assert any("\x1b[31m" in row["function"] for row in tables["flat"])


def check_texts_of_sql_are_utf8(reader):
    """Python's sqlite3 refuses others. A name selects rows as it is shown."""
    path = os.path.join(os.path.dirname(reader.recording), "database")
    asked(reader, "export", "--format=sqlite", "-o", path)
    database = sqlite3.connect(path)
    for table, column in (("call", "function"), ("call", "comm")):
        names = [row[0] for row in database.execute(
            f"SELECT DISTINCT {column} FROM {table}")]
        names = [name for name in names if "\\xff" in name]
        assert names, (table, column)
        for name in names:
            query = f"SELECT count(*) FROM {table} WHERE {column} = '{name}'"
            wanted = database.execute(query).fetchone()[0]
            found = asked(reader, "sql", "--format=csv", query).split()[-1]
            assert int(found) == wanted > 0, (name, found, wanted)
    database.close()


def check_graphs_are_xml(reader):
    for words in (("flamegraph",), ("flamegraph", "--wall")):
        xml.dom.minidom.parseString(asked(reader, *words))
    done = reader.run("diff", "--format=svg", reader.recording,
                      reader.recording)
    assert done.returncode == 0, done.stderr
    xml.dom.minidom.parseString(done.stdout)


def check_csv_has_all_fields(reader):
    for words in (("report", "--sleeps"), ("report", "--flat")):
        text = asked(reader, *words, "--format=csv")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert len({len(row) for row in rows}) == 1, words


if __name__ == "__main__":
    copy = evil(sys.argv[2])
    sys.argv[2] = copy
    try:
        sys.exit(run_checks(globals()))
    finally:
        shutil.rmtree(os.path.dirname(copy))
