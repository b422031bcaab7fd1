# SPDX-License-Identifier: MIT
"""Judges the recordings of attribution_interrupts.sh: judge_interrupts.py
KTRACE FOLDER CASE...  Prints one line per check."""
import collections
import csv
import json
import re
import sys

from interrupt_ipis import judge_ipi
from interrupt_packets import FREES, Packets
from interrupt_profiles import flat, judge_functions, judge_profiles
from interrupt_recording import Recording
from judge_network import (judge_handshakes, judge_network, judge_rps,
                           judge_stream, loopback_polls, packets, times)
from perf_input import perf_lines
from waits import Judge

TICKS = {"tick_nohz_handler", "tick_sched_timer"}


def judge_bystander(judge, case, recording):
    judge.expect(f"{case}: nothing was for the bystander",
                 recording.total(for_comm="hog") == 0,
                 [r for r in recording.rows if r["for_comm"] == "hog"])


def judge_share(judge, name, recording, whom, column="exact_ns", **work):
    """At least 95 % of the work has this beneficiary, exact (or inferred)."""
    whole = recording.total(**work)
    part = recording.total(column, for_comm=whom, **work)
    judge.expect(f"{name}: {part} of {whole} ns for {whom}",
                 whole > 0 and part >= 0.95 * whole)


def judge_packets(judge, name, recording, poll, *of):
    """The packets determine the numbers of interrupts and polls of each
    process. The others found no packet: they are inferred to be for the queue's
    last user, or nobody's before its first packet. The numbers are of events,
    so they do not depend on times."""
    packets = Packets(recording, *of, poll)
    queue = {"device": packets.queue, "kind": "interrupt"}
    for what, told, rows in (
            ("interrupts", packets.interrupts, queue),
            ("polls", packets.polls, {"kind": "napi", "function": poll})):
        counts, where = collections.Counter(), set()
        for row in recording.rows:
            if all(re.fullmatch(pattern, row[field])
                   for field, pattern in rows.items()):
                counts[row["for_comm"]] += float(row["count"])
                where.add(f"irq = {row['irq']}" if row["irq"] else
                          f"function = '{row['function']}'")
        exact = float(recording.sql(
            "SELECT coalesce(sum(share), 0) FROM interrupt_slice WHERE "
            f"certainty = 'exact' AND for_comm = '{name}' AND "
            f"({' OR '.join(where)})")[1])
        judge.expect(f"udp: {told[name]:g} {what} of {sum(told.values()):g} "
                     f"were for the {name}, packet by packet",
                     told[name] - 0.01 < counts[name] <
                     sum(told.values()) + 0.01 and 0 < told[name]
                     and exact < told[name] + 0.01
                     and counts.keys() <= {name, "nobody"}, counts, exact)


def judge_loss(judge, case, recording):
    with open(f"{recording.path}.err", encoding="utf-8") as told:
        text = told.read()
    judge.expect(f"{case}: nothing was lost",
                 "nothing lost" in text and text.count("lost") == 1, text)


def judge_counts(judge, case, recording):
    """The numbers of interrupts and soft interrupts equal the kernel's."""
    traced = recording.traced()
    if not traced:
        return
    handlers = collections.Counter(
        re.match(r"irq=(\d+) name=(\S+)", text).groups()
        for text in recording.events("irq:irq_handler_entry", *traced))
    # All devices that share a line handle its interrupts.
    by_irq = collections.Counter()
    for (irq, _), count in handlers.items():
        by_irq[irq] = max(by_irq[irq], count)
    ours = collections.Counter()
    for row in recording.table("function"):
        if row["irq"]:
            ours[row["irq"]] += int(row["count"])
    judge.expect(f"{case}: interrupts by number, {sum(ours.values())} in all",
                 ours and ours == by_irq, ours, by_irq)
    for kind, event in (("work_item", "workqueue:workqueue_execute_start"),
                        ("timer", "timer:timer_expire_entry"),
                        ("hrtimer", "timer:hrtimer_expire_entry"),
                        ("tasklet", "irq:tasklet_entry")):
        seen = len(recording.events(event, *traced))
        rows = sum(int(row["count"]) for row in recording.table("function")
                   if row["kind"] == kind)
        judge.expect(f"{case}: {rows} of kind {kind}", seen == rows, seen)
    softirqs = collections.Counter(recording.events("irq:softirq_entry",
                                                    *traced))
    actions = collections.Counter()
    for row in recording.table("function"):
        if row["kind"] == "softirq" and not re.match("(handle|__do)_softirq",
                                                     row["function"]):
            actions[row["function"]] += int(row["count"])
    judge.expect(f"{case}: {sum(actions.values())} soft interrupts",
                 actions and sorted(softirqs.values()) ==
                 sorted(actions.values()), softirqs, actions)


