# SPDX-License-Identifier: MIT
"""report --network of recordings of attribution_interrupts.sh: the program's own
clock, the sizes of what it sent, and perf's events."""
import csv
import io
import re

BLOCK, HEADERS = 65536, 20 + 32  # of IPv4, and of TCP with time stamps
DATAGRAMS, WAIT_NS = 20, 4_000_000


def packets(recording, *options, **wanted):
    """Returns the sums of the numbers of the rows that match."""
    sums = {}
    text = recording.run("--network", "--format=csv", *options)
    for row in csv.DictReader(io.StringIO(text)):
        if all(row[name] == value for name, value in wanted.items()):
            for name, value in row.items():
                if value.isdigit():
                    sums[name] = sums.get(name, 0) + int(value)
    return sums


def check_sql(judge, case, recording):
    """SQL's packets are those that the report adds up."""
    parts = ("interrupt_ns", "backlog_ns", "stack_ns", "socket_ns", "queue_ns",
             "device_ns")
    rows = csv.DictReader(recording.sql(
        "SELECT kind, device, count(*) AS count, sum(is_open AND "
        "kind <> 'acknowledged') AS open, sum(bytes) AS bytes, "
        "sum(is_inferred) AS inferred, sum(is_thread) AS threads, " + ", ".join(
            f"coalesce(sum({part}), 0) AS {part}" for part in parts) +
        " FROM packet GROUP BY 1, 2"))
    for row in rows:
        ours = packets(recording, "--with-tracer", device=row["device"],
                       kind=row["kind"])
        judge.expect(f"{case}: SQL's packets: {row['kind']} {row['device']}",
                     all(ours[name] == int(value) for name, value in row.items()
                         if value.isdigit()), row, ours)


def times(recording, event, device=""):
    """Returns the times of an event, with the packet's address or None."""
    form = re.compile(r"^\s*(\d+)\.(\d{9}):\s+" + event + r":\s+(.*)$")
    for line in recording.perf_lines("time,event,trace"):
        found = form.match(line)
        if found and device in found[3]:
            skb = re.search(r"skbaddr=(\w+)", found[3])
            yield (int(found[1]) * 10**9 + int(found[2]),
                   skb[1] if skb else None)


def sent_ns(recording):
    """Returns how long perf saw packets of eth0 from queue to end."""
    whole, queued = 0, {}
    events = sorted(
        [(*at, 0) for at in times(recording, "net:net_dev_queue", "eth0")] +
        [(*at, 1) for at in times(recording, "skb:consume_skb")])
    for time_ns, skb, ends in events:
        if not ends:
            queued[skb] = time_ns
        elif skb in queued:
            whole += time_ns - queued.pop(skb)
    return whole


def interrupt_ns(recording, queue):
    """Returns how long after their interrupts perf saw packets of eth1, and
    their number."""
    events = sorted(
        [(at, 0) for at, _ in times(recording, "irq:irq_handler_entry",
                                    queue)] +
        [(at, 1) for at, _ in times(recording, "net:napi_gro_receive_entry",
                                    "eth1")])
    last, whole, count = 0, 0, 0
    for time_ns, arrives in events:
        if not arrives:
            last = time_ns
        elif last:
            whole, count = whole + time_ns - last, count + 1
    return whole, count


def input_of(recording):
    """Returns the name of the interrupt of eth1: of the later device."""
    names = {re.search(r"name=(\S+-input\.0)", text)[1]
             for text in recording.events("irq:irq_handler_entry", 0,
                                          float("inf")) if "-input.0" in text}
    return max(names, key=lambda name: int(re.search(r"\d+", name)[0]))


def judge_late(judge, case, recording):
    """A program that reads each datagram late. Its time contains ours, and ours
    its sleeps, on any host. On one CPU only the instructions between the
    kernel's events and the program's clock are the difference."""
    with open(f"{recording.path}.out", encoding="utf-8") as out:
        told_ns = int(out.read().split()[-1])
    ours = packets(recording, device="eth1", kind="received",
                   comm="waiter")
    ours_ns = ours["stack_ns"] + ours["socket_ns"]
    judge.expect(f"{case}: {ours['count']} datagrams are read, {ours_ns} of "
                 f"{told_ns} ns after the kernel had them",
                 (ours["count"], ours["open"], ours["inferred"]) ==
                 (DATAGRAMS, 0, 0) and
                 DATAGRAMS * WAIT_NS <= ours_ns <= told_ns and
                 (not recording.traced() or ours_ns >= 0.98 * told_ns), ours)
    backlog = DATAGRAMS if case == "rps" else 0
    judge.expect(f"{case}: {backlog} of them passed the backlog",
                 ours["from_backlog"] == backlog, ours)
    # With threadirqs no packet is processed in an interrupt.
    threads = DATAGRAMS if "/ksoftirqd/" in recording.path else 0
    judge.expect(f"{case}: at least {threads} of them in threads",
                 ours["threads"] >= threads, ours)
    judge.expect(f"{case}: {ours['sleeps']} sleeps were ended by them",
                 0 < ours["sleeps"] <= DATAGRAMS and ours["slept_ns"] > 0,
                 ours)
    check_sql(judge, case, recording)
    sent = packets(recording, device="eth0", kind="sent", comm="sender")
    judge.expect(f"{case}: {sent['count']} datagrams are sent",
                 (sent["count"], sent["open"]) == (DATAGRAMS, 0), sent)


