#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQL over a recording: each table's sums are those of the report that it
belongs to; windows, the extension, the shell and the export say the same.

    sql.py PROGRAM RECORDING
"""
import csv
import json
import os
import pty
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

from reader import run_checks

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "..", "..", "docs")


class Shell:
    """ktrace-hw sql, which is opened once for many queries."""
    MARK = "SELECT 'all' AS rows;"

    def __init__(self, reader, index):
        environment = dict(os.environ, **({"KTRACE_INDEX": index}
                                          if index else {}))
        self.process = subprocess.Popen(
            [reader.program, "sql", "--format=json", reader.recording],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            text=True)

    def ask(self, query):
        print(query + ";\n" + self.MARK, file=self.process.stdin, flush=True)
        lines = []
        while lines[-2:] != ['{"rows":"all"}\n', "]\n"]:
            lines.append(self.process.stdout.readline())
            assert lines[-1], query
        assert len(lines) > 3, query
        return json.loads("".join(lines[:-3]))


SHELLS = {}


def ask(reader, query, index=None):
    """The rows of @query, as dictionaries."""
    if index not in SHELLS:
        SHELLS[index] = Shell(reader, index)
    return SHELLS[index].ask(query)


def by_key(rows, keys, values):
    """The sums of @values by @keys, as numbers."""
    sums = {}
    for row in rows:
        key = tuple(str(row[name]) for name in keys)
        old = sums.get(key, [0] * len(values))
        sums[key] = [x + int(float(row[name] or 0))
                     for x, name in zip(old, values)]
    return sums


def same(reported, asked, keys, values):
    reported = by_key(reported, keys, values)
    asked = by_key(asked, keys, values)
    assert reported, "the report is empty"
    for key in sorted({*reported, *asked}):
        assert reported.get(key) == asked.get(key), \
            (key, values, reported.get(key), asked.get(key))


TABLES = ["recording", "cpu", "function", "process", "thread", "thread_state",
          "syscall", "fault", "sleep", "wakeup", "lock_wait", "interrupt",
          "interrupt_slice", "server", "request", "request_sleep", "call",
          "profile", "gap"]
CLASSES = ["user", "system_call", "fault", "kernel", "interrupt", "tracer",
           "runnable", "asleep", "unknown"]


def threads(reader, *options):
    rows = json.loads(reader.text("report", "--threads", *options,
                                  "--format=json"))
    for row in rows["threads"]:
        row["interrupt_ns"] = (row["interrupt_benefited_ns"] or 0) + \
            row["interrupt_stolen_ns"]
    return rows


def check_thread_state(reader):
    columns = ", ".join(
        f"sum(duration_ns) FILTER (WHERE class = '{name}') AS {name}_ns"
        for name in CLASSES)
    same(threads(reader, "--with-tracer")["threads"],
         ask(reader, f"SELECT tid, {columns} FROM thread_state GROUP BY tid"),
         ["tid"], [f"{name}_ns" for name in CLASSES])
    holes = ask(reader, """SELECT count(*) AS holes FROM (
        SELECT begin_ns - lag(end_ns) OVER (PARTITION BY tid
        ORDER BY begin_ns) AS hole FROM thread_state) WHERE hole != 0""")
    assert holes[0]["holes"] == 0, holes


def check_thread_and_process(reader):
    report = threads(reader, "--with-tracer")
    values = ["wall_ns", "user_ns", "system_call_ns", "fault_ns", "kernel_ns",
              "interrupt_stolen_ns", "tracer_ns", "asleep_ns", "unknown_ns",
              "context_switches", "system_calls", "faults"]
    same(report["threads"], ask(reader, "SELECT * FROM thread"), ["tid"],
         values)
    same(report["processes"], ask(reader, "SELECT * FROM process"), ["pid"],
         [*values, "threads"])
    shown = threads(reader)
    assert len(shown["threads"]) < len(report["threads"])
    same(shown["threads"], ask(
        reader, "SELECT * FROM thread WHERE NOT is_recorder"), ["tid"], values)
    same(shown["processes"], ask(
        reader, "SELECT * FROM process WHERE NOT is_recorder"), ["pid"],
         [*values, "threads"])


def check_cpu_and_gap(reader):
    cpus = json.loads(reader.text("report", "--format=json"))["cpus"]
    for row in cpus:
        row["lost_bytes"] = row["lost"]
    values = ["before_ns", "traced_ns", "outside_ns", "filtered_ns", "off_ns",
              "gap_ns", "idle_ns", "switches", "gaps", "lost_bytes"]
    same(cpus, ask(reader, "SELECT * FROM cpu"), ["cpu"], values)
    rows = ask(reader, """SELECT c.cpu, count(g.cpu) AS gaps,
        total(g.end_ns - g.begin_ns) AS gap_ns FROM cpu c
        LEFT JOIN gap g ON g.cpu = c.cpu GROUP BY 1""")
    same(cpus, rows, ["cpu"], ["gaps", "gap_ns"])


def compare_syscalls(reader, options, condition):
    values = ["count", "total_ns", "on_cpu_ns", "asleep_ns", "runnable_ns",
              "stolen_ns", "tracer_ns", "unknown_ns", "faults", "fault_ns",
              "errors"]
    same(reader.rows("report", "--syscalls", *options), ask(reader, """
        SELECT pid, call, count(*) FILTER (WHERE ended = 'returned') AS count,
        sum(result BETWEEN -511 AND -1 AND ended = 'returned') AS errors, """ +
        ", ".join(f"total({of}) FILTER (WHERE ended = 'returned') AS {name}"
                  for name, of in zip(values[1:-1],
                                      ["wall_ns", *values[2:-1]])) +
        f" FROM syscall WHERE {condition} GROUP BY pid, call"),
         ["pid", "call"], values)


def check_syscall(reader):
    compare_syscalls(reader, ["--with-tracer"], "1")
    compare_syscalls(reader, [], "NOT is_recorder")


def compare_sleeps(reader, options, condition):
    rows = reader.rows("report", "--sleeps", "--with-idle", *options)
    same(rows, ask(reader, f"""
        SELECT pid, coalesce(function, '[unseen]') AS label, stack,
        sum(NOT is_cut) AS count,
        total(asleep_ns) FILTER (WHERE NOT is_cut) AS total_ns,
        total(runnable_ns) FILTER (WHERE NOT is_cut) AS runnable_ns,
        sum(is_cut) AS cut FROM sleep WHERE {condition} GROUP BY 1, 2, 3"""),
         ["pid", "label", "stack"],
         ["count", "total_ns", "runnable_ns", "cut"])


def check_sleep(reader):
    compare_sleeps(reader, ["--with-tracer"], "1")
    compare_sleeps(reader, [], "NOT is_recorder")


def check_fault(reader):
    rows = ask(reader, """SELECT tid, sum(on_cpu_ns) AS fault_ns,
        count(*) FILTER (WHERE NOT begin_unseen) AS faults
        FROM fault GROUP BY tid""")
    reported = [row for row in threads(reader, "--with-tracer")["threads"]
                if row["fault_ns"]]
    same(reported, rows, ["tid"], ["faults"])


def check_interrupt(reader):
    reported = reader.rows("report", "--interrupts=both", "--with-tracer")
    same(reported, ask(reader, """SELECT kind, function, on_pid, for_comm,
        sum(total_ns) AS total_ns, sum(exact_ns) AS exact_ns
        FROM interrupt GROUP BY 1, 2, 3, 4"""),
         ["kind", "function", "on_pid", "for_comm"], ["total_ns", "exact_ns"])


def check_interrupt_slice(reader):
    """Single pieces add up to the report; each is somebody's, wholly."""
    keys = ["kind", "function", "on_pid", "for_comm"]
    reported = reader.rows("report", "--interrupts=both", "--with-tracer")
    slices = ask(reader, """SELECT kind, function, on_pid, for_comm,
        sum(own_ns) AS total_ns, round(1e6 * sum(share)) AS count,
        total(own_ns) FILTER (WHERE certainty = 'exact') AS exact_ns
        FROM interrupt_slice GROUP BY 1, 2, 3, 4""")
    same(reported, slices, keys, ["total_ns", "exact_ns"])
    same(ask(reader, """SELECT kind, function, on_pid, for_comm,
        round(1e6 * sum(count)) AS count FROM interrupt GROUP BY 1, 2, 3, 4"""),
         slices, keys, ["count"])
    wrong = ask(reader, """SELECT id, sum(share) AS shares,
        sum(own_ns) AS own_ns, max(end_ns - begin_ns) AS wall_ns,
        count(DISTINCT begin_ns) AS begins FROM interrupt_slice GROUP BY id
        HAVING abs(shares - 1) > 1e-9 OR own_ns > wall_ns OR begins > 1""")
    assert not wrong, wrong
    outside = ask(reader, """SELECT count(*) AS parts, total(o.id IS NULL OR
        o.begin_ns > s.begin_ns OR o.end_ns < s.end_ns) AS outside
        FROM interrupt_slice s LEFT JOIN (SELECT DISTINCT id, begin_ns, end_ns
        FROM interrupt_slice) o ON o.id = s.part_of
        WHERE s.part_of IS NOT NULL""")[0]
    assert outside["parts"] > 10 and outside["outside"] == 0, outside


