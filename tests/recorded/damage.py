#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads damaged copies of a recording with ktrace-hw and judges each run.

    damage.py [OPTION]... PROGRAM RECORDING

Every run must end by itself with exit code 0 or 1, within --seconds of CPU
time and --megabytes of memory, without a sanitizer's report; one that fails
must say why, naming the recording; one that cannot have seen all must say so.
Exit code: 0 if all did, else 1.
"""
import argparse
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

CUT_STEP = 64 * 1024
HEADER = struct.Struct("<8s8Q4Q")
AUXTRACE = 71
SAID = re.compile(r"^ktrace-hw: ", re.M)
DOUBT = re.compile(r"^Incomplete:|^ktrace-hw: warning: ", re.M)
CRASH = re.compile(r"Sanitizer|runtime error:|Assertion")


class Judge:
    def __init__(self, options):
        self.options = options
        self.cases = 0
        self.failed = 0
        self.noticed = 0
        self.worst_s = 0.0
        self.worst_mb = 0

    def complain(self, name, why, text):
        self.failed += 1
        print(f"FAILED: {name}: {why}\n{text[:2000]}", flush=True)

    def run(self, name, folder, needs_doubt):
        out = tempfile.TemporaryFile()
        err = tempfile.TemporaryFile()
        limit = int(20 * self.options.seconds)
        child = subprocess.Popen(
            [self.options.program, "report", "--flat", "-i", folder],
            stdout=out, stderr=err,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_CPU, (limit, limit)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        err.seek(0)
        out.seek(0)
        self.judge(name, folder, status, usage,
                   err.read().decode(errors="replace"),
                   out.read(4096).decode(errors="replace"), needs_doubt)

    def judge(self, name, folder, status, usage, err, out, needs_doubt):
        seconds = usage.ru_utime + usage.ru_stime
        megabytes = usage.ru_maxrss // 1024
        code = os.waitstatus_to_exitcode(status)
        doubt = bool(DOUBT.search(err) or DOUBT.search(out))
        self.cases += 1
        self.noticed += code != 0 or doubt
        self.worst_s = max(self.worst_s, seconds)
        self.worst_mb = max(self.worst_mb, megabytes)
        if code not in (0, 1) or CRASH.search(err):
            self.complain(name, f"exit code {code}", err)
        elif seconds > self.options.seconds:
            self.complain(name, f"took {seconds:.1f} s", err)
        elif megabytes > self.options.megabytes:
            self.complain(name, f"took {megabytes} MB", err)
        elif code == 1 and not (SAID.search(err) and folder in err):
            self.complain(name, "failed without saying where", err)
        elif code == 0 and needs_doubt and not doubt:
            self.complain(name, "does not say that anything is missing", err)


def file_of(folder, name):
    return os.path.join(folder, name)


def read(folder, name):
    with open(file_of(folder, name), "rb") as file:
        return file.read()


def damaged(recording, scratch, changes):
    """A copy of the recording with files replaced (None: left out)."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(recording, scratch, symlinks=True,
                    copy_function=os.link)
    for name, content in changes.items():
        path = file_of(scratch, name)
        if os.path.lexists(path):
            os.unlink(path)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)


def without_trace(data):
    """The recording as it would be had no trace come, without features."""
    fields = list(HEADER.unpack_from(data))
    offset, size = fields[5], fields[6]
    kept = bytearray()
    at = offset
    while at < offset + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        whole = length
        if kind == AUXTRACE:
            whole += struct.unpack_from("<Q", data, at + 8)[0]
        else:
            kept += data[at:at + length]
        at += whole
    fields[6] = len(kept)
    fields[9:13] = [0, 0, 0, 0]
    return HEADER.pack(*fields) + data[HEADER.size:offset] + bytes(kept)


def flip(content, rng, limit):
    content = bytearray(content)
    for _ in range(1 + rng.randrange(8)):
        at = rng.randrange(min(limit, len(content)))
        content[at] ^= 1 << rng.randrange(8)
    return bytes(content)


def flips(recording, count, first):
    """Half of them where the structure is, some in the copies of code."""
    places = [("data", 4096), ("data", 1 << 62), ("data", 1 << 62),
              ("data", 65536), ("kcore_dir/kcore", 4096),
              ("kcore_dir/kallsyms", 1 << 62), ("kcore_dir/modules", 1 << 62),
              ("kcore_dir/kcore", 1 << 62)]
    for seed in range(first, first + count):
        rng = random.Random(seed)
        name, limit = places[seed % len(places)]
        content = read(recording, name)
        if content:
            yield f"flip {seed} in {name}", {name: flip(content, rng, limit)}


def cuts(data):
    for size in range(CUT_STEP, len(data), CUT_STEP):
        yield f"cut at {size}", {"data": data[:size]}


def shifted(kcore):
    """The code of another build: everything lies elsewhere."""
    return kcore[:65536] + b"\xcc" * 16 + kcore[65536:-16]


def other_kernel(recording, other):
    if other:
        name = "kcore_dir/kcore"
        yield "the code of another kernel", {name: read(other, name)}
    yield "the code moved", {
        "kcore_dir/kcore": shifted(read(recording, "kcore_dir/kcore"))}


def incomplete(data):
    yield "an empty file", {"data": b""}
    yield "a header only", {"data": data[:104]}
    yield "no file", {"data": None}
    yield "no trace", {"data": without_trace(data)}
    yield "no code", {"kcore_dir/kcore": None}
    yield "no symbols", {"kcore_dir/kallsyms": None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--flips", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--other", help="a recording of another kernel")
    parser.add_argument("program")
    parser.add_argument("recording")
    options = parser.parse_args()
    judge = Judge(options)
    data = read(options.recording, "data")
    # Beside the recording: copies are links.
    scratch = options.recording.rstrip("/") + ".damaged"
    try:
        for cases, needs_doubt in (
                (cuts(data), True), (incomplete(data), True),
                (other_kernel(options.recording, options.other), True),
                (flips(options.recording, options.flips, options.first_seed),
                 False)):
            for name, changes in cases:
                damaged(options.recording, scratch, changes)
                judge.run(name, scratch, needs_doubt)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{judge.cases} damaged copies, {judge.failed} failed; "
          f"{judge.noticed} noticed; at most {judge.worst_s:.1f} s and "
          f"{judge.worst_mb} MB")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
