# SPDX-License-Identifier: MIT
"""Reads an export for Perfetto like Perfetto's importer."""
import os
import re
import subprocess
import zlib

from spans import Tracks

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "perfetto.proto")
# Messages that may occur several times in a packet.
REPEATED = ("track_event.debug_annotations",
            "interned_data.debug_annotation_names")


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
    """Yields (number, bytes) of the fields of a message whose fields are
    all bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        assert key & 7 == 2, f"field {key >> 3} is no message"
        size, at = _varint(data, at)
        assert at + size <= len(data), "cut"
        yield key >> 3, data[at:at + size]
        at += size


def _unpacked(path):
    """Yields the packets of a trace whose outer packets contain compressed
    ones."""
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
    # protoc prints the number of a field that the schema lacks.
    assert not re.search(r"^\s*\d+[:{ ]", text, re.M), "unknown fields"
    return text


def _packets(text):
    """Yields each packet as a dictionary of its leaves' last values, with
    lists of the messages in REPEATED."""
    packet = entry = None
    inside = []  # prefixes of the leaves' names
    prefix = ""
    for line in text.splitlines():
        word = line.strip()
        if word == "}":
            if not inside:
                yield packet
            else:
                inside.pop()
                prefix = inside[-1] if inside else ""
                entry = packet
        elif line == "packet {":
            packet = entry = {}
        elif word.endswith("{"):
            path = prefix + word[:-2]
            if path in REPEATED:
                entry = {}
                packet.setdefault(path, []).append(entry)
                prefix = ""
            else:
                prefix = path + "."
            inside.append(prefix)
        else:
            key, _, value = word.partition(": ")
            entry[prefix + key] = value.strip('"')


class Span:
    """A slice or an instant of a track."""

    def __init__(self, track, name, time_ns, packet, notes):
        self.track = track
        self.name = name
        self.begin_ns = self.end_ns = time_ns
        self.notes = notes
        self.flow = packet.get("track_event.flow_ids")
        self.last_flow = packet.get("track_event.terminating_flow_ids")


class Sequence:
    def __init__(self, track, time_ns):
        self.track = track
        self.time_ns = time_ns
        self.names = {}
        self.note_names = {}

    def take_time(self, packet):
        if "timestamp_clock_id" in packet:
            assert packet["timestamp_clock_id"] == "6", packet
            return int(packet["timestamp"])
        self.time_ns += int(packet["timestamp"])
        return self.time_ns

    def take_names(self, packet):
        if "interned_data.event_names.iid" in packet:
            iid = packet["interned_data.event_names.iid"]
            assert iid not in self.names, f"name {iid} comes twice"
            self.names[iid] = packet["interned_data.event_names.name"]
        for entry in packet.get("interned_data.debug_annotation_names", []):
            assert entry["iid"] not in self.note_names, "a note comes twice"
            self.note_names[entry["iid"]] = entry["name"]

    def notes_of(self, packet):
        return {self.note_names[note["name_iid"]]:
                note.get("string_value", note.get("uint_value"))
                for note in packet.get("track_event.debug_annotations", [])}


class Perfetto:
    """The model that Perfetto's importer builds from a file: its rules on
    sequences, clocks and interned names (protos/perfetto/trace/), as far as
    our exports use them."""

    def __init__(self, path):
        self.names = {}      # of tracks
        self.parents = {}    # of tracks beside a thread's
        self.tids = {}       # by track
        self.processes = {}  # pid -> name
        self.pids = {}       # tid -> pid
        self.switches = []   # (time_ns, cpu, prev_pid, next_pid, prev_state)
        self.wakings = []    # (time_ns, cpu, waker's tid, tid, is new)
        self.blocked = []    # (time_ns, tid, function)
        self.symbols = {}
        self.frequencies = []  # (time_ns, cpu, kHz)
        self.counters = {}   # by name: (time_ns, value)
        self.tree = {}       # tid -> (pid, name)
        self.children = {}   # pid -> parent's pid
        self.sequences = {}
        self.events = {}     # by track: (time_ns, span, or None for an end)
        self.instants = []
        for packet in _packets(_decode(path)):
            self.take(packet)
        self.slices = self.nest()
        self.spans = {track: [(span.name, span.begin_ns, span.end_ns)
                              for span in slices]
                      for track, slices in self.slices.items()}

    def take(self, packet):
        sequence = packet["trusted_packet_sequence_id"]
        if "ftrace_events.cpu" in packet:
            self.take_ftrace(packet)
        elif "clock_snapshot.clocks.clock_id" in packet:
            self.begin(sequence, packet)
        elif "process_tree.threads.tid" in packet:
            self.take_tree(packet)
        elif "track_descriptor.uuid" in packet:
            self.describe(packet)
        elif packet.get("track_event.type") == "TYPE_COUNTER":
            self.take_count(packet)
        else:
            self.take_event(self.sequences[sequence], packet)

    def take_tree(self, packet):
        tid = int(packet["process_tree.threads.tid"])
        pid = int(packet["process_tree.threads.tgid"])
        assert tid not in self.tree, f"thread {tid} comes twice"
        self.tree[tid] = pid, packet["process_tree.threads.name"]
        if "process_tree.processes.ppid" in packet:
            assert tid == pid == int(packet["process_tree.processes.pid"])
            self.children[pid] = int(packet["process_tree.processes.ppid"])

    def take_count(self, packet):
        name = self.names[packet["track_event.track_uuid"]]
        assert packet["timestamp_clock_id"] == "6", packet
        self.counters.setdefault(name, []).append(
            (int(packet["timestamp"]),
             int(packet["track_event.counter_value"])))

    def begin(self, sequence, packet):
        assert sequence not in self.sequences, "a sequence begins twice"
        assert packet["sequence_flags"] == "1", packet
        assert packet["clock_snapshot.clocks.clock_id"] == "64" == \
            packet["trace_packet_defaults.timestamp_clock_id"], packet
        assert packet["clock_snapshot.clocks.is_incremental"] == "true"
        self.sequences[sequence] = Sequence(
            packet["trace_packet_defaults.track_event_defaults.track_uuid"],
            int(packet["clock_snapshot.clocks.timestamp"]))

    def describe(self, packet):
        uuid = packet["track_descriptor.uuid"]
        assert uuid not in self.names, f"track {uuid} comes twice"
        self.names[uuid] = packet.get("track_descriptor.name", "")
        if "track_descriptor.process.pid" in packet:
            self.processes[int(packet["track_descriptor.process.pid"])] = \
                packet["track_descriptor.process.process_name"]
            return
        if "track_descriptor.parent_uuid" in packet:
            parent = packet["track_descriptor.parent_uuid"]
            assert parent in self.names, f"track {parent} was not described"
            self.parents[uuid] = parent
            return
        self.tids[uuid] = int(packet.get("track_descriptor.thread.tid", 0))
        if self.tids[uuid]:
            pid = int(packet["track_descriptor.thread.pid"])
            assert pid in self.processes, f"process {pid} was not described"
            self.pids[self.tids[uuid]] = pid

    def take_event(self, sequence, packet):
        assert packet["sequence_flags"] == "2", packet
        track = sequence.track
        assert track in self.names, f"track {track} was not described"
        time_ns = sequence.take_time(packet)
        sequence.take_names(packet)
        kind = packet["track_event.type"]
        events = self.events.setdefault(track, [])
        if kind == "TYPE_SLICE_END":
            events.append((time_ns, None))
            return
        iid = packet.get("track_event.name_iid")
        span = Span(track, sequence.names[iid] if iid else
                    packet["track_event.name"], time_ns, packet,
                    sequence.notes_of(packet))
        if kind == "TYPE_INSTANT":
            self.instants.append(span)
        else:
            assert kind == "TYPE_SLICE_BEGIN", packet
            events.append((time_ns, span))

    def nest(self):
        """Returns the slices by track. A packet may be earlier than the
        previous one; packets of the same time keep their order."""
        slices = {}
        for track, events in self.events.items():
            tracks = Tracks()
            stack = []
            for time_ns, span in sorted(events, key=lambda event: event[0]):
                if span:
                    tracks.begin(track, time_ns, span.name)
                    stack.append(span)
                    continue
                tracks.end(track, time_ns)
                span = stack.pop()
                span.end_ns = time_ns
                slices.setdefault(track, []).append(span)
            tracks.finish()
        return slices

    def take_ftrace(self, packet):
        event = "ftrace_events.event."
        time_ns = int(packet[event + "timestamp"])
        cpu = int(packet["ftrace_events.cpu"])
        pid = int(packet[event + "pid"])
        if event + "sched_switch.prev_pid" in packet:
            switch = event + "sched_switch."
            assert pid == int(packet[switch + "prev_pid"]), packet
            self.switches.append((time_ns, cpu, pid,
                                  int(packet[switch + "next_pid"]),
                                  int(packet[switch + "prev_state"])))
        elif event + "cpu_frequency.state" in packet:
            assert cpu == int(packet[event + "cpu_frequency.cpu_id"]), packet
            self.frequencies.append(
                (time_ns, cpu, int(packet[event + "cpu_frequency.state"])))
        elif event + "sched_blocked_reason.pid" in packet:
            self.take_blocked(packet, time_ns, event + "sched_blocked_reason.")
        for name in ("sched_waking", "sched_wakeup_new"):
            if f"{event}{name}.pid" in packet:
                self.wakings.append((time_ns, cpu, pid,
                                     int(packet[f"{event}{name}.pid"]),
                                     name == "sched_wakeup_new"))

    def take_blocked(self, packet, time_ns, reason):
        flags = "2" if self.blocked else "3"
        assert packet["sequence_flags"] == flags, packet
        if "interned_data.kernel_symbols.iid" in packet:
            iid = packet["interned_data.kernel_symbols.iid"]
            assert iid not in self.symbols, f"symbol {iid} comes twice"
            self.symbols[iid] = packet["interned_data.kernel_symbols.str"]
        self.blocked.append((time_ns, int(packet[reason + "pid"]),
                             self.symbols[packet[reason + "caller"]]))

    def side_track(self, name):
        """Yields (thread's tid, or the track's name; slice) of all tracks
        called @name that are extra tracks of threads, or of CPUs."""
        for track, slices in self.slices.items():
            if track in self.parents and self.names[track] == name:
                owner = self.tids[self.parents[track]]
            elif track not in self.parents and \
                    re.fullmatch(rf"CPU \d+ {name}|{name} \d+",
                                 self.names[track]):
                owner = self.names[track]
            else:
                continue
            for span in slices:
                yield owner, span
