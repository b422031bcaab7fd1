# SPDX-License-Identifier: MIT
"""Exports of ktrace-hw read back as spans: (name, begin_ns, end_ns)."""
import csv
import json


SIDE_TIDS = 10000000    # Chrome's rows for other data than a thread's functions.
INTERRUPTS_PID = 4194307


class Tracks:
    """Collects begins and ends on many tracks; fails if they do not nest."""

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

    def innermost(self, track):
        return self.open[track][-1][0] if self.open.get(track) else None

    def finish(self):
        for track, stack in self.open.items():
            assert not stack, f"track {track}: {stack} never ends"
        return self.spans


def of_csv(text):
    """Yields spans by (tid, and for idle tasks the CPU)."""
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
    """Returns spans by (pid, tid), and the names of the threads. Rows other
    than functions may be written out of order, because viewers sort by
    time."""
    document = json.loads(text, parse_float=str)
    tracks = Tracks()
    names = {}
    events = document["traceEvents"]
    beside = [event for event in events if event["ph"] != "M" and
              (event["tid"] >= SIDE_TIDS or event["pid"] == INTERRUPTS_PID)]
    beside.sort(key=lambda event: _ns(event["ts"]))
    taken = set(map(id, beside))
    for event in [event for event in events if id(event) not in taken] + beside:
        track = event["pid"], event["tid"]
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                names[track] = event["args"]["name"]
        elif event["ph"] == "B":
            tracks.begin(track, _ns(event["ts"]), event["name"])
        else:
            assert event["ph"] == "E", event
            assert event["name"] == tracks.innermost(track), event
            tracks.end(track, _ns(event["ts"]))
    return tracks.finish(), names
