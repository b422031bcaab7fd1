# SPDX-License-Identifier: MIT
"""Runs the queries of docs/queries.md that have results there: queries.py
KTRACE FOLDER DOCUMENT [--write].  The recordings are FOLDER/web-6.12 and
FOLDER/web-6.1.  All targets return the same, and the certain results of
programs/locks.c and the others.  FOLDER/client and FOLDER/server are of two
machines with a network between them, on which the client and the server of
programs/across.c ran."""
import csv
import os
import re
import subprocess
import sys

from clickhouse_server import PASSWORD, ClickHouse
from waits import Judge

KTRACE, FOLDER, DOCUMENT = sys.argv[1:4]
WRITES = sys.argv[4:] == ["--write"]
RECORDINGS = [f"{FOLDER}/web-6.12", f"{FOLDER}/web-6.1"]
# The recordings of a store, by the text after "sql" in the document.
STORES = {"one": RECORDINGS[:1], "store": RECORDINGS,
          "network": [f"{FOLDER}/client", f"{FOLDER}/server"]}
# Most rows are of calls and functions, and no query is about them.
TABLES = ["cpu", "process", "thread", "thread_state", "syscall", "fault",
          "sleep", "lock_wait", "interrupt", "interrupt_slice", "server",
          "request", "request_sleep", "profile", "gap"]
MS = 1000000
ASKED = re.compile(r"\*\*(\d+)\. (.*?)\*\*\n\n(?:[^`*][^\n]*\n|`[^`\n][^\n]*\n|"
                   r"\n)*```sql(?: (store|network))?\n(.*?)```\n\n```\n(.*?)```\n",
                   re.S)


