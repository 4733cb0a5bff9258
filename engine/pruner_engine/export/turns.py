"""Times a tuned model, the untuned one and libraries in turns, so that the machine disturbs all alike."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pruner_engine.export import baselines
from pruner_engine.export.baselines import Timing
from pruner_engine.export.boards import limit_of, time_on_board
from pruner_engine.export.script import TIMEOUT_S
from pruner_engine.export.tuned import TunedModel
from pruner_engine.library_names import called
from pruner_engine.measure.workers.wire import Fleet
from pruner_engine.targets.target import device_kind

IN_TORCH = ("torch", "torch.compile")
LIBRARIES: dict[str, Callable[..., Timing]] = {
    "onnxruntime": partial(baselines.time_reference, "onnxruntime"),
    **{name: partial(baselines.time_reference, name, kinds=("pt2", "workload")) for name in IN_TORCH},
    "litert": partial(baselines.time_reference, "litert"),
}
_SLOW_S = 0.5  # an untuned inference that takes longer is timed once
_INTERRUPTED = "interrupted"
_APART = 1.25  # times as long as another turn: then it is open which of the two tells the truth
_NOT_THERE = "not timed: it runs here, not on the board"


class InterruptedTurns(KeyboardInterrupt):
    """The user pressed ^C: `timings` has what was measured until then, and a note for every other contender."""

    def __init__(self, timings: dict[str, Timing]) -> None:
        super().__init__()
        self.timings = timings


@dataclass(frozen=True)
class Turns:
    """How often each contender is timed.

    Attributes:
        rounds: turns of every contender.
        repeats: latencies that a contender adds in a turn.
        without: contenders to leave out, by name; those of `results.OWN` run once all the same, for their outputs.
        profile: whether the kernels of the tuned library are timed, too.
        decide: whether another turn decides where those of a contender are far apart: virtual cores that lie badly for
            the seconds of one process double its latencies.
    """

    rounds: int = 5
    repeats: int = 10
    without: Collection[str] = ()
    profile: bool = False
    decide: bool = False


def time_in_turns(
    tuned: TunedModel,
    folders: Mapping[str, Path],
    turns: Turns,
    on_phase: Callable[[str], None],
    fleet: Fleet | None = None,
) -> dict[str, Timing]:
    """Latencies and outputs by contender, in rounds that take every contender in turn.

    Each contender runs in a process of its own with the same number of threads, and starts anew in every round, so
    that what else the machine does, and where memory happens to lie, meets all of them alike. A library that cannot run
    the model costs a note; an untuned one that is slow runs once.

    Args:
        folders: where the libraries of `results.OWN` lie, by name.
        on_phase: told whose turn it is.
        fleet: boards that run the libraries of `results.OWN`, in place of this machine. Of the others only the outputs
            are of use then, and kernels are not timed.

    Raises:
        UserError: a library of `results.OWN` does not run.
        InterruptedTurns: ^C.
    """
    inputs, device = baselines.example_inputs(tuned.model), device_kind(tuned.target)
    once = {*turns.without, *(["untuned"] if tuned.untuned_s > _SLOW_S else []), *(LIBRARIES if fleet else [])}
    contenders = {name: _own(tuned, name, folder, turns, fleet) for name, folder in folders.items()}
    timings: dict[str, Timing] = {}
    told: dict[str, list[float]] = defaultdict(list)  # seconds by turn
    with tempfile.TemporaryDirectory() as scratch:
        given = {"device": device, "folder": Path(scratch)}
        asked = {*baselines.libraries_of(tuned.model)} - {*turns.without}
        libraries = {name: partial(measure, **given) for name, measure in LIBRARIES.items() if name in asked}
        contenders |= libraries
        try:
            for turn in range(turns.rounds + turns.decide):
                for name, measure in contenders.items():
                    if turn and (name in once or not timings[name].repeats):
                        continue  # what cannot run once cannot run at all
                    if turn == turns.rounds and max(told[name]) < _APART * min(told[name]):
                        continue
                    whose = f"{called(name)}, which compiles first" if name == "torch.compile" else called(name)
                    on_phase(f"round {turn + 1} of {max(turns.rounds, turn + 1)}: {whose}")
                    found = measure(tuned.model, inputs, tuned.threads, 1 if name in once else turns.repeats)
                    if fleet is not None and name in libraries and found.repeats:
                        found = Timing(name, (), found.threads, _NOT_THERE, found.outputs)
                    if found.seconds is not None:
                        told[name].append(found.seconds)
                    timings[name] = found.joined(timings[name]) if turn else found
        except KeyboardInterrupt:
            left = {name: Timing(name, (), tuned.threads, _INTERRUPTED) for name in contenders if name not in timings}
            raise InterruptedTurns(timings | left) from None
    return timings


def _own(tuned: TunedModel, name: str, folder: Path, turns: Turns, fleet: Fleet | None) -> Callable[..., Timing]:
    """What runs one of our own libraries."""
    if fleet is not None:
        return partial(time_on_board, fleet, tuned.untuned_s, name, folder)
    limit_s = max(TIMEOUT_S, limit_of(folder, tuned.untuned_s))
    return partial(baselines.time_library, name, folder, profile=turns.profile and name == "tuned", limit_s=limit_s)
