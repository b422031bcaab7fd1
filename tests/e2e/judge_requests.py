# SPDX-License-Identifier: MIT
"""Judges report --requests and --servers of the recordings of
attribution_requests.sh: judge_requests.py KTRACE FOLDER HAS_SOCKETS CPUS CASE...

The programs (programs/requests.c) wrote down the truth: one line per request with
the client's thread, the times at which it started to send and had the answer, by
the guest's clock, the thread that answered, the next server's thread, how often
the first of these slept for the second, and the minimum of its work in
microseconds."""
import collections
import json
import re
import sys

from waits import Judge, Recording

judge = Judge()
WAY = ("client_ns", "client_wait_ns", "queue_ns", "runnable_ns", "kernel_ns",
       "user_ns", "interrupt_ns", "tracer_ns", "asleep_ns", "downstream_ns",
       "unknown_ns")
SUMMED = ("kernel_ns", "user_ns", "tracer_ns", "runnable_ns", "asleep_ns")
DISK_DELAY_NS = 1000000  # attribution_requests.sh
Truth = collections.namedtuple("Truth",
                               "tid begin end server back sleeps busy_us")
# The time between reading the clock and entering the kernel, in both
# directions; a fault may occur in it.  The rates of the two clocks also
# differ.
AROUND_NS = 100000


def truth_of(recording):
    with open(recording.path + ".truth", encoding="utf-8") as lines:
        return sorted((Truth(*map(int, line.split())) for line in lines),
                      key=lambda truth: (truth.tid, truth.begin))


def rows_of(recording, table):
    return json.loads(recording.run("report", "--" + table, "--format=json"))


def begin_ns(row):
    return float(row["begin_s"]) * 1e9


def may_be_swapped(row, truth, truths):
    """The workers of a pool decide in user space, by the order in which
    they get a lock, which of them takes which of two requests.  With one
    CPU the requests are answered one after the other. With several CPUs
    both may be answered before either client sleeps: then nothing in the
    kernel distinguishes them, and the report does not name the worker."""
    return row["server_tid"] is None and row["inferred"] and any(
        other.server != truth.server and other.begin < truth.end and
        truth.begin < other.end for other in truths)


def check_servers(case, cpus, found, truths):
    is_pool = case.startswith("pool") and cpus > 1
    wrong = [(row["server_tid"], truth.server)
             for row, truth in zip(found, truths)
             if row["server_tid"] != truth.server and not
             (is_pool and may_be_swapped(row, truth, truths))]
    judge.expect(f"{case}: by the thread that served it", not wrong, wrong)


def absences(recording, tids):
    """Returns for each thread the intervals in which it was off the CPU, by the
    kernel's switch records: (start, end) in nanoseconds, oldest first."""
    found = collections.defaultdict(list)
    left = {}
    for line in recording.run("dump", "--records").splitlines():
        record = re.match(r"(\d+) byte \d+ cpu \d+ task \d+/(\d+) "
                          r"switch (in|out)\b", line)
        if not record or int(record[2]) not in tids:
            continue
        time_ns, tid = int(record[1]), int(record[2])
        if record[3] == "out":
            left[tid] = time_ns
        elif tid in left:
            found[tid].append((left.pop(tid), time_ns))
    return found


def absent_ns(spans, from_ns, to_ns):
    """Returns how many nanoseconds of [from_ns, to_ns] are in the spans."""
    return sum(max(0, min(end, to_ns) - max(begin, from_ns))
               for begin, end in spans)


