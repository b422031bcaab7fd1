# SPDX-License-Identifier: MIT
"""Judges the recordings of attribution_interrupts.sh: judge_interrupts.py
KTRACE FOLDER CASE...  One line a check."""
import collections
import csv
import functools
import io
import json
import os
import re
import subprocess
import sys

from perf_input import perf_lines
from waits import Judge

IS_FULL = "KTRACE_FULL" in os.environ
# Of how many processes the own profiles are read otherwise.
MOST_PROFILES = 3
TICKS = {"tick_nohz_handler", "tick_sched_timer"}
# An interrupt's way in, and out, where what interrupts jumps to.
INTERRUPT = re.compile(r"asm_(common_interrupt|sysvec_|exc_nmi)|irq_entries_start"
                       r"|error_return|restore_regs_and_return|native_irq_return"
                       r"|el1h_64_|ret_to_k|(first|repeat|end_repeat)_nmi|nmi_restore")


class Recording:
    def __init__(self, ktrace, folder, case):
        self.ktrace, self.path = ktrace, f"{folder}/{case}"
        self.rows = self.table("both")
        self.before, self.after = (
            self.system_counts(f"{self.path}.{when}")
            for when in ("before", "after"))

    @staticmethod
    def system_counts(path):
        """What /proc/interrupts said, by name, over all CPUs."""
        counts = collections.Counter()
        with open(path, encoding="utf-8") as text:
            for line in text.readlines()[1:]:
                name, *fields = line.split()
                for field in fields:
                    if not field.isdigit():
                        break
                    counts[name.rstrip(":")] += int(field)
        return counts

    def disk_interrupt(self):
        """What its interrupts are called by, as a pattern: its queue, or the first of the
        devices that it shares a wire with."""
        with open(f"{self.path}.disk", encoding="utf-8") as text:
            disk = text.read().strip()
        with open(f"{self.path}.before", encoding="utf-8") as text:
            wires = [re.findall(r"virtio[^\s,]+", line) for line in text]
        return next(re.escape(wire[0]) for wire in wires
                    if disk in wire or f"{disk}-req.0" in wire)

    @functools.cache
    def run(self, *arguments):
        return subprocess.run(
            [self.ktrace, "report", *arguments, "-i", self.path],
            check=True, capture_output=True, text=True).stdout

    def table(self, grouping, *arguments):
        text = self.run(f"--interrupts={grouping}", "--format=csv",
                        *arguments)
        rows = list(csv.DictReader(io.StringIO(text)))
        for row in rows:
            for name, value in row.items():
                if name.endswith("_ns"):
                    row[name] = int(value)
        return rows

    def total(self, column="total_ns", **wanted):
        """Sum over the rows whose fields are, or match, what is wanted."""
        return sum(row[column] for row in self.rows
                   if all(re.fullmatch(pattern, row[name])
                          for name, pattern in wanted.items()))

    def count(self, function, **wanted):
        return round(sum(
            float(row["count"]) for row in self.rows
            if row["function"] == function
            and all(row[name] == value for name, value in wanted.items())))

    @functools.cache
    def traced(self):
        """From when to when the only CPU was traced; None if there are more."""
        cpus = json.loads(self.run("--format=json"))["cpus"]
        if len(cpus) > 1:
            return None
        with subprocess.Popen(
                [self.ktrace, "timeline", "--format=csv", "--top=1",
                 "-i", self.path], stdout=subprocess.PIPE, text=True) as run:
            start = next(int(row["time_ns"])
                         for row in csv.DictReader(run.stdout)
                         if row["event"] == "enter")
            run.stdout.read()
        return start, start + cpus[0]["wall_ns"]

    @functools.cache
    def perf_lines(self, fields):
        return perf_lines(self.path, fields, "--ns")

    def events(self, event, start, end):
        """What perf says of a tracepoint."""
        form = re.compile(r"^\s*(\d+)\.(\d{9}):\s+" + event + r":\s+(.*)$")
        lines = self.perf_lines("time,event,trace")
        found = [m for m in map(form.match, lines) if m]
        return [m[3] for m in found
                if start <= int(m[1]) * 10**9 + int(m[2]) <= end]

    def wakings(self):
        """Who wakes whom, from which CPU to which, by perf."""
        lines = self.perf_lines("comm,cpu,time,event,trace")
        form = re.compile(r"^\s*(.*?)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+"
                          r"sched:sched_waking:\s+comm=(.*) pid=\d+ "
                          r"prio=\d+ target_cpu=(\d+)$")
        return [{"by": m[1], "cpu": int(m[2]), "comm": m[5],
                 "target": int(m[6]),
                 "time_ns": int(m[3]) * 10**9 + int(m[4])}
                for m in map(form.match, lines) if m]


