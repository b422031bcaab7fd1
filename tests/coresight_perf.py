# SPDX-License-Identifier: MIT
"""Compares perf's branches with ktrace-hw's blocks, in order.

    coresight_perf.py PERF OURS LEAST

perf has no code of modules that are not installed here, nor of another
machine's vdso: only ktrace-hw has the branches in such code, and after it up to
the next address in the trace.  perf joins the branch before such a run with the
one after it.
"""
import bisect
import collections
import sys

# Documentation/arch/arm64/memory.rst: modules are below the kernel.  At the
# top of user space a static program has only the vdso.
UNKNOWN = (range(0xffff800000000000, 0xffff800080000000),
           range(0xffff00000000, 0x1000000000000))


def perf_branches(path):
    for line in open(path):
        words = line.split()
        if words[-2:-1] == ['=>'] and words[-3] != '0' and words[-1] != '0':
            yield words[-3], words[-1]


def our_branches(path):
    before = None
    for line in open(path):
        words = line.split()
        if len(words) < 4:
            continue
        if words[3] in ('gap', 'stop', 'start'):
            before = None
        if words[3] != 'block':
            continue
        first, last = (int(word, 16) for word in words[5].split('-'))
        if before and first != before + 4:
            yield '%x' % before, '%x' % first
        before = last


def is_taken_to_next(branch):
    return int(branch[1], 16) == int(branch[0], 16) + 4


def is_unknown(branch):
    return any(int(end, 16) in place for end in branch for place in UNKNOWN)


class Finder:
    """Finds where a list of branches continues in another list."""

    ALIKE = 4

    def __init__(self, branches):
        self.branches = branches
        self.places = collections.defaultdict(list)
        for place, branch in enumerate(branches):
            self.places[branch].append(place)

    def next(self, run, start):
        places = self.places.get(run[0], [])
        for place in places[bisect.bisect_left(places, start):]:
            if self.branches[place:place + len(run)] == run:
                return place
        return None


def count_alone(left):
    """Returns the branches of a run that only ktrace-hw has: perf misses
    those after an unknown branch, not those before the first one."""
    first = next((place for place, branch in enumerate(left)
                  if is_unknown(branch)), len(left))
    return {'own': first, 'unknown': len(left) - first}


def compare(perf, ours):
    """Returns the counts of equal branches, of branches that only ktrace-hw
    has in and outside runs through code that perf does not have, and of
    branches that only perf has."""
    counts = collections.Counter()
    finder = Finder(ours)
    at = 0
    for index, branch in enumerate(perf):
        if at < len(ours) and ours[at] == branch:
            counts['equal'] += 1
            at += 1
            continue
        place = finder.next(perf[index:index + Finder.ALIKE], at)
        if place is None:
            counts['theirs'] += 1
            continue
        counts['runs'] += 1
        counts.update(count_alone(ours[at:place]))
        counts['equal'] += 1
        at = place + 1
    # After perf's last branch nothing shows where it would have continued.
    left = ours[at:]
    while left and not is_unknown(left[-1]):
        left.pop()
        counts['own'] += 1
    counts.update(count_alone(left))
    return counts


def main():
    # A branch to the next instruction cannot be distinguished from none.
    perf = [b for b in perf_branches(sys.argv[1]) if not is_taken_to_next(b)]
    ours = list(our_branches(sys.argv[2]))
    counts = compare(perf, ours)
    print('%d branches equal, %d of ours alone through code that perf does not '
          'have, %d elsewhere, %d of perf alone' %
          tuple(counts[key] for key in ('equal', 'unknown', 'own', 'theirs')))
    if counts['equal'] < int(sys.argv[3]):
        sys.exit('too few')
    # Modules took a tenth of the branches of a recording in a virtual machine,
    # vdsos a thousandth: they do not explain more than a fifth.
    if counts['unknown'] > counts['equal'] / 5:
        sys.exit('too much is excused as code that perf does not have')
    if counts['own'] or counts['theirs'] > Finder.ALIKE * counts['runs']:
        sys.exit('perf and ktrace-hw disagree')


main()
