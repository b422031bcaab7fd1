# SPDX-License-Identifier: MIT
"""Judges report --block and --interrupts for the recordings of attribution_block.sh:
judge_block.py KTRACE FOLDER CPUS

programs/disk_io.c determines the I/O; its output has its own times and the
kernel's counters of the disk. With several CPUs the clock is the host's, which may
run something else meanwhile."""
import bisect
import collections
import json
import os
import re
import sys

from waits import Judge, Recording, check_facts

judge = Judge()
COUNT, PAGE, APART = 24, 4096, 128 << 10
MS = 1000000


def phases_of(recording):
    """Returns for each phase the time and the disk's counters."""
    lines = (line.split() for line in recording.output().splitlines())
    return {name: [int(number) for number in numbers]
            for name, *numbers in lines}


def is_near(one, other):
    return abs(one - other) <= 0.02 * max(one, other)


def row_of(rows, operation, function):
    """Returns the only row of the program's I/O from this function. Some kernels
    mark reads as synchronous (S)."""
    found = [row for row in rows if row["comm"] == "disk_io" and
             row["operation"].removesuffix("S") == operation and
             row["function"].startswith(function)]
    judge.expect(f"one row of {operation} from {function}", len(found) == 1,
                 found)
    return found[0]


def check_counters(name, rows, phases):
    """The kernel counts the same requests, merges and sectors. Between the
    phases it reads blocks of its own (M), and its threads write: ext4lazyinit, which
    initialises the new file system, and the journal after some seconds."""
    for first, letter, what in ((1, "R", "reads"), (5, "W", "writes")):
        of_kind = [row for row in rows if row["operation"]
                   .removeprefix("F").startswith(letter)]
        least = [row for row in of_kind if row["comm"] == "disk_io" and
                 "M" not in row["operation"]]
        for number, column in enumerate(("requests", "merged", "bytes")):
            unit = 512 if column == "bytes" else 1
            counted = unit * sum(phase[first + number]
                                 for phase in phases.values())
            judge.expect(f"{name}: {what}: {column} as in the kernel's "
                         "counters", sum(row[column] for row in least) <=
                         counted <= sum(row[column] for row in of_kind),
                         of_kind, counted)


def check_rows(name, rows, phases):
    read = row_of(rows, "R", "iomap_dio")
    judge.expect(f"{name}: direct reads: count, merges, bytes",
                 (read["count"], read["merged"], read["bytes"]) ==
                 (2 * COUNT, COUNT - 1, 2 * COUNT * PAGE), read)
    write = row_of(rows, "W", "iomap_dio")
    judge.expect(f"{name}: direct writes: count, merges, bytes",
                 (write["count"], write["merged"], write["bytes"]) ==
                 (2 * COUNT, 0, COUNT * (APART + 2 * PAGE)), write)
    mapped = row_of(rows, "R", "ext4_mpage")
    # On a busy host the kernel may drop a page before the program gets it.
    reads, _, sectors = phases["mapped"][1:4]
    judge.expect(f"{name}: mapped reads: count, bytes",
                 (mapped["count"], mapped["bytes"]) ==
                 (reads, sectors * 512) and reads >= COUNT, mapped, phases)
    judge.expect(f"{name}: the journal's writes", any(
        row["comm"].startswith("jbd2/") for row in rows), rows)
    judge.expect(f"{name}: all complete, none ambiguous", not any(
        row["inferred"] or (row["open"] and row["comm"] == "disk_io")
        for row in rows), rows)
    judge.expect(f"{name}: queue and device are all of it", all(
        row["queue_ns"] + row["device_ns"] == row["total_ns"]
        for row in rows), rows)
    return read, write, mapped


def check_open(name, recording):
    """The file system may write when the recording ends: for such I/O there are
    more queued ones of these sectors, in perf's records, than completed ones."""
    form = re.compile(r" (\d+) \+ (\d+)\b")
    queued, done = (
        [tuple(int(word) for word in form.search(text).groups())
         for _, _, text in recording.perf_events(f"block:block_{event}")]
        for event in ("bio_queue", "rq_complete"))
    for io in recording.ask("SELECT sector, bytes, comm FROM block_io "
                            "WHERE end_ns IS NULL AND bytes > 0"):
        sectors = io["sector"], io["bytes"] // 512
        judge.expect(f"{name}: what {io['comm']} left open was not completed",
                     queued.count(sectors) > sum(
                         first <= sectors[0] < first + count
                         for first, count in done), io)


