# SPDX-License-Identifier: MIT
"""Exports of ktrace-hw read back as spans: (name, begin_ns, end_ns)."""
import csv
import json
import os
import re
import subprocess
import zlib

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "perfetto.proto")


class Tracks:
    """Begins and ends of many tracks; refuses what does not nest."""

    def __init__(self):
        self.spans = {}
        self.open = {}
        self.last_ns = {}

    def _at(self, track, time_ns):
        last = self.last_ns.get(track, 0)
        assert time_ns >= last, f"track {track}: {time_ns} comes after {last}"
        self.last_ns[track] = time_ns
        return self.open.setdefault(track, [])

    def begin(self, track, time_ns, name):
        self._at(track, time_ns).append((name, time_ns))

    def end(self, track, time_ns):
        stack = self._at(track, time_ns)
        assert stack, f"track {track}: an end at {time_ns} has no begin"
        name, begin_ns = stack.pop()
        self.spans.setdefault(track, []).append((name, begin_ns, time_ns))

    def finish(self):
        for track, stack in self.open.items():
            assert not stack, f"track {track}: {stack} never ends"
        return self.spans


def of_csv(text):
    """By (tid, and for idle tasks the CPU)."""
    tracks = Tracks()
    for row in csv.DictReader(text.splitlines()):
        tid = int(row["tid"])
        track = (tid, 0 if tid > 0 else int(row["cpu"]))
        if row["event"] == "enter":
            tracks.begin(track, int(row["time_ns"]), row["function"])
        elif row["event"] == "exit":
            tracks.end(track, int(row["time_ns"]))
    return tracks.finish()


def _ns(microseconds):
    whole, _, rest = microseconds.partition(".")
    assert len(rest) == 3, f"'{microseconds}' has not three decimals"
    return int(whole) * 1000 + int(rest)


def of_chrome(text):
    """By (pid, tid); and the names of the threads."""
    document = json.loads(text, parse_float=str)
    tracks = Tracks()
    names = {}
    for event in document["traceEvents"]:
        track = event["pid"], event["tid"]
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                names[track] = event["args"]["name"]
        elif event["ph"] == "B":
            tracks.begin(track, _ns(event["ts"]), event["name"])
        else:
            assert event["ph"] == "E", event
            tracks.end(track, _ns(event["ts"]))
    return tracks.finish(), names


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _fields(data):
    """(number, bytes) of a message that has fields of bytes only."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        assert key & 7 == 2, f"field {key >> 3} is no message"
        size, at = _varint(data, at)
        assert at + size <= len(data), "cut"
        yield key >> 3, data[at:at + size]
        at += size


def _unpacked(path):
    """The packets of a trace, of which each holds compressed ones."""
    with open(path, "rb") as file:
        data = file.read()
    raw = []
    for number, packet in _fields(data):
        (inner, compressed), = _fields(packet)
        assert (number, inner) == (1, 50), (number, inner)
        assert len(packet) < 512 << 10, "too large a packet"
        raw.append(zlib.decompress(compressed))
    return b"".join(raw)


def _decode(path):
    done = subprocess.run(
        ["protoc", "--decode=perfetto.protos.Trace",
         f"--proto_path={os.path.dirname(PROTO)}", os.path.basename(PROTO)],
        input=_unpacked(path), stdout=subprocess.PIPE, check=True)
    text = done.stdout.decode()
    # protoc shows a field that the schema lacks by its number.
    assert not re.search(r"^\s*\d+[:{ ]", text, re.M), "unknown fields"
    return text


def _packets(text):
    """Each packet as a dictionary of its leaves' last values."""
    packet = None
    inside = []
    for line in text.splitlines():
        word = line.strip()
        if line == "packet {":
            packet, inside = {}, []
        elif line == "}":
            yield packet
        elif word.endswith("{"):
            inside.append(word[:-2])
        elif word == "}":
            inside.pop()
        else:
            key, _, value = word.partition(": ")
            packet[".".join(inside + [key])] = value.strip('"')


class Perfetto:
    """What Perfetto's importer makes of a file: its rules on sequences, clocks
    and interned names (protos/perfetto/trace/), for what we write."""

    def __init__(self, path):
        self.tracks = Tracks()
        self.names = {}      # of tracks
        self.tids = {}       # by track
        self.processes = {}  # pid -> name
        self.pids = {}       # tid -> pid
        self.switches = []   # (time_ns, cpu, prev_pid, next_pid, prev_state)
        self.sequences = {}  # id -> [track, time_ns, names]
        for packet in _packets(_decode(path)):
            self.take(packet)
        self.spans = self.tracks.finish()

    def take(self, packet):
        sequence = packet["trusted_packet_sequence_id"]
        if "ftrace_events.cpu" in packet:
            self.take_switch(packet)
        elif "clock_snapshot.clocks.clock_id" in packet:
            self.begin(sequence, packet)
        elif "track_descriptor.uuid" in packet:
            self.describe(packet)
        else:
            self.take_event(self.sequences[sequence], packet)

    def begin(self, sequence, packet):
        assert sequence not in self.sequences, "a sequence begins twice"
        assert packet["sequence_flags"] == "1", packet
        assert packet["clock_snapshot.clocks.clock_id"] == "64" == \
            packet["trace_packet_defaults.timestamp_clock_id"], packet
        assert packet["clock_snapshot.clocks.is_incremental"] == "true"
        self.sequences[sequence] = [
            packet["trace_packet_defaults.track_event_defaults.track_uuid"],
            int(packet["clock_snapshot.clocks.timestamp"]), {}]

    def describe(self, packet):
        uuid = packet["track_descriptor.uuid"]
        assert uuid not in self.names, f"track {uuid} comes twice"
        self.names[uuid] = packet.get("track_descriptor.name", "")
        if "track_descriptor.process.pid" in packet:
            self.processes[int(packet["track_descriptor.process.pid"])] = \
                packet["track_descriptor.process.process_name"]
            return
        self.tids[uuid] = int(packet.get("track_descriptor.thread.tid", 0))
        if self.tids[uuid]:
            pid = int(packet["track_descriptor.thread.pid"])
            assert pid in self.processes, f"process {pid} was not described"
            self.pids[self.tids[uuid]] = pid

    def take_event(self, sequence, packet):
        assert packet["sequence_flags"] == "2", packet
        uuid, last_ns, names = sequence
        assert uuid in self.names, f"track {uuid} was not described"
        sequence[1] = last_ns + int(packet["timestamp"])
        if "interned_data.event_names.iid" in packet:
            iid = packet["interned_data.event_names.iid"]
            assert iid not in names, f"name {iid} comes twice"
            names[iid] = packet["interned_data.event_names.name"]
        if packet["track_event.type"] == "TYPE_SLICE_BEGIN":
            iid = packet.get("track_event.name_iid")
            self.tracks.begin(uuid, sequence[1], names[iid] if iid else
                              packet["track_event.name"])
        else:
            assert packet["track_event.type"] == "TYPE_SLICE_END", packet
            self.tracks.end(uuid, sequence[1])

    def take_switch(self, packet):
        event = "ftrace_events.event."
        switch = event + "sched_switch."
        assert packet[event + "pid"] == packet[switch + "prev_pid"], packet
        self.switches.append((
            int(packet[event + "timestamp"]), int(packet["ftrace_events.cpu"]),
            int(packet[switch + "prev_pid"]), int(packet[switch + "next_pid"]),
            int(packet[switch + "prev_state"])))