def check_times(case, cpus, recording, certain):
    """A client reads the clock before it sends a request and when it has
    the answer.  With one CPU the client may be preempted between the clock and
    its call: the difference may be longer by the time that its thread was off
    the CPU there.  With several CPUs it is the host's clock, and the host may
    run something else in between, for any time. Then one offset between the
    two clocks has to fit all requests of a recording, and no request may be
    shorter than its server's work."""
    begins = [begin_ns(row) - truth.begin for row, truth in certain]
    ends = [begin_ns(row) + row["wall_ns"] - truth.end
            for row, truth in certain]
    away = absences(recording, {truth.tid for row, truth in certain})
    clock_ns = min(begins, default=0)
    late = [absent_ns(away[truth.tid], truth.begin + clock_ns, begin_ns(row))
            for row, truth in certain]
    early = [absent_ns(away[truth.tid], begin_ns(row) + row["wall_ns"],
                       truth.end + clock_ns) for row, truth in certain]
    wrong = []
    for k, (row, truth) in enumerate(certain):
        waited_ns = truth.end - truth.begin
        least_ns = waited_ns - AROUND_NS - late[k] - early[k] \
            if cpus == 1 else truth.busy_us * 1000
        if not least_ns <= row["wall_ns"] <= waited_ns:
            wrong.append((row["wall_ns"], waited_ns, least_ns))
    judge.expect(f"{case}: as long as its client had to wait", not wrong,
                 wrong)
    delays = [begin - clock_ns - absent
              for begin, absent in zip(begins, late)]
    judge.expect(f"{case}: when its client sent it", not certain or (
        max(delays) < AROUND_NS if cpus == 1 else
        max(ends) - min(begins) < AROUND_NS),
        [round(delay) for delay in delays])


def calls_of(case, recording, truths):
    """Yields for each truth the write and the read of its client: (begin, end) in
    nanoseconds of the recording's clock. A client reads the clock, writes a
    request, and writes down the truth after it has read the answer; before that
    one byte connects it by pipes and terminals, and afterwards it writes its
    truths to the file."""
    calls = collections.defaultdict(list)
    tids = ",".join({str(truth.tid) for truth in truths})
    for row in recording.ask(
            "SELECT tid, call, begin_ns, end_ns FROM syscall WHERE tid IN "
            f"({tids}) AND call IN ('read', 'write') ORDER BY begin_ns"):
        calls[row["tid"], row["call"]].append((row["begin_ns"],
                                               row["end_ns"]))
    first = case.endswith(("pipe", "pty"))
    for truth in truths:
        own = [other for other in truths if other.tid == truth.tid]
        number = [sorted(getattr(other, when) for other in own).index(
            getattr(truth, when)) for when in ("begin", "end")]
        yield (calls[truth.tid, "write"][first:][number[0]],
               calls[truth.tid, "read"][number[1]])


def check_calls(case, recording, found, truths):
    """Each request, also an inferred one, is from its client's write to its
    client's read of the answer, by the system calls in the trace."""
    wrong = []
    for row, truth, (write, read) in zip(
            found, truths, calls_of(case, recording, truths)):
        begin = begin_ns(row)
        # The times of rows are rounded.
        if not (write[0] - 1000 < begin < write[1] + 1000 and
                read[0] - 1000 < begin + row["wall_ns"] < read[1] + 1000):
            wrong.append((row["request"], truth.tid, begin, write,
                          begin + row["wall_ns"], read, row["inferred"]))
    judge.expect(f"{case}: from its client's write to its read of the answer",
                 not wrong, wrong)


def check_requests(case, cpus, recording, rows, truths):
    clients = {truth.tid for truth in truths}
    found = sorted((row for row in rows if row["answered"]
                    and row["client_tid"] in clients),
                   key=lambda row: (row["client_tid"], float(row["begin_s"])))
    judge.expect(f"{case}: every request is found, and no more",
                 [row["client_tid"] for row in found] ==
                 [truth.tid for truth in truths], len(found), len(truths))
    if len(found) != len(truths):
        return []
    check_servers(case, cpus, found, truths)
    # A proxy's clients read by several connections.
    if not case.startswith("proxy"):
        check_calls(case, recording, found, truths)
    check_times(case, cpus, recording,
                [(row, truth) for row, truth in zip(found, truths)
                 if not row["inferred"] or (is_executed(case) and not
                                            case.endswith("pipe"))])
    return found


def is_executed(case):
    """Returns whether threads of the kernel execute what the server queues in an
    io_uring: whose work that is, is inferred, but sockets show the messages."""
    return "sqpoll" in case or "iowq" in case


def check_executed(case, found, truths):
    """The server's work for each client is charged to that client, although others
    read and write for it."""
    parts = ("kernel_ns", "user_ns", "interrupt_ns", "tracer_ns",
             "runnable_ns", "asleep_ns")
    for tid in sorted({truth.tid for truth in truths}):
        charged_ns = sum(row[prefix + part] for row in found for part in parts
                         for prefix in ("", "beside_")
                         if row["client_tid"] == tid)
        busy_ns = 1000 * sum(truth.busy_us for truth in truths
                             if truth.tid == tid)
        judge.expect(f"{case}: the {busy_ns} ns that the server was busy for "
                     f"{tid} are charged to it",
                     charged_ns >= 0.98 * busy_ns, charged_ns, found)


