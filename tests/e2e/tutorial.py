# SPDX-License-Identifier: MIT
"""Compares docs/tutorial.md with the output of its commands: tutorial.py
KTRACE FOLDER TUTORIAL [--write].  The recordings are
FOLDER/slow/ktrace.data, and below the last heading
FOLDER/mended/ktrace.data, beside which the former one is ktrace.data.old."""
import json
import re
import shlex
import subprocess
import sys

from waits import Judge

KTRACE, FOLDER, TUTORIAL = sys.argv[1:4]
WRITES = sys.argv[4:] == ["--write"]
MENDED = "## The same program without that line\n"


def run(command, which):
    """Returns the shell's output of a command that starts with ktrace-hw."""
    return subprocess.run(
        command.replace("ktrace-hw", shlex.quote(KTRACE), 1), shell=True,
        cwd=f"{FOLDER}/{which}", stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, check=True).stdout


def table(arguments, which="slow"):
    return json.loads(run(f"ktrace-hw report {arguments} --format=json", which))


def shape(lines):
    """Returns the words of a title without numbers. Of a table, whose
    columns depend on their values and widths, only the first two."""
    if lines[0].startswith("#"):
        return lines[0].split()
    if lines[0].startswith((" ", "pid ")):
        return next(line for line in lines if line[0] != " ").split()[:2]
    return [re.sub(r"[\d.]+ (ns|us|ms|s)\b|\d+", "0", word)
            for word in lines[0].split("  ")]


def shown(printed, before):
    """Returns the part that the tutorial shows: up to a line of three dots."""
    lines = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    if before[-1] == "...":
        lines = lines[:len(before) - 1] + ["..."]
    return lines


def compare(judge, block, which):
    """Runs a block's command; returns the block with its current output."""
    command, *before = block.rstrip("\n").split("\n")
    after = shown(run(command[2:], which), before)
    judge.expect(f"{command[2:]}, {which}: columns are as in the tutorial",
                 WRITES or shape(before) == shape(after),
                 before[:3], after[:3])
    return "\n".join([command, *after]) + "\n"


def go_through(judge):
    with open(TUTORIAL, encoding="utf-8") as tutorial:
        text = tutorial.read()
    with open(f"{FOLDER}/slow/said", encoding="utf-8") as said:
        text = re.sub(r"(?<=\n)(ktrace-hw record: .*\n)+", said.read(), text)
    border = text.index(MENDED)
    return re.sub(
        r"(?<=```\n)\$ ktrace-hw (?:explain|report|timeline|diff).*?(?=```\n)",
        lambda match: compare(judge, match[0], "slow" if match.start() < border
                              else "mended"), text, flags=re.S)


def judge_claims(judge):
    calls = table("--syscalls --comm ledger --top 1")
    judge.expect("nine calls of fsync() take longest",
                 (calls[0]["call"], calls[0]["count"]) == ("fsync", 9), calls)
    sleeps = table("--sleeps --comm ledger --top 1")
    judge.expect("the longest sleep ends with the disk's interrupt",
                 "interrupt vring_interrupt" in
                 sleeps[0]["wakers"].split(" < ")[-1], sleeps)
    with open(f"{FOLDER}/slow/ledger.c", encoding="utf-8") as source:
        line = 1 + ["fsync(progress)" in text
                    for text in source].index(True)
    site = table("--user-sites --comm ledger --top 1")[0]
    judge.expect(f"eight of them come from line {line}, as the tutorial says",
                 site["count"] == 8 and
                 site["caller_line"].endswith(f"/ledger.c:{line}"), site)
    with open(TUTORIAL, encoding="utf-8") as tutorial:
        judge.expect("it names that line",
                     f"one line, `ledger.c:{line}`" in tutorial.read())
    slow, mended = (next(row["wall_ns"] for row in
                         table("--comm ledger", which)["processes"]
                         if row["comm"] == "ledger")
                    for which in ("slow", "mended"))
    judge.expect("without that line it takes a third of the time or less",
                 mended * 3 <= slow, slow, mended)


def main():
    judge = Judge()
    text = go_through(judge)
    judge_claims(judge)
    if WRITES and not judge.failures:
        with open(TUTORIAL, "w", encoding="utf-8") as tutorial:
            tutorial.write(text)
    judge.end()


main()
