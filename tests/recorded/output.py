#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output to files, terminals and closed pipes, and wrong usage.

    output.py PROGRAM RECORDING
"""
import os
import pty
import re
import sys
import tempfile

from reader import run_checks


def check_output(reader):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        reader.text("report", "--flat", "-o", path)
        with open(path, encoding="utf-8") as file:
            assert file.read() == reader.text("report", "--flat")
        done = reader.run("report", "-i", reader.recording, "-o",
                          os.path.join(folder, "no", "such"))
        assert done.returncode == 1 and b"such" in done.stderr


def check_default_recording(reader):
    with tempfile.TemporaryDirectory() as folder:
        done = reader.run("report", folder=folder)
        assert done.returncode == 1 and b"no recording" in done.stderr
        os.symlink(reader.recording, os.path.join(folder, "ktrace.data"))
        done = reader.run("report", "--flat", folder=folder)
        assert done.returncode == 0
        assert done.stdout.decode() == reader.text("report", "--flat")


def on_terminal(reader, pager, *arguments):
    """Returns the output on a terminal, and the exit code."""
    shown = tempfile.TemporaryFile()

    def take(descriptor):
        text = os.read(descriptor, 65536)
        shown.write(text)
        return text

    pid, descriptor = pty.fork()
    if not pid:
        os.execve(reader.program,
                  [reader.program, *arguments, "-i", reader.recording],
                  {"KTRACE_PAGER": pager, "PATH": os.environ["PATH"],
                   "TERM": "xterm"})
    try:
        while take(descriptor):
            pass
    except OSError:  # the terminal is closed
        pass
    os.close(descriptor)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    shown.seek(0)
    return shown.read().decode().replace("\r\n", "\n"), code


def check_pager(reader):
    upper = "tr a-z A-Z"
    flat = ("report", "--flat", "--color=never")
    text = reader.text(*flat)
    shown, code = on_terminal(reader, upper, *flat)
    assert shown.endswith(text.upper()) and code == 0
    shown, code = on_terminal(reader, "cat", *flat)
    assert shown.endswith(text) and code == 0
    shown, code = on_terminal(reader, upper, "report", "--flat",
                              "--format=csv", "--top=1")
    assert "function,calls" in shown and code == 0
    shown, code = on_terminal(reader, "head -n 2", "timeline")
    assert shown.count("\n") == 2 and code == 0
    for command in (("report", "--flat", "--top=1"), ("timeline",)):
        shown, code = on_terminal(reader, "/nonexistent/pager", *command)
        assert "not found" in shown and code == 1


def without_colors(text):
    return re.sub("\033\\[[0-9;]*m", "", text)


def check_colors(reader):
    for command in (("report", "--flat"), ("report", "--callgraph"),
                    ("timeline", "--top=1000")):
        plain = reader.text(*command)
        assert "\033" not in plain
        assert reader.text(*command, "--color=never") == plain
        shown = reader.text(*command, "--color=always")
        assert shown != plain and without_colors(shown) == plain, command
        shown, code = on_terminal(reader, "cat", *command)
        assert code == 0 and "\033" in shown, command
        assert without_colors(shown).endswith(plain), command
        rows = reader.text(*command, "--format=csv", "--color=always")
        assert "\033" not in rows, command
    assert "\033[31m" in reader.text("report", "--flat", "--color=always")


def check_usage(reader):
    for command in ("report", "timeline", "flamegraph", "export", "dump"):
        assert reader.run(command, "--nonsense").returncode == 2
        assert reader.run(command, "surplus", "more").returncode == 2
        done = reader.run(command, "--help")
        assert done.returncode == 0 and b"--since" in done.stdout
        assert (b"--pid" in done.stdout) == (command != "dump")
        assert (b"--top" in done.stdout) == (command != "flamegraph")
        if command != "export":
            done = reader.run(command, "-i", "/nonexistent")
            assert done.returncode == 1 and b"/nonexistent" in done.stderr
    for command in (("dump", "--pid=1"), ("flamegraph", "--top=1"),
                    ("export", "--format=gmon", "--top=1")):
        done = reader.run(*command)
        assert done.returncode == 2, command
        assert command[-1].split("=")[0].encode() in done.stderr, command


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