def check_direction(case, rows, truths):
    servers = {truth.server for truth in truths}
    backs = {truth.back for truth in truths} - {0}
    wrong = [row for row in rows if row["client_tid"] in backs or
             (row["client_tid"] in servers and row["server_tid"] not in backs)]
    judge.expect(f"{case}: no server is a client", not wrong, wrong)


def check_chain(case, rows, found, truths):
    behind = collections.defaultdict(list)
    for row in rows:
        if row["answered"]:
            behind[row["parent"]].append(row)
    wrong = [behind[row["request"]] for row, truth in zip(found, truths)
             if [other["server_tid"] for other in behind[row["request"]]] !=
             [truth.back] or
             behind[row["request"]][0]["wall_ns"] >= row["wall_ns"]]
    judge.expect(f"{case}: each one's request to the server behind is its own",
                 not wrong, wrong)


def check_through(case, recording, truths):
    """The work of the server behind is charged to the clients whose requests the
    first server worked for, and all work to the same servers as before."""
    through = rows_of(recording, "servers=through")
    backs = {truth.back for truth in truths}
    asked = collections.Counter()
    for row in through:
        if row["server_pid"] in backs and row["client_pid"] >= 0:
            asked[row["client_pid"]] += row["requests"]
    sums = collections.Counter()
    for rows, sign in (through, 1), (rows_of(recording, "servers"), -1):
        for row in rows:
            for part in SUMMED + ("requests",):
                sums[row["server_pid"], part] += sign * row[part]
    judge.expect(f"{case}: through the first server, the clients pay for what "
                 "the one behind did", not any(sums.values()) and asked ==
                 collections.Counter(truth.tid for truth in truths), through,
                 asked)


def slept_ns(row):
    """Returns the total time of a row's sleeps."""
    return sum(int(sleep.split(" ", 1)[0])
               for sleep in row["sleeps"].split("; ") if sleep)


def is_ended_behind(row, truth, cpus):
    """Returns whether the next server ended each sleep of its client, if
    there was any.  It may have answered before its client started to wait;
    with two CPUs also while the client was falling asleep, which then takes
    no time.  A reader of a terminal first waits for the kworker that may
    still process earlier data."""
    is_named = f"-{truth.back} " in row["sleeps"]
    if cpus == 1:
        return is_named == bool(row["downstream_ns"]) == bool(truth.sleeps)
    if not is_named and all(" __flush_work: " in f" {sleep}"
                            for sleep in row["sleeps"].split("; ")):
        return True
    return not (is_named or row["downstream_ns"]) or (
        is_named == bool(row["downstream_ns"]) == bool(truth.sleeps))


def check_sleeps(case, cpus, rows, found, truths):
    """The sleeps of an answered request include the waits for the servers
    behind it."""
    wrong = [row for row in rows
             if not row["asleep_ns"] <= slept_ns(row) <= row["asleep_ns"] +
             (row["downstream_ns"] if row["answered"] else 0)]
    judge.expect(f"{case}: the sleeps of each are its time asleep", not wrong,
                 wrong)
    # A proxy sleeps until any of its clients or servers sends a message.
    wrong = [(truth.sleeps, row) for row, truth in zip(found, truths)
             if truth.back and not case.startswith("proxy") and not is_ended_behind(row, truth, cpus)]
    judge.expect(f"{case}: the server behind ends its client's sleep",
                 not wrong, wrong)
    judge.expect(f"{case}: the recorder's own message is no request",
                 all(row["client"] != "ktrace-hw" for row in rows), rows)


