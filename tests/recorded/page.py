#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page in a real browser, from its server and from a file: the explanation
leads to its moments, the address names the view, it zooms, moves, searches,
selects and filters, its trees add up, its colours can be told apart and read,
keys and screen readers reach everything, and the console has no messages.

    page.py [--served] PROGRAM RECORDING [FUNCTION [CHECK...]]

FUNCTION is one that the recording has called more than once; CHECK is a part of
the test, such as "colors". --served: not as a file.
"""
import itertools
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

from browser import browser, missing
from view_server import server

MIDDLE = (800, 330)     # in the timeline, on any row
TIMES = 36              # the axis, below the canvas's top
ESCAPE, ENTER = "\ue00c", "\ue007"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"
CONTRAST = 4.5          # WCAG AA
DIFFERENT = 20          # of two colours in CIELAB
MOST_BYTES = 15 << 20
# The page's work does not grow with the recording: it draws what the window has
# room for, from answers that were made for that window.
MOST_SHAPES = 100_000       # to draw the whole recording once
MOST_ANSWER_BYTES = 8 << 20


class Page:
    def __init__(self, window, function, program, recording):
        self.window = window
        self.function = function
        self.program = program
        self.recording = recording

    def said(self, *words):
        """Returns the output of the program for the recording."""
        return subprocess.run(
            [self.program, words[0], "-i", self.recording, *words[1:]],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True).stdout

    def address(self):
        self.window.run("page.address.write(false);")
        return self.window.run("return location.hash;")

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
                         " row.track !== undefined &&"
                         " page.timeline.isMissing(row.track))", "slices")

    def show_tab(self, name, shown):
        self.window.run(f"document.getElementById('tab-{name}').click();")
        self.window.wait(f"document.querySelector('#content {shown}') &&"
                         " !document.querySelector('#content.waiting')",
                         f"tab {name} with {shown}")


def check_first_sight(page):
    page.settle()
    shown = page.window.run("""
        const { timeline } = page;
        return { rows: timeline.rows.length, tracks: [...timeline.loaded.values()]
          .filter((track) => track.slices.length).length,
          text: document.getElementById("content").textContent };""")
    assert shown["rows"] >= 4 and shown["tracks"] >= 2, shown
    assert "Where the time went" in shown["text"], shown
    assert "system call" in shown["text"], shown
    title = page.window.run("return document.title;")
    assert re.fullmatch(r"(?!ktrace-hw).* — ktrace-hw", title), title
    # Programs are listed first, and calls that never return are not among the
    # slow ones.
    found = page.window.run("""
        const { recording } = page.timeline;
        const shown = processesOf(recording).map((process) => process.isProgram);
        return { first: shown.indexOf(false), last: shown.lastIndexOf(true),
          opened: [...page.timeline.choice.open].map((i) => recording.threads[i]),
          calls: recording.lists.calls.longest.map((call) =>
            page.source.names.name(call[4])) };""")
    assert found["last"] < found["first"], found
    assert not any(thread["is_kernel"] for thread in found["opened"]), found
    assert found["calls"] and not any(
        "exit" in call for call in found["calls"]), found
    losses = page.window.run("""
        const { recording } = page.timeline;
        return [{ lost_records: 0, truncated: 0 },
          { lost_records: 3, truncated: 2 }].map((losses) =>
          sentences({ ...recording, facts: { ...recording.facts, ...losses } })
            .filter((text) => / lost/.test(text)));""")
    assert losses == [[], ["3 records of events lost: rows may be missing.",
                           "Trace lost 2 times: the buffer was full."]], losses


def check_zoom(page):
    page.window.type("0" + ESCAPE)
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
        const track = timeline.selection.thread * TRACK.kinds + TRACK.stack;
        const { slices } = timeline.loaded.get(track);
        let many = 0, whole = 0;
        for (let i = 0; i < slices.length; i += 8)
          if (slices[i + 6] > 1) many++; else whole++;
        return { many, whole };""")
    assert many["whole"] > 3, many


