# SPDX-License-Identifier: MIT
"""Counts the copies of code whose addresses had other code before or after, and
how many of them are in the kernel's copy, from which perf decodes:
reused_code.py RECORDING"""
import os
import struct
import sys

FOLDER = sys.argv[1]


def copies():
    """Returns the address range and the bytes of each copy."""
    found = []
    for name in os.listdir(f"{FOLDER}/code"):
        first, end = (int(part, 16) for part in name.split("-")[:2])
        with open(f"{FOLDER}/code/{name}", "rb") as file:
            found.append((first, end, file.read()))
    return [copy for copy in found if copy[2]]


def segments():
    """Returns the address ranges of the kernel's copy."""
    with open(f"{FOLDER}/kcore_dir/kcore", "rb") as file:
        head = file.read(64)
        offset, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(offset)
        table = file.read(size * count)
    parts = [struct.unpack_from("<IIQQQQQ", table, i * size)
             for i in range(count)]
    return [(part[3], part[3] + part[5]) for part in parts if part[0] == 1]


def part_of(copy, first, end):
    return copy[2][max(first, copy[0]) - copy[0]:min(end, copy[1]) - copy[0]]


def is_reused(copy, others):
    """Returns whether another copy has other bytes at an address of @copy."""
    return any(part_of(copy, *other[:2]) != part_of(other, *copy[:2])
               for other in others if copy[0] < other[1] and other[0] < copy[1])


def main():
    found = copies()
    reused = [copy for copy in found if is_reused(copy, found)]
    known = [copy for copy in reused
             if any(copy[0] < end and first < copy[1]
                    for first, end in segments())]
    print(f"{'some' if reused else 'none'} reused, {len(known)} known to perf")


main()
