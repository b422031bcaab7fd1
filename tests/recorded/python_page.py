#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of docs/how-to/python.md run as they are printed there, and
print the numbers that ktrace-hw sql prints.

    python_page.py PROGRAM RECORDING
"""
import csv
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
PAGE = os.path.join(ROOT, "docs", "how-to", "python.md")
INSTALLED = "/usr/local/lib/ktrace-hw/ktrace-hw.so"
# Debian's, since others may have been built without extensions of SQLite.
PYTHON = "/usr/bin/python3"


def can(code):
    return not subprocess.run([PYTHON, "-c", code], check=False,
                              stderr=subprocess.DEVNULL).returncode


def sql(program, recording, query):
    text = subprocess.run([program, "sql", "-i", recording, "--format=csv",
                           query], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def main():
    program, recording = sys.argv[1:]
    extension = os.path.join(os.path.dirname(os.path.realpath(program)),
                             "ktrace-hw.so")
    with open(PAGE, encoding="utf-8") as page:
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read(),
                            re.M | re.S)
    assert len(blocks) == 3, len(blocks)
    if not can("import sqlite3; sqlite3.Connection.enable_load_extension"):
        print("skipped: this Python's sqlite3 loads no extensions")
        return
    if not can("import pandas"):
        print("skipped: the part of the page that needs pandas")
        del blocks[2]
    code = "".join(blocks)
    assert INSTALLED in code and "'ktrace.data'" in code
    code = code.replace(INSTALLED, extension)
    code = code.replace("'ktrace.data'", f"'{recording}'")
    text = subprocess.run([PYTHON, "-c", code], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    condition = "is_recorder = 0 AND ended = 'returned'"
    slowest = sql(program, recording, f"""SELECT comm, call, wall_ns, asleep_ns
        FROM syscall WHERE {condition} ORDER BY wall_ns DESC LIMIT 5""")
    found = re.findall(r"^(\S.*): (\w+) took ([\d.]+) ms$", text, re.M)
    assert found == [(row["comm"], row["call"],
                      f"{int(row['wall_ns']) / 1e6:.3f}")
                     for row in slowest], (found, slowest)
    asleep = [float(time) for time in re.findall(r"asleep ([\d.]+) ms", text)]
    assert not any(int(row["asleep_ns"]) for row in slowest) or asleep, text
    if len(blocks) == 3:
        calls = sql(program, recording, "SELECT call, count(*) AS calls FROM "
                    f"syscall WHERE {condition} GROUP BY call")
        for row in calls:
            assert re.search(rf"^{row['call']} +{row['calls']}\.0 ", text,
                             re.M), (row, text)
    print("ok: the Python examples of the how-to page")


main()
