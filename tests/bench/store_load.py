#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how fast the calls of recordings are added to one ClickHouse server,
and the memory, in pairs with ClickHouse's own client, which inserts the same rows
from a file (RowBinary, the same table).

    store_load.py [--pairs N] [--alone] [--min-duration T] PROGRAM RECORDING...

--alone: without the client, whose file has some 190 bytes for each call;
--min-duration: only calls of at least that duration, as in store add.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../e2e"))

from clickhouse_server import PASSWORD, ClickHouse  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
COLUMNS = "{:>10} {:>12} {:>9} {:>9} {:>9} {:>12} {:>8}"


class Cost:
    """Returns the costs of a command, and of the server meanwhile."""

    def __init__(self, server, command, **options):
        before, begin_s = self.cpu_of(server), time.monotonic()
        process = subprocess.Popen(command, stderr=subprocess.PIPE, **options)
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, said
        self.wall_s = time.monotonic() - begin_s
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.server_s = self.cpu_of(server) - before
        self.peak_mb = usage.ru_maxrss / 1024

    @staticmethod
    def cpu_of(server):
        with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def show(self, who, rows):
        print(COLUMNS.format(
            who, rows, f"{self.wall_s:.1f}", f"{self.cpu_s:.1f}",
            f"{self.server_s:.1f}", f"{rows / self.wall_s:,.0f}",
            f"{self.peak_mb:.0f}"), flush=True)


class Load:
    def __init__(self, program, folder, server, min_duration):
        self.program, self.server = program, server
        self.min_duration = min_duration
        self.file = os.path.join(folder, "rows")

    def new_database(self, name):
        """Recreates the database, so that no old rows are still being
        merged."""
        for (table,) in self.server.ask(
                "SELECT name FROM system.tables WHERE database = "
                f"'{name}'"):
            self.server.ask(f"DROP TABLE {name}.{table}")
        self.server.ask(f"CREATE DATABASE IF NOT EXISTS {name}")
        self.server.run_file(subprocess.run(
            [self.program, "store", "ddl"], check=True, text=True,
            capture_output=True).stdout, name)

    def add(self, recording):
        self.new_database("ours")
        cost = Cost(self.server, [
            self.program, "store", "add", "--tables", "call",
            "--min-duration", self.min_duration, "--to",
            self.server.url("ours"), recording],
            env={**os.environ, "CLICKHOUSE_PASSWORD": PASSWORD})
        rows = self.server.number("SELECT count() FROM call", "ours")
        cost.show("ktrace-hw", rows)
        return cost, rows

    def client(self, database):
        return ["clickhouse-client", "--host=127.0.0.1",
                f"--port={self.server.tcp}", "--user=ktrace",
                f"--password={PASSWORD}", f"--database={database}"]

    def write_file(self):
        with open(self.file, "wb") as out:
            subprocess.run([*self.client("ours"), "--query",
                            "SELECT * FROM call FORMAT RowBinary"],
                           check=True, stdout=out)

    def insert(self, rows):
        self.new_database("theirs")
        with open(self.file, "rb") as file:
            cost = Cost(self.server, [
                *self.client("theirs"), "--query",
                "INSERT INTO call FORMAT RowBinary"], stdin=file)
        assert self.server.number("SELECT count() FROM call", "theirs") == rows
        cost.show("client", rows)
        return cost

    def compare(self, recording, pairs, is_alone):
        costs = []
        for pair in range(pairs):
            ours, rows = self.add(recording)
            if is_alone:
                continue
            if not pair:
                self.write_file()
            costs.append((ours, self.insert(rows)))
        if costs:
            show_ratios("speed", [theirs.wall_s / ours.wall_s
                                  for ours, theirs in costs])
            show_ratios("rows for a CPU second, the server's too",
                        [(theirs.cpu_s + theirs.server_s) /
                         (ours.cpu_s + ours.server_s)
                         for ours, theirs in costs])


def show_ratios(what, ratios):
    print(f"{what}, of the client's: least, median and greatest of "
          f"{len(ratios)}: {min(ratios):.2f} / "
          f"{statistics.median(ratios):.2f} / {max(ratios):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--min-duration", default="0")
    parser.add_argument("program")
    parser.add_argument("recordings", nargs="+")
    options = parser.parse_args()
    for name in ("clickhouse-server", "clickhouse-client"):
        if not shutil.which(name):
            print(f"skipped: no {name} here")
            return
    print(COLUMNS.format("", "rows", "s", "CPU s", "server's", "rows/s",
                         "peak MB"))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, \
            ClickHouse(os.path.join(folder, "server")) as server:
        server.start()
        load = Load(os.path.abspath(options.program), folder, server,
                    options.min_duration)
        for recording in options.recordings:
            load.compare(recording, options.pairs, options.alone)


main()
