#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the decoding of golden flows with their expected instructions.

    tests/golden/flows.py PROGRAM [--verbose] [NAME...]

--verbose prints each flow, and its first difference.

The flows are ../shared/intel-pt/golden-flows, or in KTRACE_SHARED: each is a
recording and the addresses of its executed instructions.
expected_failures.txt, in this folder, lists the flows that are known to differ,
with the reason; a listed flow that does not differ fails, so the list stays
correct.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = re.compile(r'\sblock\s+\S+\s+([0-9a-f]+)-([0-9a-f]+)\s+(\d+) instr')
# "? " marks an instruction within a transaction.
ADDRESS = re.compile(r'(?:\? )?([0-9a-f]{16})\b')
COUNT = re.compile(r'insn:\s+(\d+)')
LIMIT_S = 60


def flows_archive():
    shared = os.environ.get('KTRACE_SHARED') or HERE.parents[2] / 'shared'
    return pathlib.Path(shared) / 'intel-pt/golden-flows/flows.tar.zst'


def expected_failures():
    """Returns names and their differences from lines "NAME: reason"."""
    lines = (HERE / 'expected_failures.txt').read_text().splitlines()
    pairs = [line.split(':', 1) for line in lines
             if line and not line.startswith('#')]
    return {name: reason.strip() for name, reason in pairs}


def meant(path):
    """Returns each instruction's address, or only their number."""
    lines = path.read_text().splitlines()
    addresses = [int(match[1], 16) for match in map(ADDRESS.match, lines)
                 if match]
    counts = [int(match[1]) for match in map(COUNT.match, lines) if match]
    return addresses, counts[0] if counts and not addresses else None


def decoded(program, recording):
    """Returns first and last address and count of each block; otherwise the
    error."""
    try:
        run = subprocess.run([program, 'dump', '--blocks', '-i', recording],
                             capture_output=True, text=True, timeout=LIMIT_S,
                             check=False)
    except subprocess.TimeoutExpired:
        return [], f'no answer after {LIMIT_S} s'
    if run.returncode < 0:
        return [], f'killed by signal {-run.returncode}'
    blocks = [(int(match[1], 16), int(match[2], 16), int(match[3]))
              for match in map(BLOCK.search, run.stdout.splitlines()) if match]
    return blocks, None


def around(addresses, at):
    shown = [f'{address:x}' for address in addresses[max(at - 2, 0):at + 4]]
    return ' '.join(['...' if at > 2 else ''] + shown).strip() or 'the end'


def first_difference(addresses, blocks):
    """Returns the first block that differs from the expected ones, or None."""
    at = 0
    for first, last, count in blocks:
        end = at + count
        if (end > len(addresses) or addresses[at] != first
                or addresses[end - 1] != last):
            return (f'instruction {at}: block {first:x}-{last:x} of {count}, '
                    f'meant is {around(addresses, at)}')
        at = end
    if at < len(addresses):
        return f'instruction {at}: no block, meant is {around(addresses, at)}'
    return None


def compare(program, folder, name):
    addresses, count = meant(folder / f'{name}-ptxed.exp')
    blocks, error = decoded(program, folder / f'{name}.d')
    if error:
        return error
    if count is None:
        return first_difference(addresses, blocks)
    found = sum(block[2] for block in blocks)
    return None if found == count else f'{found} instructions of {count}'


def judge(name, difference, known, verbose):
    """Prints and returns whether the flow is as expected."""
    if difference is None and name in known:
        print(f'FAIL {name}: equal, though listed: {known[name]}')
        return False
    is_known = name in known
    if difference is not None and not is_known:
        print(f'FAIL {name}: {difference}')
        return False
    if verbose and is_known:
        print(f'known {name}: {difference}\n      {known[name]}')
    elif verbose:
        print(f'ok   {name}')
    return True


def run(arguments, folder):
    names = sorted(path.name[:-len('-ptxed.exp')]
                   for path in folder.glob('*-ptxed.exp'))
    known = expected_failures()
    results = []
    for name in arguments.names or names:
        difference = compare(arguments.program, folder, name)
        results.append(judge(name, difference, known, arguments.verbose))
    for name in sorted(known.keys() - set(names)):
        print(f'FAIL {name}: listed, but there is no such flow')
        results.append(False)
    bad = results.count(False)
    print(f'golden flows: {len(results) - bad} of {len(results)} as expected, '
          f'{len(known)} of them known to differ')
    return bad or not results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('names', nargs='*')
    parser.add_argument('--verbose', action='store_true')
    arguments = parser.parse_intermixed_args()
    archive = flows_archive()
    if not archive.exists():
        print(f'skipped: golden flows: there is no {archive}')
        return 0
    with tempfile.TemporaryDirectory(prefix='ktrace-hw-golden.') as folder:
        subprocess.run(['tar', '--zstd', '-xf', archive, '-C', folder],
                       check=True)
        return 1 if run(arguments, pathlib.Path(folder)) else 0


if __name__ == '__main__':
    sys.exit(main())