def after_ns(recording):
    """Returns how long the kernel's counter may run after mapped reads were
    complete: to the end of their request's end, by the calls in the trace. With
    the host's clock these may be milliseconds each."""
    return recording.ask("""SELECT coalesce(sum(call.end_ns - io.end_ns), 0)
            AS after_ns
        FROM block_io AS io JOIN call ON
            call.function = 'blk_mq_end_request' AND
            call.begin_ns <= io.end_ns AND call.end_ns >= io.end_ns
        WHERE io.comm = 'disk_io' AND io.operation = 'R' AND
            io.function = 'ext4_mpage_readpages'""")[0]["after_ns"]


def check_bounds(recording, mapped, phases):
    """The kernel's counter lasts from the request, which is made after the I/O
    was queued and before it is sent, to the request's end, which the completion
    is a part of."""
    counted_ns = phases["mapped"][4] * MS
    most_ns = mapped["total_ns"] + after_ns(recording)
    judge.expect("slow: the kernel's counter is between the device's time and "
                 "that with the queue",
                 mapped["device_ns"] - MS <= counted_ns <=
                 1.02 * most_ns + MS, mapped, most_ns, phases)
    judge.expect("slow: the program slept at most its own time",
                 mapped["slept_ns"] <= phases["mapped"][0], mapped, phases)


def check_times(read, write, mapped, phases):
    """With the delay the program sleeps until each I/O is complete."""
    batch_ns = phases["batch"][4] * MS
    judge.expect("slow: mapped reads: the device's time is the program's",
                 is_near(mapped["device_ns"], phases["mapped"][0]), mapped,
                 phases)
    judge.expect("slow: mapped reads: a sleep each",
                 mapped["sleeps"] == COUNT and
                 is_near(mapped["slept_ns"], phases["mapped"][0]), mapped,
                 phases)
    judge.expect("slow: direct reads: a sleep each, and one for the batch",
                 read["sleeps"] == COUNT + 1 and
                 is_near(read["slept_ns"], phases["read"][0] + batch_ns),
                 read, phases)
    judge.expect("slow: the sleeps are the device's time", all(
        is_near(row["slept_device_ns"], row["slept_ns"])
        for row in (read, mapped)), read, mapped)
    ticks_ns = sum(phases[phase][4] for phase in ("read", "mapped")) * MS
    judge.expect("slow: the kernel's counters have the same time",
                 is_near(ticks_ns, phases["read"][0] + phases["mapped"][0]),
                 phases)
    # The kernel records no wake-up inside another event.
    judge.expect("slow: direct writes: a sleep each",
                 2 * COUNT - 1 <= write["sleeps"] <= 2 * COUNT, write)


def sum_of(rows, column):
    return sum(row[column] for row in rows)


def written_pages(recording):
    """Returns for each process its part of the pages that work items wrote."""
    slices = recording.ask("""SELECT on_tid, begin_ns, end_ns, for_pid, share
        FROM interrupt_slice WHERE function = 'wb_workfn'""")
    pages = recording.ask("""SELECT tid, begin_ns FROM call
        WHERE function = 'folio_clear_dirty_for_io' ORDER BY begin_ns""")
    times = collections.defaultdict(list)
    for page in pages:
        times[page["tid"]].append(page["begin_ns"])
    parts = collections.Counter()
    for row in slices:
        of_thread = times[row["on_tid"]]
        parts[row["for_pid"]] += row["share"] * (
            bisect.bisect(of_thread, row["end_ns"]) -
            bisect.bisect(of_thread, row["begin_ns"]))
    return parts


