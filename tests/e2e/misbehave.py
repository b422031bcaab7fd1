# SPDX-License-Identifier: MIT
"""Sends ktrace-hw serve requests that it must refuse, and malformed ones:
misbehave.py SOCKET TID.  TID is of another process of the same user.
Prints a line with each result."""
import os
import socket
import struct
import sys
import threading

PATH, OTHER = sys.argv[1], int(sys.argv[2])
MAGIC, VERSION, REFUSED, TRACE = 0x5748544B, 2, 1, 2
BUFFER = 1 << 16


def connect():
    there = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    there.settimeout(20)
    there.connect(PATH)
    return there


def request(tid, version=VERSION, kind=TRACE, buffer=BUFFER):
    return struct.pack("<IHHiIQ", MAGIC, version, kind, tid, 0, buffer)


def answer(there):
    """Returns the service's first answer: a reason, "granted", or that it
    closed."""
    try:
        message, fds, _, _ = socket.recv_fds(there, 4096, 64)
    except OSError as error:
        return type(error).__name__
    for fd in fds:
        os.close(fd)
    if not message:
        return "closed"
    kind = struct.unpack_from("<H", message, 6)[0]
    if kind != REFUSED:
        return "granted"
    return message[12:].split(b"\0")[0].decode()


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
    silent = [connect() for _ in range(40)]
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


def main():
    own = threading.get_native_id()
    ask("short", request(own)[:5])
    ask("long", request(own) * 20)
    ask("version", request(own, version=7))
    ask("kind", request(own, kind=3))
    ask("buffer", request(own, buffer=12345))
    ask("init", request(1))
    ask("parent", request(os.getppid()))
    ask("other", request(OTHER))
    ask("negative", request(-1))
    ask("descriptors", request(own), [0, 1, 2])
    talk_on()
    crowd()
    ask("good", request(own))


main()
