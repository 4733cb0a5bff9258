"""What a timed call finds in the caches of this machine's CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

#: All that the call before left there (warm); what the rest of the network leaves, which has passed through since
#: (network); neither weights nor outputs (cold).
Caches = Literal["network", "warm", "cold"]


def caches_of(run: Mapping[str, Any]) -> Caches:
    """With which caches a run, a row of the reader's, was measured: other latencies do not compare."""
    settings = run["settings"]
    found: Caches = settings.get("caches", "cold" if settings.get("cold_cache") else "warm")
    return found
