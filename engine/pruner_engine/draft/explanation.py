"""An analyzer's prediction for one candidate, with the parts that explain it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Explanation:
    """A predicted latency and what it is made of.

    Attributes:
        latency_s: predicted seconds a call.
        valid: False where the device's limits rule it out.
        symbols: quantities counted on the loop nest (operations, bytes, threads …), by name.
        penalties: shares or factors that tell how far a part of the device is used, by name; 1 means fully.
        times: seconds by component.
    """

    latency_s: float
    valid: bool
    symbols: dict[str, float] = field(default_factory=dict)
    penalties: dict[str, float] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
