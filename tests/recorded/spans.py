# SPDX-License-Identifier: MIT
"""Exports of ktrace-hw read back as spans: (name, begin_ns, end_ns)."""
import csv
import json
import os
import re
import subprocess

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


def _decode(path):
    with open(path, "rb") as file:
        done = subprocess.run(
            ["protoc", "--decode=perfetto.protos.Trace",
             f"--proto_path={os.path.dirname(PROTO)}",
             os.path.basename(PROTO)],
            stdin=file, stdout=subprocess.PIPE, check=True)
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


def of_perfetto(path):
    """By track; and what the tracks are called."""
    tracks = Tracks()
    functions = {}
    names = {}
    tids = {}
    is_first = True
    for packet in _packets(_decode(path)):
        # Interned names hold from a cleared state on.
        flags = int(packet["sequence_flags"])
        assert flags == (1 if is_first else 2), packet
        is_first = False
        if "track_descriptor.uuid" in packet:
            uuid = packet["track_descriptor.uuid"]
            assert uuid not in names, f"track {uuid} comes twice"
            names[uuid] = packet.get("track_descriptor.name", "")
            tids[uuid] = int(packet.get("track_descriptor.thread.tid", 0))
            continue
        if "interned_data.event_names.iid" in packet:
            functions[packet["interned_data.event_names.iid"]] = \
                packet["interned_data.event_names.name"]
        uuid = packet["track_event.track_uuid"]
        assert uuid in names, f"track {uuid} was not described"
        time_ns = int(packet["timestamp"])
        if packet["track_event.type"] == "TYPE_SLICE_BEGIN":
            iid = packet.get("track_event.name_iid")
            tracks.begin(uuid, time_ns, functions[iid] if iid else
                         packet["track_event.name"])
        else:
            assert packet["track_event.type"] == "TYPE_SLICE_END", packet
            tracks.end(uuid, time_ns)
    return tracks.finish(), names, tids
