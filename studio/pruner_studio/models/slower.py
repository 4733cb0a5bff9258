"""Sentences about a tuned model that is slower than something else."""

from __future__ import annotations

from pruner_engine import units
from pruner_engine.store.figures.slower import Slower
from pruner_studio.models.words import LIBRARIES
from pruner_studio.translation import tr


def told_slower(found: Slower) -> str:
    """A sentence that tells what is faster, and by how much."""
    than = ", ".join(
        tr("{name} ({latency}) by {share}").format(
            name=LIBRARIES.get(name, name),
            latency=units.latency(seconds),
            share=units.percent(found.seconds / seconds - 1),
        )
        for name, seconds in found.than.items()
    )
    text = (
        tr("The tuned model (measured {latency}) is slower than {others}.")
        if found.measured
        else tr("The tuned model (estimated {latency}) is slower than {others}.")
    )
    return text.format(latency=units.latency(found.seconds), others=than)


def remedy(found: Slower) -> str:
    """What to do about it."""
    if not found.tasks:
        return tr("Tune it longer: “Resume” or “Go on…” in the bar on top.")
    text = tr(
        "Tune it longer (“Resume” or “Go on…” in the bar on top), above all what takes most of the time: {tasks}."
    )
    return text.format(tasks=", ".join(found.tasks))
