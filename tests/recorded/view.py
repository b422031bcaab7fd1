#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The answers to the page's queries equal the reports: profiles of windows, all
calls of a window, however short, sleeps and states.

    view.py PROGRAM RECORDING
"""
import csv
import random
import re
import sys

from reader import Reader
from view_server import server

NUMBERS = 8     # of a slice; see view/answer/answer_json_internal.h
STACK, STATE, ASLEEP, KINDS = 2, 1, 6, 4
WINDOWS = 12
PARTS = ("work", "idle", "tracer")
WITH = ((), ("idle",), ("tracer",), ("idle", "tracer"))


def slices(track):
    """Begin, length, depth, name, detail, waker, count, busy of each."""
    numbers = track["slices"]
    return [tuple(numbers[i:i + NUMBERS])
            for i in range(0, len(numbers), NUMBERS)]


def window_arguments(begin, end):
    """The page and the options have one clock."""
    return ("--since", f"{begin}ns",
            "--until", f"{end}ns")


class Check:
    def __init__(self, page, reader):
        self.page = page
        self.reader = reader
        self.recording = page.wait()
        self.first_ns = self.recording["first_ns"]
        self.begin = int(self.recording["begin_ns"])
        self.end = int(self.recording["length_ns"])

    def rows(self, *arguments):
        """Returns rows of report --flat; none if the thread did not run."""
        done = self.reader.run("report", "--flat", "--format=csv",
                               *arguments, "-i", self.reader.recording)
        if done.returncode == 1 and b"nothing to show" in done.stderr:
            return []
        assert done.returncode == 0, done.stderr
        return list(csv.DictReader(done.stdout.decode().splitlines()))

    def profile(self, begin, end, *parts, thread=None):
        """Returns the page's profile and that of report --flat, function by
        function, with these parts."""
        asked = {f"with_{part}": 1 for part in parts}
        chosen = [f"--with-{part}" for part in parts]
        if thread is not None:
            asked["thread"] = thread
            tid = self.recording["threads"][thread]["tid"]
            chosen += ["--pid", str(tid)]
        answer = self.page.ask("profile", **{"from": begin, "to": end},
                               **asked)
        names = answer["functions"]
        flat = answer["flat"]
        found = sorted((names[str(flat[i])][0], flat[i + 1], flat[i + 2],
                        flat[i + 3]) for i in range(0, len(flat), 4))
        # The page charges interrupt work to the interrupted thread.
        rows = self.rows(*window_arguments(begin, end),
                         "--bill=victim", *chosen)
        # If tasks are selected, rows contain the process: "17k:kfree".
        wanted = sorted((re.sub(r"^\d+[ku]:", "", row["function"]),
                         int(row["calls"]), int(row["self_ns"]),
                         int(row["total_ns"])) for row in rows)
        assert answer["from"] == begin and answer["to"] == end, answer
        shown_ns = sum(answer["part_ns"][i] for i, part in enumerate(PARTS)
                       if part in ("work", *parts))
        assert answer["self_ns"] <= shown_ns, answer["part_ns"]
        return found, wanted

    def calls(self, begin, end):
        """Returns all calls that start and end in a window, from the page
        and from timeline."""
        tracks = [KINDS * i + STACK
                 for i in range(len(self.recording["threads"]))]
        answer = self.page.ask("tracks", **{
            "from": begin, "to": end, "pixels": min(16000, end - begin),
            "tracks": ",".join(map(str, tracks))})
        assert answer["is_whole"]
        found = []
        for track in answer["tracks"]:
            thread = self.recording["threads"][track["track"] // KINDS]
            found += [(thread["tid"], at, length, depth,
                       answer["functions"][str(name)][0])
                      for at, length, depth, name, _, _, count, _
                      in slices(track)
                      if at >= begin and at + length < end and count == 1]
        rows = self.reader.timeline(
            *window_arguments(begin, end))
        wanted = [(int(row["tid"]),
                   int(row["time_ns"]) - int(row["wall_ns"]) - self.first_ns,
                   int(row["wall_ns"]), int(row["depth"]), row["function"])
                  for row in rows if row["event"] == "exit" and
                  int(row["time_ns"]) - self.first_ns < end]
        return sorted(found), sorted(
            call for call in wanted if call[1] >= begin)


def check_whole_profile(check):
    """Windows up to the recording's start or end consist of whole cells."""
    for begin, end in ((check.begin, check.end),
                       (check.begin, (check.begin + check.end) // 2),
                       ((check.begin + check.end) // 2, check.end)):
        found, wanted = check.profile(begin, end)
        assert found == wanted, [pair for pair in zip(found, wanted)
                                 if pair[0] != pair[1]][:5]


def check_profiles(check):
    for i in range(WINDOWS):
        begin, end = sorted(random.sample(range(check.begin, check.end), 2))
        found, wanted = check.profile(begin, end, *WITH[i % len(WITH)])
        assert found == wanted, [pair for pair in zip(found, wanted)
                                 if pair[0] != pair[1]][:5]


def check_thread_profiles(check):
    """Compares threads that are alone in their process, because --pid also
    selects the other threads."""
    threads = check.recording["threads"]
    pids = [thread["pid"] for thread in threads]
    alone = [i for i, thread in enumerate(threads) if thread["tid"] > 0 and
             pids.count(thread["pid"]) == 1]
    own = [i for i in alone if threads[i]["name"].startswith("ktrace-hw")]
    for thread in random.sample(alone, min(len(alone), 4)) + own[:1]:
        begin, end = sorted(random.sample(range(check.begin, check.end), 2))
        found, wanted = check.profile(begin, end, thread=thread)
        assert found == wanted, (threads[thread], begin, end, [
            pair for pair in zip(found, wanted) if pair[0] != pair[1]][:5])


def check_calls(check):
    compared = 0
    for _ in range(WINDOWS):
        begin = random.randrange(check.begin, check.end - 15000)
        found, wanted = check.calls(begin, begin + 15000)
        assert found == wanted, (begin, set(found) ^ set(wanted))
        compared += len(wanted)
    assert compared, "no window had a call"


def check_states(check):
    """A thread's states are contiguous, and add up to the sums in the
    answer."""
    threads = check.recording["threads"]
    for number, thread in enumerate(threads):
        answer = check.page.ask("tracks", pixels=1, tracks=KINDS * number + STATE,
                                **{"from": 0, "to": check.end + 1})
        busy = sum(one[7] for one in slices(answer["tracks"][0]))
        assert busy == sum(thread["state_ns"]), thread


def check_search(check):
    """Searching from call to call finds as many calls as the profile
    counts."""
    answer = check.page.ask("profile", with_idle=1, with_tracer=1,
                            **{"from": check.begin, "to": check.end})
    flat = answer["flat"]
    counts = {flat[i]: flat[i + 1] for i in range(0, len(flat), 4)}
    function = min((f for f, n in counts.items() if 3 <= n <= 12),
                   key=lambda f: counts[f])
    at, times = 0, []
    while True:
        found = check.page.ask("next", function=function, **{"from": at})
        if not found["found"]:
            break
        at = found["at"]
        times.append(at)
    assert len(set(times)) == len(times) == counts[function], \
        (times, counts[function])
    back = []
    while True:
        found = check.page.ask("next", function=function, back=1,
                               **{"from": at})
        if not found["found"]:
            break
        at = found["at"]
        back.append(at)
    assert back == times[-2::-1], (back, times)


def main():
    program, recording = sys.argv[1:3]
    random.seed(1)
    failed = 0
    with server(program, recording) as page:
        check = Check(page, Reader(program, recording))
        for test in (check_profiles, check_whole_profile,
                     check_thread_profiles, check_calls,
                     check_states, check_search):
            try:
                test(check)
                print(f"ok: {test.__name__[6:]}")
            except AssertionError as error:
                failed = 1
                print(f"FAILED: {test.__name__[6:]}: {str(error)[:1500]}")
        print(f"the slowest answer took {page.slowest_s:.2f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main())
