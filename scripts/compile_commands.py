#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes compile_commands.json from what `make -nB` would run.

    make -nB ... | compile_commands.py >compile_commands.json
"""
import json
import os
import re
import shlex
import sys


def entries(lines):
    seen = set()
    for line in lines:
        if not re.search(r" -c -o \S+ \S+\.c$", line.strip()):
            continue
        arguments = shlex.split(line)
        if arguments[-1] not in seen:
            seen.add(arguments[-1])
            yield {"directory": os.getcwd(), "file": arguments[-1],
                   "arguments": arguments}


found = list(entries(sys.stdin))
if not found:
    sys.exit("compile_commands.py: make would compile nothing")
json.dump(found, sys.stdout, indent=1)
