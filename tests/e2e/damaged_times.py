#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replaces time stamps of a recording of Intel PT by times at which nothing was
recorded, and checks that both engines have a gap instead.

    damaged_times.py KTRACE RECORDING FOLDER

Prints the number of copies, which are made in FOLDER. Each has one such time
stamp, at a sync point, or three: with a bit flipped that no time of the
recording has, as of a packet whose end was overwritten, or all bits set.
"""
import os
import random
import re
import shutil
import subprocess
import sys

PSB = re.compile(rb"(?:\x02\x82){8}\x19")
COPIES = 4
# 2^37 ticks of 1 ns are more than two minutes, and more than a minute is after
# the last record.
FIRST_BIT = 37
NS_PER_S = 10 ** 9
# libipt reads a packet ahead: the branches of a TNT before the damage are in
# the other engine's output only.
EVENTS_BEFORE = 64


def damage(number, chance):
    """Returns a wrong time stamp for @number."""
    kind = chance.randrange(3)
    if kind == 0:
        return number ^ 1 << chance.randrange(FIRST_BIT, 56)
    if kind == 1:
        return number & 0xffffffff | chance.randrange(1 << 8, 1 << 24) << 32
    return (1 << 56) - 1


def write_copy(recording, folder, chance, count):
    shutil.copytree(recording, folder)
    path = os.path.join(folder, "data")
    with open(path, "rb") as file:
        data = bytearray(file.read())
    # The first keeps the start.
    places = [match.end() for match in PSB.finditer(data)][1:]
    for at in chance.sample(places, count):
        number = int.from_bytes(data[at:at + 7], "little")
        data[at:at + 7] = damage(number, chance).to_bytes(7, "little")
    with open(path, "wb") as file:
        file.write(data)


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=True).stdout


def last_time(ktrace, folder, engine):
    """Returns the latest time that is printed, since the recording's start."""
    rows = output_of(ktrace, "timeline", "--engine", engine, "-i", folder,
                     "--format=csv").splitlines()
    return max(int(row.split(",")[1]) for row in rows[1:])


def gaps(ktrace, folder):
    """Returns the gaps of each engine, and the events of only one."""
    text = output_of(ktrace, "verify", "-i", folder)
    return [(int(count), int(events)) for count, events in
            re.findall(r"(\d+) gaps, (\d+) events where", text)]


def main():
    ktrace, recording, scratch = sys.argv[1:]
    chance = random.Random(44)
    end = last_time(ktrace, recording, "graph")
    for number in range(COPIES):
        folder = os.path.join(scratch, f"damaged_times.{number}")
        count = 1 + number % 2 * 2
        write_copy(recording, folder, chance, count)
        found = gaps(ktrace, folder)
        # Neighbours make one gap.
        if (len(found) != 2 or found[0][0] != found[1][0] or
                not 1 <= found[0][0] <= count or
                any(events > count * EVENTS_BEFORE for _, events in found)):
            sys.exit(f"{folder}: {count} time stamps, gaps and events: {found}")
        for engine in "graph", "libipt":
            last = last_time(ktrace, folder, engine)
            if last > end + NS_PER_S:
                sys.exit(f"{folder}: {engine}: an event at {last} ns, the "
                         f"recording ends at {end} ns")
        shutil.rmtree(folder)
    print(COPIES)


if __name__ == "__main__":
    main()
