# SPDX-License-Identifier: MIT
"""Compares docs/comparison.md with the output of its commands: comparison.py
KTRACE RECORDING PAGE OPTION... The options: --args or --user-sites (only the
commands with this option, instead of those with neither), --write (puts the
output of this run there)."""
import re
import shlex
import subprocess
import sys

from waits import Judge

KTRACE, RECORDING, PAGE = sys.argv[1:4]
WRITES = "--write" in sys.argv[4:]
OTHERS = {"--args", "--user-sites"}  # of other recordings
WANTED = OTHERS & set(sys.argv[4:])
SHOWN = {"--raw": 6, "timeline": 28, "--sleeps": 12, "--interrupts": 10,
         "--args": 8, "--user-sites": 6, "--flat": 14}


def run(command):
    """Returns the lines that the page shows of the output."""
    shell = command.replace(
        "ktrace-hw", f"{shlex.quote(KTRACE)} -i {shlex.quote(RECORDING)}", 1)
    shell = re.sub(r"( -i \S+)( \w+)", r"\2\1", shell, count=1)
    lines = subprocess.run(
        shell, check=True, text=True, shell=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout.splitlines()
    most = next(count for word, count in SHOWN.items()
                if word in command.split())
    return [line.rstrip() for line in lines[:most]] + ["..."]


def shape(line):
    """Returns the words of a line without its numbers."""
    return re.sub(r"0x[0-9a-f]+|\b[0-9a-f]{16}\b|-?[\d.]+( (ns|us|ms|s)\b)?",
                  "0", " ".join(line.split()))


def compare(judge, block):
    command, *before = block.rstrip("\n").split("\n")
    if OTHERS & set(command.split()) != WANTED:
        return block
    after = run(command[2:])
    # Of a table only the start, as the order of most rows depends on times.
    tables = {"--interrupts", "--flat", "--user-sites"}
    count = 2 if tables & set(command.split()) else 4
    judge.expect(f"{command[2:]}: as in the page", WRITES or
                 [shape(line) for line in before[:count]] ==
                 [shape(line) for line in after[:count]],
                 before[:count], after[:count])
    return "\n".join([command, *after]) + "\n"


def main():
    judge = Judge()
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()
    blocks = re.compile(r"(?<=```\n)\$ ktrace-hw .*?(?=```\n)", re.S)
    judge.expect("the page has seven commands",
                 len(blocks.findall(text)) == 7)
    text = blocks.sub(lambda match: compare(judge, match[0]), text)
    if WRITES:
        with open(PAGE, "w", encoding="utf-8") as page:
            page.write(text)
    judge.end()


main()
