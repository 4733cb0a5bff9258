"""Adapts a pre-trained cost model to another device."""

from pruner_engine.adapt.moa import Adaptation, MomentumAdapter

__all__ = ["Adaptation", "MomentumAdapter"]
