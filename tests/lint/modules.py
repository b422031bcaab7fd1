#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs scripts/modules.py on small trees, each with one fault that it must name,
and on one without faults."""
import os
import subprocess
import sys
import tempfile

SCRIPT = os.path.abspath(os.path.join(os.path.dirname(__file__),
                                      "../../scripts/modules.py"))
EXPLAINED = ("/* A header that has a comment of more than a dozen words, so that"
             " it counts as explained. */\n")
FILES = {
    "CONTRIBUTING.md": "See `one/a.h`.\n",
    "docs/page.md": "See `two/`.\n",
    "one/a.h": EXPLAINED,
    "one/a.c": '#include "one/a.h"\n#include "one/b_internal.h"\n',
    "one/b_internal.h": "struct b;\n",
    "two/c.c": '#include "one/a.h"\n',
}
CASES = (
    ("a tree without faults", {}, "one file", None),
    ("a circle of includes",
     {"one/a.h": EXPLAINED + '#include "one/b_internal.h"\n',
      "one/b_internal.h": '#include "one/a.h"\n'}, "add it",
     "one/a: includes itself: one/a -> one/b -> one/a"),
    ("a private header of another folder",
     {"two/c.c": '#include "one/a.h"\n#include "one/b_internal.h"\n'}, "use it",
     "two/c.c: must not include one/b_internal.h, which is private"),
    ("a public header that is private", {"two/c.c": "int c;\n"}, "drop it",
     "one/a.h: is included only in its own folder"),
    ("a long header without an essay", {"one/a.h": EXPLAINED + "\n" * 60},
     "extend it", "one/a.h: has more than 60 lines and no essay"),
    ("a function without a comment",
     {"one/a.h": "int a(void);\n\n" + EXPLAINED}, "add it",
     "one/a.h: a() has no comment"),
    ("a page that names a missing file", {"docs/page.md": "See `one/d.h`.\n"},
     "name it", "docs/page.md: names one/d.h, which does not exist"),
    ("a long subject", {}, "one: " + "long " * 14 + "subject",
     "commit: subject is longer than 72"),
)


def git(*words):
    subprocess.run(("git", "-c", "user.name=a", "-c", "user.email=a@b", *words),
                   check=True, stdout=subprocess.DEVNULL)


def problems_of(changes, subject):
    """Returns the output of the script for FILES with @changes."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path, text in {**FILES, **changes}.items():
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", subject)
        run = subprocess.run(SCRIPT, stdout=subprocess.PIPE, text=True)
        os.chdir("/")
    assert bool(run.stdout) == bool(run.returncode), run
    return run.stdout


def main():
    for name, changes, subject, wanted in CASES:
        found = problems_of(changes, subject)
        if (wanted or "") not in found or (not wanted and found):
            sys.exit(f"{name}: found {found or 'nothing'}")


main()
