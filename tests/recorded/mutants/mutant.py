# SPDX-License-Identifier: MIT
"""A mutant of a whole recording: a number selects the change, the recording
and another recording that provides pieces."""
import copy
import os
import random

from perf_file import File

from . import files
from .front import change_front, change_places
from .records import change_records


class Recording:
    """A recording's files, with its perf.data file split into its parts."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.names = sorted(
            os.path.relpath(os.path.join(path, name), folder)
            for path, _, names in os.walk(folder) for name in names)
        self.data = File(self.read("data"))

    def read(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return None
        with open(path, "rb") as file:
            return file.read()

    def copy_of_data(self):
        data = copy.copy(self.data)
        for name in ("head", "features", "contents", "records"):
            setattr(data, name, copy.copy(getattr(data, name)))
        return data


def changed_data(recording, rng, other):
    data = recording.copy_of_data()
    choice = rng.randrange(8)
    if choice != 0:
        change_records(data, rng, other.data)
    if choice == 1:
        change_front(data, rng, other.data)
    content = data.bytes()
    return change_places(content, rng) if choice == 0 else content


def make(recording, seed, other):
    """Returns the changed files with their contents (None: the file is left
    out)."""
    rng = random.Random(seed)
    choice = rng.randrange(16)
    if choice < 11:
        return {"data": changed_data(recording, rng, other)}
    if choice == 11:
        return files.make_code(rng)
    name = rng.choice([name for name in recording.names if name != "data"])
    changes = {name: files.change_file(name, recording.read(name), rng,
                                       other.read(name))}
    if choice == 12:
        changes["data"] = changed_data(recording, rng, other)
    return changes
