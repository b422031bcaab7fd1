# SPDX-License-Identifier: MIT
"""A store in a cluster of three servers, in which one shard has two replicas,
returns the same as one in a file: judge_store_cluster.py KTRACE FOLDER

Without ZooKeeper, which replicated tables need, the cluster has two servers, each
with its own tables."""
import contextlib
import re
import sys
import time

from clickhouse_server import (START_S, ClickHouse, ZooKeeper, cluster_part)
from http_proxy import Proxy
from store_program import (RECORDINGS, SOME_QUESTIONS, SOME_TABLES, Program,
                           compare)
from waits import Judge


def start(program, stack):
    """Returns the servers by shard, and whether they are replicated."""
    names = ["first", "second"]
    keeper = None
    if ZooKeeper.is_there():
        keeper = stack.enter_context(ZooKeeper(program.path("zookeeper")))
        keeper.start()
        names.append("copy")
    else:
        print("skipped: replicated tables: no ZooKeeper here")
    servers = [stack.enter_context(ClickHouse(program.path(name)))
               for name in names]
    shards = [[servers[0], *servers[2:]], [servers[1]]]
    for name, server, shard in zip(names, servers, (1, 2, 1)):
        server.start(cluster_part(keeper, shard, name, shards))
    return shards, keeper is not None


def make_tables(program, shards, is_replicated):
    text = program.answer("ddl", "--cluster", "fleet", "--database", "traces")
    if is_replicated:
        shards[0][0].run_file(text)
        return
    # ZooKeeper passes such statements on to each server.
    text = text.replace(" ON CLUSTER 'fleet'", "")
    text = re.sub(r"ReplicatedMergeTree\([^)]*\)", "MergeTree", text)
    tables, mark, last = text.partition("SET ")
    for (server,) in shards:
        server.run_file(tables)
    shards[0][0].run_file(mark + last)


def await_copies(shards):
    """Replicas receive their rows asynchronously."""
    first, copy = shards[0]
    query = "SELECT count() FROM {}_local"
    deadline = time.monotonic() + START_S
    for table in ("call", "label", "recording_all", "upload"):
        while first.ask(query.format(table), "traces") != \
                copy.ask(query.format(table), "traces"):
            assert time.monotonic() < deadline, f"{table} is not copied"
            time.sleep(0.1)


def check_shards(judge, shards):
    """All rows of a recording are in the shard given by its number."""
    numbers = {int(number) for (number,) in shards[0][0].ask(
        "SELECT recording FROM recording_all", "traces")}
    judge.expect("each recording once", len(numbers) == len(RECORDINGS))
    for place, servers in enumerate(shards):
        wanted = sorted(n for n in numbers if n % len(shards) == place)
        for table in ("call", "syscall", "label", "recording_all"):
            for server in servers:
                found = sorted(int(n) for (n,) in server.ask(
                    f"SELECT DISTINCT recording FROM {table}_local", "traces"))
                judge.expect(f"{table} in shard {place + 1}", found == wanted,
                             found, wanted)


def check_killed(judge, program, shards):
    """The left-overs of an upload are removed from all replicas of its
    shard."""
    first = shards[0][0]
    proxy = Proxy(first.http)
    process = None

    def strike(query):
        if query.startswith("INSERT INTO label"):
            process.kill()
            raise ConnectionAbortedError

    # A recording that may be added again: its rows are left-overs now.
    first.ask("ALTER TABLE traces.recording_all_local ON CLUSTER fleet DELETE "
              f"WHERE path LIKE '%/{RECORDINGS[0]}'")
    for server in sum(shards, []):
        server.await_mutations("traces")
    before = first.uploads("traces")
    proxy.before = strike
    process = program.start(
        "add", "--to", first.url("traces", port=proxy.port), "--label", "a=b",
        program.path(RECORDINGS[0]))
    process.communicate(timeout=600)
    (killed,) = first.uploads("traces") - before
    judge.expect("killed: its rows are there", first.number(
        f"SELECT count() FROM call WHERE recording = {killed}", "traces"))
    # Uploads do not look for left-overs while others are being removed.
    for server in sum(shards, []):
        server.await_mutations("traces")
    code, _, err = program.add(first.url("traces"), RECORDINGS[0])
    judge.expect("killed: repeated", code == 0 and ": added" in err and
                 "not removed" not in err, err)
    for server in sum(shards, []):
        server.await_mutations("traces")
    left = first.ask("SELECT uniq(recording) FROM call WHERE recording GLOBAL "
                     "NOT IN (SELECT recording FROM recording_all)", "traces")
    judge.expect("killed: left-overs removed", left == [["0"]], left)
    proxy.close()


def main():
    program, judge = Program(*sys.argv[1:3]), Judge()
    file = program.file()
    with contextlib.ExitStack() as stack:
        shards, is_replicated = start(program, stack)
        make_tables(program, shards, is_replicated)
        program.add_all(shards[0][0].url("traces"))
        if is_replicated:
            await_copies(shards)
        check_shards(judge, shards)
        asked = shards[0][-1]
        compare(judge, program, file, asked.url("traces"), "cluster",
                SOME_QUESTIONS, SOME_TABLES, "GLOBAL JOIN")
        code, _, err = program.add(shards[1][0].url("traces"), *RECORDINGS)
        judge.expect("added again, by another server", code == 0 and
                     err.count("was added before") == len(RECORDINGS), err)
        if is_replicated:
            check_killed(judge, program, shards)
    judge.end()


main()
