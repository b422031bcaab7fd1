#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each query of the dashboards in packaging/grafana runs on ClickHouse's engine
with recordings in the store's tables, and the sums equal those of an SQLite
store. The engine is npm's package chdb, which is expected in NODE_PATH; with
KTRACE_FULL it is installed into a temporary folder.

    dashboards.py PROGRAM RECORDING...
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import consumers

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDER = os.path.join(ROOT, "packaging", "grafana", "dashboards")


def dashboards():
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            yield name, json.load(file)


def quoted(values):
    return ",".join("'" + str(value).replace("'", "\\'") + "'"
                    for value in values)


def expanded(sql, values):
    """Returns the SQL after Grafana's macros and variables, with all rows."""
    sql = re.sub(r" LIMIT \d+$", "", sql)
    sql = sql.replace("$__fromTime", "toDateTime(0)")
    sql = sql.replace("$__toTime", "toDateTime(4102444800)")
    variable = r"\$\{(\w+):singlequote\}"
    assert "$" not in re.sub(variable, "", sql), sql
    return re.sub(variable, lambda match: quoted(values[match[1]]), sql)


def write_tables(store, folder):
    """Writes each table of an SQLite store as a file, for ClickHouse."""
    names = [row[0] for row in store.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        " AND name NOT LIKE 'sqlite%'")]
    store.row_factory = sqlite3.Row
    for name in names:
        # ClickHouse's recording is a view of this table.
        table = "recording_all" if name == "recording" else name
        with open(os.path.join(folder, table + ".ndjson"), "w",
                  encoding="utf-8") as file:
            for row in store.execute(f'SELECT * FROM "{name}"'):
                file.write(json.dumps(dict(row)) + "\n")
    store.row_factory = None


def sums(store, sql):
    return [int(value or 0) for value in store.execute(sql).fetchone()]


def check_sums(store, rows):
    """Compares the sums of all rows of some tables."""
    program = "is_recorder = 0"
    for title, columns, sql in (
            ("System calls by time", ("calls", "total_ns", "sleeping_ns"),
             "SELECT count(*), sum(wall_ns), sum(asleep_ns) FROM syscall "
             f"WHERE ended = 'returned' AND {program}"),
            ("Sleeps by place", ("sleeps", "total_ns"),
             "SELECT count(*), sum(asleep_ns) FROM sleep "
             f"WHERE {program} AND is_cut = 0"),
            ("Interrupt work by beneficiary", ("total_ns", "exact_ns"),
             "SELECT sum(total_ns), sum(exact_ns) FROM interrupt")):
        found = [sum(int(row[column] or 0) for row in rows[title])
                 for column in columns]
        assert found == sums(store, sql), (title, found, sums(store, sql))
        assert found[0], title


def main():
    program, recordings = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as work:
        modules = consumers.node_modules(work, ("chdb",))
        if not modules:
            return
        path = os.path.join(work, "store")
        subprocess.run([program, "store", "add", "--to", path,
                        *recordings], check=True,
                       stdout=subprocess.DEVNULL)
        store = sqlite3.connect(path)
        with open(os.path.join(work, "server.sql"), "w",
                  encoding="utf-8") as file:
            subprocess.run([program, "store", "ddl"], check=True, stdout=file)
        tables = os.path.join(work, "tables")
        os.mkdir(tables)
        write_tables(store, tables)
        values = {name: [row[0] for row in store.execute(
            f"SELECT DISTINCT coalesce({name}, 'unknown') FROM recording")]
                  for name in ("host", "command", "id")}
        found = {}
        for name, dashboard in dashboards():
            found[name] = check_dashboard(name, dashboard, values,
                                          (modules, tables, work))
        check_sums(store, found["fleet.json"])
        assert len(found["fleet.json"]["Recordings"]) == len(recordings)


def check_dashboard(name, dashboard, values, places):
    """Returns the rows of each panel by its title."""
    modules, tables, work = places
    panels = dashboard["panels"]
    variables = dashboard["templating"]["list"]
    queries = os.path.join(work, "queries")
    chosen = {variable["name"]: values[variable["name"]] if variable["multi"]
              else values[variable["name"]][:1] for variable in variables}
    with open(queries, "w", encoding="utf-8") as file:
        json.dump([variable["query"] for variable in variables] +
                  [expanded(panel["targets"][0]["rawSql"], chosen)
                   for panel in panels], file)
    results = json.loads(consumers.run(
        "node", os.path.join(HERE, "dashboards.js"), modules,
        os.path.join(work, "server.sql"), tables, queries))
    for variable, rows in zip(variables, results):
        first = [list(row.values())[0] for row in rows]
        assert sorted(first) == sorted(values[variable["name"]]), first
    rows = dict(zip([panel["title"] for panel in panels],
                    results[len(variables):]))
    for title in rows:
        print(f"{name}: {title}: {len(rows[title])} rows")
    return rows


main()
