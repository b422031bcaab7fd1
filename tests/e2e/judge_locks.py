# SPDX-License-Identifier: MIT
"""Judges report --locks of the recording of attribution_locks.sh:
judge_locks.py KTRACE FOLDER CPUS

programs/locks.c determines which threads wait for which locks, and how long the
waits may take."""
import json
import sys

from waits import Judge, Recording

judge = Judge()
WAITERS, WRITERS, LOCKERS, HOLD_NS = 4, 3, 3, 5000000


def check(name, row, count, first, most_ns):
    """@count threads wait, at least as long as the lock is held and at most
    @most_ns; @first releases the first of them, and each of them the next."""
    judge.expect(f"{name}: each of its waiters is counted",
                 row["count"] == count, row)
    judge.expect(f"{name}: all others wait when the last one begins, and when "
                 "the first has it", row["waiters_at_begin"] == count - 1 and
                 row["waiters_at_end"] == count - 1, row)
    # They start one after the other, shortly after the lock was taken.
    judge.expect(f"{name}: they wait as long as it is held",
                 HOLD_NS / 2 * count <= row["total_ns"] <=
                 count * row["max_ns"] and row["max_ns"] <= most_ns, row,
                 most_ns)
    holders = [name.rsplit(" ", 1)[0].rsplit("-", 1)[0]
               for name in row["released_by"].split(", ")]
    judge.expect(f"{name}: who held it let them go", first in holders,
                 holders)


def check_files(rows, inode):
    """By flock() and by fcntl(), two threads wait until the lock is
    released, and a third waits for a third of that time, until a signal
    arrives."""
    judge.expect("file: all rows are of that one", rows and all(
        row["lock"] == inode for row in rows), rows, inode)
    judge.expect("file: by flock and by fcntl", len(rows) == 2 and
                 {"flock" in row["function"] for row in rows} ==
                 {True, False}, rows)
    for row in rows:
        judge.expect("file: each of its waiters is counted",
                     row["count"] == LOCKERS, row)
        judge.expect("file: the others wait when the last one begins",
                     row["waiters_at_begin"] == LOCKERS - 1, row)
        judge.expect("file: they wait as long as it is held",
                     HOLD_NS <= row["max_ns"] <= row["total_ns"], row)
        judge.expect("file: who held it let them go", any(
            name.startswith("locks-") for name in
            row["released_by"].split(", ")), row)


def main():
    ktrace, folder, cpus = sys.argv[1:]
    recording = Recording(ktrace, folder, "locks")
    rows = json.loads(recording.run("report", "--locks", "--comm",
                                    "locks,waiter,writer,holder,locker",
                                    "--format=json"))
    inode, address, *whole_ns = recording.output().split()
    # With several CPUs the clock is the host's, and the lock is held longer by
    # it.
    futex_ns, mutex_ns = (min(int(ns), 2 * HOLD_NS) if cpus == "1" else int(ns)
                          for ns in whole_ns)
    address = int(address, 16)
    futexes = [row for row in rows if row["kind"] == "futex" and
               int(row["lock"], 16) == address]
    judge.expect("futex: it has a row, by its address", len(futexes) == 1,
                 rows)
    check("futex", futexes[0], WAITERS, "locks", futex_ns)
    mutexes = [row for row in rows if row["kind"] == "mutex" and
               row["function"].endswith("pipe_write")]
    judge.expect("mutex: the pipe's lock has a row", len(mutexes) == 1, rows)
    check("mutex", mutexes[0], WRITERS, "holder", mutex_ns)
    judge.expect("mutex: it is the pipe's, by the kernel's types",
                 mutexes[0]["inferred_member"] == "pipe_inode_info->mutex",
                 mutexes[0])
    # The code leads from the system call's argument to the file's inode.
    files = [row for row in rows if row["kind"] == "rwsem" and
             row["inferred_member"] == "inode->i_rwsem"]
    judge.expect("rwsem: the lock of the file's inode has a row",
                 len(files) == 1, rows)
    check("rwsem", files[0], WRITERS, "holder", 2 * HOLD_NS + mutex_ns)
    check_files([row for row in rows if row["kind"] == "file"], inode)
    sums = [sum(row["total_ns"] for row in json.loads(recording.run(
        "report", "--locks", *by, "--format=json")))
            for by in ([], ["--by=comm"])]
    judge.expect("--by=comm: adds up to all", sums[0] == sums[1] > 0, sums)
    judge.end()


main()
