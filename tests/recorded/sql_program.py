#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQL over a recording, for all tables: windows, plans, the extension, the shell
and the export return the same rows.

    sql_program.py PROGRAM RECORDING
"""
import csv
import os
import pty
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

from reader import run_checks
from sql_rows import ask, same

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "..", "..", "docs")
TABLES = ["recording", "cpu", "function", "process", "thread", "thread_state",
          "syscall", "fault", "sleep", "wakeup", "lock_wait", "spin",
          "interrupts_off", "preemption_off", "idle_exit", "block_io", "block_sleep", "packet", "interrupt",
          "interrupt_slice", "server", "request", "request_sleep", "call",
          "read_call", "profile", "gap"]


def windows(reader, count):
    span = ask(reader, """SELECT min(first_ns) AS first_ns,
        max(last_ns) AS last_ns FROM cpu""")[0]
    chance = random.Random(17)
    for _ in range(count):
        since = chance.randrange(span["first_ns"], span["last_ns"])
        size = (span["last_ns"] - span["first_ns"]) // chance.choice([5, 20])
        yield since, since + size


def check_windows(reader):
    """Skipping before a window changes no row, except the numbers in
    "work"."""
    for table in ["call", "thread_state", "syscall", "fault", "sleep"]:
        names = [row["name"] for row in ask(
            reader, f"SELECT name FROM pragma_table_info('{table}')")]
        columns = ", ".join(name for name in names if name != "work")
        for since, until in windows(reader, 2):
            query = f"""SELECT {columns} FROM {table} WHERE begin_ns >= {since}
                AND end_ns < {until} ORDER BY {columns}"""
            assert ask(reader, query) == ask(reader, query, "none"), query


def check_threads_rows(reader):
    """A query over a whole table, which caches its rows, has as many rows
    of each thread as a query for that thread."""
    for table in ["syscall", "fault", "sleep", "request"]:
        counts = ask(reader, f"SELECT tid, count(*) AS rows FROM {table} "
                     "GROUP BY tid LIMIT 4")
        assert counts, table
        for thread in counts:
            query = f"SELECT count(*) AS rows FROM {table} WHERE tid = {thread['tid']}"
            assert ask(reader, query)[0]["rows"] == thread["rows"], query


def check_window_of_sums(reader):
    since, until = next(windows(reader, 1))
    reported = reader.flat("--with-tracer", "--with-idle",
                           "--since", f"@{since // 10**9}.{since % 10**9:09}",
                           "--until", f"@{until // 10**9}.{until % 10**9:09}")
    asked = ask(reader, f"""SELECT sum(calls) AS calls, sum(self_ns) AS self_ns
        FROM profile({since}, {until})""")
    same([dict(row, all="") for row in reported],
         [dict(row, all="") for row in asked], ["all"], ["calls", "self_ns"])


def check_plans(reader):
    plan = ask(reader, """EXPLAIN QUERY PLAN SELECT * FROM call
        WHERE begin_ns >= 5 AND end_ns < 9 AND tid = 1 AND depth = 2""")
    for part in ["begin_ns>=?", "end_ns<?", "tid=?"]:
        assert part in plan[0]["detail"], plan
    assert "depth" not in plan[0]["detail"], plan


def check_query(reader):
    """A query on the command line prints its result."""
    done = reader.run("sql", reader.recording, "SELECT 1 AS one, NULL AS two")
    assert done.stdout.decode().split() == ["one", "two", "1", "-"], done


def check_limit(reader):
    """A query with LIMIT stops early, with the first rows of a longer one."""
    query = "SELECT * FROM call LIMIT "
    assert ask(reader, query + "5") == ask(reader, query + "5000")[:5]


def check_joins(reader):
    """The inner table of a join is queried more than once."""
    rows = ask(reader, """SELECT s.tid, s.begin_ns FROM syscall s
        JOIN fault f ON f.tid = s.tid AND f.begin_ns >= s.begin_ns
        AND f.end_ns <= s.end_ns AND f.kind = 'page_fault'
        WHERE s.ended = 'returned' GROUP BY 1, 2 ORDER BY 1, 2""")
    assert rows == ask(reader, """SELECT tid, begin_ns FROM syscall
        WHERE faults AND ended = 'returned' ORDER BY 1, 2"""), rows


def plain(rows):
    """Returns the rows in order."""
    return [list(row.values()) for row in rows]


def rows_of(database, query):
    return plain(map(dict, database.execute(query)))


def check_export(reader):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.db")
        reader.text("export", "--format=sqlite", "-o", path)
        assert os.listdir(folder) == ["all.db"], os.listdir(folder)
        database = sqlite3.connect(path)
        database.row_factory = sqlite3.Row
        for (table,) in database.execute(
                "SELECT DISTINCT \"table\" FROM schema").fetchall():
            query = f"SELECT * FROM \"{table}\" LIMIT 20000"
            assert rows_of(database, query) == plain(ask(reader, query)), \
                table
        database.close()


def check_extension(reader):
    extension = os.path.join(os.path.dirname(reader.program), "ktrace-hw.so")
    query = "SELECT call, count(*) FROM syscall GROUP BY 1"
    done = subprocess.run(
        ["sqlite3", "-csv", "-header", ":memory:", f'.load "{extension}"',
         f"SELECT ktrace_open('{reader.recording}')", query],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    opened, _, rows = done.stdout.decode().partition("\n")[2].partition("\n")
    assert int(opened) == len(TABLES), done.stdout
    assert list(csv.DictReader(rows.splitlines())) == \
        [{key: str(value) for key, value in row.items()}
         for row in ask(reader, query)]


def check_shell(reader):
    done = subprocess.run(
        [reader.program, "sql", "--format=csv", "-i", reader.recording],
        input=b".tables\nSELECT count(*) AS calls\nFROM call;\nSELECT nothing;",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"nothing" in done.stderr, done
    count = ask(reader, "SELECT count(*) AS calls FROM call")[0]["calls"]
    assert done.stdout.decode().endswith(f"calls\n{count}\n"), done


def type_keys(reader, home, keys):
    """Returns the output on a terminal until the shell ends."""
    pid, terminal = pty.fork()
    if not pid:
        os.execve(reader.program, [reader.program, "sql", reader.recording],
                  {**os.environ, "HOME": home, "TERM": "xterm"})
    os.write(terminal, keys)
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    assert os.waitpid(pid, 0)[1] == 0, shown
    return shown.decode()


def check_terminal(reader):
    """Words are completed, and lines are saved for the next session."""
    with tempfile.TemporaryDirectory() as home:
        shown = type_keys(reader, home,
                          b"SELECT 40 + 2 AS both FROM recor\t;\n.quit\n")
        assert re.search(r"both\s+42", shown), shown
        with open(os.path.join(home, ".ktrace-hw_history"),
                  encoding="utf-8") as file:
            assert "recording" in file.read()
        shown = type_keys(reader, home, b"\x1b[A\x1b[A\n.quit\n")
        assert re.search(r"both\s+42", shown), shown


def check_usage(reader):
    for arguments, code in [(["SELECT 1 FROM nowhere"], 1), (["SELECT"], 1),
                            (["--since", "noon", "SELECT 1"], 2),
                            (["--format=xml", "SELECT 1"], 2)]:
        done = reader.run("sql", "-i", reader.recording, *arguments)
        assert done.returncode == code and done.stderr, (arguments, done)
    done = reader.run("export", "--format=sqlite", "-i", reader.recording)
    assert done.returncode == 2 and b"-o FILE" in done.stderr, done


def check_schema_document(reader):
    """docs/schema.md equals the output of sql --schema."""
    said = reader.run("sql", "--schema").stdout.decode()
    with open(os.path.join(DOCS, "schema.md"), encoding="utf-8") as file:
        assert file.read().endswith(said), "run ktrace-hw sql --schema"


def check_queries(reader):
    """Each query of docs/queries.md that e2e/queries.sh does not run has
    rows, and the same ones in the exported file."""
    with open(os.path.join(DOCS, "queries.md"), encoding="utf-8") as file:
        more = file.read().partition("\n## More questions\n")[2]
    queries = re.findall(r"```sql\n(.*?)```", more, re.S)
    assert len(queries) >= 20, len(queries)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.db")
        reader.text("export", "--format=sqlite", "-o", path)
        database = sqlite3.connect(path)
        database.row_factory = sqlite3.Row
        for query in queries:
            rows = ask(reader, query)
            stored = rows_of(database, query)
            assert plain(rows) == stored, (query, rows[:3], stored[:3])
        database.close()


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
