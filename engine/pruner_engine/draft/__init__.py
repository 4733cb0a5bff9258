"""The draft model: symbols of a sketch in closed form, penalties, and predicted latencies for CPU and GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.explanation import Explanation

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace
    from pruner_engine.targets.profile import DeviceProfile

__all__ = ["Analyzer", "Explanation", "analyzer_for"]


def analyzer_for(space: DesignSpace, profile: DeviceProfile) -> Analyzer:
    """The analyzer of a design space for a device."""
    return Analyzer(space, profile)