def judge_network(judge, recording):
    judge_late(judge, "network", recording)
    if not recording.traced():
        return
    judge_sent(judge, recording)
    # The thread of an interrupt starts some time after it.
    if "/ksoftirqd/" in recording.path:
        return
    ours = packets(recording, device="eth1", kind="received", comm="waiter")
    told_ns, count = interrupt_ns(recording, input_of(recording))
    judge.expect(f"network: {ours['interrupt_ns']} ns after their interrupts",
                 count >= DATAGRAMS and not ours["polled"] and
                 0 <= ours["interrupt_ns"] - told_ns * DATAGRAMS / count
                 <= 2000 * DATAGRAMS, told_ns, count, ours)


def judge_sent(judge, recording):
    sent = packets(recording, device="eth0", kind="sent")
    told_ns = sent_ns(recording)
    ours_ns = sent["queue_ns"] + sent["device_ns"]
    judge.expect(f"network: {ours_ns} ns from the sender to the device's end",
                 told_ns and abs(ours_ns - told_ns) <= 0.02 * told_ns,
                 told_ns)


def judge_rps(judge, recording):
    judge_late(judge, "rps", recording)


def judge_stream(judge, case, recording, device, blocks):
    """The connection's data is as large as the program made it. How much of it
    is in the sink's row depends on the host: no event shows a reader of data that
    came before the connection had a user, or that no reader was told of."""
    data = {}
    for kind in "received", "acknowledged":
        ours = packets(recording, device=device, kind=kind)
        data[kind] = ours.get("bytes", 0) - HEADERS * ours.get("count", 0)
    whole = sum(data.values())
    judge.expect(f"{case}: {whole} bytes of data arrived",
                 abs(whole - blocks * BLOCK) <= 0.02 * blocks * BLOCK, data)
    ours = packets(recording, device=device, kind="received", comm="sink")
    read = ours["bytes"] - HEADERS * ours["count"]
    judge.expect(f"{case}: the sink read {read} of them",
                 0.5 * whole <= read <= whole * 1.02, ours)
    ours = packets(recording, device=device, kind="sent", comm="sink")
    judge.expect(f"{case}: the sink acknowledges, and sends no data",
                 0 < ours.get("bytes", 0) <= 80 * ours.get("count", 0), ours)
    all_packets = packets(recording)["count"]
    unknown = packets(recording, comm="?").get("count", 0)
    judge.expect(f"{case}: {unknown} of {all_packets} packets are nobody's",
                 unknown <= max(0.02 * all_packets, 4))


def connections(recording, is_sent):
    """Returns the packets of each connection, which its two largest start."""
    size = (14 if is_sent else 0) + 20 + 40
    found = []
    for row in csv.DictReader(recording.sql(
            "SELECT comm, bytes, is_inferred FROM packet WHERE device = 'lo' "
            f"AND (kind = 'sent') = {int(is_sent)} ORDER BY begin_ns")):
        if int(row["bytes"]) == size and (not found or len(found[-1]) > 1):
            found.append([])
        if found:
            found[-1].append((row["comm"], row["is_inferred"] == "1"))
    return found


def judge_handshakes(judge, recording):
    """The knocker starts each connection, the doorkeeper accepts it, and the
    knocker resets it: the first three packets and the last one of each have a
    process. What no task sends or reads itself is inferred."""
    client, server, is_inferred = "knocker", "doorkeeper", True
    sent = connections(recording, True)
    judge.expect(f"handshakes: {len(sent)} connections are from the client",
                 len(sent) == 10 and all(
                     (*packets[:2], packets[2][0], packets[-1]) ==
                     ((client, False), (server, is_inferred), client,
                      (client, False)) for packets in sent), sent)
    arrived = connections(recording, False)
    judge.expect("handshakes: they are for the server",
                 len(arrived) == 10 and all(
                     (*packets[:3], packets[-1]) ==
                     ((server, is_inferred), (client, is_inferred),
                      (server, is_inferred), (server, is_inferred))
                     for packets in arrived), arrived)


def loopback_polls(recording, port):
    """Returns, by the kernel's records of packets, how many polls of the
    backlog were for the end of a connection that listens at @port and reads,
    how many for its other end, and how many for packets that start or end it. A
    poll of several packets counts for each in equal parts.

    tcp_probe tells a packet's receiver, sometimes long after the poll, as a
    socket in use keeps its packets. The socket merges some of them, without a
    record: then a packet with data is for the reader, and one without is an
    acknowledgement for the other end."""
    form = re.compile(r"^\s*\[(\d+)\]\s+\d+\.\d+:\s+\w+:(\w+):\s+(.*)$")
    packets_in_order, polls, received, pending = [], [], {}, {}
    for line in recording.perf_lines("cpu,time,event,trace"):
        found = form.match(line)
        if not found:
            continue
        cpu, event, text = found.groups()
        skb = re.search(r"skbaddr=(\w+)", text)
        if event == "netif_receive_skb" and "dev=lo " in text:
            data = int(re.search(r"len=(\d+)", text)[1]) - HEADERS
            packet = {"data": data, "end": None}
            packets_in_order.append(packet)
            pending[skb[1]] = packet
            received.setdefault(cpu, []).append(packet)
        elif event == "tcp_probe" and skb[1] in pending:
            reads = re.search(r"src=\S+:(\d+) ", text)[1] == str(port)
            pending.pop(skb[1])["end"] = "reader" if reads else "writer"
        elif event == "napi_poll" and "(no_device)" in text:
            polls.append(received.pop(cpu, []))
    # Three packets start a connection, and up to four end it.
    for packet in packets_in_order[3:-4]:
        packet["end"] = packet["end"] or (
            "reader" if packet["data"] else "writer")
    counts = {"reader": 0, "writer": 0, None: 0}
    for poll in polls:
        for packet in poll:
            counts[packet["end"]] += 1 / len(poll)
    return counts