def judge_bystander(judge, case, recording):
    judge.expect(f"{case}: nothing was for the bystander",
                 recording.total(for_comm="hog") == 0,
                 [r for r in recording.rows if r["for_comm"] == "hog"])


def judge_share(judge, name, recording, whom, **work):
    """At least 95 % of the work was for whom, exactly so."""
    whole = recording.total(**work)
    part = recording.total("exact_ns", for_comm=whom, **work)
    judge.expect(f"{name}: {part} of {whole} ns for {whom}",
                 whole > 0 and part >= 0.95 * whole)


FREES = ("skb:consume_skb", "skb:kfree_skb")


def of_packets(whose):
    """Divides one among those whose packets there are: nobody's if none."""
    shares = collections.Counter()
    for comm in whose or ["nobody"]:
        shares[comm] += 1 / max(len(whose), 1)
    return shares


class Packets:
    """What a device's interrupts and polls were for, packet by packet, as perf's
    events tell, and the trace which interrupts asked for a poll: one that comes
    while the device waits for its poll already does nothing.

    A poll gets packets, which @user frees when it has read them, or it frees those
    that @user has sent.
    """

    EVENT = re.compile(r"^\s*(.*?)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):"
                       r"\s+(\w+:\w+):\s+(.*)$")

    def __init__(self, recording, queue, net_device, user, events):
        self.queue, self.net_device = queue, net_device
        self.user, self.kinds = user, events
        self.asks = self.asking(recording)
        self.interrupts = collections.Counter()
        self.polls = collections.Counter()
        self.waiting = collections.defaultdict(int)
        self.polled = collections.defaultdict(list)
        self.begun_ns = {}
        lines = recording.perf_lines("comm,cpu,time,event,trace")
        self.events = [(m[1], int(m[2]), int(m[3]) * 10**9 + int(m[4]), m[5],
                        m[6]) for m in map(self.EVENT.match, lines) if m]
        self.owners = self.owners_of_packets()
        for at, event in enumerate(self.events):
            self.take(at, *event)

    @staticmethod
    def asking(recording):
        """When each CPU called what puts a device among those to be polled."""
        with subprocess.Popen(
                [recording.ktrace, "timeline", "--format=csv",
                 "--function=/^_+napi_schedule/", "-i", recording.path],
                stdout=subprocess.PIPE, text=True) as run:
            asks = collections.defaultdict(list)
            for row in csv.DictReader(run.stdout):
                if row["event"] == "enter" and \
                        "napi_schedule" in row["function"]:
                    asks[int(row["cpu"])].append(int(row["time_ns"]))
        return asks

    def packets(self):
        """Where events are of packets: which, and what happens by whom."""
        for at, (comm, _, _, event, text) in enumerate(self.events):
            skb = re.search(r"skbaddr=(\w+)", text)
            if skb:
                yield at, skb[1], event, comm

    def owners_of_packets(self):
        """Who sent each packet that is freed, and who frees each that comes."""
        owners, sent, coming = {}, {}, {}
        for at, packet, event, comm in self.packets():
            if event == "net:net_dev_queue":
                sent[packet] = comm
            elif event == "net:napi_gro_receive_entry":
                coming[packet] = at
                owners[at] = None
            elif event in FREES and packet in sent:
                owners[at] = sent.pop(packet)
            elif event in FREES and packet in coming:
                owners[coming.pop(packet)] = comm
        return owners

    def take(self, at, _, cpu, time_ns, event, text):
        if event == "irq:irq_handler_entry" and \
                re.search(rf" name={self.queue}$", text):
            self.begun_ns[cpu] = time_ns
        elif event == "irq:irq_handler_exit" and cpu in self.begun_ns:
            begun_ns = self.begun_ns.pop(cpu)
            if any(begun_ns < ask_ns < time_ns for ask_ns in self.asks[cpu]):
                self.waiting[cpu] += 1
            else:
                self.interrupts["nobody"] += 1
        elif event == "irq:softirq_entry" and "NET_RX" in text:
            self.polled[cpu] = []
        elif at in self.owners:
            self.polled[cpu].append((event, self.owners[at]))
        elif event == "napi:napi_poll":
            self.end_poll(cpu, text)

    def end_poll(self, cpu, text):
        polled, self.polled[cpu] = self.polled[cpu], []
        if f"for device {self.net_device} " not in text:
            return
        shares = of_packets([comm if comm == self.user else "nobody"
                             for event, comm in polled if event in self.kinds])
        self.polls += shares
        for comm, share in shares.items():
            self.interrupts[comm] += share * self.waiting[cpu]
        self.waiting[cpu] = 0