def check_sums(case, recording, rows):
    wrong = [row for row in rows
             if sum(row[part] for part in WAY) != row["wall_ns"]]
    judge.expect(f"{case}: the parts of each add up to its wall time",
                 rows and not wrong, wrong)
    servers = rows_of(recording, "servers")
    for part in SUMMED:
        sums = collections.Counter()
        for row in rows:
            sums[row["client_pid"]] += row[part] + row["beside_" + part]
        for row in servers:
            if row["client_pid"] >= 0:
                sums[row["client_pid"]] -= row[part]
        judge.expect(f"{case}: --servers' {part} is the sum of --requests",
                     not any(sums.values()), sums)
    processes = json.loads(recording.run("report", "--with-tracer",
                                         "--format=json"))["processes"]
    for row in processes:
        if not any(server["server_pid"] == row["pid"] for server in servers):
            continue
        wall = {part: sum(server[part] for server in servers
                          if server["server_pid"] == row["pid"])
                for part in ("kernel_ns", "user_ns", "runnable_ns",
                             "tracer_ns")}
        judge.expect(f"{case}: the rows of {row['comm']} add up to its time",
                     wall == {
                         "kernel_ns": row["system_call_ns"] + row["fault_ns"]
                         + row["reclaim_ns"] + row["kernel_ns"], "user_ns": row["user_ns"],
                         "runnable_ns": row["runnable_ns"],
                         "tracer_ns": row["tracer_ns"]}, wall, row)


def check_carriers(case, recording, truths):
    """A kworker has a message by a terminal before its reader."""
    clients = {truth.tid for truth in truths}
    carried = {row["client_pid"] for row in rows_of(recording, "servers")
               if row["server"].startswith("kworker") and row["kernel_ns"]}
    judge.expect(f"{case}: kworkers worked for each client",
                 clients <= carried, clients, carried)


def check_items(case, cpus, recording, truths, function):
    """The work of kworkers that the server requested is charged to the
    requests, and equals that in --interrupts."""
    server = truths[0].server
    items = [row for row in json.loads(recording.run(
        "report", "--interrupts=both", "--format=json"))
        if row["kind"] == "work_item" and row["for_pid"] == server]
    asked = [row for row in items if row["function"] == function]
    count = sum(row["count"] for row in asked)
    told_by_perf = sum(function in text for _, _, text in
                       recording.perf_events("workqueue:workqueue_execute_start"))
    asked_ns = sum(row["total_ns"] for row in asked)
    # With the host's clock it may take long from one function to the next.
    least = asked_ns - 100 * count if cpus == 1 else asked_ns // 2
    most = sum(row["total_ns"] for row in items)
    pids = {row["on_pid"] for row in asked}
    told = sum(row["kernel_ns"] for row in rows_of(recording, "servers")
               if row["server_pid"] in pids and row["client_pid"] >= 0)
    judge.expect(f"{case}: kworkers' {count} items are in the requests",
                 0 < count <= told_by_perf and least <= told <= most,
                 count, told_by_perf, least, told, most)


def check_no_sleep(case, recording, rows, truths, label):
    """While the server waited for others' work, no sleep of its own is
    reported."""
    sleeps = [row for row in recording.sleeps()
              if row["pid"] == truths[0].server and row["label"] == label]
    judge.expect(f"{case}: none of the server's {len(sleeps)} sleeps for them",
                 not any(label in row["sleeps"] for row in rows), rows)


def commits_of(recording, when):
    """Returns the number of transactions that the journal has written, and
    their mean duration: the kernel's own statistics, fs/jbd2/journal.c."""
    with open(f"{recording.path}.{when}", encoding="utf-8") as lines:
        lines = lines.read().split("\n")
    mean_us = [int(line.split("us")[0]) for line in lines
               if "average transaction commit time" in line]
    return int(lines[0].split()[0]), mean_us[0] if mean_us else 0