def judge_nobody(judge, case, recording):
    """At most 2 % of the interrupts and of the work of kernel threads has no
    beneficiary: of its time, or with several CPUs, whose clock is the host's, of
    the number of its slices."""
    whole, nobody = (recording.total(column)
                     for column in ("total_ns", "nobody_ns"))
    if not recording.traced():
        whole, nobody = (sum(float(row["count"]) for row in recording.rows
                             if re.fullmatch(comm, row["for_comm"]))
                         for comm in (".*", "nobody"))
    judge.expect(f"{case}: {nobody:g} of {whole:g} are nobody's",
                 nobody <= 0.02 * whole,
                 [r for r in recording.rows if r["nobody_ns"]])


def judge_tcp(judge, recording):
    """The sender's device gets acknowledgements, the receiver's data. Packets
    that start or end the connection are charged to one of the two: less than
    two polls, however many there are (on a busy host they have fewer packets
    each)."""
    received = collections.Counter(
        re.search(r" for device (\S+) work [1-9]", text)[1]
        for text in recording.events("napi:napi_poll", 0, float("inf"))
        if re.search(r" for device \S+ work [1-9]", text))
    devices = {"eth0": "streamer", "eth1": "sink"}
    for device, comm in devices.items():
        polls = recording.shares("virtnet_poll", for_comm=comm)
        judge.expect(f"tcp: {polls:g} polls of {received[device]} are for the "
                     f"{comm}", received[device] > 10 and abs(
                         polls - received[device]) <= 2, recording.rows)
    for comm in "streamer", "sink":
        judge_sent(judge, recording, comm)
    # Only the streamer sends more than its queue holds. Without evidence the
    # work is nobody's (judge_nobody() limits that), but never another's.
    more = {"kind": "tasklet", "function": "tcp_(tasklet_func|tsq_workfn)"}
    whole = recording.total(**more)
    own = recording.total(for_comm="streamer", **more)
    nobody = recording.total("nobody_ns", **more)
    judge.expect(f"tcp: {own} of {whole} ns of sending more are for the "
                 f"streamer, {nobody} for nobody",
                 not recording.total(for_comm="sink", **more) and
                 (not recording.traced() or own + nobody == whole),
                 recording.rows)
    judge_stream(judge, "tcp", recording, "eth1", 48)


def judge_sent(judge, recording, comm):
    """Whose packets a device has sent it then frees."""
    freed = recording.total(kind="napi", function="virtnet_poll_tx",
                            for_comm=comm)
    judge.expect(f"tcp: packets sent by the {comm} are freed for it",
                 freed > 0)


def judge_loopback(judge, recording):
    """Data is for the receiver, acknowledgements are for the sender, and the
    few packets that start or end the connection for one of the two."""
    true = loopback_polls(recording, 4000)
    judge.expect(f"loopback: {true[None]:g} polls start and end the connection",
                 0 < true[None] <= 7 and true["writer"] > 0, true)
    for comm, end in ("sink", "reader"), ("streamer", "writer"):
        ours = recording.shares("process_backlog", for_comm=comm)
        judge.expect(f"loopback: {ours:g} polls are for the {comm}",
                     true[end] - 0.01 <= ours <= true[end] + true[None] + 0.01,
                     true, recording.rows)
    judge_stream(judge, "loopback", recording, "lo", 16)


def judge_sums(judge, case, recording):
    """Interrupt time of threads and of idle CPUs adds up to all of it."""
    threads = json.loads(recording.run("--threads", "--with-tracer",
                                       "--format=json"))
    of_threads = sum(
        thread["interrupt_benefited_ns"] + thread["interrupt_stolen_ns"]
        for thread in threads["threads"])
    of_idle = recording.total(on_comm="idle", time="interrupt")
    whole = recording.total(time="interrupt")
    judge.expect(f"{case}: interrupt time adds up to {whole} ns",
                 whole > 0 and of_threads + of_idle == whole,
                 of_threads, of_idle)
    parts = sum(recording.total(f"{name}_ns", time="interrupt")
                for name in ("exact", "inferred", "nobody"))
    judge.expect(f"{case}: exact, inferred and nobody's are all of it",
                 parts == whole, parts)


