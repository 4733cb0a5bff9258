"""Learned cost models, which decide what of a draft is measured."""

from pruner_engine.verify.factory import create_model, register_model
from pruner_engine.verify.model import CostModel, Features, Group, LearnReport

__all__ = ["CostModel", "Features", "Group", "LearnReport", "create_model", "register_model"]
