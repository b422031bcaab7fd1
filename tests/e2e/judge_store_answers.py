# SPDX-License-Identifier: MIT
"""A store in one ClickHouse server returns the same as one in an SQLite
file, and mistakes are reported: judge_store_answers.py KTRACE FOLDER"""
import os
import sys

from clickhouse_server import ClickHouse, free_port
from store_program import RECORDINGS, TABLES, Program, all_questions, compare
from waits import Judge


def check_once(judge, program, server, url):
    before = server.number("SELECT count() FROM call", "fleet")
    code, _, err = program.add(url, *RECORDINGS)
    judge.expect("added again: said", code == 0 and
                 err.count("was added before") == len(RECORDINGS), err)
    judge.expect("added again: nothing sent",
                 server.number("SELECT count() FROM call", "fleet") == before)


def check_mistake(judge, program, url, what, *texts, code=1):
    for done in (program.add(url, "list-1"), program.run("report", url)):
        judge.expect(f"{what}: said", done[0] == code and
                     all(text in done[2] for text in texts) and
                     not done[1], *done)


def check_mistakes(judge, program, server):
    os.environ["CLICKHOUSE_PASSWORD"] = ""
    check_mistake(judge, program,
                  f"clickhouse://ktrace:no@127.0.0.1:{server.http}/fleet",
                  "wrong password", "user or password are wrong",
                  f"127.0.0.1:{server.http}/fleet")
    check_mistake(judge, program, server.url("fleet", user="nobody"),
                  "unknown user", "user or password are wrong")
    check_mistake(judge, program, server.url("fleet", port=free_port()),
                  "no server", "no answer", "connect to")
    check_mistake(judge, program, server.url("nowhere"), "no database",
                  "database does not exist", "CREATE DATABASE", "nowhere")
    check_mistake(judge, program, server.url("fleet", port=server.tcp),
                  "another port", "HTTP")
    for version, text in ((0, "add the recordings to a new store"),
                          (99, "use a newer ktrace-hw")):
        name = f"version_{version}"
        server.ask(f"CREATE DATABASE {name}")
        server.run_file(program.answer("ddl"), name)
        server.ask("ALTER TABLE store_version DROP PARTITION tuple()", name)
        server.ask(f"INSERT INTO store_version VALUES ({version}, '')", name)
        check_mistake(judge, program, server.url(name),
                      f"schema version {version}", text,
                      f"schema version {version}")
    server.ask("CREATE DATABASE other")
    server.ask("CREATE TABLE call (a Int8) ENGINE = Memory", "other")
    done = program.add(server.url("other"), "list-1")
    judge.expect("somebody else's table: said",
                 done[0] == 1 and "has a table call" in done[2], *done)


def check_calls_that_go(judge, program, server, url):
    """Removing the partitions of a day removes its calls, and keeps sums."""
    sums = program.sql(url, "SELECT sum(calls) AS n FROM profile")
    for (day,) in server.ask("SELECT DISTINCT day FROM call", "fleet"):
        server.ask(f"ALTER TABLE call DROP PARTITION '{day}'", "fleet")
    judge.expect("days of calls go",
                 server.number("SELECT count() FROM call", "fleet") == 0)
    judge.expect("sums stay", program.sql(
        url, "SELECT sum(calls) AS n FROM profile") == sums, sums)


def main():
    program, judge = Program(*sys.argv[1:3]), Judge()
    with ClickHouse(os.path.join(program.folder, "server")) as server:
        server.start()
        server.ask("CREATE DATABASE fleet")
        url = server.url("fleet")
        program.add_all(url)
        compare(judge, program, program.file(), url, "one server",
                all_questions(), TABLES)
        check_once(judge, program, server, url)
        check_calls_that_go(judge, program, server, url)
        check_mistakes(judge, program, server)
    judge.end()


main()
