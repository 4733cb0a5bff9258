"""End to end: a tuned model against the untuned one and the libraries that people use."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvm
from tvm.s_tir.meta_schedule import Database
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.export import baselines
from pruner_engine.export.baselines import Timing
from pruner_engine.export.build import apply_database, compile_model
from pruner_engine.export.check import Agreement, compare
from pruner_engine.export.library import write_library
from pruner_engine.targets.target import device_kind, device_of, target_json, threads_of
from pruner_engine.tasks.quantised import rounds_to_bytes

if TYPE_CHECKING:
    from pruner_engine.frontends import LoadedModel

_IN_TORCH = ("pt2", "workload")
LIBRARIES: dict[str, Callable[..., Timing]] = {
    "onnxruntime": baselines.time_onnxruntime,
    "torch": partial(baselines.time_torch, kinds=_IN_TORCH),
    "torch.compile": partial(baselines.time_torch_compile, kinds=_IN_TORCH),
}


def bench_e2e(
    model: LoadedModel,
    prepared: tvm.IRModule,
    target: Target,
    database: Database,
    *,
    rounds: int = 5,
    repeats: int = 10,
    threads: int | None = None,
    without: Collection[str] = (),
    leave: Sequence[str] = (),
    flops: float = 0.0,
    peak_flops: float = 0.0,
    on_phase: Callable[[str], None] = lambda _detail: None,
) -> dict[str, Any]:
    """Latency of one inference, tuned, untuned and in each library, in rounds that take every contender in turn.

    Each contender runs in a process of its own with the same number of threads, and starts anew in every round, so
    that what else the machine does, and where memory happens to lie, meets all of them alike.

    Args:
        prepared: the model legalised and fused, as its tasks were extracted from.
        database: MetaSchedule database with the tasks' records.
        rounds: turns of every contender.
        repeats: latencies that a contender adds in a turn.
        threads: None takes the target's.
        without: contenders to leave out, by name. "untuned" runs once all the same: its outputs are the reference.
        leave: functions of `prepared` that stay as they are.
        flops, peak_flops: operations of one inference, and of the device in a second; 0 where not known.
        on_phase: told what is being done.

    Returns:
        JSON object: `model`, `target`, `device`, `threads`, `flops`, `peak_flops`, `contenders` (by
        name: `median_s`, `best_s`, `quartiles_s`, `measured`, `note`, `peak_share`, `agreement` with the untuned
        outputs), `best_library`, and `ratio`, the tuned median in parts of the best library's; both None where no
        library runs the model.

    Raises:
        UserError: there is no such contender, the model does not compile, or the library does not run.
    """
    known = ("tuned", "untuned", *LIBRARIES)
    for name in without:
        if name not in known:
            raise UserError(f'There is no contender "{name}" to leave out.', f"There are {', '.join(known)}.")
    threads = threads or threads_of(target)
    inputs = baselines.example_inputs(model)
    with tempfile.TemporaryDirectory() as scratch:
        contenders: dict[str, Callable[[LoadedModel, Sequence[Any], int, int], Timing]] = {}
        for name, mod in (("tuned", apply_database(prepared, target, database, leave)), ("untuned", prepared)):
            on_phase(f"compile {name}")
            folder = Path(scratch) / name
            folder.mkdir()
            write_library(compile_model(mod, target), model, target, threads, folder)
            contenders[name] = partial(baselines.time_library, name, folder)
        device = device_kind(target)
        contenders |= {n: partial(measure, device=device) for n, measure in LIBRARIES.items() if n not in without}
        timings: dict[str, Timing] = {}
        for turn in range(rounds):
            for name, measure in contenders.items():
                if turn and (name in without or not timings[name].repeats):
                    continue  # what cannot run once cannot run at all
                on_phase(f"round {turn + 1} of {rounds}: {name}")
                found = measure(model, inputs, threads, 1 if name in without else repeats)
                timings[name] = found.joined(timings[name]) if turn else found
    told = {
        "model": model.name,
        "target": target_json(target),
        "device": device_of(target).name,
        "threads": threads,
        "flops": flops,
        "peak_flops": peak_flops,
        **_summary(timings, len(prepared.get_global_vars()), model),
    }
    for row in told["contenders"].values():
        if row["median_s"] and flops and peak_flops:
            row["peak_share"] = flops / row["median_s"] / peak_flops
    return told


def summed_up(models: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Several results of `bench_e2e`: `models`, how many were `compared` with a library, the geometric mean `ratio`."""
    ratios = [model["ratio"] for model in models if model["ratio"]]
    mean = statistics.geometric_mean(ratios) if ratios else None
    return {"models": list(models), "compared": len(ratios), "ratio": mean}


def _summary(timings: dict[str, Timing], depth: int, model: LoadedModel) -> dict[str, Any]:
    check = partial(compare, depth=depth, dtype=model.dtype, rounds=rounds_to_bytes(model.mod))
    rows = {name: _row(timing, timings["untuned"], check) for name, timing in timings.items()}
    medians = {name: rows[name]["median_s"] for name in LIBRARIES if name in rows and rows[name]["median_s"]}
    best = min(medians, key=lambda name: medians[name], default=None)
    return {
        "contenders": rows,
        "best_library": best,
        "ratio": rows["tuned"]["median_s"] / medians[best] if best else None,
    }


def _row(timing: Timing, untuned: Timing, check: Callable[..., Agreement]) -> dict[str, Any]:
    if not timing.repeats:
        return {"median_s": None, "measured": 0, "note": timing.note}
    agreement = check("untuned", untuned.outputs, timing.outputs)
    return {
        "median_s": statistics.median(timing.repeats),
        "best_s": min(timing.repeats),
        "quartiles_s": statistics.quantiles(timing.repeats, n=4)[::2] if len(timing.repeats) > 1 else None,
        "measured": len(timing.repeats),
        "note": timing.note,
        "agreement": agreement.as_json(),
    }
