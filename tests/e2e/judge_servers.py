# SPDX-License-Identifier: MIT
"""Judges report --servers of the recordings of
attribution_servers.sh: judge_servers.py KTRACE FOLDER HAS_SOCKETS CPUS

The truth is in the server's own system calls: the number of KiB that it reads
identifies the client.  With two CPUs the clients use the host's clock, with which
they do not take turns: one sends a request while the server works for the other,
which wakes nobody."""
import json
import sys

from waits import Judge, Recording

judge = Judge()
KIB = {"big": 240, "small": 8}
TIMES = 8


def services(recording, cpus):
    """Returns the ns on a CPU of the server's calls for each client, and of
    its other calls.  The rest of a call that answers, after the answer,
    counts for the next request if that has already arrived, as may happen
    with two CPUs."""
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
        elif call["name"] == "write" and cpus == 1:
            known[client] += call["on_cpu_ns"]
        else:
            rest += call["on_cpu_ns"]
    return known, rest


def woken_by(call, name):
    return any(waker["chain"][0]["comm"] == name
               for sleep in call["sleeps"] for waker in sleep["wakers"])


def wakes_nobody(recording):
    """Returns the clients with a request or answer that arrived before its
    receiver waited for it, and so woke nobody."""
    found = set()
    wait = None
    for call in recording.records():
        reads = call["name"] == "read" and call["result"] or 0
        if call["comm"] in KIB and reads == 1 and \
                not woken_by(call, "server"):
            found.add(call["comm"])
        if call["comm"] != "server":
            continue
        if call["sleeps"]:
            wait = call
        for client, kib in KIB.items():
            if reads == kib << 10:
                if not wait or not woken_by(wait, client):
                    found.add(client)
                wait = None
    return found


def process(recording, name):
    report = json.loads(recording.run("report", "--format=json"))
    return next(row for row in report["processes"] if row["comm"] == name)


def check_sums(case, recording, rows):
    server = process(recording, "server")
    for column, classes in (
            ("kernel_ns", ("system_call_ns", "fault_ns", "reclaim_ns",
                           "kernel_ns")),
            ("user_ns", ("user_ns",)), ("runnable_ns", ("runnable_ns",)),
            ("tracer_ns", ("tracer_ns",))):
        sums = (sum(row[column] for row in rows),
                sum(server[c] for c in classes))
        judge.expect(f"{case}: the bills' {column} is the server's",
                     sums[0] == sums[1], sums)


def check(case, recording, is_told, cpus):
    all_rows = json.loads(recording.run("report", "--servers",
                                        "--format=json"))
    rows = [row for row in all_rows if row["server"] == "server"]
    bill = {row["client"]: row for row in rows}
    judge.expect(f"{case}: each client has a bill, of 8 requests",
                 all(c in bill and bill[c]["requests"] == TIMES for c in KIB),
                 rows)
    known, rest = services(recording, cpus)
    guessed = wakes_nobody(recording)
    for client in KIB:
        billed = bill[client]["kernel_ns"]
        # Waiting for the next request counts for the last one, too.
        judge.expect(f"{case}: {client} pays what its requests cost",
                     0 < known[client] <= billed <= known[client] + rest,
                     known[client], billed, rest)
        if is_told or client not in guessed:
            judge.expect(f"{case}: for {client} nothing is inferred",
                         bill[client]["inferred_ns"] == 0, bill[client])
    check_sums(case, recording, rows)
    judge.expect(f"{case}: no client is a server", not
                 [row for row in all_rows if row["client"] == "server"
                  or row["server"] in KIB], all_rows)
    if cpus > 1:
        return
    # Waiting adds a little to each client, or subtracts it.
    more = (bill["big"]["kernel_ns"] - bill["small"]["kernel_ns"],
            known["big"] - known["small"])
    judge.expect(f"{case}: the big client pays more by what it asks more",
                 more[1] > 0 and abs(more[0] - more[1]) <= more[1] / 10, more)


def check_early(recording, cpus):
    """The first two requests arrived before the server first slept: they
    woke nobody, and its answers caused the first wake-ups."""
    rows = json.loads(recording.run("report", "--servers", "--format=json"))
    bill = {row["client"]: row for row in rows if row["server"] == "server"}
    judge.expect("early: each client has a bill, of 8 requests",
                 all(c in bill and bill[c]["requests"] == TIMES
                     for c in KIB), rows)
    judge.expect("early: no client is a server", not
                 [row for row in rows if row["server"] in KIB], rows)
    known, rest = services(recording, cpus)
    guessed = wakes_nobody(recording)
    for client in KIB:
        billed = bill[client]["kernel_ns"]
        judge.expect(f"early: {client} pays what its requests cost",
                     0 < known[client] <= billed <= known[client] + rest,
                     known[client], billed, rest)
        inferred_ns = bill[client]["inferred_ns"]
        if cpus == 1:
            judge.expect(f"early: for {client} some is inferred",
                         0 < inferred_ns < billed, bill[client])
        else:
            judge.expect(f"early: for {client} some is inferred, if anything "
                         "woke nobody", client in guessed or not inferred_ns,
                         bill[client])


def check_output(recording):
    """A shell reads the output of commands, and answers none of them."""
    reads = [call for call in recording.records() if call["comm"] == "sh" and
             call["name"] == "read" and (call["result"] or 0) > 0]
    judge.expect("output: a shell reads what commands write", len(reads) >= 2,
                 reads)
    for table in ("servers", "requests"):
        rows = json.loads(recording.run("report", "--" + table,
                                        "--format=json"))
        judge.expect(f"output: nothing of that in --{table}", not rows, rows)


def main():
    ktrace, folder, has_sockets, cpus = sys.argv[1:]
    for case in ("pipe", "unix", "udp", "many"):
        is_told = cpus == "1" or (has_sockets == "1" and
                                  case in ("unix", "udp"))
        check(case, Recording(ktrace, folder, case), is_told, int(cpus))
    check_early(Recording(ktrace, folder, "early"), int(cpus))
    check_output(Recording(ktrace, folder, "output"))
    judge.end()


main()
