# SPDX-License-Identifier: MIT
"""Judges the output of top.sh: judge_top.py FOLDER"""
import json
import os
import re
import sys

from waits import Judge

judge = Judge()
FOLDER = sys.argv[1]
# With several CPUs the clock is the host's, which may run something else for any
# time. Sleeps and calls of one slice may then take longer than the others, so they
# are not compared with the program's means, which are over all.
IS_TIMED = sys.argv[2] == "1"
MS = 1_000_000


def read(name):
    with open(f"{FOLDER}/{name}", encoding="utf-8") as text:
        return text.read()


def check_code(name, wanted):
    got = int(read(f"{name}.code"))
    judge.expect(f"{name}: exit code {wanted}", got == wanted, got,
                 read(f"{name}.err"))


def rounds_of(name):
    return [json.loads(line) for line in read(f"{name}.out").splitlines()]


def row_of(rows, **wanted):
    found = [r for r in rows if all(r[k] == v for k, v in wanted.items())]
    return found[0] if len(found) == 1 else None


def is_near(row, own_ns):
    """The program itself also measures the wait for a CPU after a sleep."""
    return row and (not IS_TIMED or
                    0.9 * own_ns < row["mean_ns"] <= 1.01 * own_ns)


def is_often(count, most=17):
    """As often as there is time for in half a second."""
    return (12 if IS_TIMED else 1) <= count <= most


def is_half_a_second(traced_ms):
    """The recorder measures it by the guest's clock, whose rate differs a little
    from that of the host's."""
    return (500 if IS_TIMED else 490) <= traced_ms < (
        550 if IS_TIMED else 5000)


def check_tables(name, one, naps, own):
    """@own: counts and means of sleeps and reads by the program itself."""
    _, nap_ns, _, read_ns = own
    sleep = row_of(one["sleeps"], comm="napper", label="hrtimer_nanosleep",
                   **naps)
    judge.expect(f"{name}: where it sleeps", sleep and (
        not IS_TIMED or 20 * MS <= sleep["mean_ns"]) and
                 is_near(sleep, nap_ns), sleep, nap_ns)
    judge.expect(f"{name}: with its stack", sleep and "clock_nanosleep" in
                 sleep["stack"] and sleep["stack"].endswith("__schedule"),
                 sleep)
    pause = row_of(one["syscalls"], comm="napper", call="clock_nanosleep",
                   **naps)
    judge.expect(f"{name}: the same as a system call", pause and
                 is_near(pause, nap_ns), pause, nap_ns)
    wait = row_of(one["syscalls"], comm="napper", call="read", **naps)
    judge.expect(f"{name}: its slow read()", wait and is_near(wait, read_ns) and
                 (not IS_TIMED or 10 * MS <= wait["mean_ns"]), wait, read_ns)
    # A call may be in progress at the start or the end.
    judge.expect(f"{name}: as often as there is time for, and as it calls",
                 wait and sleep and pause and is_often(sleep["count"]) and
                 is_often(wait["count"]) and
                 abs(sleep["count"] - pause["count"]) <= 1, sleep, wait, pause)
    process = row_of(one["processes"]["processes"], comm="napper", **naps)
    judge.expect(f"{name}: hardly ran", process and process["asleep_ns"] >
                 (450 * MS if IS_TIMED else 0.5 * process["wall_ns"]), process)
    judge.expect(f"{name}: what it did is known", process and
                 process.get("unknown_ns", 0) < 0.05 * process["wall_ns"],
                 process)


def check_facts(name, one, number, delay_s):
    judge.expect(f"{name}: round {number}", one["round"] == number and
                 one["error"] is None, one["round"], one["error"])
    judge.expect(f"{name}: half a second was traced",
                 is_half_a_second(one["traced_ns"] / MS), one["traced_ns"])
    judge.expect(f"{name}: what was lost and what it cost",
                 one["lost_records"] == one["truncated_trace"] == 0 and
                 one["trace"] > 1000 and
                 0 < one["cpu_ns"] <= one["round_ns"] >= delay_s * 1000 * MS,
                 one["cpu_ns"], one["round_ns"])


def check_interrupts(one, pid):
    timer = row_of(one["interrupts"], function="hrtimer_wakeup", for_pid=pid)
    judge.expect("json: its timer's interrupts are for it", timer and
                 is_often(timer["count"], 18), timer)