def judge_packets(judge, name, recording, packets, poll):
    """How many interrupts and polls were for a process is what its packets tell; the
    rest found nothing, and is nobody's.  Of that the trace may have one more or less
    than the events, at the recording's begin and end."""
    queue = {"device": packets.queue, "kind": "interrupt"}
    for what, told, rows in (
            ("interrupts", packets.interrupts, queue),
            ("polls", packets.polls, {"kind": "napi", "function": poll})):
        counts = collections.Counter()
        for row in recording.rows:
            if all(re.fullmatch(pattern, row[field])
                   for field, pattern in rows.items()):
                counts[row["for_comm"]] += float(row["count"])
        judge.expect(f"udp: {told[name]:g} {what} of {sum(told.values()):g} "
                     f"were for the {name}, packet by packet",
                     told[name] > 0 and abs(counts[name] - told[name]) < 0.01
                     and counts.keys() <= {name, "nobody"}, counts)


def judge_loss(judge, case, recording):
    with open(f"{recording.path}.err", encoding="utf-8") as told:
        text = told.read()
    judge.expect(f"{case}: nothing was lost",
                 "nothing lost" in text and text.count("lost") == 1, text)


def judge_counts(judge, case, recording):
    """Interrupts and soft interrupts are as many as the kernel says."""
    traced = recording.traced()
    if not traced:
        return
    handlers = collections.Counter(
        re.match(r"irq=(\d+) name=(\S+)", text).groups()
        for text in recording.events("irq:irq_handler_entry", *traced))
    # Devices that share a wire are all asked.
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


def judge_sums(judge, case, recording):
    """The threads' interrupt time and that of idle CPUs is all of it."""
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


def flat(recording, *arguments):
    """Functions of a flat profile, several of one name perhaps, and their
    times; none if nothing ran."""
    try:
        text = recording.run("--flat", "--format=csv", *arguments)
    except subprocess.CalledProcessError:
        return []
    return [(row["function"], int(row["self_ns"]))
            for row in csv.DictReader(io.StringIO(text))]


def time_of(profile):
    return sum(ns for _, ns in profile)