def judge_interrupted(judge, case, recording, device):
    """Each of the device's interrupts interrupted the task that perf saw. That
    is not always the bystander: the thread of a delayed disk runs at that time,
    and with several CPUs the host delays the disk as it likes."""
    form = re.compile(r"^\s*(.*?)\s+\[\d+\]\s+\d+\.\d+:\s+"
                      rf"irq:irq_handler_entry:\s+irq=\d+ name={device}$")
    lines = recording.perf_lines("comm,cpu,time,event,trace")
    told = collections.Counter(
        {"swapper": "idle"}.get(match[1], match[1])
        for match in map(form.match, lines) if match)
    ours = collections.Counter()
    for row in recording.rows:
        if re.fullmatch(device, row["device"]):
            ours[row["on_comm"]] += float(row["count"])
    judge.expect(f"{case}: who was interrupted", told and ours == told, ours,
                 told)


def judge_disk(judge, recording):
    disk = {"device": recording.disk_interrupt()}
    judge_share(judge, "disk: its interrupts", recording, "reader", **disk)
    judge.expect("disk: others than the reader were interrupted",
                 recording.total(**disk, on_comm="reader")
                 < 0.05 * recording.total(**disk))
    judge_interrupted(judge, "disk", recording, disk["device"])
    judge_functions(judge, "disk", recording, "reader", "virtblk_done")
    judge_bystander(judge, "disk", recording)


def judge_udp(judge, recording):
    receive = {"device": r"virtio\d+-input\.0"}
    send = {"device": r"virtio\d+-output\.0"}
    if recording.traced():
        judge_share(judge, "udp: the interrupts", recording, "receiver",
                    **receive)
        judge_share(judge, "udp: the sender's interrupts", recording, "sender",
                    **send)
        judge_share(judge, "udp: the polls", recording, "receiver",
                    kind="napi", function="virtnet_poll", on_comm="hog")
    judge_packets(judge, "receiver", recording, "virtnet_poll",
                  receive["device"], "eth1", "receiver",
                  ("net:napi_gro_receive_entry",))
    judge_packets(judge, "sender", recording, "virtnet_poll_tx",
                  send["device"], "eth0", "sender", FREES)
    # With several CPUs their durations are from the host's clock.
    judge.expect("udp: the bystander was interrupted",
                 recording.total(**receive, on_comm="hog")
                 >= (0.5 if recording.traced() else 0.1)
                 * recording.total(**receive))
    functions = {comm: flat(recording, "--comm", comm)
                 for comm in ("receiver", "hog")}
    # With 0 ns the function is also in the path of interrupts that interrupted
    # it, which are for others.
    receive = [[name for name, ns in of if name.endswith("__udp4_lib_rcv") and ns]
               for of in functions.values()]
    judge.expect("udp: the receiver's profile has what received, hog's not",
                 receive[0] and not receive[1], receive)
    judge_functions(judge, "udp", recording, "receiver", "virtnet_poll")
    judge_bystander(judge, "udp", recording)


def judge_arp(judge, recording):
    """The sender of a datagram that waits for its neighbour's address is charged
    for both packets of the resolution (ARP), and for sending the datagram."""
    answers = [text for text in recording.events(
        "net:napi_gro_receive_entry", 0, float("inf"))
               if "protocol=0x0806" in text]
    polls, freed = (sum(float(row["count"]) for row in recording.rows
                        if row["function"] == function and
                        row["for_comm"] == "sender")
                    for function in ("virtnet_poll", "virtnet_poll_tx"))
    judge.expect(f"arp: {polls:g} polls for {len(answers)} packets of its "
                 "resolution are for the sender", len(answers) >= 20 and
                 abs(polls - len(answers)) <= 0.02 * len(answers),
                 recording.rows)
    judge.expect(f"arp: so are {freed:g} of the polls that free what was sent",
                 freed and freed == sum(
                     float(row["count"]) for row in recording.rows
                     if row["function"] == "virtnet_poll_tx"), recording.rows)
    judge.expect("arp: only inferred", not recording.total(
        "exact_ns", function="virtnet_poll", for_comm="sender"), recording.rows)
    # Its packets of the resolution are sent on its own time.
    sent = packets(recording, kind="sent", device="eth0")
    own = packets(recording, kind="sent", device="eth0", comm="sender")
    judge.expect(f"arp: {own['count']} of {sent['count']} sent packets are the "
                 "sender's, its 10 datagrams inferred", own["inferred"] == 10
                 and own["count"] == sent["count"] == len(list(times(
                     recording, "net:net_dev_queue", "eth0"))), sent, own)
    judge_bystander(judge, "arp", recording)


