"""Numbers as people read them; shared by terminal, reports and window."""

from __future__ import annotations


def seconds(value: float | None) -> str:
    """A latency or duration: 153 µs, 21.8 ms, 3.2 s, 4 min 05 s."""
    if value is None:
        return "–"
    if value == 0:
        return "0 s"
    if value >= 3600:
        return f"{int(value // 3600)} h {int(value % 3600 // 60):02d} min"
    if value >= 120:
        return f"{int(value // 60)} min {int(value % 60):02d} s"
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}" if value / factor < 1000 else f"{value / factor:.0f} {unit}"
    return f"{value * 1e9:.0f} ns"


def ratio(value: float | None) -> str:
    """A gain: 4.2×."""
    return "–" if value is None else f"{value:.2f}×"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value * 100:.1f} %"
