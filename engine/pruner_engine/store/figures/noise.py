"""How noisy a machine was in a run: the drift of a fixed kernel, the probe, that is timed before every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pruner_engine.units import latency, ratio


@dataclass(frozen=True)
class Drift:
    """Seconds that the probe took at best, at worst, and before the newest round."""

    best: float
    worst: float
    now: float

    @property
    def ratio(self) -> float:
        """By how much latencies of two rounds may differ for the machine alone."""
        return self.worst / self.best


def drift_of(times: Sequence[float]) -> Drift | None:
    """The drift over the rounds of a run; None where nothing was probed, as on a GPU.

    Args:
        times: of the probe, as `ProjectReader.probes` gives them: more than nothing each.
    """
    return Drift(min(times), max(times), times[-1]) if times else None


def told(drift: Drift) -> str:
    """A drift in a sentence."""
    best, worst, now = (latency(seconds) for seconds in (drift.best, drift.worst, drift.now))
    more = ratio(drift.ratio)
    return f"A fixed kernel, timed before every round, took {best} at best, {worst} ({more}) at worst, {now} at last."