def check_explained_selection(page, causes):
    """The server explains the selected time as the command does."""
    window = page.window
    window.run("document.getElementById('explain').click();")
    if window.run("return page.source.isFile;"):
        window.wait("document.getElementById('content').textContent"
                    ".includes('a saved page has no trace')", "the reason")
        return
    window.wait("document.querySelector('#content #explanation .causes li')",
                "the explanation", 300)
    said = window.run("return document.getElementById('content').textContent;")
    assert causes[0]["sentence"] in said, (causes[0], said)


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
    page.show_tab("details", "#explain-command")
    command = page.window.run("return document.getElementById("
                              "'explain-command').textContent;")
    explained = subprocess.run(
        [page.program, *shlex.split(command)[1:], "--format=json"], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    causes = json.loads(explained.stdout)["causes"]
    assert causes, explained.stdout
    check_explained_selection(page, causes)
    page.show_tab("functions", "td.text button")
    page.show_tab("tree", ".tree [role=treeitem]")
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
        const { slices } = timeline.loaded.get(row.track);
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
    page.window.wait(f"page.timeline.choice.open.has({thread}) &&"
                     " page.timeline.visibleRows().some((row) =>"
                     f" row.kind === 'stack' && row.number === {thread})",
                     "the calls of who ran")
    page.settle()


def check_explain(page):
    """The explanation is first, says what `ktrace-hw explain` says, and its
    moments lead to the timeline."""
    page.window.type("0" + ESCAPE)
    page.show_tab("overview", "#explanation .causes li")
    shown = page.window.run("""
        const [first] = document.getElementById("content").firstChild.children;
        return { id: first.id, text: first.textContent,
          moments: first.querySelectorAll(".moment").length };""")
    assert shown["id"] == "explanation", shown
    lines = page.said("explain").splitlines()
    (head,) = [line for line in lines if "What had to happen" in line]
    assert head in shown["text"], (head, shown)
    causes = [line.split("  ", 2)[-1].strip() for line in lines
              if " %  " in line and "smaller cause" not in line]
    assert causes and all(cause.split("  ")[-1] in shown["text"]
                          for cause in causes), (causes, shown)
    assert shown["moments"] >= len(causes), shown
    remarks = [re.sub(r",? at [\d.]+( s\b)?", "", line) for line in lines
               if re.search(r"\) was ended by |^The event loop of |"
                            r"^Only (process|thread) ", line)]
    assert all(remark.removesuffix("...") in shown["text"]
               for remark in remarks), (remarks, shown)
    page.window.run("document.querySelector('#explanation ol .moment').click();")
    page.window.wait("page.timeline.selection", "the moment's selection")
    chosen = page.window.run("""
        const { selection, view, recording } = page.timeline;
        const { longest } = recording.explanation.causes[0];
        return [selection.from + recording.first_ns - longest.begin_ns,
          recording.threads[selection.thread].tid - longest.tid,
          view.from < selection.from && selection.to < view.to];""")
    assert chosen == [0, 0, True], chosen
    page.window.type(ESCAPE)


def check_reports(page):
    """The tab shows the rows of the reports without slices; a selected call of a
    function of record --args has its arguments."""
    page.window.type("0" + ESCAPE)
    page.show_tab("reports", "section")
    reports = page.window.run(
        "return page.timeline.recording.reports;")
    for name, rows in reports.items():
        said = json.loads(page.said("report", f"--{name}", "--with-tracer",
                                    "--absolute", "--format=json"))
        assert rows == said[:1000], (name, rows[:2], said[:2])
        shown = page.window.run(f"""
            return document.querySelectorAll(
                "#report-{name} tbody tr").length;""")
        assert shown == min(len(rows), 50), (name, shown, len(rows))
    calls = [row for row in reports["args"] if row["wall_ns"]]
    if not calls:
        return
    longest = max(calls, key=lambda row: row["wall_ns"])
    facts = page.window.run(f"""
        const {{ recording }} = page.timeline;
        const thread = recording.threads.findIndex(
          (one) => one.tid === {longest["tid"]});
        const begin = readBegin(recording, {json.dumps(longest)});
        return sliceFacts({{ slice: [begin, 1, 0, 0, 0, 0, 1, 1], kind: "stack",
          thread }}, recording, {{
            name: () => {json.dumps(longest["function"])},
            full: () => {json.dumps(longest["function"])} }});""")
    assert ["arguments", longest["arguments"]] in facts, facts


def check_address(page):
    """The address names tab, window and selection; back, forward and reload
    keep to it."""
    window = page.window
    window.type("0" + ESCAPE)
    page.show_tab("sleeps", "table, #content p")
    page.show_tab("tree", ".tree [role=treeitem]")
    assert "tab=tree" in page.address(), page.address()
    window.type("www")
    page.settle()
    view = page.view()
    window.run("""
        const { timeline } = page;
        const row = timeline.rows.find((row) => row.kind === "state");
        const { from, to } = timeline.view;
        timeline.select({ from: Math.floor(from), to: Math.floor((from + to) / 2),
          thread: row.number });""")
    page.show_tab("functions", "table, #content p")
    address = page.address()
    assert "tab=functions" in address and "view=" in address and \
        "select=" in address and "thread=" in address, address
    window.run("history.back();")
    window.wait("page.panel.tab === 'tree' && page.timeline.selection",
                "the step back")
    window.run("history.back();")
    window.wait("page.panel.tab === 'tree' && !page.timeline.selection",
                "the step before the selection")
    assert math.dist(page.view(), view) < 3, (page.view(), view)
    window.run("history.back();")
    window.wait("page.panel.tab === 'sleeps'", "the first step")
    window.run("history.go(3);")
    window.wait("page.panel.tab === 'functions'", "the steps forward")
    window.run("location.reload();")
    window.wait("window.page?.timeline?.recording?.is_complete &&"
                " page.panel.tab === 'functions' && page.timeline.selection",
                "the reloaded page")
    assert page.address() == address, (page.address(), address)
    # What an address names wrongly is ignored.
    window.run("location.hash = '#tab=none&view=9-1&thread=-4&pin=x&of=99999';")
    window.wait("page.panel.tab === 'overview'", "the wrong address")
    page.settle()


def check_slice_address(page):
    """A link to a call selects that call."""
    window = page.window
    window.type("0" + ESCAPE)
    window.run("document.getElementById('like').value = arguments[0];"
               " page.search.take();", page.function)
    window.wait("page.timeline.selection?.slice", "the first call")
    page.settle()
    slice_ = window.run("return page.timeline.selection.slice;")
    address = page.address()
    window.type("0" + ESCAPE)
    window.run("location.hash = arguments[0];", address)
    window.wait("page.timeline.selection?.slice", "the linked call")
    assert window.run("return page.timeline.selection.slice;") == slice_, \
        (slice_, address)
    page.show_tab("details", "table td")
    window.type(ESCAPE)


def check_help(page):
    window = page.window
    window.run("page.timeline.select({ from: 0, to: 9 });")
    for _ in range(2):
        window.type("??")
        assert window.run("return document.getElementById('help').open;")
        # Keys of the page do nothing below it.
        before = page.view()
        window.type("w")
        assert page.view() == before
        window.type(ESCAPE)
        assert not window.run("return document.getElementById('help').open;")
    assert window.run("return page.timeline.selection !== null;")
    window.type(ESCAPE)
    names = window.run("""return [...document.querySelectorAll("#legend li")]
        .map((item) => item.textContent);""")
    assert names == window.run("return page.timeline.recording.states;"), names


def tip_is_shown(page):
    return page.window.run("return !document.getElementById('tip').hidden;")


def check_tips(page):
    """Tooltips go with what they are about, and with keys and scrolling."""
    window = page.window
    window.type("0" + ESCAPE)
    window.run("page.timeline.scrollTo(0);")
    page.settle()

    def hover(element):
        x, y = window.run("""
            const box = document.querySelector(arguments[0])
              .getBoundingClientRect();
            return [Math.round(box.left + box.width / 2),
              Math.round(box.top + 8)];""", element)
        window.act([{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": x, "y": y - 1},
            {"type": "pointerMove", "duration": 20, "x": x, "y": y}]}])
        assert tip_is_shown(page), element

    page.show_tab("flame", "#flame")
    window.wait("document.getElementById('flame').height > 40", "a flame graph")
    hover("#flame")
    window.type("w")
    assert not tip_is_shown(page), "after a key"
    hover("#flame")
    window.run("page.panel.choose('sleeps');")
    page.show_tab("sleeps", "table, #content p")
    assert not tip_is_shown(page), "after its target is gone"
    page.show_tab("flame", "#flame")
    hover("#flame")
    window.run("document.getElementById('flame').remove();")
    window.wait("document.getElementById('tip').hidden", "no tooltip")
    window.type("0")


