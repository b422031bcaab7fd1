#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails when code outside of common/files/output_folder.h creates, renames or removes
files by their paths: where other users may write, a path that is looked up
twice leads to their files, or to root's.  ALLOWED names what is written by a
path that the user gave, or in a file system of the kernel's own.
"""
import re
import subprocess
import sys

FOLDERS = ("archive attribution cmd collector common decoder execution inband "
           "report serve sql store symbolize tables view").split()

# The module itself.
MODULE = {"common/files/output_folder.c"}

ALLOWED = {
    # One output file, whose name the user gave.
    "cmd/archive.c": {"open", "unlink"},
    "cmd/diff.c": {"fopen"},
    "cmd/pipeline/session.c": {"fopen"},
    "cmd/report/profile_choice.c": {"fopen"},
    "common/files/output_file.c": {"fopen", "openat", "linkat", "renameat2",
                             "unlinkat"},
    # SQLite opens its database by path: below a private folder beside the file.
    "sql/sqlite/sqlite_export.c": {"mkdtemp", "rename", "rmdir", "unlink"},
    # A named pipe that the user gave.
    "collector/trigger/trigger_set.c": {"mkfifo", "open"},
    # The service's socket.
    "serve/service_socket.c": {"chmod", "chown", "unlink"},
    # Below tracefs.
    "collector/events/tracefs.c": {"open"},
    "collector/function_graph/graph_instance.c": {"mkdir", "rmdir"},
    # /dev/null.
    "cmd/top/top_loop.c": {"open"},
    "cmd/top/top_round.c": {"open"},
    # In the new folder that it was given, by descriptor.
    "archive/unpack.c": {"openat", "mkdirat"},
}

CHANGING = ("creat rename renameat renameat2 unlink unlinkat rmdir mkdir "
            "mkdirat remove nftw ftw mkdtemp mkostemp mkstemp symlink "
            "symlinkat link linkat truncate mknod mkfifo tmpfile chmod chown "
            "lchown").split()
CALL = re.compile(r"(?<![\w>.])(%s|open|openat|fopen)\(((?:[^()]|\([^()]*\))*)\)"
                  % "|".join(CHANGING))
WRITING = {
    "open": re.compile(r"O_(CREAT|WRONLY|RDWR|TMPFILE|TRUNC)"),
    "openat": re.compile(r"O_(CREAT|WRONLY|RDWR|TMPFILE|TRUNC)"),
    "fopen": re.compile(r'"[^"]*[wa+][^"]*"\s*$'),
}
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def without_comments(text):
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def changing_calls(text):
    """Yields the name and the line of each call that changes a folder."""
    for found in CALL.finditer(text):
        name, arguments = found[1], found[2]
        # A declaration of a function of that name.
        if re.match(r"\s*(const|struct|void|int|char)\b", arguments):
            continue
        if name in WRITING and not WRITING[name].search(arguments):
            continue
        yield name, text.count("\n", 0, found.start()) + 1


def main():
    files = subprocess.run(["git", "ls-files", *FOLDERS], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    failed = False
    for path in files:
        if not path.endswith((".c", ".h")) or path in MODULE:
            continue
        with open(path, encoding="utf-8") as source:
            text = without_comments(source.read())
        for name, line in changing_calls(text):
            if name not in ALLOWED.get(path, ()):
                print(f"{path}:{line}: {name}(): use "
                      "common/files/output_folder.h", file=sys.stderr)
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