def check_server(reader):
    reported = reader.rows("report", "--servers")
    values = ["requests", "kernel_ns", "user_ns", "tracer_ns", "runnable_ns",
              "asleep_ns", "inferred_ns"]
    same(reported, ask(reader, """SELECT *, pid AS server_pid,
        coalesce(client_pid, -1) AS client_pid FROM server"""),
         ["server_pid", "client_pid"], values)


def check_request(reader):
    values = ["wall_ns", "client_ns", "client_wait_ns", "remote_ns", "queue_ns",
              "runnable_ns", "kernel_ns", "user_ns", "interrupt_ns",
              "tracer_ns", "asleep_ns", "downstream_ns", "unknown_ns",
              "beside_kernel_ns", "beside_asleep_ns", "answered", "parent",
              "client_port", "server_port", "stream_position"]
    same(reader.rows("report", "--requests", "--with-tracer"),
         ask(reader, """SELECT *, id AS request, is_answered AS answered,
         parent_id AS parent FROM request"""), ["request", "by"], values)


def check_wakeup(reader):
    dumped = reader.text("dump", "--records")
    count = len(re.findall(r"sched:sched_waking", dumped))
    rows = ask(reader, """SELECT count(*) AS count FROM wakeup
        WHERE NOT is_new""")
    assert rows[0]["count"] == count and count, (rows, count)