def check_empty(page):
    """What is not shown is not recorded, recorded and none, or left out by the
    user's choice."""
    window = page.window
    window.type("0" + ESCAPE)
    page.show_tab("functions", "table")
    rows = window.run("""
        const field = document.querySelector("#content .filter");
        field.value = "no such name";
        field.dispatchEvent(new Event("input"));
        return [document.querySelectorAll("#content tbody tr").length,
          document.getElementById("content").textContent];""")
    assert rows[0] == 0 and "left out by your filter" in rows[1], rows
    said = window.run("""
        const { panel, timeline } = page;
        const { missing } = panel.recording;
        const sayings = [panel.none("No thread slept", "sleeps")];
        timeline.selection = { from: 1, to: 2 };
        sayings.push(panel.none("No thread slept", "sleeps"));
        missing.sleeps = "Not recorded: sleeps.";
        sayings.push(panel.none("No thread slept", "sleeps"));
        delete missing.sleeps;
        timeline.selection = null;
        return sayings;""")
    assert "it was recorded, and there is none" in said[0], said
    assert "left out by your choice" in said[1], said
    assert said[2] == "Not recorded: sleeps.", said
    # A time in which nothing sleeps, for real.
    window.run("""
        const { timeline } = page;
        timeline.select({ from: timeline.begin, to: timeline.begin + 1,
          thread: timeline.recording.threads.findIndex(isProgram) });""")
    window.run("page.panel.choose('sleeps');")
    window.wait("document.getElementById('content').textContent"
                ".includes('left out by your choice') ||"
                " document.querySelector('#content table')", "the reason")
    window.type(ESCAPE)


