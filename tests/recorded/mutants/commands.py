# SPDX-License-Identifier: MIT
"""All commands that read a recording, which read mutants in turn.  {copy}
is the mutant, {whole} the recording that it was made from, {out} a file
that may be written, {empty} an empty folder."""

ASK = "ask"

QUERIES = (
    "SELECT count(*), sum(self_ns) FROM call",
    "SELECT class, sum(duration_ns) FROM thread_state GROUP BY 1",
    "SELECT call, count(*), max(wall_ns) FROM syscall GROUP BY 1",
    "SELECT * FROM thread",
    "SELECT * FROM wakeup LIMIT 1000",
    "SELECT * FROM gap",
    "SELECT * FROM profile",
)
TABLES = (
    "--processes", "--threads", "--servers", "--requests", "--locks", "--block", "--spins", "--irqsoff", "--preemptoff",
    "--syscalls", "--sleeps",
    "--runqueue", "--interrupts", "--interrupts=both", "--user-sites",
    "--crashes", "--hits", "--flat", "--flat --lines", "--callgraph",
    "--calltree", "--tracer", "--function=vfs_read",
    "--between do_syscall_64 vfs_read",
)
FORMS = (
    "timeline", "timeline --format=csv --jobs=3", "timeline --format=json",
    "timeline --raw", "timeline --lines --function=vfs_*,do_exit",
    "timeline --syscalls", "timeline --syscalls --details --format=json",
    "timeline --since=+0.0002 --until=+0.0008",
    "flamegraph", "flamegraph --wall --folded", "flamegraph --off-cpu",
    "flamegraph --bill=victim --with-idle --with-tracer",
    "export --format=perfetto", "export --format=chrome",
    "export --format=firefox", "export --format=csv",
    "export --format=json --jobs=3",
    "export --format=sqlite -o {out}", "export --format=gmon -o {out}",
    "export --format=perfetto --functions-only",
    "report --format=json", "report --format=csv --jobs=3",
    "report --html={out}", "report --flat --since=+0.0003",
    "report --symfs={empty} --user-sites",
    "diff {whole} {copy}", "diff --format=html -o {out} {copy} {whole}",
    "diff --format=svg {copy} {whole}",
    "dump --records", "dump --packets", "dump --blocks", "dump --events",
    "dump --events --jobs=3", "dump --blocks --since=+0.0002",
    "verify {copy}",
)
# The second command reads the first one's output.
PAIRS = (
    ("archive -i {copy} -o {out}", "report -i {out}"),
    ("archive -i {copy} -o {out} --keep-stacks --symfs={empty}",
     "archive --unpack {out} -o {out}.unpacked"),
    ("report -i {copy}",
     "report --flat --since=+0.0002 --until=+0.0006 -i {copy}"),
)
SECOND_ENGINES = {"x86_64": "libipt", "aarch64": "opencsd"}


def reading(form):
    return [form if "{copy}" in form else f"{form} -i {{copy}}"]


def all_commands(arch):
    """Returns lists of commands that run one after the other, each a list
    of words.  The single word ASK stands for view with the page's queries."""
    engine = f"--engine={SECOND_ENGINES[arch]}"
    lines = [reading(f"report {table}") for table in TABLES]
    lines += [reading(form) for form in FORMS]
    lines += [reading(f"{form} {engine}") for form in (
        "report", "timeline --format=csv", "dump --events", "dump --blocks")]
    lines += PAIRS
    found = [[line.split() for line in some] for some in lines]
    found += [[["sql", "-i", "{copy}", query]] for query in QUERIES]
    return found + [[[ASK]]]


def filled(words, places):
    """Returns @words with names in place of {copy} and the others."""
    return [word.format(**places) for word in words]
