# SPDX-License-Identifier: MIT
"""Runs the program on hostile input, within bounds of time and memory."""
import collections
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
import traceback

# Sanitizers take a multiple of time and memory, as in the suites' limits.
FACTOR = int(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))
CPU_S = 10 * FACTOR
WALL_S = 60 * FACTOR
MEMORY_MB = 1500 * FACTOR

Run = collections.namedtuple("Run", "code out err")


# linux/capability.h: root's rights to read, write and search everything.
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
# linux/prctl.h
PR_CAPBSET_DROP = 24


def drop_capability(capability):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "PR_CAPBSET_DROP")


def confine(obeys_modes):
    resource.setrlimit(resource.RLIMIT_CPU, (2 * CPU_S, 2 * CPU_S))
    if obeys_modes and os.geteuid() == 0:
        drop_capability(CAP_DAC_OVERRIDE)
        drop_capability(CAP_DAC_READ_SEARCH)


def run(program, *arguments, folder=None, environment=None, obeys_modes=False,
        codes=(0, 1, 2)):
    """Runs the program, which must end by itself and in time.

    With @obeys_modes it obeys the modes of files, even if root runs it.
    """
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    child = subprocess.Popen(
        [program, *arguments], stdin=subprocess.DEVNULL, stdout=out,
        stderr=err, cwd=folder, env={**os.environ, **(environment or {})},
        preexec_fn=lambda: confine(obeys_modes))
    deadline = time.monotonic() + WALL_S
    pid = 0
    while not pid and time.monotonic() < deadline:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        time.sleep(0.01)
    said = " ".join(arguments)
    if not pid:
        child.kill()
        child.wait()
        raise AssertionError(f"{said}: hangs")
    child.returncode = status
    seconds = usage.ru_utime + usage.ru_stime
    assert seconds < CPU_S, f"{said}: took {seconds:.1f} s"
    megabytes = usage.ru_maxrss >> 10
    assert megabytes < MEMORY_MB, f"{said}: took {megabytes} MB"
    out.seek(0)
    err.seek(0)
    done = Run(os.waitstatus_to_exitcode(status),
               out.read().decode(errors="replace"),
               err.read().decode(errors="replace"))
    assert done.code in codes, f"{said}: {done.code}\n{done.err}"
    assert "Sanitizer" not in done.err, done.err
    return done


def run_checks(names):
    """Calls each check_...(program, folder) of @names; returns an exit
    code."""
    program = os.path.abspath(sys.argv[1])
    failed = 0
    for name, check in list(names.items()):
        if not name.startswith("check_"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(program, folder)
            except AssertionError:
                failed += 1
                print(f"FAILED: {name}: {traceback.format_exc()}", flush=True)
    print(f"{os.path.basename(sys.argv[0])}: {failed} failed")
    return failed > 0