def run(*arguments):
    done = subprocess.run(
        [KTRACE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=dict(os.environ, CLICKHOUSE_PASSWORD=PASSWORD), text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


class Asked:
    """One query: of one recording, or of a store with several."""

    def __init__(self, match):
        self.number, self.title, self.query = match[1], match[2], match[4]
        self.kind = match[3] or "one"

    def commands(self, targets):
        """Returns the commands of the query by target; the first one is the
        document's."""
        stores = {name: ["store", "sql", of[self.kind], self.query]
                  for name, of in targets.items()}
        if self.kind != "one":
            return stores
        return {"the recording": ["sql", RECORDINGS[0], self.query], **stores}

    def rows(self, command):
        return list(csv.DictReader(
            run(*command, "--format=csv").splitlines()))


def add(target, recordings):
    run("store", "add", "--to", target, "--tables", ",".join(TABLES),
        *recordings)


def make_stores(server):
    """Returns the targets of each kind by name."""
    targets = {"a file": {kind: f"{FOLDER}/{kind}.db"
                          for kind in STORES}}
    if server:
        targets["ClickHouse"] = {}
        for kind in STORES:
            server.ask(f"CREATE DATABASE {kind}")
            targets["ClickHouse"][kind] = server.url(kind)
    for of in targets.values():
        for kind, recordings in STORES.items():
            add(of[kind], recordings)
    return targets


def ask_all(judge, text, targets):
    """Returns the answers by number, and the document with them."""
    answers = {}

    def answer(match):
        asked = Asked(match)
        commands = asked.commands(targets)
        given = {name: asked.rows(command)
                 for name, command in commands.items()}
        name, rows = next(iter(given.items()))
        judge.expect(f"{asked.number}: {asked.title} {name} has an answer",
                     rows, asked.query)
        for other in list(given)[1:]:
            judge.expect(f"{asked.number}: {other} says what {name} does",
                         given[other] == rows, given[other][:3], rows[:3])
        answers[int(asked.number)] = rows
        head = match[5].split("\n")[0].split()
        if asked.kind == "one" and not WRITES:
            judge.expect(f"{asked.number}: its columns are as in the document",
                         head == list((rows or [{}])[0]), head, rows[:1])
            return match[0]
        shown = run(*commands[name]).rstrip("\n").split("\n")
        judge.expect(f"{asked.number}: its columns are as in the document",
                     WRITES or head == shown[0].split(), head, shown[:2])
        return match[0][:match.start(5) - match.start()] + \
            "".join(f"{line.rstrip()}\n" for line in shown) + "```\n"

    return answers, ASKED.sub(answer, text)


def find(rows, **values):
    return [row for row in rows
            if all(row[name] == value for name, value in values.items())]


def judge_locks(judge, answers):
    """Four threads wait for the lock that locks holds for 5 ms, and
    continue in their order."""
    mutexes = find(answers[6], kind="mutex", function="pipe_write")
    judge.expect("three waited for the pipe's lock, holder let the first go",
                 sum(int(row["waits"]) for row in mutexes) == 3 and
                 find(mutexes, holder="holder", waits="1"), answers[6])
    line = answers[7]
    judge.expect("four stand in line for the futex, in order",
                 [(row["comm"], row["waiters_at_begin"], row["waiters_at_end"])
                  for row in line] ==
                 [("waiter", str(i), str(3 - i)) for i in range(4)] and
                 line[0]["releaser"] == "locks", line)
    judge.expect("each for 4 to 10 ms", all(
        4 * MS < int(row["wait_ns"]) < 10 * MS for row in line), line)


def judge_reads(judge, answers):
    """slow_reads sleeps twice for 8 ms before it answers."""
    slow = [row for row in find(answers[12], comm="slow_reads")
            if int(row["wall_ns"]) >= 8 * MS]
    judge.expect("two requests take 8 ms, asleep nearly all of that",
                 len(slow) == 2 and all(int(row["asleep_ns"]) >= 8 * MS
                                        for row in slow), answers[12])
    sleeps = find(answers[13], server="slow_reads")
    judge.expect("they slept twice, in nanosleep()",
                 [(row["sleeps"], row["function"]) for row in sleeps] ==
                 [("2", "hrtimer_nanosleep")], answers[13])
    reads = find(answers[3], call="read")
    judge.expect("of the reads few are slow",
                 reads and int(reads[0]["longest_ns"]) >= 8 * MS >
                 8 * int(reads[0]["p50_ns"]), answers[3])
    judge.expect("requests of both clients slept at the server behind",
                 {row["client_comm"] for row in
                  find(answers[13], server="server", is_downstream="1")} >=
                 {"big", "small"}, answers[13])


def judge_interrupts(judge, answers):
    """Loopback's soft interrupts run on the sender, for the receiver."""
    judge.expect("sending to the server is exactly its", any(
        find(answers[9], on_comm=client, for_comm="server", certainty="exact")
        for client in ["big", "small", "back"]), answers[9])
    judge.expect("two that want the CPU keep each other from it", any(
        int(row["kept_ns"]) > MS for row in
        find(answers[5], waiter="slow_reads", who="slow_reads")), answers[5])


def judge_machines(judge, answers):
    judge.expect("both machines have waited",
                 {row["host"] for row in answers[20]} ==
                 {"web-6.12", "web-6.1"}, answers[20])
    judge.expect("the other machine did something then, as well as is known",
                 all(int(row["known_within_ns"]) > 0 for row in answers[21]),
                 answers[21])
    judge.expect("some call slept in both kernels, in the same place",
                 find(answers[19], call="write", sleeps_in="pipe_write") or
                 find(answers[19], call="read"), answers[19])


def judge_network(judge, answers):
    """The server was slow for each tenth request."""
    judge.expect("the server slept in some of the slowest requests", any(
        int(row["slept_ns"]) > 10 * MS for row in answers[22]), answers[22])
    judge.expect("the parts of each add up", answers[22] and all(
        int(row["took_ns"]) == sum(int(row[part]) for part in [
            "client_ns", "network_ns", "waited_ns", "worked_ns", "slept_ns"])
        for row in answers[22]), answers[22])


def judge_begin(judge, recording):
    """The recording started at the requested time, and no earlier."""
    row = next(csv.DictReader(run(
        "sql", "--format=csv", recording, """SELECT
        min(begin_ns) + clock_begin_offset_ns - activate_ns AS after_ns
        FROM call, recording WHERE begin_ns > 0""").splitlines()))
    judge.expect(f"{os.path.basename(recording)} began at its instant",
                 0 <= int(row["after_ns"]) < 50 * MS, row)


def main():
    judge = Judge()
    with open(DOCUMENT, encoding="utf-8") as document:
        text = document.read()
    judge.expect("the document has 20 questions or more",
                 len(ASKED.findall(text)) >= 20, len(ASKED.findall(text)))
    server = ClickHouse(f"{FOLDER}/clickhouse")
    if ClickHouse.is_there():
        server.start()
    else:
        print("note: no clickhouse-server here: recordings and files alone")
    with server:
        targets = make_stores(server if ClickHouse.is_there() else None)
        answers, text = ask_all(judge, text, targets)
    for claims in [judge_locks, judge_reads, judge_interrupts, judge_machines,
                   judge_network]:
        claims(judge, answers)
    for recording in RECORDINGS:
        judge_begin(judge, recording)
    if WRITES and not judge.failures:
        with open(DOCUMENT, "w", encoding="utf-8") as document:
            document.write(text)
    judge.end()


main()
