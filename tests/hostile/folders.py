#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings in folders of another user: root reads them, writes nothing there,
and follows none of that user's links; and folders with a recording in progress.

    folders.py PROGRAM
"""
import fcntl
import os
import sys

from judge import run, run_checks
from made_recording import CODE, kernel_trace, write_recording

OTHER_USER = 65534
COMMANDS = (("report", "--flat"), ("report", "--calltree"),
            ("report", "--processes"), ("report", "--syscalls"),
            ("sql", "select count(*) from syscall"),
            ("report", "--html=page.html"))


def recording(folder):
    path = os.path.join(folder, "rec.data")
    write_recording(path, [kernel_trace(1000)], traces_user=False)
    return path


def give_away(path):
    """Gives the folder with its content to the other user.  Returns whether
    that was possible."""
    if os.geteuid() != 0:
        print("skipped: only root can give files to another user")
        return False
    for below, folders, files in os.walk(path):
        for name in [*folders, *files, "."]:
            os.lchown(os.path.join(below, name), OTHER_USER, OTHER_USER)
    return True


def entries(path):
    return sorted(os.path.join(below, name) for below, folders, files in
                  os.walk(path) for name in folders + files)


def check_reading_writes_nothing_into_a_folder_of_others(program, folder):
    path = recording(folder)
    before = entries(path)
    work = os.path.join(folder, "work")
    os.mkdir(work)
    if not give_away(path):
        return
    for command in COMMANDS:
        run(program, *command, "-i", path, folder=work, codes=(0, 1))
        assert entries(path) == before, (command, entries(path))
    os.chmod(path, 0o777)
    os.chown(path, 0, 0)
    for command in COMMANDS:
        run(program, *command, "-i", path, folder=work, codes=(0, 1))
        assert entries(path) == before, (command, entries(path))


def check_own_folders_have_caches(program, folder):
    """Reports write caches to the user's own folders; otherwise the
    previous check could not fail."""
    path = recording(folder)
    before = entries(path)
    for command in COMMANDS:
        run(program, *command, "-i", path, folder=folder)
    assert entries(path) != before


def check_links_of_others_are_not_followed(program, folder):
    secret = os.path.join(folder, "secret")
    for name in ("kcore_dir/kallsyms", "kcore_dir", "data", "code"):
        path = recording(os.path.join(folder, name.replace("/", "-")))
        os.makedirs(secret, exist_ok=True)
        with open(os.path.join(secret, "kallsyms"), "wb") as out:
            out.write(b"%x T secret_function\n" % CODE)
        target = os.path.join(secret, "kallsyms") if "kallsyms" in name else \
            secret
        link = os.path.join(path, name)
        if os.path.lexists(link):
            os.rename(link, link + ".away")
        os.symlink(target, link)
        done = run(program, "report", "--flat", "-i", path)
        if name == "kcore_dir/kallsyms":
            assert "secret_function" in done.out + done.err, (name, done)
        if not give_away(path):
            return
        done = run(program, "report", "--flat", "-i", path)
        assert "secret_function" not in done.out + done.err, (name, done)
        assert "another user made a link there" in done.err, (name, done)


def check_a_folder_that_is_recorded_to_is_named(program, folder):
    path = recording(folder)
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    said = "is still being recorded"
    assert said not in run(program, "report", "--flat", "-i", path).err
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert said in run(program, "report", "--flat", "-i", path).err
    os.close(lock)
    assert said not in run(program, "report", "--flat", "-i", path).err


def record(program, folder, path):
    """Records in the machine, which does not start, because the folder is
    opened first."""
    return run(program, "record", "--machine", "-o", path, "--", "true",
               folder=folder, codes=(125,))


def check_one_recorder_at_a_time(program, folder):
    path = recording(folder)
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    before = entries(folder)
    assert "is being recorded to" in record(program, folder, path).err
    assert entries(folder) == before
    os.close(lock)


def check_planted_folders_are_refused(program, folder):
    victim = os.path.join(folder, "victim")
    os.mkdir(victim)
    with open(os.path.join(victim, "data"), "w", encoding="ascii") as out:
        out.write("precious")
    before = entries(victim)
    path = os.path.join(folder, "ktrace.data")
    os.mkdir(path)
    os.symlink(victim, os.path.join(path, "kcore_dir"))
    os.chmod(path, 0o777)
    assert "other users may write" in record(program, folder, path).err
    assert entries(victim) == before
    os.chmod(path, 0o755)
    if give_away(path):
        assert "another user" in record(program, folder, path).err
        assert entries(victim) == before
    os.rename(path, path + ".away")
    os.symlink(victim, path)
    assert "name the directory itself" in record(program, folder, path).err
    assert entries(victim) == before


def check_an_archive_unpacks_into_a_new_folder_alone(program, folder):
    path = recording(folder)
    packed = os.path.join(folder, "rec.ktrace")
    run(program, "archive", "-i", path, "-o", packed, codes=(0,))
    victim = os.path.join(folder, "victim")
    os.mkdir(victim)
    place = os.path.join(folder, "place")
    os.mkdir(place)
    out = os.path.join(place, "out")
    for make in (lambda: os.symlink("../victim", out),
                 lambda: os.symlink("../nothing", out),
                 lambda: os.mkfifo(out)):
        make()
        done = run(program, "archive", "--unpack", packed, "-o", out)
        assert done.code == 1 and out in done.err, done
        assert os.listdir(victim) == [] and "nothing" not in \
            os.listdir(folder)
        os.unlink(out)
    os.symlink("../victim", os.path.join(place, "link"))
    if not give_away(place):
        return
    done = run(program, "archive", "--unpack", packed, "-o", place +
               "/link/out")
    assert done.code == 1 and "another user made a link" in done.err, done
    assert os.listdir(victim) == []
    run(program, "archive", "--unpack", packed, "-o", out, codes=(0,))
    assert os.stat(out).st_mode & 0o777 == 0o700


OUTPUTS = (("report", "--format=json", "-o"), ("report", "--html"),
           ("timeline", "-o"), ("flamegraph", "-o"),
           ("export", "--format=perfetto", "-o"),
           ("export", "--format=sqlite", "-o"), ("archive", "-o"))


def check_output_files_are_behind_no_link_of_others(program, folder):
    path = recording(folder)
    victims = os.path.join(folder, "victims")
    place = os.path.join(folder, "place")
    for made in (victims, place):
        os.mkdir(made)
    victim = os.path.join(victims, "file")
    with open(victim, "w", encoding="utf-8") as file:
        file.write("victim")
    os.symlink("../victims/file", os.path.join(place, "file"))
    os.symlink("../victims", os.path.join(place, "folder"))
    if not give_away(place):
        return
    for command in OUTPUTS:
        # SQLite's replaces the link itself.
        if "--format=sqlite" not in command:
            done = run(program, *command, place + "/file", "-i", path)
            assert done.code != 0, (command, done)
        done = run(program, *command, place + "/folder/new", "-i", path)
        assert done.code != 0 and "another user made a link" in done.err, \
            (command, done)
        assert os.listdir(victims) == ["file"], command
        with open(victim, encoding="utf-8") as file:
            assert file.read() == "victim", command


if __name__ == "__main__":
    sys.exit(run_checks(globals()))