def flat_rows(reader, *options):
    return [dict(row, function=row["function"].split(" [")[0])
            for row in reader.flat(*options)]


def check_parts(reader):
    """Profiles show what is neither idle nor the tracer's."""
    shown = flat_rows(reader)
    assert sum(int(row["self_ns"]) for row in shown) < \
        sum(int(row["self_ns"])
            for row in flat_rows(reader, "--with-tracer", "--with-idle"))
    same(shown, ask(reader, "SELECT * FROM profile WHERE part = 'work'"),
         ["function", "module"], ["calls", "self_ns", "total_ns"])
    same(ask(reader, "SELECT * FROM profile"), ask(reader, """SELECT part,
        function, module, pid, sum(self_ns) AS self_ns,
        sum(how NOT IN ('start', 'inferred')) AS calls
        FROM call GROUP BY 1, 2, 3, 4"""),
         ["part", "function", "module", "pid"], ["calls", "self_ns"])


def check_call_and_profile(reader):
    values = ["calls", "self_ns"]
    flat = flat_rows(reader, "--with-tracer", "--with-idle")
    calls = ask(reader, """SELECT function, module, sum(self_ns) AS self_ns,
        sum(how NOT IN ('start', 'inferred')) AS calls
        FROM call GROUP BY 1, 2""")
    same(flat, calls, ["function", "module"], values)
    same(flat, ask(reader, "SELECT * FROM profile"), ["function", "module"],
         values)


