# SPDX-License-Identifier: MIT
"""`ktrace-hw view` of a recording, with the queries of the page."""
import contextlib
import json
import os
import subprocess
import time
import urllib.parse
import urllib.request


class Server:
    def __init__(self, address, pid):
        self.address = address
        self.pid = pid
        self.slowest_s = 0

    def ask(self, path, **arguments):
        query = urllib.parse.urlencode(arguments, safe=",")
        began = time.monotonic()
        with urllib.request.urlopen(
                f"{self.address}data/{path}?{query}", timeout=600) as reply:
            answer = json.load(reply)
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        return answer

    def cpu_ms(self):
        """Returns the server's time on CPUs."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            user, system = file.read().rsplit(")", 1)[1].split()[11:13]
        return 1000 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def wait(self):
        """Returns the recording's data once everything has been decoded."""
        while True:
            recording = self.ask("recording")
            if recording["is_complete"]:
                self.slowest_s = 0
                return recording
            time.sleep(0.1)


@contextlib.contextmanager
def server(program, recording):
    with subprocess.Popen([program, "view", "--no-browser", recording],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), \
                process.stderr.read()
            yield Server(address, process.pid)
        finally:
            process.terminate()
        said = process.stderr.read()
        assert process.wait() in (0, -15), said