def judge_sleep(judge, recording):
    count = recording.count("hrtimer_wakeup", for_comm="sleeper")
    judge.expect("sleep: 20 timers of the sleeper", count == 20, count)
    judge_share(judge, "sleep: timers on the bystander's time", recording,
                "sleeper", function="hrtimer_wakeup", on_comm="hog")
    ticks = [row for row in recording.rows if row["function"] in TICKS]
    judge.expect("sleep: the tick is the system's, and exactly so",
                 ticks and all(row["for_comm"] == "system"
                               and row["exact_ns"] == row["total_ns"]
                               for row in ticks), ticks)
    judge_bystander(judge, "sleep", recording)


def judge_work(judge, recording):
    # No event shows the owner of the pages that writeback writes. The owner is
    # inferred from the tasks that dirtied pages, and so are the beneficiaries
    # of the interrupts of its requests.
    judge_share(judge, "work: writeback by kworkers", recording, "writer",
                "inferred_ns", kind="work_item", function="wb_workfn")
    judge.expect("work: it is no interrupt time",
                 recording.total(kind="work_item", time="interrupt") == 0)
    disk = {"device": recording.disk_interrupt()}
    judge.expect("work: interrupts of its requests",
                 recording.total("inferred_ns", for_comm="writer", **disk) > 0)
    judge.expect("work: interrupts of the journal's requests",
                 recording.total("exact_ns", for_comm="jbd2/.*", **disk) > 0)


def judge_writeback(judge, recording):
    """Both tasks make pages dirty, one of them 1 and the other one 1024.
    The first queues the item that writes all of them."""
    work = {"kind": "work_item", "function": "wb_workfn"}
    judge_share(judge, "writeback: by kworkers", recording, "second",
                "inferred_ns", **work)
    judge.expect("writeback: nobody is charged with it exactly",
                 recording.total("exact_ns", **work) == 0)
    disk = {"device": recording.disk_interrupt()}
    judge.expect("writeback: interrupts of its requests are for the second",
                 recording.total("inferred_ns", for_comm="second", **disk)
                 > recording.total("inferred_ns", for_comm="first", **disk))


def judge_threads(judge, recording):
    name = recording.disk_interrupt()
    disk = [re.match(rf"irq=(\d+) name={name}", text)
            for text in recording.events("irq:irq_handler_entry", 0,
                                         float("inf"))]
    disk = [match[1] for match in disk if match]
    handler = {"kind": "threaded_handler", "function": "vring_interrupt",
               "on_comm": rf"irq/{disk[0]}-.*"}
    judge_share(judge, "threads: the disk's handler", recording, "reader",
                **handler)
    judge_share(judge, "threads: the interrupts that wake it", recording,
                "reader", kind="interrupt", device=name)
    count = sum(float(row["count"]) for row in recording.rows
                if all(re.fullmatch(pattern, row[name])
                       for name, pattern in handler.items()))
    judge.expect(f"threads: its handler ran {len(disk)} times",
                 count == len(disk), count)
    judge_bystander(judge, "threads", recording)


def judge_rcu(judge, recording, files=50):
    freed = recording.count("i_callback", kind="rcu")
    # Some are other tasks', which ended before.
    judge.expect(f"rcu: {files} files were freed",
                 files <= freed <= files * 1.1 + 10, freed)
    callbacks = [row for row in recording.rows if row["kind"] == "rcu"]
    own = recording.count("i_callback", kind="rcu", for_comm="forgetter")
    judge.expect("rcu: for whom removed the files", own >= 0.98 * files, own,
                 callbacks)
    judge.expect("rcu: which order alone shows",
                 recording.total("exact_ns", kind="rcu",
                                 function="(?!rcu_do_batch).*") == 0,
                 callbacks)
    for folder, thread in (("ksoftirqd", "ksoftirqd/0"),
                           ("threads", r"rcuo[ps]/0"),
                           ("rcu_threads", r"rcuo[ps]/\d")):
        if f"/{folder}/" not in recording.path:
            continue
        inside = recording.total(kind="rcu", on_comm=thread)
        judge.expect(f"rcu: {inside} ns of them in {thread}",
                     inside >= 0.5 * recording.total(kind="rcu"), callbacks)
    # The files that the program unmaps are closed by task_work, at the end of
    # its own system calls.
    closed = int(recording.sql(
        "SELECT count(*) FROM call WHERE function = '____fput' AND "
        "comm = 'forgetter'")[1])
    judge.expect(f"rcu: {closed} files are closed by task_work of the program",
                 closed >= files, closed)


