#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the modules' structure (CONTRIBUTING.md): prints each file that breaks
a rule, and fails if there is any. A module is a folder.

- A header NAME_internal.h is private: only files of its folder, and tests,
  include it. Any other header is public: files of other folders include it.
- A public header has a comment for each of its functions, and one that explains
  the header's main idea.
- A parameter (@name) or file of ours that a comment names exists.
- No circle: NAME.c, NAME.h and NAME_internal.h together include only files that
  do not lead back to them.
- A file or folder that CONTRIBUTING.md or a page of docs/ names exists.
- A file has at most 1,000 lines, and a folder at most 25 C files.
- The subjects of commits that are on no remote branch have at most 72 characters
  and no full stop; without a remote, those of the last commits.
"""
import collections
import os
import re
import subprocess
import sys

MOST_LINES, MOST_FILES, MOST_SUBJECT, COMMITS = 1000, 25, 72, 10
LEAST_WORDS = 12
# A header of more lines than this starts with an essay of at least that many
# words: purpose, flow of data, states, invariants, threads, errors, memory.
MOST_PLAIN_LINES, LEAST_ESSAY = 60, 45
OUTSIDE = ("machine/", "tests/", "docs/")
FOLDERS = os.listdir(".")
# The library's own header is installed and stands alone.
INSTALLED = ("inband/ktrace_hw.h",)

problems = []


def problem(where, what):
    problems.append(f"{where}: {what}")


def git(*words):
    return subprocess.run(("git", *words), check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def includes(texts):
    """Returns the files that include each header."""
    found = collections.defaultdict(set)
    for path, text in texts.items():
        for header in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            found[header].add(path)
    return found


def check_headers(texts, core):
    included = includes(texts)
    for header in core:
        if not header.endswith(".h") or header in INSTALLED:
            continue
        folder = os.path.dirname(header)
        others = [path for path in included[header]
                  if os.path.dirname(path) != folder and
                  not path.startswith("tests/")]
        if header.endswith("_internal.h"):
            for other in others:
                problem(other, f"must not include {header}, which is private")
        elif not others:
            problem(header, "is included only in its own folder: name it "
                    f"{header[:-2]}_internal.h")


def stem(path):
    """A file and its headers are one node of the graph of includes."""
    return re.sub(r"(_internal)?\.[ch]$", "", path)


def graph_of(texts, core):
    graph = collections.defaultdict(set)
    for header, users in includes({path: texts[path] for path in core}).items():
        for user in users:
            if header in texts and stem(header) != stem(user):
                graph[stem(user)].add(stem(header))
    return graph


def circle_from(graph, start):
    """Returns the shortest way from @start back to it, or None."""
    before, ways = {}, collections.deque([start])
    while ways:
        node = ways.popleft()
        for target in sorted(graph[node]):
            if target == start:
                circle = [start]
                while node != start:
                    circle.append(node)
                    node = before[node]
                return [start] + circle[:0:-1] + [start]
            if target not in before:
                before[target] = node
                ways.append(target)
    return None


def check_circles(texts, core):
    """Each file needs only files below it: reports one circle a run, as all
    files that lie on it would be reported again and again."""
    graph = graph_of(texts, core)
    for start in sorted(graph):
        circle = circle_from(graph, start)
        if circle:
            problem(start, "includes itself: " + " -> ".join(circle))
            return


PROTOTYPE = re.compile(r"^[a-z_][\w *]*?[ *](\w+)\([^;{]*\)"
                       r"(?:\s*__attribute__\(\(.*?\)\))?;", re.S)


def most_words(text):
    """Returns the number of words in the longest comment."""
    comments = re.findall(r"/\*(.*?)\*/", text, re.S)
    return max((len(re.findall(r"\w[\w'./()-]*", comment))
                for comment in comments), default=0)


def check_comments(path, text):
    """A comment covers the declarations after it up to an empty line, and so
    does one for a group of them."""
    blocks = re.split(r"\n\s*\n", text)
    if most_words(text) < LEAST_WORDS:
        problem(path, "has no comment that explains it")
    elif text.count("\n") > MOST_PLAIN_LINES and most_words(text) < LEAST_ESSAY:
        problem(path, f"has more than {MOST_PLAIN_LINES} lines and no essay of "
                f"{LEAST_ESSAY} words")
    was_explained = False
    for block in blocks:
        if not block.strip() or block.startswith(("#", "struct ", "/* SPDX")):
            continue
        match = PROTOTYPE.search(block.lstrip())
        if match and not block.lstrip().startswith("/*") and \
                not was_explained and match[1] != "free":
            problem(path, f"{match[1]}() has no comment")
        if block.lstrip().startswith("/*"):
            was_explained = True


TOP_COMMENT = re.compile(r"^/\*.*?\*/", re.S | re.M)


def check_names(path, text, files):
    """A parameter belongs to one of the functions after the comment, before the
    next comment."""
    comments = list(TOP_COMMENT.finditer(text))
    ends = [comment.start() for comment in comments[1:]] + [len(text)]
    for comment, end in zip(comments, ends):
        code = text[comment.end():end]
        for name in set(re.findall(r"(?<![\w\"'.])@([a-z]\w*)", comment[0])):
            if "(" in code and not re.search(rf"\b{name}\b", code):
                problem(path, f"has a comment on @{name}, which no function "
                        "after it has")
        for name in set(re.findall(r"(?<![\w/<.-])((?:\w+/)*\w+\.h)\b",
                                   comment[0])):
            if name.split("/")[0] in FOLDERS and name not in files:
                problem(path, f"has a comment on {name}, which does not exist")


def pages():
    """Returns the documents that name files of ours."""
    return ["CONTRIBUTING.md", *git("ls-files", "docs/*.md").splitlines()]


def check_paths(page, text, files, folders):
    """A file or folder that a document names exists. Words in capitals stand
    for names: only the folders before them are checked."""
    names = {os.path.basename(path) for path in files}
    for name in sorted(set(re.findall(r"`([\w./-]+)`", text))):
        path = re.split(r"(?:^|(?<=/))[^/]*[A-Z]{3}", name)[0].rstrip("/")
        if path.split("/")[0] not in FOLDERS or path.startswith("build"):
            if re.fullmatch(r"\w+\.[ch]", name) and name not in names:
                problem(page, f"names {name}, which does not exist")
        elif "/" in name and path not in files and path not in folders:
            problem(page, f"names {name}, which does not exist")
    above = ""
    for line in text.splitlines():
        cell = re.match(r"\| (\w+/) \|", line)
        if cell and re.match(r"\| \w+/ \| (?:content|file|purpose)", line):
            above = cell[1]
        elif cell and above + cell[1].rstrip("/") not in folders:
            problem(page, f"names {above}{cell[1]}, which does not exist")
        elif not line.startswith("|"):
            above = ""


def folders_of(files):
    found = set()
    for path in files:
        while os.path.dirname(path):
            path = os.path.dirname(path)
            found.add(path)
    return found


def check_pages():
    files = set(git("ls-files").splitlines())
    folders = folders_of(files)
    for page in pages():
        check_paths(page, read(page), files, folders)


def check_sizes(texts, core):
    counts = collections.Counter(os.path.dirname(path) for path in core)
    for folder, count in counts.items():
        if count > MOST_FILES:
            problem(folder, f"has {count} files, more than {MOST_FILES}")
    for path in core:
        lines = texts[path].count("\n")
        if lines > MOST_LINES:
            problem(path, f"has {lines} lines, more than {MOST_LINES}")


def check_subjects():
    own = ("HEAD", "--not", "--remotes") if git("branch", "-r").strip() else \
        ("HEAD", f"-{COMMITS}")
    for subject in git("log", "--no-merges", "--format=%s",
                       *own).splitlines():
        if len(subject) > MOST_SUBJECT or subject.endswith("."):
            problem("commit", f"subject is longer than {MOST_SUBJECT}, or ends "
                    f"with a full stop: {subject}")


def main():
    paths = [path for path in git("ls-files", "*.c", "*.h").splitlines()
             if os.path.exists(path)]
    texts = {path: read(path) for path in paths}
    core = [path for path in paths if not path.startswith(OUTSIDE)]
    check_headers(texts, core)
    check_circles(texts, core)
    for path in core:
        if path.endswith(".h") and not path.endswith("_internal.h"):
            check_comments(path, texts[path])
    for path in core:
        check_names(path, texts[path], set(paths))
    check_pages()
    check_sizes(texts, core)
    check_subjects()
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)


main()