def paths_of(recording, pid):
    """In how many paths a process's work by beneficiary is."""
    return subprocess.run(
        [recording.ktrace, "flamegraph", "--folded", "--pid", str(pid),
         "--with-tracer", "--bill=beneficiary", "-i", recording.path],
        check=True, capture_output=True, text=True).stdout.count("\n")


def moved_times(recording):
    """Of each process: what others' time was for it, less what of its own was for
    others."""
    moved = collections.Counter()
    for row in recording.rows:
        moved[int(row["for_pid"])] += row["total_ns"]
        moved[int(row["on_pid"])] -= row["total_ns"]
    return {pid: ns for pid, ns in moved.items() if pid not in (0, -1)}


def judge_profiles(judge, case, recording):
    """A profile by beneficiary has of others' time what was for a process, and
    not what of its own was for others: to the nanosecond.  The full tier
    reads the profile of each process, the others of those that most was moved of.
    """
    moved = moved_times(recording)
    whole = [flat(recording, "--with-idle", "--with-tracer", bill)
             for bill in ("--bill=victim", "--bill=beneficiary")]
    judge.expect(f"{case}: profiles by victim and beneficiary have all time",
                 time_of(whole[0]) == time_of(whole[1]) > 0,
                 *map(time_of, whole))
    wrong, moved_ns = {}, 0
    pids = sorted(moved, key=lambda pid: (-abs(moved[pid]), pid))
    for pid in pids if IS_FULL else pids[:MOST_PROFILES]:
        # Whether work that begins within the tracer is the tracer's depends
        # on where the profile has it.
        profiles = [flat(recording, "--pid", str(pid), "--with-tracer",
                         f"--bill={bill}")
                    for bill in ("victim", "beneficiary")]
        victim, beneficiary = map(time_of, profiles)
        others = moved[pid]
        moved_ns += abs(others)
        # Work for several is shared out path by path, in whole nanoseconds.
        wrong_ns = abs(beneficiary - victim - others)
        if wrong_ns > len(profiles[1]) and wrong_ns > paths_of(recording, pid):
            wrong[pid] = (victim, beneficiary, others)
    judge.expect(f"{case}: profiles of processes by beneficiary",
                 moved_ns and not wrong, wrong)


def is_below(names, handler):
    """Whether a path goes through the handler, and not on into an interrupt of
    it, which is work of its own."""
    at = next((i for i, name in enumerate(names) if re.fullmatch(handler, name)),
              None)
    return at is not None and not any(map(INTERRUPT.match, names[at:]))


@functools.cache
def folded(recording, bill, *options):
    """The lines of a flame graph of all processes."""
    return subprocess.run(
        [recording.ktrace, "flamegraph", "--folded", "--by=process",
         "--with-idle", f"--bill={bill}", *options, "-i", recording.path],
        check=True, capture_output=True, text=True).stdout.splitlines()


def work_below(recording, bill, handler="", *options):
    """Own time of each function below the handler (or of all), by the process
    in whose profile it is."""
    work = collections.defaultdict(collections.Counter)
    for line in folded(recording, bill, *options):
        path, time_ns = line.rsplit(" ", 1)
        frames = [frame.split(":", 1) for frame in path.split(";")]
        names = [frame[-1] for frame in frames]
        if not handler or is_below(names, handler):
            work[frames[-1][0].rstrip("ku")][names[-1]] += int(time_ns)
    return work


def without(whole, shown):
    """What is left out of each process's work."""
    return {pid: left for pid, work in whole.items()
            if (left := work - shown[pid])}


def judge_tracer(judge, case, recording, whom_pids, handler):
    """The tracer's own work below a handler is its own by both bills, function by
    function, of whom it kept from going on."""
    ran, paid = (without(work_below(recording, bill, handler, "--with-tracer"),
                         work_below(recording, bill, handler))
                 for bill in ("victim", "beneficiary"))
    functions = sum(ran.values(), collections.Counter())
    judge.expect(f"{case}: {len(functions)} functions of the tracer below "
                 f"{handler} are theirs in whose time they ran",
                 len(functions) > 5 and ran == paid and set(ran) - whom_pids,
                 {pid: work - paid.get(pid, collections.Counter())
                  for pid, work in ran.items()}, set(paid))


