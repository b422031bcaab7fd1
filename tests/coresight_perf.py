# SPDX-License-Identifier: MIT
"""Compares perf's branches with ktrace-hw's blocks, in order.

perf has no code of modules that are not installed here: branches in it, and
in what follows up to the next address in the trace, are ours alone.  Over a
gap perf joins what lies before it with what lies behind.
"""
import sys

LEFT_OUT = 200


def perf_branches(path):
    for line in open(path):
        words = line.split()
        if len(words) > 3 and words[-3] != '0' and words[-1] != '0':
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


def compare(perf, ours):
    """Returns the counts of equal branches, and of each side's own."""
    equal = own = theirs = at = 0
    for branch in perf:
        ahead = ours[at:at + LEFT_OUT]
        if branch not in ahead:
            theirs += 1
            continue
        step = ahead.index(branch)
        own += step
        equal += 1
        at += step + 1
    return equal, own + len(ours) - at, theirs


def main():
    # A branch to the next instruction cannot be told from none.
    perf = [b for b in perf_branches(sys.argv[1]) if not is_taken_to_next(b)]
    ours = list(our_branches(sys.argv[2]))
    if not perf:
        sys.exit('perf printed no branch')
    equal, own, theirs = compare(perf, ours)
    print('%d branches equal, %d of ours alone, %d of perf alone' %
          (equal, own, theirs))
    if equal < 1000000 or own > LEFT_OUT or theirs > 3:
        sys.exit('perf and ktrace-hw disagree')


main()
