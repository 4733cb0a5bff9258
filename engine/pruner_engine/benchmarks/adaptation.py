"""How well MoA's models rank what is measured next, adaptation by adaptation, over the runs of a comparison."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from pruner_engine.store.reader import ProjectReader

Json = dict[str, Any]
Accuracies = dict[str, float]  # by model: share of the pairs that it puts in their order

#: the model in use, one that started from nothing and learned from the same measurements, the pre-trained one
MODELS = ("adapted", "scratch", "siamese")


def accuracies_of(reader: ProjectReader, run_id: int) -> list[Accuracies]:
    """Pair accuracies of the models at each adaptation of a run, on what none of them had learned from."""
    found: dict[int, Accuracies] = {}
    for row in reader.adaptations(run_id):
        known = found.setdefault(row["round_id"], {})
        if row["pair_accuracy"] is not None:
            known[row["model"]] = row["pair_accuracy"]
    return list(found.values())


def adaptation_curve(runs: Iterable[Sequence[Accuracies]]) -> list[Json]:
    """Means over the runs at their first, second, … adaptation.

    Returns:
        {"adaptation": 1, …, "runs": how many are in the means, and a mean for each of `MODELS`}. From the second on all
        means are of the same runs, those in which every model ranked something; nothing is learned before the first.
    """
    curve = []
    for number, at_once in enumerate(_by_number(runs), 1):
        models = MODELS if number > 1 else tuple(name for name in MODELS if name != "scratch")
        complete = [known for known in at_once if all(name in known for name in models)]
        if complete:
            means = {name: statistics.fmean(known[name] for known in complete) for name in models}
            curve.append({"adaptation": number, "runs": len(complete), **means})
    return curve


def _by_number(runs: Iterable[Sequence[Accuracies]]) -> list[list[Accuracies]]:
    everything = list(runs)
    longest = max(map(len, everything), default=0)
    return [[run[at] for run in everything if at < len(run)] for at in range(longest)]
