#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs in the virtual machine, as root: a second user attacks the folder that
root records to.  Prints "attempts changed refused made" as numbers, and the
files of a recording that no attempt was made at.

    hostile_folders.py PROGRAM
"""
import os
import re
import subprocess
import sys

OTHER_USER = 65534
PLACE = "/dev/shm/hostile"
VICTIM = "/dev/shm/hostile-victim"
# The recorder writes these, and reports cache some.
WRITTEN = ("data", "trace.dat", "trace.cpu0", "trace.cpus", "index",
           "state_index", "view", "report_sleeps",
           "kcore_dir/kcore", "kcore_dir/kcore_end", "kcore_dir/kallsyms",
           "kcore_dir/modules", "kcore_dir/vdso", "kcore_dir/cgroups",
           "kcore_dir/cgroups_end", "kcore_dir/cpus",
           "kcore_dir/cpus_end", "kcore_dir/sockets", "kcore_dir/clock",
           "kcore_dir/types",
           "code/unfinished", "code/1000-2000-3", "code/1.generated",
           "code/1.map", "code/1.dump", "programs/1234-5-6/name",
           "report_wall_index", "report_profile_index", "symbols")
# Names that depend on the recording, and the name in WRITTEN instead.
NAMES = ((r"code/[0-9a-f]+-[0-9a-f]+-[0-9]+", "code/1000-2000-3"),
         (r"code/[0-9]+\.(generated|map|dump)", r"code/1.\1"),
         (r"programs/[^/]+/[^/]+", "programs/1234-5-6/name"),
         (r"report_[a-z_]+", "report_sleeps"))
KINDS = ("link", "dangling", "second name", "pipe")
MODES = (0o755, 0o777, 0o1777)


def make_victim():
    for name in WRITTEN:
        path = os.path.join(VICTIM, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as out:
            out.write("precious\n")


def describe():
    lines = []
    for below, folders, files in os.walk(VICTIM):
        for name in sorted(folders + files):
            path = os.path.join(below, name)
            stat = os.lstat(path)
            lines.append((path, stat.st_ino, stat.st_mode, stat.st_uid,
                          stat.st_size, stat.st_mtime_ns))
    return sorted(lines)


def as_other_user(work):
    """Calls @work in a process of the other user, and returns the process."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setgroups([])
        os.setgid(OTHER_USER)
        os.setuid(OTHER_USER)
        work()
    finally:
        os._exit(0)


def wait(pid):
    os.waitpid(pid, 0)


def plant(kind, path, target):
    if kind == "link":
        os.symlink(target, path)
    elif kind == "dangling":
        os.symlink(os.path.join(VICTIM, "new"), path)
    elif kind == "pipe":
        os.mkfifo(path, 0o666)
    else:
        try:
            os.link(target, path)
        except OSError:
            # fs.protected_hardlinks
            os.symlink(target, path)


def plant_in_folder(folder, name, kind):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    plant(kind, path, os.path.join(VICTIM, name))


def plans():
    """Yields the files that the other user plants, with their paths and the
    files that root had there."""
    for name in WRITTEN:
        for kind in KINDS:
            yield "new", lambda name=name, kind=kind: plant_in_folder(
                "ktrace.data", name, kind)
        yield "old", lambda name=name: plant_in_folder(
            "ktrace.data.old", name, "link")
    for name in ("kcore_dir", "code", "programs"):
        yield "new", lambda name=name: plant_in_folder("ktrace.data", name,
                                                       "link")
    for kind in KINDS:
        target = VICTIM if kind == "link" else VICTIM + "/data"
        yield "new", lambda kind=kind, target=target: plant(
            kind, "ktrace.data", target)
        yield "old", lambda kind=kind, target=target: plant(
            kind, "ktrace.data.old", target)


def make_places(wanted):
    for i, (what, _) in enumerate(wanted):
        place = os.path.join(PLACE, str(i))
        os.makedirs(place)
        if what == "old":
            os.mkdir(place + "/ktrace.data", 0o700)
            with open(place + "/ktrace.data/data", "w",
                      encoding="ascii") as out:
                out.write("an older recording")
        os.chmod(place, MODES[i % len(MODES)])
        if i % len(MODES) == 0:
            os.chown(place, OTHER_USER, OTHER_USER)


def plant_all(wanted):
    def work():
        for i, (_, make) in enumerate(wanted):
            os.chdir(os.path.join(PLACE, str(i)))
            make()
    wait(as_other_user(work))


def record(program, place, *command):
    return subprocess.Popen([program, "record", "--", *command], cwd=place,
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def try_plants(program, counts):
    wanted = list(plans())
    make_places(wanted)
    plant_all(wanted)
    for i in range(len(wanted)):
        before = describe()
        child = record(program, os.path.join(PLACE, str(i)), "true")
        said = child.communicate()[1]
        counts["attempts"] += 1
        counts["refused"] += child.returncode == 125 and "ktrace.data" in said
        if describe() != before:
            counts["changed"] += 1
            print(f"changed by attempt {i}: {said}", file=sys.stderr)


def swap(first, second):
    for old, new in ((first, "away"), (second, first), (first, second),
                     ("away", first)):
        try:
            os.rename(old, new)
        except OSError:
            pass


def try_races(program, counts):
    for way, name in enumerate(("ktrace.data", "ktrace.data.old")):
        place = os.path.join(PLACE, f"race-{way}")
        os.makedirs(place)
        os.chown(place, OTHER_USER, OTHER_USER)

        def work(place=place, name=name):
            os.chdir(place)
            os.symlink(VICTIM, "link")
            while True:
                swap(name, "link")

        pid = as_other_user(work)
        for _ in range(3):
            before = describe()
            child = record(program, place, "true")
            child.communicate()
            counts["attempts"] += 1
            counts["made"] += child.returncode == 0
            counts["changed"] += describe() != before
        os.kill(pid, 9)
        wait(pid)


def try_at_once(program):
    """Starts three recorders on one folder: prints their exit codes,
    sorted, and how many reported that the folder is in use."""
    place = os.path.join(PLACE, "at-once")
    os.makedirs(place)
    children = [record(program, place, "sleep", "5") for _ in range(3)]
    said = [child.communicate()[1] for child in children]
    print("codes", *sorted(child.returncode for child in children))
    print("locked", sum("is being recorded to" in text for text in said))


def listed_name(name):
    for pattern, replacement in NAMES:
        if re.fullmatch(pattern, name):
            return re.sub(pattern, replacement, name)
    return name


def print_unlisted(program):
    """Makes a recording with all that can be recorded, and lets reports cache
    beside it: prints its files that WRITTEN lacks."""
    place = os.path.join(PLACE, "all")
    os.makedirs(place)
    for command in (("record", "--everything", "--user", "-a", "--", "ls"),
                    ("report", "--flat"), ("report", "--sleeps"),
                    ("report", "--html=page.html"),
                    ("sql", "SELECT count(*) FROM syscall")):
        subprocess.run([program, *command], cwd=place, check=True,
                       stdout=subprocess.DEVNULL)
    folder = os.path.join(place, "ktrace.data")
    names = [os.path.relpath(os.path.join(below, name), folder)
             for below, _, files in os.walk(folder) for name in files]
    print("written", len(names))
    print("unlisted", *(name for name in names
                        if listed_name(name) not in WRITTEN))


def main():
    program = sys.argv[1]
    counts = dict.fromkeys(("attempts", "changed", "refused", "made"), 0)
    make_victim()
    try_plants(program, counts)
    try_races(program, counts)
    for name, count in counts.items():
        print(name, count)
    try_at_once(program)
    print_unlisted(program)


main()
