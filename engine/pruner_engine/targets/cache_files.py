"""The data caches that Linux tells of in /sys, on this machine or on a board."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping

from pruner_engine.targets.device import Cache

_SHIFT = {"": 0, "K": 10, "M": 20}


def caches_told(said: Callable[[str], str], cpu: int, cores: Mapping[int, object]) -> tuple[Cache, ...]:
    """The caches of one logical CPU, nearest first; none where Linux does not tell.

    Args:
        said: gives what stands in a file below /sys/devices/system/cpu, without spaces around; "" of one that is not.
        cpu: its number.
        cores: for each logical CPU that may be used what is equal for those of one physical core.
    """
    found = []
    for index in itertools.count():
        place = f"cpu{cpu}/cache/index{index}"
        if not (told := said(f"{place}/size")):
            break
        size = re.fullmatch(r"(\d+)([KM]?)", told)
        if size and said(f"{place}/type") in ("Data", "Unified"):
            shared = expanded(said(f"{place}/shared_cpu_list"))
            found.append(
                Cache(
                    level=int(said(f"{place}/level")),
                    bytes=int(size[1]) << _SHIFT[size[2]],
                    shared_by=max(1, len({cores[other] for other in shared & cores.keys()})),
                    line=int(said(f"{place}/coherency_line_size") or 64),
                )
            )
    return tuple(sorted(found, key=lambda c: c.level))


def expanded(cpu_list: str) -> set[int]:
    """{0, 1, 2, 8} of "0-2,8"."""
    spans = (span.partition("-") for span in cpu_list.split(",") if span)
    return {cpu for first, _, last in spans for cpu in range(int(first), int(last or first) + 1)}
