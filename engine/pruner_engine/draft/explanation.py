"""Why the analyzer thinks that a candidate is as fast as it thinks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Explanation:
    """The parts of one row's score.

    Attributes:
        latency_s: predicted seconds a call.
        valid: False where the device's limits rule it out.
        symbols: what was counted, by name.
        penalties: factors by which parts of the device lie idle, by name; 1 is none.
        times: seconds by component.
    """

    latency_s: float
    valid: bool
    symbols: dict[str, float] = field(default_factory=dict)
    penalties: dict[str, float] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
