"""What the words behind `pruner-studio` ask for beside a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pruner_engine import __version__
from pruner_studio.translation import tr

_USAGE = tr("""Usage: pruner-studio [PROJECT or MODEL]

  Open the window; on a project or on a model to tune where one is named.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.""")


class Answer(NamedTuple):
    """What is written in place of opening a window, and the exit status."""

    text: str
    code: int = 0


def answer_to(words: Sequence[str]) -> Answer | None:
    """The answer to options; None where a window is asked for."""
    options = [word for word in words if word.startswith("-")]
    if not options:
        return None
    if options[0] in ("-h", "--help"):
        return Answer(_USAGE)
    if options[0] == "--version":
        return Answer(tr("pruner-studio, version {version}").format(version=__version__))
    told = tr("There is no option {name}: `pruner-studio --help` tells which there are.")
    return Answer(told.format(name=options[0]), 2)
