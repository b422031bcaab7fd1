# SPDX-License-Identifier: MIT
"""Judges the requests of queries.sh in a store: judge_across.py KTRACE
FOLDER COUNT SLOW.  Client and server (programs/across.c) wrote down each
request: its number, their thread, its start and end by CLOCK_REALTIME."""
import collections
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys

from clickhouse_server import PASSWORD, ClickHouse
from waits import Judge

KTRACE, FOLDER = sys.argv[1:3]
COUNT, SLOW = int(sys.argv[3]), int(sys.argv[4])
CLIENT, SERVER = f"{FOLDER}/client", f"{FOLDER}/server"
SLOW_NS = 20000000
# Client OLDER of the ASKERS has a connection that is older than the
# recordings.
ASKERS, OLDER = 3, 0
# The rates of a recording's clock and of CLOCK_REALTIME differ.
RATES_NS = 100000
SERVER_PARTS = ["queue_ns", "runnable_ns", "kernel_ns", "user_ns",
                "interrupt_ns", "tracer_ns", "asleep_ns", "downstream_ns",
                "unknown_ns"]
Truth = collections.namedtuple("Truth", "number tid begin end")
judge = Judge()


def run(*arguments):
    done = subprocess.run(
        [KTRACE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=dict(os.environ, CLICKHOUSE_PASSWORD=PASSWORD), text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout, done.stderr


def number(text):
    try:
        return int(text)
    except ValueError:
        return text


def rows_of(*arguments):
    lines = run(*arguments, "--format=csv")[0].splitlines()
    return [{name: number(value) for name, value in row.items()}
            for row in csv.DictReader(lines)]


def truths_of(side):
    with open(f"{FOLDER}/{side}.truth", encoding="utf-8") as lines:
        return [Truth(*map(int, line.split())) for line in lines]


def sides_of(recording, side):
    """Returns the rows of a recording, with their times by CLOCK_REALTIME."""
    return rows_of("sql", recording, f"""SELECT request.*,
        begin_ns + clock_begin_offset_ns AS real_ns
        FROM request, recording WHERE side = '{side}' ORDER BY begin_ns""")


def clients_by_number():
    """Each thread of the client has one request after the other."""
    by_tid = collections.defaultdict(list)
    for row in sides_of(CLIENT, "client"):
        by_tid[row["client_tid"]].append(row)
    known = collections.defaultdict(list)
    for truth in truths_of("client"):
        known[truth.tid].append(truth)
    judge.expect("the client's side of every request is there, and no more",
                 {tid: len(rows) for tid, rows in by_tid.items()} ==
                 {tid: len(truths) for tid, truths in known.items()} and
                 sum(map(len, known.values())) == COUNT, by_tid.keys())
    return {truth.number: (row, truth) for tid in known
            for row, truth in zip(by_tid[tid], known[tid])}


def servers_by_number():
    """The server answers one after the other."""
    rows = sorted(sides_of(SERVER, "server"),
                  key=lambda row: row["real_ns"] + row["wall_ns"])
    truths = truths_of("server")
    judge.expect("the server's side of every request is there, and no more",
                 len(rows) == len(truths) == COUNT, len(rows), len(truths))
    return {truth.number: (row, truth) for row, truth in zip(rows, truths)}


def judge_sides(clients, servers):
    wrong = [(row, truth) for row, truth in clients.values() if not
             truth.begin - RATES_NS <= row["real_ns"] and
             row["real_ns"] + row["wall_ns"] <= truth.end + RATES_NS]
    judge.expect("clients had their answers when they say", not wrong, wrong)
    wrong = [(row, truth) for row, truth in servers.values() if not
             row["real_ns"] <= truth.begin + RATES_NS and
             truth.end - RATES_NS <= row["real_ns"] + row["wall_ns"]]
    judge.expect("the server had them when it says", not wrong, wrong)
    wrong = [row for row, _ in [*clients.values(), *servers.values()]
             if row["client_address"] != "10.8.0.1" or
             row["server_address"] != "10.8.0.2" or
             row["server_port"] != 7400]
    judge.expect("both know the connection", not wrong, wrong)
    wrong = [row for sides in [clients, servers]
             for at, (row, _) in sides.items()
             if (row["stream_position"] == "") != (at % ASKERS == OLDER)]
    judge.expect("and the place in it, unless it is older than the recording",
                 not wrong, wrong)
    wrong = [row for row, _ in clients.values() if row["pid"] != ""] + \
        [row for row, _ in servers.values() if row["client_pid"] != ""]
    judge.expect("whose thread it is on the other machine, neither says",
                 not wrong, wrong)


def judge_pairs(joined, clients, servers):
    """Each request is joined once, with the same number on both sides."""
    judge.expect("every request is joined",
                 len(joined) == COUNT and
                 all(row["joined"] == "joined" for row in joined), joined[:3])
    of_client = {row["id"]: at for at, (row, _) in clients.items()}
    of_server = {row["id"]: at for at, (row, _) in servers.items()}
    pairs = [(of_client[row["client_request"]],
              of_server[row["server_request"]]) for row in joined]
    judge.expect("with itself, and once",
                 sorted(pairs) == [(at, at) for at in range(1, COUNT + 1)],
                 pairs)
    return {at: row for (at, _), row in zip(pairs, joined)}


def judge_parts(by_number):
    rows = by_number.values()
    wrong = [row for row in rows if row["wall_ns"] != row["client_ns"] +
             row["client_wait_ns"] + row["network_ns"] +
             sum(row[part] for part in SERVER_PARTS)]
    judge.expect("all parts add up to the time that it took", not wrong,
                 wrong)
    wrong = [row for row in rows if row["network_ns"] < 0 or not
             -row["known_within_ns"] <= row["after_ns"] <=
             row["wall_ns"] + row["known_within_ns"]]
    judge.expect("the server has it while the client waits, as far as clocks "
                 "tell", not wrong, wrong)
    # If a busy host extends the sleep, the thread waited for a CPU instead.
    wrong = [row for at, row in by_number.items() if at % SLOW == 0 and
             sum(row[part] for part in SERVER_PARTS[1:]) < SLOW_NS]
    judge.expect("the slow ones took as long at the server", not wrong, wrong)
    slept = [at for at, row in by_number.items()
             if row["asleep_ns"] > SLOW_NS / 2]
    judge.expect("none but these slept there, and some did", slept and
                 all(at % SLOW == 0 for at in slept), slept)


def judge_report():
    rows = json.loads(run("report", "-i", CLIENT, "--requests",
                          "--format=json")[0])
    judge.expect("a report names the server by its address",
                 len(rows) == COUNT and all(
                     row["server"] == "10.8.0.2:7400" and
                     row["server_pid"] is None and row["side"] == "client"
                     for row in rows), rows[:1])
    text = run("report", "-i", SERVER, "--requests")[0]
    judge.expect("and the client", "\n10.8.0.1  across" in text, text[:400])


def changed(name, *statements):
    """Returns the answer of a store that was changed by @change."""
    path = f"{FOLDER}/{name}.db"
    shutil.copy(f"{FOLDER}/fleet.db", path)
    store = sqlite3.connect(path)
    for statement in statements:
        store.execute(statement)
    store.commit()
    store.close()
    return collections.Counter(row["joined"] for row in rows_of(
        "store", "requests", "--top=100000", path))


def judge_doubts():
    """Requests that cannot be joined are reported, not guessed."""
    blur = "UPDATE recording SET clock_begin_maxerror_ns = 60000000000"
    forget = "UPDATE request SET stream_position = NULL"
    counts = changed("unset", "UPDATE recording SET clock_begin_status = 64 "
                     "WHERE host = 'server'")
    judge.expect("with a clock that nobody sets none is joined",
                 counts == {"clockless": COUNT}, counts)
    counts = changed("blurred", blur)
    third = COUNT // ASKERS
    judge.expect("places in the stream tell where clocks do not",
                 counts == {"joined": 2 * third, "ambiguous": third}, counts)
    counts = changed("doubtful", blur, forget)
    judge.expect("without them connections with many are ambiguous, those "
                 "with one are not",
                 counts == {"ambiguous": 2 * third, "joined": third}, counts)
    counts = changed("lonely", "DELETE FROM request WHERE side = 'server'")
    judge.expect("without the server's recording they are alone",
                 counts == {"alone": COUNT}, counts)


def without_numbers(rows):
    """Removes the differences between stores: their numbers of recordings."""
    return [{name: value for name, value in row.items()
             if not name.endswith("_recording")} for row in rows]


def ask(target):
    run("store", "add", "--to", target, "--tables", "cpu,request", CLIENT,
        SERVER)
    said = run("store", "requests", target)[1]
    judge.expect("it says how many are joined",
                 f"of {COUNT} answered requests" in said, said)
    return rows_of("store", "requests", "--top=100000", target)


def ask_server(joined):
    server = ClickHouse(f"{FOLDER}/clickhouse")
    server.start()
    with server:
        server.ask("CREATE DATABASE fleet")
        rows = ask(server.url("fleet"))
    judge.expect("ClickHouse says the same",
                 without_numbers(rows) == without_numbers(joined), rows[:2])


def main():
    clients, servers = clients_by_number(), servers_by_number()
    judge_sides(clients, servers)
    joined = ask(f"{FOLDER}/fleet.db")
    judge_parts(judge_pairs(joined, clients, servers))
    judge_report()
    judge_doubts()
    if ClickHouse.is_there():
        ask_server(joined)
    else:
        print("note: no clickhouse-server here: a file alone")
    judge.end()


main()
