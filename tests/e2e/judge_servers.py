# SPDX-License-Identifier: MIT
"""Judges what report --servers says of the recordings of
attribution_servers.sh: judge_servers.py KTRACE FOLDER

The truth is in the server's own system calls: how many KiB it reads tells for
whom."""
import json
import sys

from waits import Judge, Recording

judge = Judge()
KIB = {"big": 240, "small": 8}
TIMES = 8


def services(recording):
    """ns on a CPU of the server's calls for each client; of its others."""
    known = {client: 0 for client in KIB}
    rest = 0
    client = None
    for call in recording.records():
        if call["comm"] != "server":
            continue
        asked = [c for c, kib in KIB.items()
                 if call["name"] == "read" and call["result"] == kib << 10]
        if asked:
            client = asked[0]
            known[client] += call["on_cpu_ns"]
        elif call["name"] == "write":
            known[client] += call["on_cpu_ns"]
        else:
            rest += call["on_cpu_ns"]
    return known, rest


def process(recording, name):
    report = json.loads(recording.run("report", "--format=json"))
    return next(row for row in report["processes"] if row["comm"] == name)


def check(case, recording):
    rows = [row for row in
            json.loads(recording.run("report", "--servers", "--format=json"))
            if row["server"] == "server"]
    bill = {row["client"]: row for row in rows}
    judge.expect(f"{case}: each client has a bill, of 8 requests",
                 all(c in bill and bill[c]["requests"] == TIMES for c in KIB),
                 rows)
    known, rest = services(recording)
    for client in KIB:
        billed = bill[client]["kernel_ns"]
        # Waiting for the next request is for the last one, too.
        judge.expect(f"{case}: {client} pays what its requests cost",
                     0 < known[client] <= billed <= known[client] + rest,
                     known[client], billed, rest)
        judge.expect(f"{case}: for {client} nothing is inferred",
                     bill[client]["inferred_ns"] == 0, bill[client])
    # Waiting costs each client a little more or less.
    more = (bill["big"]["kernel_ns"] - bill["small"]["kernel_ns"],
            known["big"] - known["small"])
    judge.expect(f"{case}: the big client pays more by what it asks more",
                 more[1] > 0 and abs(more[0] - more[1]) <= more[1] / 10, more)
    server = process(recording, "server")
    for column, classes in (
            ("kernel_ns", ("system_call_ns", "fault_ns", "kernel_ns")),
            ("user_ns", ("user_ns",)), ("runnable_ns", ("runnable_ns",)),
            ("tracer_ns", ("tracer_ns",))):
        sums = (sum(row[column] for row in rows),
                sum(server[c] for c in classes))
        judge.expect(f"{case}: the bills' {column} is the server's",
                     sums[0] == sums[1], sums)
    judge.expect(f"{case}: no client is a server", not
                 [row for row in rows if row["client"] == "server"], rows)


def check_early(recording):
    """The first two requests were there before the server first slept: they
    woke nobody, and its answers were the first to wake anybody."""
    rows = json.loads(recording.run("report", "--servers", "--format=json"))
    bill = {row["client"]: row for row in rows if row["server"] == "server"}
    judge.expect("early: each client has a bill, of 8 requests",
                 all(c in bill and bill[c]["requests"] == TIMES
                     for c in KIB), rows)
    judge.expect("early: no client is a server", not
                 [row for row in rows if row["server"] in KIB], rows)
    known, rest = services(recording)
    for client in KIB:
        billed = bill[client]["kernel_ns"]
        judge.expect(f"early: {client} pays what its requests cost",
                     0 < known[client] <= billed <= known[client] + rest,
                     known[client], billed, rest)
        judge.expect(f"early: for {client} some is inferred",
                     0 < bill[client]["inferred_ns"] < billed, bill[client])


def main():
    ktrace, folder = sys.argv[1:]
    for case in ("pipe", "unix", "udp", "many"):
        check(case, Recording(ktrace, folder, case))
    check_early(Recording(ktrace, folder, "early"))
    judge.end()


main()
