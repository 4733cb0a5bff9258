"""Carries a pre-trained cost model over to another device."""

from pruner_engine.adapt.moa import Adaptation, MomentumAdapter

__all__ = ["Adaptation", "MomentumAdapter"]