def check_writeback(name, recording, cpus):
    """The work of kworkers for the pages, whoever called sync, is divided by
    the pages; hardly any work is nobody's. With several CPUs they write while
    others make pages dirty, and each page takes as long as the host does: the
    pages that the work items wrote are compared, not their time."""
    rows = json.loads(recording.run("report", "--interrupts=both",
                                    "--with-tracer", "--format=json"))
    judge.expect(f"{name}: at most 2 % of all work is nobody's",
                 sum_of(rows, "nobody_ns") <= 0.02 * sum_of(rows, "total_ns"),
                 [row for row in rows if row["nobody_ns"]])
    work = [row for row in rows if row["function"] in
            ("wb_workfn", "ext4_end_io_rsv_work")]
    parts = collections.Counter()
    if cpus == "1":
        for row in work:
            parts[row["for_pid"]] += row["total_ns"]
    else:
        parts = written_pages(recording)
    pages = dict(tuple(int(word) for word in line.split())
                 for line in recording.output().splitlines())
    for pid, count in pages.items():
        judge.expect(f"{name}: the work for {count} pages", parts and abs(
            parts[pid] / sum(parts.values()) -
            count / sum(pages.values())) <= 0.02, parts, pages, work)
    judge.expect(f"{name}: shares are inferred", not any(
        row["exact_ns"] for row in work), work)


def check_reclaim(recording, cpus):
    """The kernel counts how long tasks of the cgroup freed memory (PSI). Of this
    time all is reclaim, except interrupts, the tracer and waits."""
    some = re.search(r"^some .*total=(\d+)$", recording.output(), re.M)
    psi_ns = int(some[1]) * 1000
    total_ns = recording.ask("""SELECT sum(wall_ns) AS ns FROM call
        WHERE function = 'try_to_free_mem_cgroup_pages'""")[0]["ns"]
    inside = recording.ask("""SELECT class, sum(min(s.end_ns, c.end_ns) -
        max(s.begin_ns, c.begin_ns)) AS ns FROM call AS c
        JOIN thread_state AS s ON s.tid = c.tid AND
        s.begin_ns < c.end_ns AND s.end_ns > c.begin_ns
        WHERE c.function = 'try_to_free_mem_cgroup_pages' GROUP BY 1""")
    by_class = {row["class"]: row["ns"] for row in inside}
    judge.expect("reclaim: its calls have no other class", not set(by_class) -
                 {"reclaim", "interrupt", "tracer", "asleep", "runnable"},
                 by_class)
    reclaim_ns = recording.ask(
        "SELECT reclaim_ns FROM process WHERE comm = 'dd'")[0]["reclaim_ns"]
    judge.expect("reclaim: the class is that of its calls",
                 by_class["reclaim"] == reclaim_ns, by_class, reclaim_ns)
    # The clock is the host's otherwise.
    judge.expect("reclaim: its calls last as long as the kernel counts",
                 cpus != "1" or is_near(total_ns, psi_ns), total_ns, psi_ns)


def check_files(recording):
    """The program reads 20 pages of one file and writes 8 of another one, whoever
    writes them; a direct read has no page of a file, and metadata no file."""
    read, written = (int(line) for line in recording.output().splitlines())
    rows = recording.ask("""SELECT inode, substr(operation, 1, 1) AS way,
        sum(bytes) AS bytes FROM block_io WHERE inode IS NOT NULL
        GROUP BY 1, 2 ORDER BY 2""")
    judge.expect("files: the bytes of each file", rows == [
        {"inode": read, "way": "R", "bytes": 20 * PAGE},
        {"inode": written, "way": "W", "bytes": 8 * PAGE}], rows,
        read, written)
    rows = json.loads(recording.run("report", "--block", "--with-tracer",
                                    "--format=json"))
    judge.expect("files: --block has them",
                 sorted({row["inode"] for row in rows} - {0}) ==
                 sorted((read, written)), rows)


def waits_of(recording, comm, kind):
    """Returns the waits of the threads called @comm for the object of this kind
    that has the most."""
    return recording.ask(f"""SELECT tid, lock, begin_ns, end_ns, wait_ns, function,
        inferred_member, waiters_at_begin, waiters_at_end FROM lock_wait
        WHERE kind = '{kind}' AND comm = '{comm}' AND lock = (
        SELECT lock FROM lock_wait WHERE kind = '{kind}' AND comm = '{comm}'
        GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) ORDER BY begin_ns""")


