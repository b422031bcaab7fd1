# SPDX-License-Identifier: MIT
"""Sends ktrace-hw serve requests that it must refuse, and malformed ones:
misbehave.py SOCKET TID.  TID is of another process of the same user.
Prints a line with each result.  misbehave.py SOCKET copies: see
list_copies()."""
import ctypes
import mmap
import os
import socket
import struct
import sys
import threading

PATH, WHAT = sys.argv[1:]
MAGIC, VERSION, REFUSED, TRACE = 0x5748544B, 3, 1, 2
BUFFER = 1 << 16


def connect():
    there = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    there.settimeout(20)
    there.connect(PATH)
    return there


def request(tid, version=VERSION, kind=TRACE, buffer=BUFFER):
    return struct.pack("<IHHiIQ", MAGIC, version, kind, tid, 0, buffer)


def receive(there):
    """Returns the kind of the service's next message, or a reason, and the
    descriptors that came with it."""
    try:
        message, fds, _, _ = socket.recv_fds(there, 4096, 64)
    except OSError as error:
        return type(error).__name__, []
    return kind_of(message), fds


def kind_of(message):
    if not message:
        return "closed"
    kind = struct.unpack_from("<H", message, 6)[0]
    if kind != REFUSED:
        return "granted"
    return message[12:].split(b"\0")[0].decode()


def answer(there):
    """What the service says first: a reason, "granted" or that it closed."""
    words, fds = receive(there)
    for fd in fds:
        os.close(fd)
    return words


def ask(name, message, fds=()):
    there = connect()
    if fds:
        socket.send_fds(there, [message], list(fds))
    else:
        there.send(message)
    print(f"{name}: {answer(there)}", flush=True)
    there.close()


def talk_on():
    """A second request on the same connection ends it."""
    there = connect()
    there.send(request(threading.get_native_id()))
    first = answer(there)
    there.send(request(threading.get_native_id()))
    while (last := answer(there)) == "granted":
        pass
    print(f"talk on: {first}, {last}", flush=True)


def crowd():
    """Opens connections that send nothing. The service keeps the first few
    and closes the others; when some of those have gone, it answers another
    one, beside one that never reads."""
    silent = [connect() for _ in range(80)]
    last = answer(silent[-1])
    for there in silent[:8]:
        there.close()
    deaf = connect()
    deaf.send(request(threading.get_native_id(), kind=REFUSED))
    there = connect()
    there.send(request(threading.get_native_id()))
    print(f"crowd: {last}, {answer(there)}", flush=True)
    for there in [there, deaf, *silent]:
        there.close()


class Taker(threading.Thread):
    """Requests its own trace, and lives until it is told to end, as the trace
    unit refuses a second trace of a thread."""

    def __init__(self):
        super().__init__()
        self.words, self.files, self.events = None, [], []
        self.is_served, self.may_end = threading.Event(), threading.Event()
        self.start()
        self.is_served.wait()

    def run(self):
        self.there = connect()
        self.there.send(request(threading.get_native_id()))
        self.words, self.files = receive(self.there)
        # The trace itself is the last one.
        more = self.words
        while more == "granted" and len(self.events) <= os.cpu_count():
            more, fds = receive(self.there)
            self.events += fds
        self.is_served.set()
        self.may_end.wait()

    def end(self):
        self.there.close()
        self.may_end.set()
        self.join()


def close_all(fds):
    for fd in fds:
        os.close(fd)


def hoard_files():
    """Keeps the kernel's files after each connection has ended. When nobody is
    served any more, the kernel's code changes, and the next one gets a new copy."""
    kept = []
    for _ in range(8):
        taker = Taker()
        kept += [taker.files] if taker.files else []
        taker.end()
        close_all(taker.events)
    blocks = [sum(os.fstat(fd).st_blocks for fd in files) for files in kept]
    copies = {os.fstat(files[0]).st_ino: size
              for files, size in zip(kept, blocks)}
    pinned = sum(copies.values()) <= 4 * max(copies.values())
    writable = [fd for files in kept for fd in files
                if os.access(f"/proc/self/fd/{fd}", os.W_OK)]
    close_all(fd for files in kept for fd in files)
    print(f"hoard files: {len(kept)} served, {len(copies)} copies, "
          f"{'few' if pinned else 'many'} pinned, {len(writable)} writable",
          flush=True)


def take_until_refused():
    """Takes events, and closes each connection."""
    takers = []
    while not takers or takers[-1].words == "granted" and len(takers) < 100:
        takers.append(Taker())
        takers[-1].end()
        close_all(takers[-1].files)
    return takers


def replace(takers):
    close_all(fd for taker in takers for fd in taker.events)
    return take_until_refused()


def hoard_events():
    """Keeps the events after each connection has ended, beside one connection
    that stays, so that no copies are needed; then only the memory of one event."""
    beside = Taker()
    takers = take_until_refused()
    words, counts = takers[-1].words, [len(takers) - 1]
    size = mmap.PAGESIZE + (64 << 10)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    memory = ctypes.c_void_p(libc.mmap(
        None, ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE,
        mmap.MAP_SHARED, takers[0].events[0], ctypes.c_long(0)))
    takers = replace(takers)
    counts.append(len(takers) - 1)
    libc.munmap(memory, ctypes.c_size_t(size))
    takers = replace(takers)
    counts.append(len(takers) - 1)
    close_all(fd for taker in takers for fd in taker.events)
    print(f"hoard events: {counts}, {words}", flush=True)
    beside.end()
    close_all(beside.files + beside.events)


def list_copies():
    """For each line on standard input, requests a trace and prints the number of
    the copy of the kernel that it gets. A connection beside it stays, so that the
    kernel's code does not change because nobody is traced any more."""
    takers = [Taker()]
    seen = []
    for _ in sys.stdin:
        takers.append(Taker())
        copy = os.fstat(takers[-1].files[0]).st_ino
        if copy not in seen:
            seen.append(copy)
        print(seen.index(copy), flush=True)
    for taker in takers:
        taker.end()
        close_all(taker.files + taker.events)


def main():
    if WHAT == "copies":
        list_copies()
        return
    own = threading.get_native_id()
    ask("short", request(own)[:5])
    ask("long", request(own) * 20)
    ask("version", request(own, version=7))
    ask("kind", request(own, kind=3))
    ask("buffer", request(own, buffer=12345))
    ask("init", request(1))
    ask("parent", request(os.getppid()))
    ask("other", request(int(WHAT)))
    ask("negative", request(-1))
    ask("descriptors", request(own), [0, 1, 2])
    talk_on()
    crowd()
    hoard_files()
    hoard_events()
    ask("good", request(own))


main()
