# SPDX-License-Identifier: MIT
"""Rows of SQL queries over a recording, and their sums."""
import json
import os
import subprocess


class Shell:
    """ktrace-hw sql, opened once for many queries."""
    MARK = "SELECT 'all' AS rows;"

    def __init__(self, reader, index):
        environment = dict(os.environ, **({"KTRACE_INDEX": index}
                                          if index else {}))
        self.process = subprocess.Popen(
            [reader.program, "sql", "--format=json", reader.recording],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            text=True)

    def ask(self, query):
        print(query + ";\n" + self.MARK, file=self.process.stdin, flush=True)
        lines = []
        while lines[-2:] != ['{"rows":"all"}\n', "]\n"]:
            lines.append(self.process.stdout.readline())
            assert lines[-1], query
        assert len(lines) > 3, query
        return json.loads("".join(lines[:-3]))


SHELLS = {}


def ask(reader, query, index=None):
    """Returns the rows of @query as dictionaries."""
    if index not in SHELLS:
        SHELLS[index] = Shell(reader, index)
    return SHELLS[index].ask(query)


def by_key(rows, keys, values):
    """Returns the sums of @values by @keys, as numbers."""
    sums = {}
    for row in rows:
        key = tuple(str(row[name]) for name in keys)
        old = sums.get(key, [0] * len(values))
        sums[key] = [x + int(float(row[name] or 0))
                     for x, name in zip(old, values)]
    return sums


def same(reported, asked, keys, values):
    reported = by_key(reported, keys, values)
    asked = by_key(asked, keys, values)
    assert reported, "the report is empty"
    differ = [(key, reported.get(key), asked.get(key))
              for key in sorted({*reported, *asked})
              if reported.get(key) != asked.get(key)]
    assert not differ, (values, len(differ), differ[:6])
