"""Calls into the importers of others: their errors in one sentence, their prints kept from our output."""

from __future__ import annotations

import contextlib
import re
import sys
import warnings
from collections.abc import Iterator

from pruner_engine.errors import UserError, of_surroundings
from pruner_engine.processes.memory import memory_bytes

_CHARS = 200
# of TVM's and Python's own objects, which say nothing to who has the file
_INTERNAL = re.compile(
    r"Check failed|InternalError|\b(R|T|I|ir|tirx?|relax)\.\w|metadata\[|ShapeExpr|GenericConst|NoneType|object has no"
)
_OF_SENTENCES = (NotImplementedError, RuntimeError, ValueError)  # others are of a name or a number alone
_COPIES = 4  # of the weights, which importing holds at a time


@contextlib.contextmanager
def importing(name: str) -> Iterator[None]:
    """Turn what an importer raises into a UserError about the model `name`; its prints go to standard error.

    A UserError from within stays what it is, and what is the machine's fault is not said to be the model's.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except UserError:
        raise
    except Exception as error:  # importers raise of every kind
        raise of_surroundings(error) or UserError(
            with_reason(f"{name} uses something that cannot be imported", reason_of(error)),
            "Export it with another version of the operators, or without that operator.",
        ) from error


def refuse_beyond_memory(name: str, size: int) -> None:
    """Before a model of so many bytes is read.

    Raises:
        UserError: this machine cannot hold it.
    """
    if size * _COPIES > memory_bytes():
        raise UserError(f"{name} has {size >> 20} MB, too large for this machine's memory.", "")


def with_reason(what: str, reason: str) -> str:
    """A sentence of what happened, and why where that is known."""
    return f"{what}: {reason}" if reason else f"{what}."


def reason_of(error: BaseException, line: int = 0) -> str:
    """What an exception says in that line; nothing where it speaks of the importer's own objects."""
    said = _short(error, line)
    return said if isinstance(error, _OF_SENTENCES) and not _INTERNAL.search(said) else ""


def first_line(error: BaseException) -> str:
    """What an exception says, where the first line says it; without TVM's printed objects."""
    return _short(error, 0)


def last_line(error: BaseException) -> str:
    """The same, where the last line says it."""
    return _short(error, -1)


def _short(error: BaseException, line: int) -> str:
    said = (str(error).strip().splitlines() or [type(error).__name__])[line]
    said = re.sub(r"In ir\.Op\(.*?\)\), |Check failed: .*? : ", "", said)
    return said if len(said) <= _CHARS else f"{said[:_CHARS]}…"
