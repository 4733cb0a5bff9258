"""Lists of models and workloads as text files: one a line, shapes of dynamic inputs behind it, # for comments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.model_names import stem_of, whole
from pruner_engine.whole_files import read_whole

_SHAPE = re.compile(r"([^=]+)=(\d+(?:[,x]\d+)*)")


@dataclass(frozen=True)
class Subject:
    """The subject of a run: a model file or a built-in workload, with the shapes of its dynamic inputs."""

    model: str
    inputs: dict[str, list[int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """A file name made of the model's: two models of one list must differ in it."""
        return stem_of(self.model)


def parse_shape(text: str) -> tuple[str, list[int]]:
    """Name and shape of "name=1,3,224,224". Raises ValueError for anything else."""
    found = _SHAPE.fullmatch(text)
    if not found:
        raise ValueError(f'"{text}" is not a shape; write name=1,3,224,224.')
    return found[1], [int(n) for n in re.split("[,x]", found[2])]


def read_subjects(path: Path) -> list[Subject]:
    """Subjects of a list file; paths in it are relative to its folder.

    Raises:
        UserError: the file cannot be read, holds nothing, or a line is not understood.
    """
    try:
        lines = read_whole(path).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = "it is no text in UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UserError(f"The list {path} cannot be read: {why}.", "Give a text file, one workload a line.") from error
    subjects = []
    for number, line in enumerate(lines, 1):
        try:
            words = shlex.split(line, comments=True)
            inputs = dict(map(parse_shape, words[1:]))
        except ValueError as error:
            raise UserError(f"Line {number} of {path.name} is not understood: {str(error).rstrip('.')}.", "") from error
        if words:
            file = path.parent / words[0]
            subjects.append(Subject(str(file.resolve()) if file.is_file() else words[0], inputs))
    return distinct(subjects)


def subjects_of(words: Iterable[str], lists: Iterable[Path]) -> list[Subject]:
    """Subjects named on a command line and in list files, in that order."""
    named = [Subject(whole(word)) for word in words]
    return distinct([*named, *(subject for path in lists for subject in read_subjects(path))])


def distinct(subjects: list[Subject]) -> list[Subject]:
    """The same list. Raises UserError where it is empty or two subjects would share a file name."""
    if not subjects:
        raise UserError("No model and no workload was named.", "Name some, or give a list of them.")
    names = [subject.name for subject in subjects]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f'Two models are named "{name}".', "Rename one of the files.")
    return subjects
