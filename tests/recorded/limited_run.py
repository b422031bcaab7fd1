# SPDX-License-Identifier: MIT
"""Runs a command within limits of time, memory and disk space, and judges
how it ended."""
import collections
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading

SAID = re.compile(r"^ktrace-hw: ", re.M)
CRASH = re.compile(r"Sanitizer|runtime error:|Assertion")
# A run that takes this multiple of its limit hangs. The factor is large
# because a busy computer is slower.
CPU_FACTOR = 20
WALL_FACTOR = 120

Limits = collections.namedtuple("Limits", "seconds megabytes disk_megabytes")
Run = collections.namedtuple("Run", "code seconds megabytes err out")


def confine(pid, limits):
    cpu = int(CPU_FACTOR * limits.seconds)
    disk = limits.disk_megabytes << 20
    resource.prlimit(pid, resource.RLIMIT_CPU, (cpu, cpu))
    # SIGXFSZ ends a process that writes a larger file.
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (disk, disk))


def signal_child(child, number):
    """Popen's methods would also wait for the child, but only one wait
    returns its resource usage."""
    os.kill(child.pid, number)


def wait(child, limits):
    """Waits for @child, kills it if it hangs, and returns its exit code,
    seconds of CPU time and megabytes."""
    alarm = threading.Timer(WALL_FACTOR * limits.seconds, signal_child,
                            (child, signal.SIGKILL))
    alarm.daemon = True
    alarm.start()
    _, status, usage = os.wait4(child.pid, 0)
    alarm.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return (child.returncode, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss >> 10)


def run(words, limits):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err)
        confine(child.pid, limits)
        ended = wait(child, limits)
        err.seek(0)
        out.seek(0)
        return Run(*ended, err.read().decode(errors="replace"),
                   out.read(4096).decode(errors="replace"))


def fault(done, limits, folder):
    """Returns the fault of a run that read a recording in @folder, or None."""
    if done.code not in (0, 1) or CRASH.search(done.err):
        return f"exit code {done.code}"
    if done.seconds > limits.seconds:
        return f"took {done.seconds:.1f} s"
    if done.megabytes > limits.megabytes:
        return f"took {done.megabytes} MB"
    if done.code == 1 and not (SAID.search(done.err) and folder in done.err):
        return "failed without saying where"
    return None


class Tally:
    """Counts runs and failures, and records the highest costs."""

    def __init__(self):
        self.runs = self.failed = self.refused = 0
        self.worst_s, self.worst_mb = 0.0, 0

    def add(self, done):
        self.runs += 1
        self.refused += done.code != 0
        self.worst_s = max(self.worst_s, done.seconds)
        self.worst_mb = max(self.worst_mb, done.megabytes)

    def complain(self, name, why, text):
        self.failed += 1
        print(f"FAILED: {name}: {why}\n{text[:2000]}", flush=True)