def check_search_keys(page):
    """The list is sorted by time, matches full names, and takes arrow keys."""
    window = page.window
    window.type("0" + ESCAPE)
    window.type("/")
    window.run("document.getElementById('like').value = '';")
    window.type(page.function[:4])
    window.wait("document.querySelectorAll('#names li[role=option]').length > 2"
                " && page.search.suggested.length", "names")
    window.wait("!document.getElementById('names').hidden", "the list")
    times = [ns for _, ns in window.run("return page.search.suggested;")]
    names = window.run("return page.search.suggested.map(([number]) =>"
                       " page.source.names.whole(number));")
    exact = 1 if names[0] == page.function[:4] else 0
    assert times[exact:] == sorted(times[exact:], reverse=True), times
    assert all(page.function[:4] in name for name in names), names
    window.type(DOWN + DOWN)
    chosen = window.run("""
        const field = document.getElementById("like");
        return [page.search.chosen, field.getAttribute("aria-activedescendant"),
          field.getAttribute("aria-expanded"),
          document.querySelector("#names .chosen").id];""")
    assert chosen == [1, "name-1", "true", "name-1"], chosen
    window.type(UP + DOWN + ENTER)
    wanted = window.run("return page.search.suggested[1][0];")
    window.wait(f"page.search.wanted === {wanted}", "the chosen function")
    assert window.run("return document.getElementById('names').hidden;")
    window.wait("page.timeline.selection?.slice || !/…|^$/.test("
                "document.getElementById('found').textContent)", "its call")
    page.settle()
    window.type("/")
    window.run("document.getElementById('like').value = '';")
    window.type("no_such_function" + ENTER)
    window.wait("document.getElementById('found').textContent.includes("
                "'No function of this name ran')", "the answer that there is none")
    window.type(ESCAPE + ESCAPE)


def check_threads(page):
    """Threads are filtered, sorted, pinned and collapsed, and the address keeps
    it."""
    window = page.window
    window.type("0" + ESCAPE)
    shown = """[...new Set(page.timeline.rows.filter((row) =>
        row.kind === 'state').map((row) => row.number))]"""
    name = window.run("""return page.timeline.recording.threads
        .find(isProgram).name;""")
    window.type("t")
    window.run("document.getElementById('filter').value = '';")
    window.type(name)
    window.wait(f"page.timeline.choice.filter === {json.dumps(name)}",
                "the filter")
    found = window.run(f"return {shown}.map((number) => {{ const thread ="
                       " page.timeline.recording.threads[number];"
                       " return `${thread.process} ${threadLabel(thread)}`; });")
    assert found and all(name in label for label in found), found
    window.type(" no such thread")
    window.wait("page.timeline.rows.at(-1).kind === 'none'", "no thread")
    assert "left out by your filter" in window.run(
        "return page.timeline.rows.at(-1).label;")
    window.type(ESCAPE)
    window.wait("page.timeline.choice.filter === ''", "no filter")
    # Sorted within their process by the chosen time.
    for order, value in (("asleep", "state_ns[STATE.asleep]"), ("busy", None)):
        window.run(f"const order = document.getElementById('order');"
                   f"order.value = '{order}';"
                   "order.dispatchEvent(new Event('change'));")
        times = window.run(f"""
            const {{ recording, choice }} = page.timeline;
            return groupsOf(recording, choice).map((group) =>
              group.threads.map((number) => {{
                const thread = recording.threads[number];
                return {f'thread.{value}' if value else 'busyTime(thread)'};
              }}));""")
        assert all(group == sorted(group, reverse=True) for group in times), \
            (order, times)
    window.run("document.getElementById('collapse').click();")
    assert window.run(f"return {shown};") == []
    number = window.run("return page.timeline.recording.threads"
                        ".findIndex(isProgram);")
    window.run("page.timeline.pin(arguments[0]);", number)
    assert window.run(f"return {shown};") == [number]
    assert f"pin={number}" in page.address(), page.address()
    window.run("document.getElementById('unpin').click();")
    # What a link leads to is shown, also in a collapsed process.
    window.run("page.timeline.goTo(0, 9, arguments[0]);", number)
    assert number in window.run(f"return {shown};")
    window.type("0")


