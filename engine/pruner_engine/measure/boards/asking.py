"""Ask a board what it is, in a process of its own: a board that hangs would hang whoever asks."""

from __future__ import annotations

import gc
import subprocess
import sys

import msgspec

from pruner_engine.errors import UserError, first_words
from pruner_engine.measure.workers.wire import Fleet
from pruner_engine.processes.child import environment, module_command
from pruner_engine.targets.board_facts import BoardFacts
from pruner_engine.tvm_import import import_tvm

_LIMIT_S = 30


def ask_board(fleet: Fleet) -> BoardFacts:
    """What the first free board of a fleet is.

    Raises:
        UserError: it cannot be asked.
    """
    try:
        done = subprocess.run(
            module_command("pruner_engine.measure.boards.asking", msgspec.json.encode(fleet).decode()),
            env=environment(),
            capture_output=True,
            text=True,
            timeout=fleet.wait_s + _LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _no_answer(fleet, "it is silent") from None
    if done.returncode:
        raise _no_answer(fleet, done.stderr.strip().rpartition("\n")[2])
    return msgspec.json.decode(done.stdout, type=BoardFacts)


def _no_answer(fleet: Fleet, reason: str) -> UserError:
    hint = "Look whether it answers with `pruner boards`, and start its server again."
    return UserError(f'The board "{fleet.key}" could not be asked what it is: {reason.rstrip(".")}.', hint)


def main(text: str) -> None:
    """The process that asks: writes the facts as JSON, or the reason why there are none as its last line of errors."""
    import_tvm()
    from pruner_engine.measure.boards.board_probe import facts_of
    from pruner_engine.measure.boards.rpc import board_session

    fleet, reason = msgspec.json.decode(text, type=Fleet), ""
    try:
        sys.stdout.write(msgspec.json.encode(facts_of(board_session(fleet, _LIMIT_S), fleet.key)).decode())
    except Exception as error:  # whatever a board answers
        reason = first_words(error)
    gc.collect()  # a server takes a session that just breaks off for its own failure
    sys.exit(reason or 0)


if __name__ == "__main__":
    main(sys.argv[1])
