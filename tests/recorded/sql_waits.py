#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQL over a recording of programs that wait for locks, and of servers that send
requests to other servers: these tables add up to their reports.

    sql_waits.py PROGRAM RECORDING
"""
import collections
import json
import sys

from reader import run_checks
from sql_rows import ask, same


def compare_locks(reader, options, condition):
    reported = json.loads(reader.text("report", "--locks", *options,
                                      "--format=json"))
    rows = ask(reader, f"""SELECT kind, lock, lock_pid AS pid, function,
        count(*) AS count, sum(wait_ns) AS total_ns, max(wait_ns) AS max_ns,
        max(waiters_at_begin) AS waiters_at_begin,
        max(waiters_at_end) AS waiters_at_end FROM lock_wait
        WHERE {condition} GROUP BY 1, 2, 3, 4""")
    same(reported, rows, ["kind", "lock", "pid", "function"],
         ["count", "total_ns", "max_ns", "waiters_at_begin",
          "waiters_at_end"])
    assert {row["kind"] for row in rows} >= {"futex", "mutex"}, rows
    return reported


def check_lock_wait(reader):
    compare_locks(reader, ["--with-tracer"], "1")
    compare_locks(reader, [], "NOT is_recorder")


def check_lock_releaser(reader):
    """The number of releases of each lock by each thread equals the
    report's, for the threads that the report lists."""
    let_go = collections.Counter()
    for row in ask(reader, """SELECT kind, coalesce(lock, '') AS lock,
            coalesce(lock_pid, '') AS pid, function,
            releaser_comm || '-' || releaser_tid AS who FROM lock_wait
            WHERE NOT is_recorder AND releaser_tid IS NOT NULL"""):
        let_go[tuple(str(value) for value in row.values())] += 1
    shown = 0
    for row in reader.rows("report", "--locks"):
        for one in filter(None, row["released_by"].split(", ")):
            who, times = one.rsplit(" ", 1)
            key = (row["kind"], row["lock"], row["pid"], row["function"], who)
            assert let_go[key] == int(times), (key, let_go[key], times)
            shown += 1
    assert shown >= 4, shown


def sleeps_of(text):
    """Yields "123 pipe_read of fd 3: a-1 f; ..." by wait channel,
    descriptor and wakers."""
    for one in filter(None, text.split("; ")):
        place, wakers = one.split(": ", 1)
        asleep_ns, place = place.split(" ", 1)
        label, _, fd = place.partition(" of fd ")
        yield (label, fd, wakers), int(asleep_ns)


def check_request_sleep(reader):
    reported = {(int(row["request"]), *key): asleep_ns
                for row in reader.rows("report", "--requests",
                                       "--with-tracer")
                for key, asleep_ns in sleeps_of(row["sleeps"])}
    asked = collections.Counter()
    for row in ask(reader, "SELECT * FROM request_sleep"):
        asked[(row["request_id"], row["function"] or "[unseen]",
               "" if row["fd"] is None else str(row["fd"]),
               row["wakers"] or "[unseen]")] += row["asleep_ns"]
    assert len(reported) >= 2, reported
    assert reported == dict(asked), (reported, asked)


def check_request_sleep_is_part_of_sleep(reader):
    """A request's part of a sleep is all of it if its thread had the
    request meanwhile."""
    parts = ask(reader, """SELECT r.asleep_ns AS part_ns, s.asleep_ns,
        s.begin_ns >= q.begin_ns AND
        s.end_ns <= q.begin_ns + q.wall_ns AS is_within,
        (SELECT count(DISTINCT tid) FROM request_sleep o
         WHERE o.request_id = r.request_id) AS threads
        FROM request_sleep r JOIN sleep s ON s.tid = r.tid AND
        s.begin_ns = r.begin_ns AND s.function IS r.function AND
        s.fd IS r.fd JOIN request q ON q.id = r.request_id""")
    rows = ask(reader, "SELECT count(*) AS rows FROM request_sleep")[0]["rows"]
    assert len(parts) == rows, (len(parts), rows)
    for row in parts:
        assert 0 < row["part_ns"] <= row["asleep_ns"], row
        if row["is_within"] and row["threads"] == 1:
            assert row["part_ns"] == row["asleep_ns"], row
    assert any(row["part_ns"] == row["asleep_ns"] for row in parts), parts


def check_fd(reader):
    """Compares the descriptors of sleeps: "3 12x; 0 1x" in report --sleeps."""
    reported = [{**row, "fd": one.split()[0], "count": one.split()[1][:-1]}
                for row in reader.rows("report", "--sleeps", "--with-idle")
                for one in filter(None, row["fds"].split("; "))]
    same(reported, ask(reader, """SELECT pid,
        coalesce(function, '[unseen]') AS label, stack, fd,
        count(*) AS count FROM sleep WHERE NOT is_recorder AND NOT is_cut
        AND fd IS NOT NULL GROUP BY 1, 2, 3, 4"""),
         ["pid", "label", "stack", "fd"], ["count"])


def check_windows(reader):
    """Skipping before a window changes no row."""
    span = ask(reader, """SELECT min(begin_ns) AS since, max(end_ns) AS until
        FROM lock_wait""")[0]
    middle = (span["since"] + span["until"]) // 2
    for table in ["lock_wait", "interrupt_slice"]:
        for condition in [f"end_ns < {middle}", f"begin_ns >= {middle}",
                          f"begin_ns >= {span['since']} AND "
                          f"end_ns < {middle}"]:
            rows = ask(reader, f"""SELECT * FROM {table}
                WHERE {condition} ORDER BY begin_ns, end_ns""")
            # SQLite cannot pass a sum to the table.
            plus = condition.replace("_ns ", "_ns + 0 ")
            assert rows and rows == ask(reader, f"""SELECT * FROM {table}
                WHERE {plus} ORDER BY begin_ns, end_ns"""), condition


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
