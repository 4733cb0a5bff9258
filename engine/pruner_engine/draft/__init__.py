"""The draft model: predicts latencies of a sketch's candidates by formulas over their decisions, for CPU and GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.cpu.core import ABLATIONS
from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.gpu.latency import PENALTIES
from pruner_engine.targets.profiling import profile_for

if TYPE_CHECKING:
    from pruner_engine.space.design_space import DesignSpace
    from pruner_engine.targets.profile import DeviceProfile

__all__ = ["Analyzer", "Explanation", "ablations_of", "analyzer_for"]


_KEPT = "analyzer"


def analyzer_for(space: DesignSpace, profile: DeviceProfile | None = None) -> Analyzer:
    """The analyzer of a design space. It is kept with the space, since compiling its sketches takes time.

    Args:
        profile: of the device; None: that of the last call, at first the best known one of the space's target.
    """
    known: Analyzer | None = space.derived.get(_KEPT)
    if known is None or profile not in (None, known.profile):
        known = space.derived[_KEPT] = Analyzer(space, profile or profile_for(space.target))
    return known


def ablations_of(profile: DeviceProfile) -> tuple[str, ...]:
    """Names of effects that an analyzer of this device can leave out, to find what each is worth."""
    return ABLATIONS if profile.gpu is None else PENALTIES
