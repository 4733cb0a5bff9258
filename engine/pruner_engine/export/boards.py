"""Latency and outputs of a library on a board of a tracker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import tvm

from pruner_engine.errors import UserError
from pruner_engine.export.baselines import Timing
from pruner_engine.export.script import Script
from pruner_engine.measure.workers.wire import Fleet

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts

_LEAST_S = 120.0  # a session: it loads and times
_INFERENCES = 20  # that a slow library makes at most
_BYTES_A_SECOND = 1 << 20  # over a poor network
_UNKNOWN_S = 900.0
_ENDING_S = 30.0
_SIGNS = ("kShutdown", "Connection reset", "Broken pipe")  # in what TVM says of a session that is over
_ENDED = "The session ended there: its processor lacks an instruction of the library, or the board was restarted."


def time_on_board(
    fleet: Fleet,
    untuned_s: float,
    name: str,
    folder: Path,
    model: ModelFacts,
    inputs: Sequence[np.ndarray],
    threads: int,
    repeats: int = 10,
) -> Timing:
    """Run a bundle's library on the first board that is free; one that hangs costs a sentence.

    Args:
        untuned_s: seconds of an inference that is not tuned, 0 where not known; they say how long it is waited for.

    Raises:
        UserError: it does not run, or there is no board.
    """
    limit_s = limit_of(folder, untuned_s)
    request = {**msgspec.to_builtins(fleet), "limit_s": limit_s, "threads": threads, "repeats": repeats}
    command, patience = ["board.py", "--bundle", str(folder)], limit_s + fleet.wait_s + _ENDING_S
    try:
        with Script(command, json.dumps(request), model, inputs, threads, patience) as script:
            report, outputs = script.outcome()
    except UserError as error:
        why = _ENDED if any(sign in error.message for sign in _SIGNS) else error.message
        raise UserError(
            f"The {name} library did not run on a board of {fleet.key}. {why}",
            "See with `pruner boards` that one answers, and try again.",
        ) from error
    return Timing(name, tuple(report["repeats"]), report["threads"], f"tvm {tvm.__version__}", outputs)


def limit_of(folder: Path, untuned_s: float) -> float:
    """Seconds that a session with a library may take."""
    sent = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    inferences_s = _INFERENCES * untuned_s if untuned_s else _UNKNOWN_S
    return float(round(_LEAST_S + inferences_s + sent / _BYTES_A_SECOND))
