"""Accuracy that a smaller float type costs, found before anything is tuned."""

from __future__ import annotations

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.export.baselines import example_inputs, time_untuned
from pruner_engine.export.check import Agreement, compare
from pruner_engine.frontends import LoadedModel
from pruner_engine.targets.target import host_target, threads_of
from pruner_engine.tasks.prepare import prepare


def compare_precision(exact: LoadedModel, converted: LoadedModel) -> Agreement:
    """The converted model's outputs against the original's, both untuned, on random inputs, on this machine's CPU.

    Raises:
        UserError: the converted model overflows.
    """
    target, inputs = host_target(), example_inputs(exact)
    outputs, depth = [], 1
    for model in (exact, converted):
        prepared = prepare(model.mod, target)
        outputs.append(time_untuned(model, prepared, target, inputs, threads_of(target), repeats=1).outputs)
        depth = len(prepared.get_global_vars())
    wanted, got = outputs
    for before, after in zip(wanted, got, strict=True):
        if before.dtype.kind not in "biu" and np.isfinite(before).all() and not np.isfinite(after).all():
            raise UserError(
                f"{exact.name} overflows in {converted.dtype}: its outputs are no numbers any more.",
                "Use --dtype bfloat16, which reaches as far as float32, or leave the option out.",
            )
    return compare(exact.dtype, wanted, got, depth, converted.dtype)