def windows(reader, count):
    span = ask(reader, """SELECT min(first_ns) AS first_ns,
        max(last_ns) AS last_ns FROM cpu""")[0]
    chance = random.Random(17)
    for _ in range(count):
        since = chance.randrange(span["first_ns"], span["last_ns"])
        size = (span["last_ns"] - span["first_ns"]) // chance.choice([5, 20])
        yield since, since + size


def check_windows(reader):
    """What is skipped changes nothing; work is numbered as it comes."""
    for table in ["call", "thread_state", "syscall", "fault", "sleep"]:
        names = [row["name"] for row in ask(
            reader, f"SELECT name FROM pragma_table_info('{table}')")]
        columns = ", ".join(name for name in names if name != "work")
        for since, until in windows(reader, 2):
            query = f"""SELECT {columns} FROM {table} WHERE begin_ns >= {since}
                AND end_ns < {until} ORDER BY {columns}"""
            assert ask(reader, query) == ask(reader, query, "none"), query


def check_threads_rows(reader):
    """All of a table, which is kept then, has for each thread what is asked for of
    it alone."""
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
                           "--since", f"{since // 10**9}.{since % 10**9:09}",
                           "--until", f"{until // 10**9}.{until % 10**9:09}")
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
    """One on the command line."""
    done = reader.run("sql", reader.recording, "SELECT 1 AS one, NULL AS two")
    assert done.stdout.decode().split() == ["one", "two", "1", "-"], done


def check_limit(reader):
    """A query that wants no more ends, and says what a longer one does."""
    query = "SELECT * FROM call LIMIT "
    assert ask(reader, query + "5") == ask(reader, query + "5000")[:5]


def check_joins(reader):
    """The inner table of a join is asked more than once."""
    rows = ask(reader, """SELECT s.tid, s.begin_ns FROM syscall s
        JOIN fault f ON f.tid = s.tid AND f.begin_ns >= s.begin_ns
        AND f.end_ns <= s.end_ns AND f.kind = 'page_fault'
        WHERE s.ended = 'returned' GROUP BY 1, 2 ORDER BY 1, 2""")
    assert rows == ask(reader, """SELECT tid, begin_ns FROM syscall
        WHERE faults AND ended = 'returned' ORDER BY 1, 2"""), rows


def plain(rows):
    """Rows in order."""
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
        ["sqlite3", "-csv", "-header", ":memory:", f".load {extension}",
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
    """What a terminal shows until the shell ends."""
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
    """Words are completed, and lines kept for the next time."""
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
                            (["--since", "+1", "SELECT 1"], 2),
                            (["--format=xml", "SELECT 1"], 2)]:
        done = reader.run("sql", "-i", reader.recording, *arguments)
        assert done.returncode == code and done.stderr, (arguments, done)
    done = reader.run("export", "--format=sqlite", "-i", reader.recording)
    assert done.returncode == 2 and b"-o FILE" in done.stderr, done


def check_schema_document(reader):
    """docs/schema.md is what the program says."""
    said = reader.run("sql", "--schema").stdout.decode()
    with open(os.path.join(DOCS, "schema.md"), encoding="utf-8") as file:
        assert file.read().endswith(said), "run ktrace-hw sql --schema"


def check_queries(reader):
    """Each of those questions of docs/queries.md that e2e/queries.sh does not
    ask has an answer, which is the same from the exported file."""
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
