"""What the draft model says of a candidate, as text. Needs no TVM."""

from __future__ import annotations

from pruner_engine.protocol import WhatIfScore
from pruner_engine.units import latency, ratio


def why_text(score: WhatIfScore, measured_s: float | None) -> str:
    """Prediction, reasons, then times, penalties and symbols, one a line."""
    lines = [f"predicted {latency(score.latency_s) if score.valid else 'not valid'}"]
    if measured_s is not None:
        lines[0] += f", measured {latency(measured_s)}"
    if score.valid and score.against is not None:
        lines[0] += f", {ratio(score.against.latency_s / score.latency_s)} as fast as the candidate"
    lines += [f"- {sentence}" for sentence in score.reasons]
    for title, values, told in (
        ("time", score.times, latency),
        ("penalty", score.penalties, "{:.3f}".format),
        ("symbol", score.symbols, "{:g}".format),
    ):
        lines += [f"{title} {name}: {told(value)}" for name, value in values.items()]
    return "\n".join(lines)
