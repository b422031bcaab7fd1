# SPDX-License-Identifier: MIT
"""An upload to ClickHouse is complete or absent, and can be repeated, after
the program or the server is killed at any of its requests, or if the
server's disk is full: judge_store_faults.py KTRACE FOLDER"""
import os
import subprocess
import sys

from clickhouse_server import ClickHouse
from http_proxy import Proxy
from store_program import Program
from waits import Judge

KEPT, ADDED = "list-1", "list-2"
TABLES = ["syscall", "sleep", "call", "label"]
OPTIONS = ("--tables", "syscall,sleep,call,gap", "--label", "kind=killed")
KILLED = -9


class Store:
    """A store behind a proxy, with one recording, to which another is
    added."""

    def __init__(self, judge, program, server):
        self.judge, self.program, self.server = judge, program, server
        self.proxy = Proxy(server.http)
        self.url = server.url("fleet", port=self.proxy.port)
        server.ask("CREATE DATABASE fleet")
        self.add(KEPT)
        self.kept = self.rows()

    def add(self, name):
        done = self.program.add(self.url, name, options=OPTIONS)
        assert done[0] == 0, done
        return done

    def rows(self):
        """Returns the rows that readers see, by table."""
        return [self.server.number(
            f"SELECT count() FROM {table} WHERE recording IN "
            "(SELECT recording FROM recording)", "fleet") for table in TABLES]

    def left_overs(self):
        self.server.await_mutations("fleet")
        return [self.server.number(
            f"SELECT count() FROM {table} WHERE recording NOT IN "
            "(SELECT recording FROM recording)", "fleet") for table in TABLES]

    def forget(self):
        """Removes the added recording like its left-overs."""
        self.server.ask("ALTER TABLE recording_all DELETE WHERE path LIKE "
                        f"'%/{ADDED}'", "fleet")
        self.server.await_mutations("fleet")
        for table in TABLES:
            self.server.ask(
                f"ALTER TABLE {table} DELETE WHERE recording NOT IN "
                "(SELECT recording FROM recording_all)", "fleet")
        self.server.await_mutations("fleet")


def is_write(query):
    """Returns whether a query is an upload's own; other queries mention
    removed rows."""
    return query.startswith("INSERT INTO ") and \
        not query.startswith("INSERT INTO upload SELECT")


def writes_of(store):
    """Returns the writing requests of an upload in order, and its result."""
    writes = []
    store.proxy.before = lambda query: writes.append(query) \
        if is_write(query) else None
    store.add(ADDED)
    store.proxy.before = lambda query: None
    whole = store.rows()
    store.forget()
    assert store.rows() == store.kept
    return [query.split()[2] for query in writes], whole


class Fault:
    """Kills the program or the server at write number @place: before it
    arrives, or after it has arrived and before its answer."""

    def __init__(self, store, place, stage):
        self.store, self.place, self.count = store, place, 0
        self.process = None
        setattr(store.proxy, stage, self.meet)

    def meet(self, query):
        if is_write(query):
            self.count += 1
            if self.count == self.place + 1:
                self.strike()
                raise ConnectionAbortedError

    def strike(self):
        raise NotImplementedError

    def upload(self):
        program = self.store.program
        self.process = program.start("add", "--to", self.store.url, *OPTIONS,
                                     program.path(ADDED))
        out, err = self.process.communicate(timeout=600)
        self.store.proxy.before = self.store.proxy.after = lambda query: None
        return self.process.returncode, err


class ProgramKilled(Fault):
    def strike(self):
        self.process.kill()
        self.process.wait()


class ServerKilled(Fault):
    def strike(self):
        self.store.server.end()


def judge_end(store, whole, what):
    """An incomplete upload can be repeated, and its left-overs are removed."""
    seen = store.rows()
    store.judge.expect(f"{what}: whole or absent", seen in (store.kept, whole),
                       seen, store.kept, whole)
    # Uploads do not look for left-overs while others are being removed.
    store.server.await_mutations("fleet")
    store.add(ADDED)
    store.judge.expect(f"{what}: repeated", store.rows() == whole,
                       store.rows(), whole)
    left = store.left_overs()
    store.judge.expect(f"{what}: left-overs removed", not any(left), left)
    return seen


