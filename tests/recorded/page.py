#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page in a real browser, from its server and from a file: it zooms, moves,
searches and selects, its tabs show data, and the console has no messages.

    page.py PROGRAM RECORDING [FUNCTION]

FUNCTION is one that the recording has called more than once.
"""
import os
import subprocess
import sys
import tempfile

from browser import browser, missing
from view_server import server

MIDDLE = (800, 330)     # in the timeline, on any row
TIMES = 36              # the axis, below the canvas's top
ESCAPE = "\ue00c"
MOST_BYTES = 21 << 20
# The aim is 300 ms on an otherwise idle computer.
MOST_MS = 5000


class Page:
    def __init__(self, window, function):
        self.window = window
        self.function = function

    def view(self):
        view = self.window.run("return page.timeline.view;")
        return view["from"], view["to"]

    def length(self):
        begin, end = self.view()
        return end - begin

    def settle(self):
        """Waits until all data for the window has arrived."""
        self.window.wait("!page.timeline.isAsking && !page.timeline.isDrawing"
                         " && !page.timeline.visibleRows().some((row) =>"
                         " row.lane !== undefined &&"
                         " page.timeline.isMissing(row.lane))", "slices")

    def show_tab(self, name, shown):
        self.window.run(f"document.getElementById('tab-{name}').click();")
        self.window.wait(f"document.querySelector('#content {shown}') &&"
                         " !document.querySelector('#content.waiting')",
                         f"tab {name} with {shown}")


def check_first_sight(page):
    page.settle()
    shown = page.window.run("""
        const { timeline } = page;
        return { rows: timeline.rows.length, lanes: [...timeline.loaded.values()]
          .filter((lane) => lane.slices.length).length,
          text: document.getElementById("content").textContent };""")
    assert shown["rows"] >= 4 and shown["lanes"] >= 2, shown
    assert "Where the time went" in shown["text"], shown
    assert "system call" in shown["text"], shown
    # Programs are listed first, and calls that never return are not among the
    # slow ones.
    found = page.window.run("""
        const { recording } = page.timeline;
        const shown = processesOf(recording).map((process) => process.isProgram);
        return { first: shown.indexOf(false), last: shown.lastIndexOf(true),
          opened: [...page.timeline.open].map((i) => recording.threads[i]),
          calls: recording.lists.calls.longest.map((call) =>
            page.source.names.name(call[4])) };""")
    assert found["last"] < found["first"], found
    assert not any(thread["is_kernel"] for thread in found["opened"]), found
    assert found["calls"] and not any(
        "exit" in call for call in found["calls"]), found


def check_zoom(page):
    before = page.length()
    page.window.wheel(MIDDLE, -700)
    page.window.wait(f"page.timeline.view.to - page.timeline.view.from <"
                     f" {before * 0.7}", "the wheel's zoom")
    page.settle()
    wheeled = page.length()
    page.window.type("www")
    page.settle()
    assert page.length() < wheeled * 0.5, (wheeled, page.length())
    begin, _ = page.view()
    page.window.type("d")
    assert page.view()[0] > begin
    page.window.type("a")
    assert abs(page.view()[0] - begin) < page.length() / 100
    page.window.drag(MIDDLE, (MIDDLE[0] + 200, MIDDLE[1]))
    assert page.view()[0] < begin
    page.window.type("0")
    page.settle()
    assert abs(page.length() - before) <= 1, (before, page.length())


def check_search(page):
    page.window.run("document.getElementById('like').value = arguments[0];"
                    " page.search.take();", page.function)
    page.window.wait("page.timeline.selection?.slice", "the first call")
    first = page.window.run("return page.search.at;")
    page.settle()
    named = page.window.run("return page.source.names.name("
                            "page.timeline.selection.slice[3]);")
    assert named == page.function, named
    page.window.type("n")
    page.window.wait(f"page.search.at > {first} &&"
                     " page.timeline.selection?.from === page.search.at",
                     "the next call")
    page.settle()
    page.window.type("N")
    page.window.wait(f"page.search.at === {first}", "the call before")
    page.window.wait(f"page.timeline.selection?.from === {first}",
                     "its selection")
    page.settle()
    # At this zoom level calls are single ones, not merged.
    many = page.window.run("""
        const { timeline } = page;
        const lane = timeline.selection.thread * 3 + 2;
        const { slices } = timeline.loaded.get(lane);
        let many = 0, whole = 0;
        for (let i = 0; i < slices.length; i += 8)
          if (slices[i + 6] > 1) many++; else whole++;
        return { many, whole };""")
    assert many["whole"] > 3, many


def check_selection(page):
    page.window.type("0")
    page.settle()
    top = int(page.window.run(
        "return page.timeline.canvas.getBoundingClientRect().top;"))
    page.window.drag((500, top + TIMES), (1100, top + TIMES))
    page.window.wait("page.timeline.selection &&"
                     " !page.timeline.selection.slice", "a stretch of time")
    # The thread of the call that was found is no longer selected.
    assert page.window.run("return page.panel.scope.value === '';")
    page.show_tab("functions", "td.text button")
    page.show_tab("tree", ".tree .row:nth-child(2)")
    page.show_tab("flame", "#flame")
    page.window.wait("document.getElementById('flame').height > 40",
                     "a drawn flame graph")
    page.show_tab("sleeps", "table, #content p")
    page.show_tab("overview", ".bar span")
    page.window.run("document.querySelector('#content .columns div + div"
                    " .moment').click();")
    page.settle()
    page.window.type(ESCAPE)
    assert page.window.run("return page.timeline.selection === null;")


def check_parts(page):
    """Profiles leave out the tracer and the idle loop, with a note, until
    they are selected."""
    page.window.type("0" + ESCAPE)
    page.show_tab("functions", "td.text button")
    for part, name in enumerate(("idle", "tracer"), start=1):
        box = f"document.getElementById('with_{name}')"
        found = page.window.run(f"""
            const {{ panel, source }} = page;
            const wanted = panel.range();
            return Promise.all([source.profile(wanted),
              source.profile({{ ...wanted, with_{name}: 1 }})])
              .then(([less, more]) => ({{ less: less.self_ns,
                more: more.self_ns, part: less.part_ns[{part}],
                note: document.querySelector("#content p").textContent }}));
            """)
        assert (found["part"] > 0) == (name in found["note"]), found
        assert found["less"] <= found["more"] <= \
            found["less"] + found["part"], found
        page.window.run(f"{box}.click();")
        page.window.wait("!document.querySelector('#content p').textContent"
                         f".includes('{name}')", f"no note about {name}")
        page.window.run(f"{box}.click();")
    # report --flat charges interrupt work to its beneficiaries; the page notes
    # that its profiles do not.
    assert page.window.run("""
        const { panel } = page;
        return panel.recording.lists.interrupts.count === 0 ||
          document.querySelector("#content p").textContent.includes(
            "Interrupt work counts for the thread");""")


def check_click(page):
    page.window.type("0")
    page.window.run("page.timeline.scrollTo(0);")
    page.settle()
    page.window.run("""
        const { timeline } = page;
        const row = timeline.rows.find((row) => row.kind === "cpu");
        const { slices } = timeline.loaded.get(row.lane);
        let best = 0;
        for (let i = 0; i < slices.length; i += 8)
          if (slices[i] >= timeline.view.from && slices[i + 1] > slices[best + 1])
            best = i;
        window.spot = [timeline.x(slices[best] + slices[best + 1] / 2),
          timeline.y(row) + 5 + timeline.canvas.getBoundingClientRect().top];""")
    page.window.click([int(value) for value in
                       page.window.run("return window.spot;")])
    page.window.wait("page.timeline.selection?.slice", "a clicked slice")
    page.show_tab("details", "table td")
    thread = page.window.run("return page.timeline.selection.slice[3];")
    page.window.run("document.querySelector('#content .moment').click();")
    page.window.wait(f"page.timeline.open.has({thread}) &&"
                     " page.timeline.visibleRows().some((row) =>"
                     f" row.kind === 'stack' && row.number === {thread})",
                     "the calls of who ran")
    page.settle()


CHECKS = (check_first_sight, check_zoom, check_search, check_selection,
          check_parts, check_click)


def try_page(address, function):
    """Prints a line for each check; returns how many failed."""
    failed = 0
    with browser() as window:
        window.open(address)
        window.wait("window.page?.timeline?.recording?.is_complete",
                    "the whole recording", 600)
        page = Page(window, function)
        for check in CHECKS:
            try:
                check(page)
                print(f"ok: {check.__name__[6:]}")
            except AssertionError as error:
                failed += 1
                print(f"FAILED: {check.__name__[6:]}: {str(error)[:500]}")
                window.picture(os.path.join(
                    tempfile.gettempdir(), f"page-{check.__name__}.png"))
        complaints = window.complaints()
        if complaints:
            failed += 1
            print("FAILED: the console says", complaints)
        slowest = window.run("return [page.source.slowest_ms ?? 0,"
                             " page.timeline.frames.slowest_ms,"
                             " page.source.slowest?.slice(0, 120)];")
        print("the slowest answer took {:.0f} ms, the slowest frame {:.0f}: {}"
              .format(*slowest))
        if max(slowest[:2]) > MOST_MS:
            failed += 1
            print(f"FAILED: more than {MOST_MS} ms")
    return failed


def main():
    program, recording = sys.argv[1:3]
    function = sys.argv[3] if len(sys.argv) > 3 else "vfs_read"
    if missing():
        print(f"skipped: no {missing()} here")
        return 0
    with server(program, recording) as served:
        served.wait()
        failed = try_page(served.address, function)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        subprocess.run([program, "report", "--html", path, "-i", recording],
                       check=True)
        size = os.path.getsize(path)
        print(f"-- the page in a file of {size} bytes")
        if size > MOST_BYTES:
            print(f"FAILED: more than {MOST_BYTES}")
            failed += 1
        failed += try_page(f"file://{path}", function)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
