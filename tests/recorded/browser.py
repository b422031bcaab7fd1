# SPDX-License-Identifier: MIT
"""Debian's chromium without a screen, driven over WebDriver (W3C)."""
import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             "--window-size=1500,950"]


def missing():
    """Returns the name of the program that is not installed, or None."""
    return next((name for name in ("chromium", "chromedriver")
                 if not shutil.which(name)), None)


def request(method, address, value=None):
    data = None if value is None else json.dumps(value).encode()
    question = urllib.request.Request(
        address, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(question, timeout=120) as reply:
            return json.load(reply)["value"]
    except urllib.error.HTTPError as error:
        raise RuntimeError(error.read().decode()) from error


class Browser:
    """One page in a browser of its own."""

    def __init__(self, driver, folder):
        options = {"args": ARGUMENTS + [f"--user-data-dir={folder}"],
                   "binary": shutil.which("chromium")}
        self.driver = driver
        session = request("POST", f"{driver}/session", {
            "capabilities": {"alwaysMatch": {
                "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.at = f"{driver}/session/{session['sessionId']}"

        self.command("Performance.enable", timeDomain="threadTicks")

    def command(self, name, **parameters):
        """Returns the result of a command of the DevTools protocol."""
        return request("POST", f"{self.at}/goog/cdp/execute",
                       {"cmd": name, "params": parameters})

    def open(self, address):
        request("POST", f"{self.at}/url", {"url": address})

    def cpu_ms(self):
        """Returns the page's time on a CPU since it was opened."""
        metrics = self.command("Performance.getMetrics")["metrics"]
        return 1000 * next(one["value"] for one in metrics
                           if one["name"] == "TaskDuration")

    def run(self, script, *arguments):
        """Returns the value that the script returns."""
        return request("POST", f"{self.at}/execute/sync",
                       {"script": script, "args": list(arguments)})

    def wait(self, condition, what, seconds=60):
        """Waits until @condition, a JavaScript expression, holds."""
        end = time.monotonic() + seconds
        while not self.run(f"return !!({condition});"):
            assert time.monotonic() < end, f"waited in vain for: {what}"
            time.sleep(0.05)

    def type(self, keys):
        actions = [{"type": kind, "value": key}
                   for key in keys for kind in ("keyDown", "keyUp")]
        self.act([{"type": "key", "id": "keys", "actions": actions}])

    def act(self, actions):
        request("POST", f"{self.at}/actions", {"actions": actions})

    def drag(self, start, end, key=None):
        """Drags the mouse from one point to another while a key is pressed."""
        move = {"type": "pointerMove", "duration": 60}
        points = [dict(move, x=start[0], y=start[1]),
                  {"type": "pointerDown", "button": 0},
                  dict(move, x=end[0], y=end[1]),
                  {"type": "pointerUp", "button": 0}]
        if key:
            self.act([{"type": "key", "id": "keys",
                       "actions": [{"type": "keyDown", "value": key}]}])
        self.act([{"type": "pointer", "id": "mouse", "actions": points}])
        if key:
            self.act([{"type": "key", "id": "keys",
                       "actions": [{"type": "keyUp", "value": key}]}])

    def resize(self, width, height):
        request("POST", f"{self.at}/window/rect",
                {"width": width, "height": height})

    def click(self, point):
        self.drag(point, point)

    def wheel(self, point, by):
        self.act([{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": point[0], "y": point[1],
             "deltaX": 0, "deltaY": by}]}])

    def complaints(self):
        """Returns the messages of the console since the previous call,
        except plain logs."""
        entries = request("POST", f"{self.at}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries
                if entry["level"] in ("WARNING", "SEVERE")]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(
                request("GET", f"{self.at}/screenshot")))

    def close(self):
        request("DELETE", self.at)


def started(driver, process):
    for _ in range(200):
        try:
            return request("GET", f"{driver}/status")["ready"]
        except (OSError, RuntimeError):
            assert process.poll() is None, "chromedriver has ended"
            time.sleep(0.05)
    return False


def free_port():
    import socket
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def browser():
    port = free_port()
    driver = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as process:
        try:
            assert started(driver, process), "chromedriver does not answer"
            page = Browser(driver, folder)
            try:
                yield page
            finally:
                page.close()
        finally:
            process.terminate()
