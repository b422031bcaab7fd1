# SPDX-License-Identifier: MIT
"""Compares what timeline --syscalls writes about programs/call_data.c with the lines
of strace -f -yy, call by call: judge_call_data.py KTRACE RECORDING STRACE."""
import json
import os
import re
import subprocess
import sys

from waits import Judge

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = os.path.join(os.path.dirname(__file__),
                      "../../docs/schema/timeline-syscalls.json")

BEGIN, END = "/the/test/begins", "/the/test/ends"
# Differs between two runs: addresses, numbers of tasks, of inodes and of ports
# that the kernel chose. strace finds the addresses of sockets only with the
# kernel's module inet_diag, and counts the environment.
SAME = (
    (re.compile(r"0x[0-9a-f]{5,}"), "0xADDRESS"),
    (re.compile(r" /\* \d+ vars? \*/"), ""),
    (re.compile(r"UNIX(-STREAM|-DGRAM)?:\[[0-9>-]+\]"), "UNIX:[INODE]"),
    (re.compile(r":\[\d+\]"), ":[INODE]"),
    (re.compile(r"TCP:\[.*?\]"), "TCP:[ADDRESSES]"),
    (re.compile(r"htons\((?!4711)\d+\)"), "htons(PORT)"),
    # Bytes of getrandom; strace writes them in hexadecimal.
    (re.compile(r'^(getrandom\()".*?"(, \d)'), r'\1BYTES\2'),
    (re.compile(r"^(getpid|getppid|set_tid_address|gettid)(.*) = \d+"),
     r"\1\2 = TASK"),
    (re.compile(r"^(clone.*|wait4.*) = \d+$"), r"\1 = TASK"),
    (re.compile(r"^(wait4|kill)\(\d+"), r"\1(TASK"),
    # strace 6.10 and later write more of an eventfd, and less of epoll's data.
    (re.compile(r"<\{eventfd-count=.*?\}>"), "<anon_inode:[eventfd]>"),
    (re.compile(r"data=\{u32=\d+, u64=(\d+)\}"),
     lambda match: f"data={int(match[1]):#x}"),
)
# The start of strace's line is padded up to the result.
PADDED = re.compile(r"\) += ")
judge = Judge()


def normal(text):
    text = PADDED.sub(") = ", text)
    for pattern, by in SAME:
        text = pattern.sub(by, text)
    return text


def between_marks(lines):
    """Returns the lines from one mark to the other."""
    begin, end = [next(i for i, line in enumerate(lines) if mark in line)
                  for mark in (BEGIN, END)]
    return lines[begin:end + 1]


def lines_of_strace(path):
    """Returns lists of calls by task, in order."""
    tasks, started = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            tid, text = line.rstrip("\n").split(maxsplit=1)
            if text.startswith(("---", "+++")):
                continue
            if text.endswith("<unfinished ...>"):
                started[tid] = text.removesuffix(" <unfinished ...>")
                continue
            if resumed := re.match(r"<\.\.\. \w+ resumed>", text):
                text = started.pop(tid) + text[resumed.end():]
            tasks.setdefault(tid, []).append(normal(text))
    return list(tasks.values())


def lines_of_recording(ktrace, path):
    records = json.loads(subprocess.run(
        [ktrace, "timeline", "--syscalls", "--format=json", "-i", path],
        check=True, capture_output=True, text=True).stdout)
    if jsonschema:
        with open(SCHEMA, encoding="utf-8") as schema:
            validator = jsonschema.Draft202012Validator(json.load(schema))
        errors = [e.message for e in validator.iter_errors(records)]
        judge.expect("its JSON matches docs/schema/timeline-syscalls.json",
                     not errors, errors[:3])
    else:
        print("skipped: the schema of JSON: no python3-jsonschema here")
    starts = [r["start_ns"] for r in records]
    judge.expect("calls are in order of time", starts == sorted(starts))
    tasks = {}
    for record in records:
        tasks.setdefault(record["tid"], []).append(record)
    return list(tasks.values())


def find_task(tasks, mark):
    """Returns the task, as a list of lines, with the mark, from there on."""
    for lines in tasks:
        for i, line in enumerate(lines):
            if mark in line:
                return lines[i:]
    return []


def compare(what, ours, theirs):
    bad = [(a, b) for a, b in zip(ours, theirs) if a != b]
    judge.expect(f"{what}: {len(theirs)} calls as strace writes them",
                 len(ours) == len(theirs) and theirs and not bad,
                 len(ours), *[f"\n  ktrace-hw: {a}\n  strace:    {b}"
                              for a, b in bad[:20]])


def main():
    ktrace, recording, strace = sys.argv[1:]
    theirs = lines_of_strace(strace)
    records = lines_of_recording(ktrace, recording)
    ours = [[normal(r["text"]) for r in task] for task in records]
    compare("the program", between_marks(find_task(ours, BEGIN)),
            between_marks(find_task(theirs, BEGIN)))
    compare("its child", find_task(ours, "/no/such/program"),
            find_task(theirs, "/no/such/program"))
    opened = [r for task in records for r in task if r["path"] == "a file"]
    judge.expect("paths and files have columns of their own",
                 opened and opened[0]["file"] == "/dev/shm/data.files/a file",
                 opened[:1])
    names = {name for task in records for r in task
             for name in re.findall(r"TCP:\[.*?\]", r["text"])}
    wanted = (r"TCP:\[\d+\]", r"TCP:\[127\.0\.0\.1:4711\]",
              r"TCP:\[127\.0\.0\.1:4711->127\.0\.0\.1:\d+\]",
              r"TCP:\[127\.0\.0\.1:\d+->127\.0\.0\.1:4711\]")
    missing = [w for w in wanted if not any(re.fullmatch(w, n) for n in names)]
    judge.expect("sockets have their addresses", not missing, missing, names)
    counts = [subprocess.run(
        [ktrace, "sql", "--format=csv", "-i", recording,
         "SELECT count(path), count(file) FROM syscall WHERE comm = "
         "'call_data'"], check=True, capture_output=True,
        text=True).stdout.splitlines()[-1] for _ in range(2)]
    judge.expect("SQL has them too, also from cached rows",
                 counts[0] == counts[1] and
                 all(int(c) > 20 for c in counts[0].split(",")), counts)
    explained = json.loads(subprocess.run(
        [ktrace, "explain", "--format=json", "-i", recording], check=True,
        capture_output=True, text=True).stdout)
    parts = [(p.get("call"), p.get("file")) for cause in explained["causes"]
             for p in cause["parts"]]
    judge.expect("explain names the files of calls",
                 ("fsync", "/dev/shm/data.files/a file") in parts, parts[:20])
    judge.end()


main()