def check_wake_ups(page):
    """A selected sleep has a marked arrow from its waker, and leads there."""
    window = page.window
    window.type("0" + ESCAPE)
    sleep = window.run("""
        const { recording } = page.timeline;
        const tids = recording.threads.map((thread) => thread.tid);
        return recording.lists.sleeps.longest.find((sleep) =>
          sleep[7 - 1] > 0 && tids.includes(sleep[7 - 1]) &&
          tids[sleep[0]] !== sleep[7 - 1] && sleep[7] === 1);""")
    assert sleep, "no sleep with a waker"
    thread, begin, length = sleep[:3]
    window.run("page.timeline.goTo(arguments[0], arguments[1], arguments[2]);",
               begin, begin + length, thread)
    page.settle()
    window.run("""
        const { timeline } = page;
        const row = timeline.rows.find((row) => row.kind === "state" &&
          row.number === arguments[0]);
        const { slices } = timeline.loaded.get(row.track);
        for (let i = 0; i < slices.length; i += SLICE.numbers)
          if (slices[i] === arguments[1])
            timeline.selectSlice(row, slices.slice(i, i + SLICE.numbers));
        """, thread, begin)
    window.wait("page.timeline.selection?.slice && !page.timeline.isDrawing &&"
                " page.timeline.arrows.some((arrow) => arrow.isSelected)",
                "the arrow")
    at = window.run("return page.timeline.arrows.filter((arrow) =>"
                    " arrow.isSelected).map((arrow) => arrow.at);")
    assert begin + length in at, (at, sleep)
    page.show_tab("details", ".links .moment")
    window.run("document.querySelector('#content .links .moment').click();")
    page.settle()
    found = window.run("""
        const { timeline } = page;
        const { threads } = timeline.recording;
        const arrow = timeline.arrows.find((arrow) => arrow.at === arguments[0] &&
          arrow.isSelected);
        return arrow?.wakerRow && threads[arrow.wakerRow.number].tid;""",
                       begin + length)
    assert found == sleep[6], (found, sleep)
    window.run("document.getElementById('unpin').click();")
    window.type("0" + ESCAPE)


def check_off(page):
    """Opened, the rows of CPUs without interrupts and preemption have slices that
    together last as long as those of SQL."""
    window = page.window
    window.type("0" + ESCAPE)
    window.run("""
        const { timeline } = page;
        timeline.toggleGroup(timeline.rows.find((row) => row.group === "off"));""")
    page.settle()
    found = window.run("""
        const { timeline } = page;
        return timeline.rows.filter((row) => row.kind === "off").map((row) => {
          const { slices } = timeline.loaded.get(row.track);
          let busy = 0;
          for (let i = 0; i < slices.length; i += SLICE.numbers)
            busy += slices[i + SLICE.busy];
          return [row.label, busy];
        });""")
    rows = json.loads(page.said("sql", "--format=json", """SELECT cpu,
        'interrupts' AS what, sum(duration_ns) AS ns FROM interrupts_off
        GROUP BY 1 UNION ALL SELECT cpu, 'preemption', sum(duration_ns)
        FROM preemption_off GROUP BY 1 ORDER BY 1, 2"""))
    wanted = [[f"CPU {row['cpu']} {row['what']} off", row["ns"]]
              for row in rows]
    # A page in a file draws only slices that are visible, without their sums.
    is_file = window.run("return location.protocol === 'file:';")
    assert found == wanted or is_file and all(
        one[0] == other[0] and 0 < one[1] <= other[1]
        for one, other in zip(found, wanted, strict=True)), (found, wanted)
    window.run("page.timeline.toggleGroup({ kind: 'more', group: 'off' });")
    window.type("0" + ESCAPE)


