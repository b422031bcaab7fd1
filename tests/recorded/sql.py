#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQL over a recording: the sums of each table equal those of its report.

    sql.py PROGRAM RECORDING
"""
import json
import re
import sys

from reader import run_checks
from sql_rows import ask, same

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
    values = ["wall_ns", "user_ns", "system_call_ns", "fault_ns", "reclaim_ns",
              "kernel_ns", "interrupt_stolen_ns", "tracer_ns", "guest_ns", "asleep_ns",
              "unknown_ns",
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
              "guest_ns", "gap_ns", "idle_ns", "switches", "gaps", "lost_bytes"]
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
    """Slices add up to the report; the shares of each slice add up to 1."""
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
              "tracer_ns", "guest_ns", "asleep_ns", "downstream_ns",
              "unknown_ns",
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
    """Profiles contain neither the idle loop nor the tracer."""
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


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
