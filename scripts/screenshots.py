#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the pictures of the page in the documentation: docs/view.png and
docs/tutorial/view.png, of recordings that it makes in the virtual machine. Run it
after a change of how the page looks.

    screenshots.py [FOLDER]

writes them below FOLDER instead of docs/. It needs the built program, chromium
and chromedriver.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "recorded"))

# pylint: disable=wrong-import-position
from browser import browser, missing
from view_server import server

PROGRAM = os.environ.get("KTRACE", os.path.join(ROOT, "build", "ktrace-hw"))
SIZE = (1300, 900)
LEDGER = ("--machine=--fast --timeout 300 --disk-size 64 --disk-delay 60",
          "--everything", "--", "./ledger", "/scratch")
PIPELINE = ("--machine=--fast --timeout 300 --cpus 2", "--events=attribution",
            "--", "sh", "-c", "ls -l /etc | sort | gzip -9 | wc -c")
# Twelve milliseconds around the first time that both CPUs are busy.
BUSY = """
    const { timeline } = page;
    const of = (name) => timeline.recording.threads.findIndex((thread) =>
      thread.name === name);
    return page.source.tracks(timeline.begin, timeline.end, 1000,
      [of("sort"), of("gzip")].map((thread) => thread * TRACK.kinds + TRACK.state))
      .then(({ tracks }) => {
        const starts = tracks.map(({ slices }) => slices[0]);
        const from = Math.max(...starts);
        timeline.show(from - 3e6, from + 9e6);
        return page.panel.show();
      });"""


def record(folder, words):
    subprocess.run([PROGRAM, "record", *words], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def settle(window):
    window.wait("!page.timeline.isAsking && !page.timeline.isDrawing &&"
                " !document.querySelector('#content.waiting') &&"
                " !page.timeline.visibleRows().some((row) =>"
                " row.track !== undefined && page.timeline.isMissing(row.track))",
                "the picture")


def picture(folder, path, fragment, script):
    with server(PROGRAM, os.path.join(folder, "ktrace.data")) as served:
        served.wait()
        with browser() as window:
            window.resize(*SIZE)
            window.open(served.address + fragment)
            window.wait("window.page?.timeline?.recording?.is_complete",
                        "the page")
            window.run("page.timeline.recording.facts.path = 'ktrace.data';"
                       "document.getElementById('what').textContent ="
                       " `ktrace.data — ${arguments[0]}`;",
                       script["command"])
            if script["run"]:
                window.run(script["run"])
            settle(window)
            window.picture(path)
            complaints = window.complaints()
            assert not complaints, complaints


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs")
    if missing():
        print(f"needs {missing()}")
        return 1
    os.makedirs(os.path.join(out, "tutorial"), exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O1", "-g", "-o", os.path.join(folder, "ledger"),
                        os.path.join(ROOT, "docs", "tutorial", "ledger.c")],
                       check=True)
        record(folder, LEDGER)
        picture(folder, os.path.join(out, "tutorial", "view.png"), "",
                {"command": "./ledger /scratch", "run": ""})
    with tempfile.TemporaryDirectory() as folder:
        record(folder, PIPELINE)
        picture(folder, os.path.join(out, "view.png"), "#tab=flame",
                {"command": "sh -c 'ls -l /etc | sort | gzip -9 | wc -c'",
                 "run": BUSY})
    return 0


if __name__ == "__main__":
    sys.exit(main())