def judge_functions(judge, case, recording, whom, handler):
    """All that a handler calls is, function by function, in the profile of the
    one it was for, and in nobody else's.  What the tracer does there is where it
    ran, and so left out; all other work is only moved."""
    whole = [work_below(recording, bill, "", "--with-tracer")
             for bill in ("victim", "beneficiary")]
    sums = [sum(work.values(), collections.Counter()) for work in whole]
    judge.expect(f"{case}: each function's time is the same by both bills",
                 sums[0] == sums[1] and len(sums[0]) > 100,
                 {name: (sums[0][name], sums[1][name])
                  for name in sums[0] | sums[1]
                  if sums[0][name] != sums[1][name]})
    pids = {row["for_pid"] for row in recording.rows
            if row["for_comm"] == whom}
    ran, paid = (work_below(recording, bill, handler)
                 for bill in ("victim", "beneficiary"))
    functions = sum(ran.values(), collections.Counter())
    judge.expect(f"{case}: {len(functions)} functions below {handler} ran in "
                 f"others' time, and all of each is {whom}'s",
                 len(functions) > 5 and len(pids) == 1 and set(paid) == pids
                 and paid[next(iter(pids))] == functions
                 and set(ran) - pids, set(ran), pids,
                 {pid: functions - work for pid, work in paid.items()})
    judge_tracer(judge, case, recording, pids, handler)


def judge_disk(judge, recording):
    disk = {"device": recording.disk_interrupt()}
    judge_share(judge, "disk: its interrupts", recording, "reader", **disk)
    judge.expect("disk: others than the reader were interrupted",
                 recording.total(**disk, on_comm="reader")
                 < 0.05 * recording.total(**disk))
    # On one CPU it is the thread of the delayed disk that is there.
    if not recording.traced():
        judge.expect("disk: the bystander was interrupted",
                     recording.total(**disk, on_comm="hog")
                     >= 0.5 * recording.total(**disk))
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
    judge_packets(judge, "receiver", recording,
                  Packets(recording, receive["device"], "eth1", "receiver",
                          ("net:napi_gro_receive_entry",)), "virtnet_poll")
    judge_packets(judge, "sender", recording,
                  Packets(recording, send["device"], "eth0", "sender",
                          FREES),
                  "virtnet_poll_tx")
    # With several CPUs the host's clock says how long each took.
    judge.expect("udp: the bystander was interrupted",
                 recording.total(**receive, on_comm="hog")
                 >= (0.5 if recording.traced() else 0.1)
                 * recording.total(**receive))
    functions = {comm: flat(recording, "--comm", comm)
                 for comm in ("receiver", "hog")}
    # It is on the way to what interrupts it, too, which is for others.
    receive = [[name for name, ns in of if name.endswith("__udp4_lib_rcv") and ns]
               for of in functions.values()]
    judge.expect("udp: the receiver's profile has what received, hog's not",
                 receive[0] and not receive[1], receive)
    judge_functions(judge, "udp", recording, "receiver", "virtnet_poll")
    judge_bystander(judge, "udp", recording)


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
    judge_share(judge, "work: writeback by kworkers", recording, "writer",
                kind="work_item", function="wb_workfn")
    judge.expect("work: it is no interrupt time",
                 recording.total(kind="work_item", time="interrupt") == 0)
    disk = {"device": recording.disk_interrupt()}
    judge.expect("work: interrupts of its requests",
                 recording.total("exact_ns", for_comm="writer", **disk) > 0)
    judge.expect("work: interrupts of the journal's requests",
                 recording.total("exact_ns", for_comm="jbd2/.*", **disk) > 0)


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
    # And now and then one of somebody else.
    judge.expect(f"rcu: {files} files were freed",
                 files <= freed <= files * 1.1, freed)
    callbacks = [row for row in recording.rows if row["kind"] == "rcu"]
    judge.expect("rcu: callbacks are the system's", all(
        row["for_comm"] == "system" for row in callbacks), callbacks)