def check_program_killed(store, writes, whole):
    """Kills at each write, one after the other; then the left-overs of all
    are removed."""
    for place, table in enumerate(writes):
        code, err = ProgramKilled(store, place, "before").upload()
        store.judge.expect(f"killed before its row of {table}: absent",
                           code == KILLED and store.rows() == store.kept,
                           code, err, store.rows())
    judge_end(store, whole, f"killed at each of {len(writes)} writes")
    store.forget()
    code, _ = ProgramKilled(store, len(writes) - 1, "after").upload()
    store.judge.expect("killed before the last answer", code == KILLED, code)
    store.judge.expect("killed before the last answer: is there",
                       judge_end(store, whole, "killed at the end") == whole)
    store.forget()


def check_late_rows(store, writes):
    """A request whose sender was killed may arrive after its left-overs
    have been removed."""
    before = store.server.uploads("fleet")
    ProgramKilled(store, writes.index("call"), "before").upload()
    (killed,) = store.server.uploads("fleet") - before
    store.add(KEPT)
    store.judge.expect("left-overs removed before it", not any(
        store.left_overs()))
    store.server.ask(f"INSERT INTO label VALUES ('2026-01-31', {killed}, 'late', "
                     "'row')", "fleet")
    store.judge.expect("a late row is left", any(store.left_overs()))
    store.add(KEPT)
    store.judge.expect("a late row is removed", not any(store.left_overs()))


def check_server_killed(store, writes, whole):
    for stage, table, is_there in (("before", "call", False),
                                   ("before", "recording_all", False),
                                   ("after", "recording_all", True)):
        what = f"server killed {stage} it has {table}"
        code, err = ServerKilled(store, writes.index(table), stage).upload()
        store.judge.expect(f"{what}: said", code == 1 and "no answer" in err and
                           "not added" in err, code, err)
        store.server.restart()
        seen = judge_end(store, whole, what)
        store.judge.expect(f"{what}: {'there' if is_there else 'absent'}",
                           seen == (whole if is_there else store.kept), seen)
        store.forget()


def check_full_disk(judge, program, folder):
    """Runs the server on a disk of its own, with a file that fills it."""
    disk = os.path.join(folder, "disk")
    os.makedirs(disk)
    if os.geteuid() or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=48m,mode=755", "none", disk],
            capture_output=True).returncode:
        print("skipped: a full disk: no tmpfs may be mounted here")
        return
    try:
        with ClickHouse(folder, os.path.join(disk, "data")) as server:
            fill_disk(judge, program, server, os.path.join(disk, "filler"))
    finally:
        subprocess.run(["umount", disk], check=True)


def fill_disk(judge, program, server, filler):
    server.start()
    store = Store(judge, program, server)
    with open(filler, "wb") as file:
        free = os.statvfs(filler)
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_bsize -
                           (1 << 18))
    code, _, err = program.add(store.url, ADDED, options=OPTIONS)
    judge.expect("full disk: said", code == 1 and "disk is full" in err and
                 "not added" in err, code, err)
    judge.expect("full disk: absent", store.rows() == store.kept)
    os.unlink(filler)
    store.add(ADDED)
    judge.expect("full disk: repeated", store.rows() != store.kept)
    judge.expect("full disk: left-overs removed", not any(store.left_overs()))
    store.proxy.close()


def main():
    program, judge = Program(*sys.argv[1:3]), Judge()
    with ClickHouse(program.path("faulty")) as server:
        server.start()
        store = Store(judge, program, server)
        writes, whole = writes_of(store)
        check_program_killed(store, writes, whole)
        check_late_rows(store, writes)
        check_server_killed(store, writes, whole)
        store.proxy.close()
    check_full_disk(judge, program, program.path("full"))
    judge.end()


main()
