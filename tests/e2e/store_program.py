# SPDX-License-Identifier: MIT
"""Runs ktrace-hw store for the judges of store.sh, and compares two stores."""
import json
import os

import subprocess

from clickhouse_server import PASSWORD

KINDS = {"list": ["list-1", "list-2"], "pipe": ["pipe"]}
RECORDINGS = sum(KINDS.values(), [])
TABLES = ["recording", "cpu", "process", "thread", "thread_state", "syscall",
          "fault", "sleep", "wakeup", "lock_wait", "spin",
          "interrupts_off", "preemption_off", "idle_exit", "block_io", "block_sleep", "packet",
          "interrupt", "interrupt_slice", "server", "request", "request_sleep", "call",
          "read_call", "profile", "gap", "label"]
MAY_BE_EMPTY = {"gap", "lock_wait", "spin", "interrupts_off",
                "preemption_off", "idle_exit", "block_io", "block_sleep", "packet", "request",
                "request_sleep", "read_call", "server"}
SOME_TABLES = ["recording", "syscall", "call", "label"]
# Columns that differ from store to store.
OWN = {"recording", "added_s"}
# Contains all characters that must be quoted.
TEXT = "it's \\ \"so\"\tå"


class Program:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def start(self, *arguments, **options):
        return subprocess.Popen(
            [self.program, "store", *arguments], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "CLICKHOUSE_PASSWORD": PASSWORD}, **options)

    def run(self, *arguments, **options):
        """Returns its exit code, output and messages."""
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=600)
        return process.returncode, out, err

    def answer(self, *arguments):
        code, out, err = self.run(*arguments)
        assert code == 0, (arguments, err)
        return out

    def path(self, name):
        return os.path.join(self.folder, name)

    def add(self, target, *names, options=()):
        return self.run("add", "--to", target, *options,
                        *map(self.path, names))

    def file(self):
        """Returns a file with all recordings, which the first judge makes."""
        path = self.path("fleet.db")
        if not os.path.exists(path):
            self.add_all(path)
        return path

    def add_all(self, target):
        """Adds all recordings, with labels, a part of them at once."""
        for kind, names in KINDS.items():
            code, _, err = self.add(target, *names, options=(
                "--label", f"kind={kind}", "--label", f"text={TEXT}"))
            assert code == 0, err

    def sql(self, target, query):
        return json.loads(self.answer("sql", "--format=json", target, query))


DIFF = ("diff", "--a", "kind=list", "--b", "kind=pipe", "--format=json")
SOME_QUESTIONS = [
    ("report", "--by", "text,day,comm"),
    ("report", "--where", f"text={TEXT}", "--where", "kernel=6.12"),
    ("slow", "--of", "syscall", "--times", "2"), DIFF]


def all_questions():
    """Yields the arguments of report, diff and slow, without the target."""
    yield from SOME_QUESTIONS
    for measure in ("syscall", "sleep", "runqueue", "fault", "request",
                    "call"):
        of = ("--of", measure, "--format=json")
        yield "report", *of, "--by", "item,host,kind"
        yield "slow", *of, "--times", "2", "--top", "50"
    for statistic in ("p90", "p99", "mean", "max", "total", "count"):
        yield *DIFF, "--statistic", statistic


def columns_of(program, target, table):
    return [(row["name"], row["type"]) for row in program.sql(
        target, f"SELECT name, type FROM pragma_table_info('{table}')")
        if row["name"] not in OWN]


def query_of(table, columns, join):
    """Returns the rows of a table, or, for the many calls, sums by all of
    their texts."""
    if table == "recording":
        return f"SELECT {', '.join(name for name, _ in columns)} FROM recording"
    of = f"FROM {table} AS t {join} (SELECT id AS id_of, recording FROM " \
        "recording) AS r USING (recording)"
    if table != "call":
        names = ", ".join(f"t.{name} AS {name}" for name, _ in columns)
        return f"SELECT id_of, {names} {of}"
    texts = ", ".join(f"t.{name}" for name, kind in columns if kind == "TEXT")
    sums = ", ".join(f"sum(t.{name}) AS sum_{name}" for name, kind in columns
                     if kind == "INTEGER")
    return f"SELECT id_of, {texts}, count(*) AS n, {sums} {of} " \
        f"GROUP BY id_of, {texts}"


def same_rows(program, table, first, second, join):
    """Compares the rows of a table in both stores, in any order."""
    columns = columns_of(program, first, table)
    rows = [sorted(json.dumps(row) for row in
                   program.sql(target, query_of(table, columns, word)))
            for target, word in ((first, "JOIN"), (second, join))]
    return rows[0] == rows[1] and (rows[0] or table in MAY_BE_EMPTY)


def compare(judge, program, first, second, what, questions, tables,
            join="JOIN"):
    """@first is an SQLite file; @join is the join operator for tables of
    @second."""
    for question in questions:
        answers = [program.run(*question, target)
                   for target in (first, second)]
        # The target's name precedes the texts.
        said = [answer[2].replace(target, "") for answer, target in
                zip(answers, (first, second.replace("ktrace@", "")))]
        judge.expect(f"{what}: {' '.join(question)}",
                     answers[0][:2] == answers[1][:2] and said[0] == said[1],
                     *answers)
    for table in tables:
        judge.expect(f"{what}: rows of {table}",
                     same_rows(program, table, first, second, join))