def judge_nmi(judge, recording):
    nmis = sum(int(row["count"]) for row in recording.table("function")
               if row["kind"] == "nmi")
    told = recording.after["NMI"] - recording.before["NMI"]
    # What the trace's end fills a buffer with asks for one more.
    judge.expect(f"nmi: {told} NMIs, as the kernel counts",
                 0 < told and told - nmis in (0, 1), nmis)
    judge_rcu(judge, recording, 1000)


# How much may be wrong of whom IPIs were for: of two that are on their way at a time
# it is not recorded which comes first.  To take one of the two tasks for the other, or
# to miss one of them, would be wrong by half or more.
IPI_DOUBT = 0.2
SENDS_IPI = "native_(smp_send_reschedule|send_call_func)"


def ipi_calls(recording):
    """When which CPU called what sends an IPI, and when it was done with a wake-up
    ("")."""
    with subprocess.Popen(
            [recording.ktrace, "timeline", "--format=csv",
             f"--function=/^{SENDS_IPI}|^try_to_wake_up$/",
             "-i", recording.path], stdout=subprocess.PIPE, text=True) as run:
        calls = []
        for row in csv.DictReader(run.stdout):
            is_wake = row["function"] == "try_to_wake_up"
            if row["event"] == ("exit" if is_wake else "enter") and \
                    (is_wake or re.match(SENDS_IPI, row["function"])):
                calls.append((int(row["time_ns"]), int(row["cpu"]),
                              "" if is_wake else row["function"]))
        return calls


def has_sent(wake, calls):
    """Whether a wake-up sent an IPI.  It needs none if another has one on its way
    there, or if who is woken is still on its way to sleep."""
    return next((bool(function) for time_ns, cpu, function in calls
                 if cpu == wake["cpu"] and time_ns >= wake["time_ns"]), False)


def judge_ipi(judge, recording):
    """While two wake each other, from CPU to CPU."""
    turns = [w for w in recording.wakings() if {w["by"], w["comm"]} ==
             {"pinger", "ponger"} and w["cpu"] != w["target"]]
    start, end = turns[0]["time_ns"], turns[-1]["time_ns"]
    rows = [row for row in recording.table(
        "both", f"--since={start / 1e9:.9f}", f"--until={end / 1e9:.9f}")
        if row["kind"] == "ipi"]
    calls = ipi_calls(recording)
    for comm in ("pinger", "ponger"):
        woken = [w for w in turns[:-1] if w["comm"] == comm]
        sent = sum(has_sent(wake, calls) for wake in woken)
        count = sum(float(row["count"]) for row in rows
                    if row["for_comm"] == comm)
        judge.expect(f"ipi: {count:.0f} for {sent} that {len(woken)} wake-ups of "
                     f"{comm} sent",
                     0 < sent and abs(count - sent) <= max(1, IPI_DOUBT * sent),
                     rows)
    # Others send some, too; one may be on its way at either end.
    sent = sum(start <= time_ns <= end for time_ns, _, function in calls
               if function)
    count = sum(float(row["count"]) for row in rows)
    judge.expect(f"ipi: {count:.0f} in all, as were sent", abs(count - sent) <= 1,
                 sent, rows)


def main():
    ktrace, folder, *cases = sys.argv[1:]
    judge = Judge()
    for case in cases:
        recording = Recording(ktrace, folder, case)
        globals()[f"judge_{case}"](judge, recording)
        judge_loss(judge, case, recording)
        judge_counts(judge, case, recording)
        judge_sums(judge, case, recording)
        judge_profiles(judge, case, recording)
    judge.end()


main()
