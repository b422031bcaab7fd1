#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the CPU time of each kind of answer of `ktrace-hw view`: windows of the
timeline at any zoom, profiles and sleeps of selections, searches; and that of the
page in a browser, to open it and to draw all of the recording.

    page_speed.py PROGRAM RECORDING
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../recorded"))

from browser import browser, missing  # noqa: E402
from page import Page  # noqa: E402
from view_server import server  # noqa: E402

TIMES = 8
PIXELS = 2580       # the page requests twice the span of a window of 1,500
TRACKS = 40


class Bench:
    def __init__(self, page):
        self.page = page
        self.recording = page.wait()
        self.begin = self.recording["begin_ns"]
        self.end = self.recording["length_ns"]
        self.taken = {}

    def note(self, kind, cpu_ms):
        self.taken.setdefault(kind, []).append(cpu_ms / 1000)

    def ask(self, kind, path, **arguments):
        before_ms = self.page.cpu_ms()
        answer = self.page.ask(path, **arguments)
        self.note(kind, self.page.cpu_ms() - before_ms)
        return answer

    def windows(self):
        """Yields random windows of each length."""
        span = self.end - self.begin
        while span > 2000:
            for _ in range(TIMES):
                begin = random.randrange(self.begin, self.end - span + 1)
                yield span, {"from": begin, "to": begin + span}
            span //= 4

    def busiest(self):
        """Returns the numbers of the threads that were on CPUs longest,
        except idle ones."""
        threads = self.recording["threads"]
        own = [i for i, thread in enumerate(threads) if thread["tid"] > 0]
        return sorted(own, key=lambda i: -sum(threads[i]["state_ns"][:5]))

    def timelines(self):
        tracks = [3 * i + 1 for i in range(len(self.recording["threads"]))]
        tracks = tracks[:TRACKS] + [3 * self.busiest()[0] + 2]
        for span, window in self.windows():
            self.ask(f"timeline, {span / 1e6:.3f} ms", "tracks", pixels=PIXELS,
                     tracks=",".join(map(str, tracks)), **window)

    def selections(self):
        threads = self.busiest()[:6]
        for span, window in self.windows():
            text = f"{span / 1e6:.3f} ms"
            thread = random.choice(threads)
            self.ask(f"profile, {text}", "profile", **window)
            self.ask(f"profile of a thread, {text}", "profile", thread=thread,
                     **window)
            self.ask(f"sleeps, {text}", "sleeps", **window)

    def searches(self):
        flat = self.page.ask("profile", **{"from": self.begin,
                                           "to": self.end})["flat"]
        by_calls = sorted((flat[i + 1], flat[i])
                          for i in range(0, len(flat), 4) if flat[i + 1])
        step = max(1, len(by_calls) // 20)
        for _, function in by_calls[::step]:
            for back in range(2):
                self.ask(f"search {'back' if back else 'on'}", "next",
                         function=function, back=back,
                         **{"from": random.randrange(self.begin, self.end)})

    def browse(self, program, recording):
        with browser() as window:
            page = Page(window, None, program, recording)
            window.open(self.page.address)
            window.wait("window.page?.timeline?.recording?.is_complete",
                        "the whole recording", 600)
            page.settle()
            self.note("browser: open", window.cpu_ms())
            window.run("page.timeline.zoom(0.3);")
            page.settle()
            before_ms = window.cpu_ms()
            window.run("page.timeline.showAll();")
            page.settle()
            self.note("browser: all of it", window.cpu_ms() - before_ms)

    def write(self):
        print(f"{'answer':40} {'times':>5} {'mean':>6} {'most':>6}  s of CPU")
        for kind, taken in self.taken.items():
            print(f"{kind:40} {len(taken):5} {sum(taken) / len(taken):6.2f} "
                  f"{max(taken):6.2f}")


def main():
    program, recording = sys.argv[1:3]
    random.seed(1)
    with server(program, recording) as page:
        bench = Bench(page)
        bench.timelines()
        bench.selections()
        bench.searches()
        if missing():
            print(f"skipped: the page in a browser: no {missing()} here")
        else:
            bench.browse(program, recording)
        bench.write()


main()