def luminance(color):
    parts = [part / 255 for part in color]
    red, green, blue = (part / 12.92 if part <= 0.04045 else
                        ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(color):
    red, green, blue = (part / 12.92 if part <= 0.04045 else
                        ((part + 0.055) / 1.055) ** 2.4
                        for part in (value / 255 for value in color))
    white = (0.9505, 1, 1.089)
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722),
            (0.0193, 0.1192, 0.9505))
    x, y, z = (math.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116
               for t in ((r * red + g * green + b * blue) / w
                         for (r, g, b), w in zip(rows, white)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


TEXT_COLORS = """
    const seen = new Map();
    const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || !node.checkVisibility() ||
          node.closest("script, style, option, .unseen"))
        continue;
      let under = node;
      while (under && (numbers(getComputedStyle(under).backgroundColor)[3] ?? 1) === 0)
        under = under.parentElement;
      const of = [getComputedStyle(node).color,
        under ? getComputedStyle(under).backgroundColor : "rgb(255, 255, 255)"];
      seen.set(of.join(), [...of.map(numbers), node.outerHTML.slice(0, 80)]);
    }
    return [...seen.values()];"""

CANVAS_COLORS = """
    const canvas = document.createElement("canvas").getContext("2d",
      { willReadFrequently: true });
    const numbers = (color) => {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    };
    const code = [];
    for (const kind of ["kernel", "module", "user"])
      for (let i = 0; i < 300; i++)
        code.push(numbers(codeColor(kind, `function_${i}`)),
          numbers(threadColor(`thread_${i}`)));
    return { states: stateColors.map(numbers),
      inks: stateColors.map((color, i) => numbers(stateInk(i))),
      code, ink: numbers(INK.dark), kinds: Object.fromEntries(
        ["kernel", "module", "user"].map((kind) =>
          [kind, numbers(codeColor(kind, "same"))])),
      texts: ["text", "dim", "axis", "accent", "marked"].map((name) => numbers(theme[name])),
      papers: ["paper", "soft", "map"].map((name) => numbers(theme[name])) };"""


def check_colors(page):
    """In both modes, all texts have contrast, and states can be told apart; the
    tabs' names are on one line."""
    window = page.window
    window.type("0" + ESCAPE)
    for mode in ("light", "dark"):
        while window.run("return document.getElementById('mode')"
                         ".getAttribute('aria-label');") != f"Colours: {mode}":
            window.run("document.getElementById('mode').click();")
        assert window.run("return document.documentElement.dataset.mode;") == mode
        for tab in window.run("return [...page.panel.buttons.keys()];"):
            page.show_tab(tab, "*")
            heights = window.run("return [...document.querySelectorAll("
                                 "'#tabs button')].map((b) => b.offsetHeight);")
            assert max(heights) < 40, (tab, heights)
            for text, under, where in window.run(TEXT_COLORS):
                assert contrast(text[:3], under[:3]) >= CONTRAST, \
                    (mode, tab, text, under, where)
        window.type("?")
        for text, under, where in window.run(TEXT_COLORS):
            assert contrast(text[:3], under[:3]) >= CONTRAST, \
                (mode, text, under, where)
        window.type(ESCAPE)
        colors = window.run(CANVAS_COLORS)
        for one, other in itertools.combinations(colors["states"], 2):
            assert math.dist(lab(one), lab(other)) > DIFFERENT, \
                (mode, colors["states"].index(one),
                 colors["states"].index(other))
        for fill, ink in zip(colors["states"], colors["inks"]):
            assert contrast(fill, ink) >= CONTRAST, (mode, fill, ink)
        assert min(contrast(fill, colors["ink"])
                   for fill in colors["code"]) >= CONTRAST
        for text, paper in itertools.product(colors["texts"], colors["papers"]):
            assert contrast(text, paper) >= CONTRAST, (mode, text, paper)
        for one, other in itertools.combinations(colors["kinds"].values(), 2):
            assert math.dist(lab(one), lab(other)) > DIFFERENT, colors["kinds"]
    # The choice is kept, and the first one follows the system.
    window.run("location.reload();")
    window.wait("window.page?.timeline?.recording?.is_complete", "a reload")
    assert window.run("return document.documentElement.dataset.mode;") == "dark"
    window.run("document.getElementById('mode').click();")
    assert window.run("return document.documentElement.dataset.mode;") == \
        ("dark" if window.run("return matchMedia("
                              "'(prefers-color-scheme: dark)').matches;")
         else "light")


UNNAMED = """
    return [...document.querySelectorAll("button, input, select, canvas, [role]")]
      .filter((node) => node.checkVisibility() && !(node.getAttribute("aria-label") ||
        node.getAttribute("aria-labelledby") || node.textContent.trim() ||
        node.labels?.length || node.title ||
        ["status", "tooltip", "group", "none"].includes(node.getAttribute("role"))))
      .map((node) => node.outerHTML.slice(0, 120));"""


def check_keys(page):
    """Keys reach tabs, rows, slices, trees, flame graphs and the splitter, and
    screen readers get names and roles."""
    window = page.window
    window.run("page.timeline.choose((choice) => { choice.closed.clear(); });")
    window.type("0" + ESCAPE)
    for tab in window.run("return [...page.panel.buttons.keys()];"):
        page.show_tab(tab, "*")
        assert window.run(UNNAMED) == [], tab
    page.show_tab("overview", "*")
    window.run("document.getElementById('tab-overview').focus();")
    window.type(RIGHT + RIGHT)
    chosen = window.run("""
        const tab = document.activeElement;
        return [page.panel.tab, tab.id, tab.getAttribute("aria-selected"),
          document.querySelectorAll("[role=tab][tabindex='0']").length];""")
    assert chosen == ["functions", "tab-functions", "true", 1], chosen
    # Rows and slices, with what is spoken.
    window.run("document.getElementById('canvas').focus();"
               " page.timeline.scrollTo(0);")
    for _ in range(40):
        window.type("j")
        if window.run("return page.timeline.cursorRow?.kind;") == "state":
            break
    row = window.run("return [page.timeline.cursorRow.number,"
                     " page.timeline.cursorRow.label];")
    assert row[1] in window.run("return document.getElementById('spoken')"
                                ".textContent;"), row
    page.settle()
    window.type(".")
    first = window.run("return page.timeline.selection?.from;")
    window.type(".")
    second = window.run("return page.timeline.selection?.from;")
    assert first is not None and second > first, (first, second)
    assert "begins at" in window.run("return document.getElementById('spoken')"
                                     ".textContent;")
    window.type(",")
    assert window.run("return page.timeline.selection.from;") == first
    is_open = f"return page.timeline.choice.open.has({row[0]});"
    before = window.run(is_open)
    window.type(ENTER)
    assert window.run(is_open) != before
    window.type("p")
    assert window.run(f"return page.timeline.choice.pins.has({row[0]});")
    window.type("p" + ESCAPE + "0")
    # The tree.
    page.show_tab("tree", ".tree [role=treeitem]")
    window.run("document.querySelector('.tree [tabindex=\"0\"]').focus();")
    level = "return document.activeElement.getAttribute('aria-level');"
    assert window.run(level) == "1"
    window.type(RIGHT)
    assert window.run(level) == "2", "an open one leads to its first callee"
    window.type(LEFT)
    assert window.run("return document.activeElement"
                      ".getAttribute('aria-expanded');") == "false"
    window.type(LEFT)
    assert window.run(level) == "1", "a closed one leads to its caller"
    window.type("o")
    window.wait("page.panel.tab === 'function'", "the function")
    # The flame graph.
    page.show_tab("flame", "#flame")
    window.wait("document.getElementById('flame').height > 40", "a flame graph")
    before = window.run("const flame = document.getElementById('flame');"
                        "flame.focus(); return flame.ariaLabel;")
    window.type(DOWN)
    after = window.run("return document.getElementById('flame').ariaLabel;")
    assert ": all\n" in before and ": all\n" not in after, (before, after)
    height = "return document.getElementById('panel').offsetHeight;"
    before = window.run("document.getElementById('splitter').focus();" + height)
    window.type(UP)
    assert window.run(height) > before
    window.type(DOWN)


def check_trees(page):
    """Inverted and sandwich trees add up to the profile."""
    window = page.window
    window.type("0" + ESCAPE)
    found = window.run("""
        return page.panel.profile().then((profile) => {
          const nodes = treeNodes(profile.tree);
          const self = new Map();
          for (const node of nodes)
            if (node.parent)
              self.set(node.function, (self.get(node.function) ?? 0) + node.self);
          const inverted = invertedTree(nodes);
          const wrong = inverted.children.filter((child) =>
            child.self !== self.get(child.function) || child.total !== child.self ||
            child.children.reduce((sum, above) => sum + above.total, 0) > child.total);
          const called = profile.flat[0];
          const callees = calleesTree(nodes, called);
          const callers = callersTree(nodes, called);
          const outer = outermost(nodes, called);
          return { wrong: wrong.length, shown: inverted.children.length,
            sum: inverted.total - [...self.values()].reduce((a, b) => a + b, 0),
            callees: callees.total - outer.reduce((sum, node) => sum + node.total, 0),
            callers: callers.total - callees.total,
            parts: callees.self + callees.children.reduce((sum, child) =>
              sum + child.total, 0) - callees.total,
            left_out: profile.left_out };
        });""")
    assert found["shown"] > 5, found
    assert not any(found[name] for name in
                   ("wrong", "sum", "callees", "callers")), found
    assert found["parts"] == 0 or (found["left_out"] and found["parts"] < 0), \
        found
    page.show_tab("tree", ".tree [role=treeitem]")
    first = "return document.querySelector('.tree [role=treeitem]').ariaLabel;"
    before = window.run(first)
    window.run("document.getElementById('inverted').click();")
    window.wait("document.querySelector('[role=tree]')?.ariaLabel ==="
                " 'Inverted call tree'", "the inverted tree")
    assert window.run(first) != before
    assert "inverted=1" in page.address()
    window.run("document.getElementById('inverted').click();")
    page.show_tab("functions", "td.text button")
    window.run("document.querySelector('#content td.text button').click();")
    page.show_tab("function", "#sandwich canvas")
    assert "function=" in page.address(), page.address()


def check_annotate(page):
    """A function's instructions are those of annotate, with source lines."""
    window = page.window
    window.type("0" + ESCAPE)
    window.run("document.getElementById('like').value = arguments[0];"
               " page.search.take();", page.function)
    window.wait("page.timeline.selection?.slice", "the first call")
    window.type(ESCAPE + "0")
    page.show_tab("function", "#annotate")
    window.run("document.getElementById('annotate').click();")
    if window.run("return page.source.isFile;"):
        window.wait("document.getElementById('annotation').textContent"
                    ".includes('a saved page has no trace')", "the reason")
        return
    window.wait("document.querySelector('.instructions tbody tr')",
                "instructions", 300)
    rows = window.run("""
        return [...document.querySelectorAll(".instructions tbody tr")]
          .map((row) => [...row.children].map((cell) => cell.textContent))
          .filter((cells) => cells.length === 5);""")
    wanted = json.loads(page.said("annotate", page.function, "--format=json"))
    assert [(int(row[0].replace(",", "")), int(row[3], 16)) for row in rows] \
        == [(row["count"], row["offset"]) for row in wanted], rows[:5]
    assert all(row["instruction"] in cells[4]
               for row, cells in zip(wanted, rows)), rows[:5]


CHECKS = (check_first_sight, check_explain, check_reports, check_address,
          check_slice_address, check_zoom, check_search, check_search_keys, check_selection,
          check_parts, check_click, check_empty, check_help, check_tips,
          check_threads, check_wake_ups, check_off, check_trees, check_annotate,
          check_keys, check_colors)


def is_more(what, count, most):
    print(f"{what}: {count} (at most {most})")
    if count > most:
        print(f"FAILED: {what}: {count}, more than {most}")
    return count > most


def draws_too_much(page):
    """Draws the whole recording and counts what is drawn."""
    page.window.run("page.timeline.zoom(0.3);")
    page.settle()
    page.window.run("""
        const canvas = CanvasRenderingContext2D.prototype;
        window.shapes = 0;
        for (const name of ["fill", "fillRect", "fillText", "stroke",
                            "strokeRect", "drawImage"]) {
          const draw = canvas[name];
          canvas[name] = function (...values) {
            window.shapes++;
            return draw.apply(this, values);
          };
        }
        page.timeline.showAll();""")
    page.settle()
    return is_more("shapes drawn for all of it",
                   page.window.run("return window.shapes;"), MOST_SHAPES)


def asks_too_much(page):
    """The largest answer that the page has had from the server."""
    size, path = page.window.run("""
        return performance.getEntriesByType("resource")
          .filter(({ name }) => name.includes("/data/"))
          .map(({ decodedBodySize, name }) => [decodedBodySize, name])
          .reduce((one, other) => other[0] > one[0] ? other : one);""")
    path = path.split("/data/")[1]
    return is_more(f"bytes of the answer to {path[:60]}", size,
                   MOST_ANSWER_BYTES)


def try_page(address, server, function, program, recording, checks):
    """Prints a line for each check; returns how many failed. @server is None for
    a page in a file."""
    failed = 0
    with browser() as window:
        window.open(address)
        window.wait("window.page?.timeline?.recording?.is_complete",
                    "the whole recording", 600)
        page = Page(window, function, program, recording)
        window.run("performance.setResourceTimingBufferSize(100000);")
        page.settle()
        failed += draws_too_much(page)
        for check in checks:
            try:
                check(page)
                print(f"ok: {check.__name__[6:]}")
            except (AssertionError, RuntimeError) as error:
                failed += 1
                print(f"FAILED: {check.__name__[6:]}: {str(error)[:500]}")
                window.picture(os.path.join(
                    tempfile.gettempdir(), f"page-{check.__name__}.png"))
        complaints = window.complaints()
        if complaints:
            failed += 1
            print("FAILED: the console says", complaints)
        if server:
            failed += asks_too_much(page)
    return failed


def main():
    is_served = sys.argv[1] == "--served"
    if is_served:
        del sys.argv[1]
    program, recording = sys.argv[1:3]
    function = sys.argv[3] if len(sys.argv) > 3 else "vfs_read"
    about = (function, program, recording,
             [check for check in CHECKS
              if len(sys.argv) < 5 or check.__name__[6:] in sys.argv[4:]])
    if missing():
        print(f"skipped: no {missing()} here")
        return 0
    with server(program, recording) as served:
        served.wait()
        failed = try_page(served.address, served, *about)
    if is_served:
        return 1 if failed else 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        subprocess.run([program, "report", "--html", path, "-i", recording],
                       check=True)
        size = os.path.getsize(path)
        print(f"-- the page in a file of {size} bytes")
        if size > MOST_BYTES:
            print(f"FAILED: more than {MOST_BYTES}")
            failed += 1
        failed += try_page(f"file://{path}", None, *about)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
