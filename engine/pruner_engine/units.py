"""Numbers as people read them, the same in terminal, reports and window; a value that is not there is a dash."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

DASH = "–"
_ENGLISH = "."
_style = {"point": _ENGLISH}


def write_decimals_with(point: str) -> None:
    """Write that sign in front of decimals from now on; for a process that speaks another language than English."""
    _style["point"] = point


def decimal(written: str) -> str:
    """A number as Python writes it, with the sign that stands in front of decimals here."""
    return written.replace(_ENGLISH, _style["point"])


def general(value: float, digits: int = 6) -> str:
    """A number without a unit: so many significant digits at most, an exponent where it is very large or small."""
    return decimal(f"{value:.{digits}g}")


def latency(seconds: float | None) -> str:
    """Time of a kernel or of an inference, three significant digits: 845 µs, 1.23 ms, 2.31 s."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    if seconds == 0:
        return "0 s"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale * 0.9995:
            return f"{significant(seconds / scale)} {unit}"
    return f"{significant(seconds / 1e-9)} ns"


def duration(seconds: float | None) -> str:
    """Working time: 42 s, 3 min 20 s, 2 h 05 min."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    if 0 < seconds < 9.95:
        return decimal(f"{max(seconds, 0.01):.{1 if seconds >= 1 else 2}f} s")
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def count(value: float | None) -> str:
    """A whole number with thin spaces between thousands; from ten million on, in millions."""
    if value is None:
        return DASH
    if value >= 1e7:
        for unit, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
            if value >= scale:
                return f"{significant(value / scale)} {unit}"
    return f"{round(value):,}".replace(",", "\u2009")


def counted(number: int, one: str, many: str = "") -> str:
    """How many there are of something: 1 trial, 96 trials."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def ratio(value: float | None) -> str:
    """A gain: 2.31×."""
    return DASH if value is None or not math.isfinite(value) else f"{significant(value)}×"


def percent(share: float | None) -> str:
    """A share between 0 and 1 in per cent; one that leaves some of the whole to others is not told as all of it."""
    if share is None:
        return DASH
    if 0 < share < 0.0005:
        return decimal("<0.1 %")
    return decimal(f"{share * 100:.{int(0 < share < 0.0995 or 0.995 <= share < 0.9995)}f} %")


def rate(per_second: float | None, unit: str) -> str:
    """A rate with an SI prefix: 13.4 GFLOP/s."""
    return DASH if per_second is None else f"{si(per_second)}{unit}/s"


def si(value: float) -> str:
    """Three significant digits and an SI prefix, ready for a unit."""
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= scale:
            return f"{significant(value / scale)} {prefix}"
    return f"{significant(value)} "


def size(byte_count: float | None) -> str:
    """File and memory sizes: 4.2 MB (powers of 1024)."""
    if byte_count is None:
        return DASH
    for unit, scale in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if byte_count >= scale:
            return f"{significant(byte_count / scale)} {unit}"
    return f"{round(byte_count)} B"


def significant(value: float) -> str:
    """Three significant digits, never an exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else DASH
    digits = max(0, 2 - math.floor(math.log10(abs(value) * 1.0005)))
    return decimal(f"{value:.{min(digits, 4)}f}")


def shape(dims: Sequence[int | str]) -> str:
    """Sizes of a tensor, as "1×3×224×224"; one that is open has a name."""
    return "×".join(str(dim) for dim in dims) or "scalar"


def moment(epoch: float) -> str:
    """A time of day: hour and minute today, else the date too."""
    then = time.localtime(epoch)
    pattern = "%H:%M" if then[:3] == time.localtime()[:3] else "%Y-%m-%d %H:%M"
    return time.strftime(pattern, then)
