# SPDX-License-Identifier: MIT
"""The beneficiaries of a network device's interrupts and polls, from its
packets."""
import collections
import csv
import re
import subprocess

FREES = ("skb:consume_skb", "skb:kfree_skb")


def of_packets(whose):
    """Divides one interrupt or poll among the owners of its packets, or
    assigns it to nobody if there are none."""
    shares = collections.Counter()
    for comm in whose or ["nobody"]:
        shares[comm] += 1 / max(len(whose), 1)
    return shares


class Packets:
    """The beneficiaries of a device's interrupts and polls, packet by packet, from
    perf's events. The trace shows which interrupts requested a poll: an interrupt
    that arrives while the device waits for its poll does nothing, and one that
    arrives after @poll has begun requests the next one.

    A poll receives packets, which @user frees after reading them, or it frees
    packets that @user has sent.
    """

    EVENT = re.compile(r"^\s*(.*?)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):"
                       r"\s+(\w+:\w+):\s+(.*)$")

    def __init__(self, recording, queue, net_device, user, events, poll):
        self.queue, self.net_device = queue, net_device
        self.user, self.kinds = user, events
        self.asks = self.calls(recording, "_+napi_schedule.*")
        self.begins = self.calls(recording, poll)
        self.interrupts = collections.Counter()
        self.polls = collections.Counter()
        self.waiting = collections.defaultdict(list)
        self.polled = collections.defaultdict(list)
        self.begun_ns = {}
        lines = recording.perf_lines("comm,cpu,time,event,trace")
        self.events = [(m[1], int(m[2]), int(m[3]) * 10**9 + int(m[4]), m[5],
                        m[6]) for m in map(self.EVENT.match, lines) if m]
        self.owners = self.owners_of_packets()
        for at, event in enumerate(self.events):
            self.take(at, *event)

    @staticmethod
    def calls(recording, function):
        """Returns the times at which each CPU called the function, a regular
        expression."""
        with subprocess.Popen(
                [recording.ktrace, "timeline", "--format=csv",
                 f"--function=/^{function}$/", "-i", recording.path],
                stdout=subprocess.PIPE, text=True) as run:
            calls = collections.defaultdict(list)
            for row in csv.DictReader(run.stdout):
                if row["event"] == "enter" and \
                        re.fullmatch(function, row["function"]):
                    calls[int(row["cpu"])].append(int(row["time_ns"]))
        return calls

    def packets(self):
        """Yields index, packet, event and task of each event of a packet."""
        for at, (comm, _, _, event, text) in enumerate(self.events):
            skb = re.search(r"skbaddr=(\w+)", text)
            if skb:
                yield at, skb[1], event, comm

    def owners_of_packets(self):
        """Returns the sender of each packet that is freed after sending,
        and the task that frees each received packet."""
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
                self.waiting[cpu].append(begun_ns)
            else:
                self.interrupts["nobody"] += 1
        elif event == "irq:softirq_entry" and "NET_RX" in text:
            self.polled[cpu] = []
        elif at in self.owners:
            self.polled[cpu].append((event, self.owners[at]))
        elif event == "napi:napi_poll":
            self.end_poll(cpu, time_ns, text)

    def end_poll(self, cpu, end_ns, text):
        polled, self.polled[cpu] = self.polled[cpu], []
        if f"for device {self.net_device} " not in text:
            return
        shares = of_packets([comm if comm == self.user else "nobody"
                             for event, comm in polled if event in self.kinds])
        self.polls += shares
        begin_ns = max((ns for ns in self.begins[cpu] if ns < end_ns),
                       default=end_ns)
        asked = [ns for ns in self.waiting[cpu] if ns < begin_ns]
        for comm, share in shares.items():
            self.interrupts[comm] += share * len(asked)
        del self.waiting[cpu][:len(asked)]
