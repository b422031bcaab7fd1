#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page and the flame graph of diff load nothing else, contain the data of
--format=json, and work in chromium if it is installed.

    diff_page.py PROGRAM A B
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from browser import browser, missing

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<img src=x onerror=alert(1)></script>"


class Parts(html.parser.HTMLParser):
    """Collects the parts of a page that could load or run something."""

    def __init__(self, text):
        super().__init__()
        self.policy = self.data = ""
        self.nonces = []
        self.tag = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tag = values.get("id") if tag == "script" else None
        assert tag not in ("img", "link", "iframe", "object", "base"), tag
        for name in values:
            assert name not in ("src", "href") and name[:2] != "on", values
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        elif tag in ("style", "script") and self.tag != "data":
            self.nonces.append(values["nonce"])

    def handle_data(self, data):
        if self.tag == "data":
            self.data += data


def diff(program, form, *sides):
    return subprocess.run([program, "diff", f"--format={form}", *sides],
                          check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


def check_page(program, sides, text):
    parts = Parts(text)
    assert parts.policy.startswith("default-src 'none'; "), parts.policy
    assert len(parts.nonces) == 2 and len(set(parts.nonces)) == 1
    assert parts.policy.count(f"'nonce-{parts.nonces[0]}'") == 2
    data = json.loads(parts.data)
    rows = [[row["section"], row["comm"], row["name"], row["note"],
             row["change_ns"], row["a"]["total_ns"], row["b"]["count"]]
            for row in data["rows"]]
    assert rows == [[row["section"], row["comm"], row["name"], row["note"],
                     row["change_ns"], row["total_a_ns"], row["count_b"]]
                    for row in json.loads(diff(program, "json", *sides))]
    assert [len(data["a"]), len(data["b"])] == \
        [side.count(",") + 1 for side in sides]


def folded_ns(program, recording):
    """Returns the total of the recording's own flame graph. Like diff, it
    charges interrupt work to the beneficiaries if the recording shows them."""
    for bill in "beneficiary", "victim":
        own = subprocess.run([program, "flamegraph", "--folded",
                              f"--bill={bill}", "-i", recording],
                             check=bill == "victim", stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        if not own.returncode:
            break
    return sum(int(line.rsplit(" ", 1)[1]) for line in own.stdout.splitlines())


def check_flame(program, sides):
    """The upper graph has the widths of B, the lower one the widths of A.
    They add up to the totals of both sides' own flame graphs."""
    text = diff(program, "svg", *sides)
    root = xml.etree.ElementTree.fromstring(text)
    assert "http" not in text.replace("http://www.w3.org/", ""), "loads"
    for side, name in ((sides[1], "data-all"), (sides[0], "data-second")):
        assert int(root.get(name)) == folded_ns(program, side)
    fills = {frame.find(SVG + "rect").get("fill")
             for frame in root.iter(SVG + "g")}
    assert any(re.match(r"rgb\(255,\d+,\d+\)", fill) for fill in fills)
    assert len(text) < 2_000_000, len(text)
    same = xml.etree.ElementTree.fromstring(
        diff(program, "svg", sides[0], sides[0]))
    assert {frame.find(SVG + "rect").get("fill")
            for frame in same.iter(SVG + "g")} == {"rgb(228,228,228)"}


def shown(window):
    return window.run("""
        return [...document.querySelectorAll("tbody")].map((body) =>
          [...body.rows].map((row) => [...row.cells].map((cell) =>
            cell.textContent)));""")


def check_browser(window, path):
    window.open(f"file://{path}")
    window.wait("window.page", "the page")
    functions = shown(window)[3]
    assert len(functions) > 10, functions
    window.run("""
        const [filter] = [...document.querySelectorAll(".filter")].slice(3);
        filter.value = "SCHED";
        filter.dispatchEvent(new Event("input"));""")
    fewer = shown(window)[3]
    assert 0 < len(fewer) < len(functions), len(fewer)
    assert all("sched" in row[0] for row in fewer), fewer
    window.run("document.querySelectorAll('table')[3]"
               ".querySelector('th').click();")
    names = [row[0] for row in shown(window)[3]]
    assert names == sorted(names), names
    window.run("document.getElementById('with_same').click();")
    window.run("document.getElementById('with_noise').click();")
    assert len(shown(window)[3]) >= len(fewer)


def check_evil(window, folder, text):
    """Any name in the page remains text."""
    name = json.dumps(EVIL).replace("<", "\\u003c")
    path = os.path.join(folder, "evil.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r'("section":"process","comm":)"[^"]*"',
                          lambda match: match[1] + name, text))
    window.open(f"file://{path}")
    window.wait("window.page", "the page")
    assert any(row[0] == EVIL for row in shown(window)[0])
    assert not window.run("return document.querySelector('img');")


def check_fits(window):
    """The roots are in view, and the rows get lower until all are, but not
    lower than 4 pixels."""
    for size in (1500, 950), (900, 420):
        window.resize(*size)
        window.wait("+svg.getAttribute('width') <= innerWidth", "the width")
        seen = window.run("""
            const roots = frames.filter((frame) => !frame.depth && !frame.graph);
            return { inner: innerHeight, height: +svg.getAttribute("height"),
              top: Math.max(...roots.map((frame) => frame.rect
                .getBoundingClientRect().bottom)), scrolled: scrollY,
              row: +frames[0].rect.getAttribute("height") };""")
        assert 0 < seen["top"] < 100 and not seen["scrolled"], seen
        assert seen["height"] <= seen["inner"] or seen["row"] < 4, seen


def drive(page, flame, text, folder):
    with browser() as window:
        check_browser(window, page)
        check_evil(window, folder, text)
        assert not window.complaints(), "the console says something"
        window.open(f"file://{flame}")
        check_fits(window)
        window.run("zoom(frames.find((frame) => frame.depth === 2));")
        assert window.run("return views[0].w < alls[0] &&"
                          " views[1].w === alls[1];")
        window.run("zoom(frames.find((frame) => frame.graph === 1 &&"
                   " frame.depth === 1));")
        assert window.run("return views[1].w < alls[1];")
        window.run("mark('sched'); ")
        assert window.run("return matched.textContent.split(',').length;") \
            == 2
        assert not window.complaints(), "the console says something"


def main():
    program, *sides = sys.argv[1:]
    text = diff(program, "html", *sides)
    check_page(program, sides, text)
    both = [",".join(sides), ",".join(reversed(sides))]
    check_page(program, both, diff(program, "html", *both))
    check_flame(program, sides)
    print("ok: the page and the flame graph are whole in themselves")
    if missing():
        print(f"skipped: no {missing()} here")
        return
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "diff.html")
        flame = os.path.join(folder, "diff.svg")
        for path, form in ((page, "html"), (flame, "svg")):
            subprocess.run([program, "diff", f"--format={form}", "-o", path,
                            *sides], check=True, stderr=subprocess.DEVNULL)
        drive(page, flame, text, folder)
    print("ok: they work in a browser")


main()