def judge_reclaim(judge, recording):
    """kswapd works for two processes as they call the allocator: one does three
    times as often as the other for its own pages."""
    work = {"kind": "reclaim", "function": "balance_pgdat",
            "on_comm": "kswapd.*"}
    much, little = (recording.total("inferred_ns", for_comm=comm, **work)
                    for comm in ("much", "little"))
    calls = {comm: int(count) for comm, count in csv.reader(
        recording.sql("SELECT comm, count(*) FROM call WHERE function IN "
                      "('__alloc_pages', '__alloc_pages_noprof', "
                      "'__alloc_frozen_pages_noprof') AND "
                      "comm IN ('much', 'little') GROUP BY comm")[1:])}
    share = calls["much"] / sum(calls.values())
    judge.expect(f"reclaim: kswapd works {much} ns for the one that allocates "
                 f"much, {little} ns for the other", share > 0.65 and
                 little > 0 and abs(much / (much + little) - share) < 0.02,
                 calls)
    judge.expect("reclaim: for nobody exactly",
                 recording.total("exact_ns", **work) == 0)
    judge.expect("reclaim: each is charged with its own", all(
        row["on_pid"] == row["for_pid"] for row in recording.rows
        if row["kind"] == "reclaim" and row["exact_ns"]))


def switched_ns(recording, comm):
    """Returns how long the thread was on a CPU, by perf's switch records."""
    form = re.compile(rf"^\s*{comm}\s+(\d+)\.(\d{{9}}):\s+PERF_RECORD_SWITCH"
                      r"_CPU_WIDE (IN|OUT)")
    whole, since = 0, None
    for line in perf_lines(recording.path, "comm,time,event,trace", "--ns",
                           "--show-switch-events"):
        found = form.match(line)
        if not found:
            continue
        at = int(found[1]) * 10**9 + int(found[2])
        if found[3] == "OUT" and since is not None:
            whole += at - since
        since = at if found[3] == "IN" else None
    return whole


def compactors_counts(recording):
    """Returns the kernel's counts while little and then much lack huge pages: how
    long kcompactd ran, its works, and how often a task reclaimed memory."""
    with open(f"{recording.path}.out", encoding="utf-8") as text:
        return [[int(word) for word in line.split()]
                for line in text.readlines()[:2]]


def judge_for_blocks(judge, case, recording):
    """The bystander allocates single pages: kcompactd never works for it, and
    kswapd only when it was woken for such pages."""
    orders = [int(re.search(r"order=(\d+)", text)[1]) for text in recording.events(
        "vmscan:mm_vmscan_kswapd_wake", 0, float("inf"))]
    own = sum(float(row["count"]) for row in recording.rows
              if row["kind"] == "reclaim" and row["for_comm"] == "bystander" and
              row["on_pid"] != row["for_pid"])
    judge.expect(f"{case}: of {len(orders)} works of kswapd for "
                 f"{sum(map(bool, orders))} blocks, {own:g} are for the bystander",
                 any(orders) and own <= orders.count(0) and
                 not recording.total(on_comm="kcompactd.*", kind="reclaim",
                                     for_comm="bystander"), recording.rows)


def judge_kcompactd(judge, recording, counts):
    """As long as kcompactd runs, by the kernel's count (schedstat, which misses up
    to milliseconds of it) and its switches, it works for the process that lacks
    huge pages then. Around its work it takes 20 us."""
    for comm, ran_ns in zip(("little", "much"), counts, strict=True):
        work_ns = recording.total("inferred_ns", kind="reclaim",
                                  on_comm="kcompactd.*", for_comm=comm)
        judge.expect(f"compaction: kcompactd worked {work_ns} of {ran_ns} ns "
                     f"for {comm}", 0.98 * ran_ns - 20000 <= work_ns)
    whole_ns = recording.total(kind="reclaim", on_comm="kcompactd.*")
    ran_ns = switched_ns(recording, "kcompactd0")
    judge.expect(f"compaction: {whole_ns} of {ran_ns} ns between its switches",
                 0 < whole_ns <= ran_ns)


