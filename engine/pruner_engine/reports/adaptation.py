"""Charts of what the momentum of MoA-Pruner does to the cost model of a run."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from pruner_engine.benchmarks.adaptation import MODELS
from pruner_engine.reports.chart import Axis, Chart
from pruner_engine.store.figures.adaptation import curve_of
from pruner_engine.store.reader import Row
from pruner_engine.units import percent

MODELS_TOLD = {"adapted": "adapted", "scratch": "from scratch", "siamese": "siamese alone"}
_FIGURES = {
    "pair_accuracy": ("Pair accuracy", Axis("share of pairs in order", percent)),
    "top1": ("Top-1", Axis("best over first choice")),
    "loss": ("Loss", Axis("LambdaRank loss")),
    "distance": ("Distance of siamese and target", Axis("weight distance")),
}


def adaptation_charts(rows: Sequence[Row]) -> list[Markup]:
    """A chart of each figure over the rounds of the adaptations, as the reader gives them; none without any."""
    if not rows:
        return []
    charts = []
    for key, (title, axis) in _FIGURES.items():
        chart = Chart(title, Axis("round", whole=True), axis)
        for colour, model in enumerate(MODELS):
            if points := curve_of(rows, model, key):
                chart.steps(MODELS_TOLD[model], points, colour)
        charts.append(chart.svg())
    return charts
