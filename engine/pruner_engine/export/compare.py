"""End-to-end latency of a tuned model against the untuned one, ONNX Runtime and PyTorch."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pruner_engine.errors import UserError
from pruner_engine.export.baselines import Timing
from pruner_engine.export.check import Agreement, compare
from pruner_engine.export.place import Place
from pruner_engine.export.tuned import TunedModel
from pruner_engine.export.turns import LIBRARIES, InterruptedTurns, Turns, time_in_turns
from pruner_engine.lowering.words.products import holds_word_products
from pruner_engine.store.queries.results import OWN
from pruner_engine.targets.target import device_of, target_json
from pruner_engine.tasks.task import TuningTask

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts


def refuse_unknown(without: Iterable[str]) -> None:
    """Raises UserError where a name is of none of the contenders, which are to be left out."""
    known = (*OWN, *LIBRARIES)
    for name in without:
        if name not in known:
            raise UserError(f'There is no contender "{name}" to leave out.', f"There are {', '.join(known)}.")


def bench_e2e(
    tuned: TunedModel,
    turns: Turns,
    *,
    place: Place | None = None,
    peak_flops: float = 0.0,
    on_phase: Callable[[str], None] = lambda _detail: None,
) -> dict[str, Any]:
    """Latency of one inference, tuned, untuned and in each library, timed in turns.

    Args:
        place: where the model's own libraries are run, without others on boards; None for this machine.
        peak_flops: operations of the device in a second; 0 where not known.
        on_phase: told what is being done.

    Returns:
        JSON object: `model`, `target`, `device`, `threads`, `flops`, `peak_flops`, `stopped` (by ^C, once the model's
        own libraries were timed), `contenders` (by name: `median_s`, `best_s`, `quartiles_s`, `measured`, `note`,
        `peak_share`, left out of libraries where our kernels multiply several numbers in a step, which count as one,
        `agreement` with the untuned outputs), `best_library`, and `ratio`, the tuned median in parts of
        the best library's; both None where no library ran the model.

    Raises:
        UserError: there is no such contender, the model does not compile, or the library does not run, or nowhere here.
    """
    place = place or Place(device_of(tuned.target).name)
    timings, stopped = _timed(tuned, _possible(turns, place), place, on_phase)
    told = {
        "model": tuned.model.name,
        "target": target_json(tuned.target),
        "device": place.device,
        "threads": tuned.threads,
        "flops": tuned.flops,
        "peak_flops": peak_flops,
        "stopped": stopped,
        **_summary(timings, len(tuned.prepared.get_global_vars()), tuned.model),
    }
    counted = set(OWN if multiplies_words(tuned.tasks) else told["contenders"])
    for name, row in told["contenders"].items():
        if name in counted and row["median_s"] and tuned.flops and peak_flops:
            row["peak_share"] = tuned.flops / row["median_s"] / peak_flops
    return told


def _possible(turns: Turns, place: Place) -> Turns:
    """The turns that can be taken in a place.

    Raises:
        UserError: there is no such contender to leave out, or nothing here runs the model's own libraries.
    """
    refuse_unknown(turns.without)
    if place.why_not:
        raise UserError(place.why_not, "Name boards that run it with --rpc and --key (`pruner serve` lends one).")
    return replace(turns, without=(*turns.without, *LIBRARIES)) if place.where == "boards" else turns


def _timed(
    tuned: TunedModel, turns: Turns, place: Place, on_phase: Callable[[str], None]
) -> tuple[dict[str, Timing], bool]:
    """Latencies by contender, and whether ^C ended them early."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = {name: Path(scratch) / name for name in OWN}
        for (name, folder), mod in zip(folders.items(), (tuned.applied(), tuned.prepared), strict=True):
            on_phase(f"compile {name}")
            folder.mkdir()
            tuned.build(mod, folder)
        try:
            return time_in_turns(tuned, folders, turns, on_phase, place.fleet), False
        except InterruptedTurns as interrupted:
            if not all(interrupted.timings[name].repeats for name in OWN):
                raise
            return interrupted.timings, True


def multiplies_words(tasks: Iterable[TuningTask]) -> bool:
    """Whether kernels multiply several numbers in a step of a lane, which count as one."""
    return any(holds_word_products(task.mod) for task in tasks)


def summed_up(models: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Results of `bench_e2e` for several models, with the geometric mean of their ratios.

    Returns:
        JSON object: `models`, how many of them were `compared` with a library, and the mean `ratio` (None without any).
    """
    ratios = [model["ratio"] for model in models if model["ratio"]]
    mean = statistics.geometric_mean(ratios) if ratios else None
    return {"models": list(models), "compared": len(ratios), "ratio": mean}


def rows_of(timings: Mapping[str, Timing], against: str, depth: int, model: ModelFacts) -> dict[str, dict[str, Any]]:
    """JSON objects of contenders by name, with how their outputs agree with those of one of them.

    Args:
        depth: how many kernels the model has one behind the other, at most.
    """
    check = partial(compare, depth=depth, dtype=model.coarsest, rounds=model.rounds, shares=model.shares)
    return {name: _row(timing, timings[against], check) for name, timing in timings.items()}


def _summary(timings: dict[str, Timing], depth: int, model: ModelFacts) -> dict[str, Any]:
    rows = rows_of(timings, "untuned", depth, model)
    medians = {name: rows[name]["median_s"] for name in LIBRARIES if name in rows and rows[name]["median_s"]}
    best = min(medians, key=lambda name: medians[name], default=None)
    return {
        "contenders": rows,
        "best_library": best,
        "ratio": rows["tuned"]["median_s"] / medians[best] if best else None,
    }


def _row(timing: Timing, against: Timing, check: Callable[..., Agreement]) -> dict[str, Any]:
    if not timing.repeats:
        return {"median_s": None, "measured": 0, "note": timing.note}
    agreement = check(against.name, against.outputs, timing.outputs)
    return {
        "median_s": statistics.median(timing.repeats),
        "best_s": min(timing.repeats),
        "quartiles_s": statistics.quantiles(timing.repeats, n=4)[::2] if len(timing.repeats) > 1 else None,
        "measured": len(timing.repeats),
        "note": timing.note,
        "agreement": agreement.as_json(),
    }