def judge_compaction(judge, recording):
    """kcompactd works for those who lack huge pages. Their lengths are judged on one
    CPU only: with several, the clock is the host's."""
    ran_ns, works, _ = zip(*compactors_counts(recording), strict=True)
    if recording.traced():
        judge_kcompactd(judge, recording, ran_ns)
    ours = sum(recording.shares("kcompactd_do_work", for_comm=comm)
               for comm in ("little", "much"))
    # One may start after the program has looked.
    judge.expect(f"compaction: {ours:g} works of kcompactd for both, the kernel "
                 f"counts {works}", -0.01 < ours - sum(works) < 1.01,
                 recording.rows)
    judge_for_blocks(judge, "compaction", recording)
    judge.expect("compaction: for nobody exactly",
                 recording.total("exact_ns", kind="reclaim",
                                 on_comm="kcompactd.*") == 0)


def judge_stalled_time(judge, recording):
    """The kernel counts how long the tasks of the cgroup compacted memory (PSI)."""
    with open(f"{recording.path}.pressure", encoding="utf-8") as text:
        psi_ns = int(re.search(r"^some .*total=(\d+)$", text.read(), re.M)[1]) * 1000
    work_ns = int(recording.sql(
        "SELECT sum(wall_ns) FROM call WHERE function IN "
        "('try_to_compact_pages', 'try_to_free_pages') OR "
        "function LIKE '\\_\\_drain_all_pages%' ESCAPE '\\'")[1])
    judge.expect(f"stalls: {work_ns} of {psi_ns} ns", psi_ns and
                 abs(work_ns - psi_ns) <= 0.02 * psi_ns)


def judge_stalls(judge, recording):
    """The kernel counts how often each of the two reclaimed memory."""
    if recording.traced():
        judge_stalled_time(judge, recording)
    told = [counts[2] for counts in compactors_counts(recording)]
    ours = [recording.shares("try_to_free_pages", on_comm=comm, for_comm=comm)
            for comm in ("little", "much")]
    judge.expect(f"stalls: they reclaimed memory {ours} times",
                 ours == told and any(told), told)
    own = [row for row in recording.rows if row["kind"] == "reclaim" and
           row["on_comm"] in ("little", "much")]
    judge.expect("stalls: each is charged with its own, exactly", own and all(
        row["on_pid"] == row["for_pid"] and row["exact_ns"] == row["total_ns"]
        for row in own), own)


def judge_nmi(judge, recording):
    nmis = sum(int(row["count"]) for row in recording.table("function")
               if row["kind"] == "nmi")
    told = recording.after["NMI"] - recording.before["NMI"]
    # The last trace may fill a buffer, which raises one more NMI.
    judge.expect(f"nmi: {told} NMIs, as the kernel counts",
                 0 < told and told - nmis in (0, 1), nmis)
    judge_rcu(judge, recording, 1000)


CASES = {
    "disk": judge_disk,
    "udp": judge_udp,
    "arp": judge_arp,
    "sleep": judge_sleep,
    "work": judge_work,
    "writeback": judge_writeback,
    "threads": judge_threads,
    "rcu": judge_rcu,
    "reclaim": judge_reclaim,
    "compaction": judge_compaction,
    "stalls": judge_stalls,
    "tcp": judge_tcp,
    "loopback": judge_loopback,
    "handshakes": judge_handshakes,
    "network": judge_network,
    "rps": judge_rps,
    "nmi": judge_nmi,
    "ipi": judge_ipi,
}


def main():
    ktrace, folder, *cases = sys.argv[1:]
    judge = Judge()
    for case in cases:
        recording = Recording(ktrace, folder, case)
        CASES[case](judge, recording)
        judge_loss(judge, case, recording)
        judge_counts(judge, case, recording)
        judge_nobody(judge, case, recording)
        judge_sums(judge, case, recording)
        judge_profiles(judge, case, recording)
    judge.end()


main()