def check_overlaps(name, waits):
    """Those wait at the start and the end of a wait whose own waits contain it:
    this holds however late a thread gets there."""
    judge.expect(f"{name}: the others at the start and the end are those whose "
                 "waits overlap", waits and all(
                     wait[f"waiters_at_{when}"] == sum(
                         other["begin_ns"] < wait[f"{when}_ns"] <
                         other["end_ns"] for other in waits if other != wait)
                     for wait in waits for when in ("begin", "end")), waits)


def check_same(recording, cpus):
    """Four threads wait for a page that the disk reads for 20 ms, and three for
    the inode that the fourth reads. Their calls take the wait, and what the
    kernel counts as waiting for a CPU. With several CPUs the clock is the
    host's, and a thread may come after the disk."""
    pages = waits_of(recording, "page", "page")
    inodes = waits_of(recording, "inode", "variable")
    check_overlaps("page", pages)
    sleeps = recording.ask("""SELECT begin_ns, end_ns, waiters_at_begin,
        waiters_at_end FROM block_sleep AS s WHERE comm = 'page' AND (
        SELECT count(*) FROM block_sleep AS o WHERE o.comm = 'page' AND
        o.io_begin_ns = s.io_begin_ns) > 1 ORDER BY begin_ns""")
    took = {int(tid): (int(ns), int(delay_ns)) for tid, ns, delay_ns in
            map(str.split, recording.output().splitlines())}
    for name, waits in (("page", pages), ("inode", inodes)):
        judge.expect(f"{name}: they wait as long as their calls take", waits and
                     all(wait["wait_ns"] <= ns and
                         (cpus != "1" or
                          wait["wait_ns"] >= 0.98 * ns - delay_ns)
                         for wait in waits
                         for ns, delay_ns in (took[wait["tid"]],)), waits, took)
    if cpus != "1":
        return
    for name, waits, count in (("page", pages, 4), ("inode", inodes, 3)):
        judge.expect(f"{name}: each waiter sees those that came before it",
                     [wait["waiters_at_begin"] for wait in waits] ==
                     list(range(count)), waits)
        judge.expect(f"{name}: and those that go after it", sorted(
            wait["waiters_at_end"] for wait in waits) == list(range(count)),
                     waits)
        judge.expect(f"{name}: at least as long as the disk needs", max(
            wait["wait_ns"] for wait in waits) >= 0.98 * 20 * MS, waits)
    judge.expect("inode: it is one, by its function", all(
        wait["inferred_member"] == "inode->i_state" for wait in inodes),
                 inodes)
    judge.expect("I/O: its four waiters", [
        sleep["waiters_at_begin"] for sleep in sleeps] == [0, 1, 2, 3] and
                 sorted(sleep["waiters_at_end"] for sleep in sleeps) ==
                 [0, 1, 2, 3], sleeps)


def main():
    ktrace, folder, cpus = sys.argv[1:]
    if os.path.exists(f"{folder}/same"):
        check_same(Recording(ktrace, folder, "same"), cpus)
    check_reclaim(Recording(ktrace, folder, "reclaim"), cpus)
    if os.path.exists(f"{folder}/files"):
        check_files(Recording(ktrace, folder, "files"))
    for name in ("fast", "slow"):
        check_writeback(f"{name}-dirty",
                        Recording(ktrace, folder, f"{name}-dirty"), cpus)
        recording = Recording(ktrace, folder, name)
        rows = json.loads(recording.run("report", "--block", "--with-tracer",
                                        "--format=json"))
        phases = phases_of(recording)
        check_counters(name, rows, phases)
        read, write, mapped = check_rows(name, rows, phases)
        check_open(name, recording)
        check_facts(judge, name, recording, "block")
        slept = recording.ask("""SELECT count(*) AS sleeps,
            sum(asleep_ns) AS slept_ns, sum(queue_ns) AS slept_queue_ns,
            sum(device_ns) AS slept_device_ns FROM block_sleep""")[0]
        judge.expect(f"{name}: SQL has the sleeps", slept == {
            column: sum_of(rows, column) for column in slept}, slept)
        if name == "slow":
            check_bounds(recording, mapped, phases)
        if name == "slow" and cpus == "1":
            check_times(read, write, mapped, phases)
    judge.end()


main()