def check_schema(one):
    """The round has the members that docs/schema/top.json has, and their
    types."""
    types = {"integer": int, "boolean": bool, "string": str}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../docs/schema/top.json")
    with open(path, encoding="utf-8") as file:
        members = json.load(file)["properties"]
    judge.expect("json: its schema's members", list(one) == list(members),
                 list(one))
    judge.expect("json: of their types", all(
        isinstance(one[name], types[member["type"]])
        for name, member in members.items()
        if isinstance(member.get("type"), str)), one)


def check_json():
    own = [int(word) for word in read("own").split()]
    pid = int(read("pid"))
    check_code("json", 0)
    (one,) = rounds_of("json")
    check_schema(one)
    check_facts("json", one, 1, 1)
    check_tables("json", one, {"pid": pid}, own)
    check_interrupts(one, pid)
    check_code("pid", 0)
    two = rounds_of("pid")
    judge.expect("pid: two rounds", len(two) == 2, len(two))
    for number, one in enumerate(two, 1):
        check_facts("pid", one, number, 4)
        check_tables("pid", one, {"pid": pid}, own)
        others = {r["pid"] for r in one["sleeps"]} - {pid}
        judge.expect("pid: nobody else", not others, others)
    check_sums(two)


def check_sums(rounds):
    """The last round has the sums of all, by program and path."""
    for column in ("count", "total_ns"):
        sums = sum(row[column] for row in rounds[-1]["all_sleeps"])
        each = [sum(row[column] for row in one["sleeps"]) for one in rounds]
        judge.expect(f"pid: {column} of all sleeps so far are those of both "
                     "rounds", all(each) and sums == sum(each), sums, each)
    paths = [(row["comm"], row["stack"]) for row in rounds[-1]["all_sleeps"]]
    judge.expect("pid: one row for each path",
                 len(paths) == len(set(paths)), paths)


def check_commands():
    check_code("command", 0)
    (one,) = rounds_of("command")
    own = [20 * MS, 20.2 * MS, 10 * MS, 10.2 * MS]
    check_tables("command", one, {}, own)
    comms = {r["comm"] for r in one["sleeps"]}
    judge.expect("command: its processes alone",
                 comms == {"napper", "answerer"}, comms)
    check_code("ended", 0)
    judge.expect("ended: top ends with its command",
                 1 <= len(rounds_of("ended")) <= 3 and read("own-ended"))
    check_code("full", 1)
    said = read("full.err")
    judge.expect("full: names the file and the reason", any(
        "/full/" in line and "No space left on device" in line
        for line in said.splitlines()) and "out of memory" not in said, said)
    check_code("absent", 1)
    judge.expect("absent: says so", "/nonexistent: No such file" in
                 read("absent.err"), read("absent.err"))


def check_text():
    check_code("text", 0)
    text = read("text.out")
    head = re.search(r"^traced (\d+) ms \((\d+) % of the time\), \S+ MiB, "
                     r"nothing lost; top took \S+ m?s of CPU \(\d+ %\)$", text,
                     re.M)
    judge.expect("text: what was traced, lost, and what it cost",
                 head and is_half_a_second(int(head[1])), text[:300])
    sleep = re.search(r"^napper-\d+  hrtimer_nanosleep\n"
                      r"    (\d+) times, \d+ ms, mean (\S+) ms", text, re.M)
    judge.expect("text: where it sleeps", sleep and is_often(int(sleep[1])) and
                 (not IS_TIMED or 20 <= float(sleep[2]) < 20.5), sleep)
    call = re.search(r"^ *\d+  napper +read +(\d+) +\S+ ms  (\S+) ms", text,
                     re.M)
    judge.expect("text: its slow read()", call and (
        not IS_TIMED or 10 <= float(call[2]) < 10.5), call)
    for title in ("sleeps", "system calls", "interrupts", "processes",
                  "all sleeps so far"):
        judge.expect(f"text: has {title}", f"\n== {title}\n" in text)
    judge.expect("text: the share of the time in the sums", re.search(
        r"== all sleeps so far\n\nIn the traced \d+ ms of \S+ s \(\d+ % of "
        r"the time\)\n", text), text[-900:])
    judge.expect("text: longest first", re.search(
        r"== sleeps\n\n(?:Left out: .*\n\n)*(napper|answerer)-\d+  (hrtimer_nanosleep|\S*pipe_read)",
        text), text[:800])


def check_rights():
    check_code("rights", 1)
    said = read("rights.err").splitlines()
    judge.expect("rights: says the way out, once",
                 len(said) == len(set(said)) and "record as root" in said[-1],
                 said)
    judge.expect("nothing is left over", not read("left-over"),
                 read("left-over"))


check_text()
check_json()
check_commands()
check_rights()
judge.end()