def check_journal(case, cpus, recording, found):
    """The server appends to a file and waits for the disk. The data, the
    journal's description of it and the journal's commit record are written
    one after the other, the last two by the journal's thread.  That thread
    also writes every five seconds: with the host's clock such a write may
    occur meanwhile."""
    before, after = (commits_of(recording, when) for when in
                     ("before", "after"))
    count = after[0] - before[0]
    journal = [row for row in rows_of(recording, "servers")
               if row["server"].startswith("jbd2")]
    spent_ns = sum(row[part] for row in journal if row["client_pid"] >= 0
                   for part in SUMMED)
    kernel_ns = sum(row["kernel_ns"] for row in journal)
    theirs_ns = sum(row["kernel_ns"] for row in journal
                    if row["client_pid"] >= 0)
    judge.expect(f"{case}: what the journal's thread did is the requests'",
                 (count == len(found) if cpus == 1 else count >= len(found)) and
                 theirs_ns > (0.8 if cpus == 1 else 0.5) * kernel_ns,
                 count, len(found), theirs_ns, kernel_ns)
    if cpus > 1:
        return
    judge.expect(f"{case}: {count} commits take the {after[1]} us that the kernel says",
                 0.8 < spent_ns / (1000 * after[1] * count) < 1.25, spent_ns)
    wrong = [row for row in found if row["asleep_ns"] < 2.9 * DISK_DELAY_NS or
             row["sleeps"].count("jbd2_journal_commit_transaction:") != 1]
    judge.expect(f"{case}: each waits for the disk three times", not wrong,
                 wrong)


def check_handlers(case, recording, truths):
    """A handler works for the request that it was started for, also while it
    starts and ends."""
    handlers = {truth.server for truth in truths}
    rows = [row for row in rows_of(recording, "servers")
            if row["server_pid"] in handlers]
    whole, nobody = (sum(row["kernel_ns"] + row["user_ns"] for row in rows
                         if row["client_pid"] < least) for least in
                     (float("inf"), 0))
    judge.expect(f"{case}: {nobody} of the handlers' {whole} ns are nobody's",
                 len(handlers) == len(truths) and nobody <= 0.02 * whole, rows)


def check_certainty(case, found):
    """Information from the kernel's socket events is not inferred."""
    inferred = [row["request"] for row in found if row["inferred"]]
    judge.expect(f"{case}: nothing is inferred", not inferred, inferred)


def check_explained(case, recording, rows):
    """explain --request is about the same time, and explains all of it: while
    the request is queued or a server has it, by what that server does."""
    wrong = []
    for row in [r for r in rows if r["client_pid"] and r["answered"]][:3]:
        told = json.loads(recording.run("explain", "--format=json",
                                        "--request", str(row["request"])))
        parts = sum(cause["ns"] for cause in told["causes"])
        servers = sum(cause["ns"] for cause in told["causes"]
                      if cause["cause"] == "reply")
        if (told["pid"], told["wall_ns"], parts) != (
                row["client_pid"], row["wall_ns"], row["wall_ns"]) or \
                servers < 0.9 * (row["kernel_ns"] + row["user_ns"]):
            wrong.append((row, told))
    judge.expect(f"{case}: explain explains each", not wrong, wrong[:1])


def main():
    ktrace, folder, has_sockets, cpus, *cases = sys.argv[1:]
    for case in cases:
        recording = Recording(ktrace, folder, case)
        truths = truth_of(recording)
        rows = rows_of(recording, "requests")
        found = check_requests(case, int(cpus), recording, rows, truths)
        check_direction(case, rows, truths)
        # With pipes, the client for which a server sent a request is inferred.
        if cpus == "2" and case == "chain-pipe":
            found = []
        if case.startswith(("chain", "proxy")):
            check_chain(case, rows, found, truths)
        if case.startswith("chain") and found:
            check_through(case, recording, truths)
        if case.startswith(("uring", "both", "watch")) or is_executed(case):
            check_executed(case, found, truths)
        if case.startswith("exec"):
            check_handlers(case, recording, truths)
        if case.startswith("drain"):
            check_items(case, int(cpus), recording, truths,
                        "lru_add_drain_per_cpu")
            check_no_sleep(case, recording, rows, truths, "__flush_work")
        if case.startswith("sync"):
            check_items(case, int(cpus), recording, truths,
                        "ext4_end_io_rsv_work")
            check_journal(case, int(cpus), recording, found)
            if cpus == "1":
                check_no_sleep(case, recording, rows, truths,
                               "jbd2_log_wait_commit")
        if case.endswith("pty"):
            check_carriers(case, recording, truths)
        if has_sockets == "1" and not case.endswith(("pipe", "pty")) and \
                not case.startswith("pool") and not is_executed(case):
            check_certainty(case, found)
        check_sleeps(case, int(cpus), rows, found, truths)
        check_sums(case, recording, rows)
        check_explained(case, recording, rows)
    judge.end()


main()
