# SPDX-License-Identifier: MIT
"""Drives `ktrace-hw top` on a terminal of its own: top_terminal.py KTRACE"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

from waits import Judge

judge = Judge()
LIMIT_S = 120
ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
FRAME_END = b"\x1b[?2026l"


class Terminal:
    """A program on a terminal, and its output."""
    def __init__(self, rows, columns, *words):
        master, slave = pty.openpty()
        self.master, self.slave = master, slave
        self.resize(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.seen = b""
        self.at = 0
        self.pid = os.fork()
        if self.pid == 0:
            os.login_tty(slave)
            os.environ["TERM"] = "xterm-256color"
            os.execv(words[0], words)

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, limit_s):
        if not select.select([self.master], [], [], limit_s)[0]:
            return False
        try:
            self.seen += os.read(self.master, 65536)
        except OSError:
            return False
        return True

    def wait_for(self, pattern):
        """Returns the next picture from here on that contains it, as text."""
        end_s = time.monotonic() + LIMIT_S
        while time.monotonic() < end_s:
            while FRAME_END in self.seen[self.at:]:
                frame, _, _ = self.seen[self.at:].partition(FRAME_END)
                self.at += len(frame) + len(FRAME_END)
                text = re.sub(r"\x1b\[[?0-9]*[A-Za-z]", "",
                              frame.decode(errors="replace"))
                if re.search(pattern, text):
                    return text
            if not self.read(1) and self.has_ended():
                break
        return ""

    def press(self, keys):
        os.write(self.master, keys)

    def has_ended(self):
        return os.waitid(os.P_PID, self.pid,
                         os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def end(self):
        """Returns the exit code, negative for a signal, after all output
        was read."""
        end_s = time.monotonic() + LIMIT_S
        while not self.has_ended() and time.monotonic() < end_s:
            self.read(0.1)
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)
        while self.read(0.1):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before and \
            self.seen.count(ENTER) == self.seen.count(LEAVE) > 0 and \
            self.seen.rfind(LEAVE) > self.seen.rfind(FRAME_END)


def fits(text, rows, columns):
    lines = text.replace("\r", "").strip("\n").split("\n")
    return len(lines) <= rows and max(map(len, lines)) <= columns


def check_keys(program):
    screen = Terminal(24, 80, program, "top", "--slice", "0.3")
    first = screen.wait_for(r"round 1,")
    judge.expect("terminal: the first round is there", first)
    judge.expect("terminal: it fits", first and fits(first, 24, 80), first)
    judge.expect("terminal: sleeps first", "s [sleeps]" in first, first)
    judge.expect("terminal: says what was traced and what it cost",
                 re.search(r"traced \S+ ms \(\d+ % of the time\), .*nothing "
                           r"lost", first), first)
    judge.expect("terminal: another round", screen.wait_for(r"round 2,"))
    screen.press(b"c")
    text = screen.wait_for(r"c \[system calls\]")
    judge.expect("terminal: c shows calls", "clock_nanosleep" in text, text)
    screen.press(b"i")
    text = screen.wait_for(r"i \[interrupts\]")
    judge.expect("terminal: i shows interrupts", "hrtimer_wakeup" in text, text)
    screen.press(b"p")
    text = screen.wait_for(r"p \[processes\]")
    judge.expect("terminal: p shows processes", "napper" in text, text)
    screen.press(b"\x1b[F")
    text = screen.wait_for(r"gaps ")
    judge.expect("terminal: End goes to the last line", "lost  " in text, text)
    screen.press(b"s ")
    judge.expect("terminal: space pauses", screen.wait_for(r"\[paused\]"))
    screen.resize(50, 120)
    text = screen.wait_for("s .sleeps")
    judge.expect("terminal: follows the window's size",
                 text.count("\n") > 24 and fits(text, 50, 120), text)
    judge.expect("terminal: is never cleared", b"\x1b[2J" not in screen.seen)
    screen.press(b"q")
    judge.expect("terminal: q ends it with 0", screen.end() == 0)
    judge.expect("terminal: q gives it back as it was", screen.is_restored(),
                 screen.seen[-200:])


def check_signal(program, name, send, code):
    screen = Terminal(24, 80, program, "top", "--slice", "0.3")
    judge.expect(f"terminal: {name}: it runs", screen.wait_for("ktrace-hw top"))
    send(screen)
    judge.expect(f"terminal: {name} ends it", screen.end() == code)
    judge.expect(f"terminal: {name} gives it back", screen.is_restored(),
                 screen.seen[-200:])


def main():
    program = sys.argv[1]
    check_keys(program)
    check_signal(program, "SIGTERM",
                 lambda screen: os.kill(screen.pid, signal.SIGTERM), 143)
    check_signal(program, "Ctrl-C", lambda screen: screen.press(b"\x03"), 130)
    sys.exit(judge.failures > 0)


main()
