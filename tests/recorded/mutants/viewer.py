# SPDX-License-Identifier: MIT
"""`ktrace-hw view` of a mutant, with the queries of the page."""
import json
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from limited_run import Run, confine, signal_child, wait

WINDOW = "from=0&to={length}"
QUESTIONS = (f"profile?{WINDOW}", f"sleeps?{WINDOW}", "functions?like=vfs",
             f"tracks?pixels=1000&tracks=0,1,2,3,4,5&{WINDOW}")
PATIENCE_S = 60


def fetch(address, path):
    """Returns the answer, including an error's."""
    try:
        with urllib.request.urlopen(f"{address}data/{path}",
                                    timeout=PATIENCE_S) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


def ask_all(address):
    deadline = time.monotonic() + PATIENCE_S
    recording = fetch(address, "recording")
    while not recording["is_complete"] and time.monotonic() < deadline:
        time.sleep(0.02)
        recording = fetch(address, "recording")
    for question in QUESTIONS:
        fetch(address, question.format(length=recording["length_ns"]))


def talk(child):
    """Runs the queries, then ends the server.  Returns a fault or None; a
    server that ended by itself must have printed the reason."""
    address = child.stdout.readline().decode().strip()
    if not address:
        return ""
    try:
        ask_all(address)
    except (ConnectionError, urllib.error.URLError):
        return ""
    except (ValueError, KeyError) as error:
        return f"Assertion: an answer has no sense: {error!r}\n"
    finally:
        signal_child(child, signal.SIGTERM)
    return ""


def ask(program, recording, limits):
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            [program, "view", "--no-browser", recording],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err)
        confine(child.pid, limits)
        said = talk(child)
        code, *usage = wait(child, limits)
        child.stdout.close()
        err.seek(0)
        return Run(0 if code == -signal.SIGTERM else code, *usage,
                   said + err.read().decode(errors="replace"), "")
