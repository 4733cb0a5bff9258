"""The strategies that ship; importing this module registers them."""

from pruner_engine.search import draft_verify, metaschedule
from pruner_engine.search.strategy import make_strategy, register_strategy, strategy_names

__all__ = ["draft_verify", "make_strategy", "metaschedule", "register_strategy", "strategy_names"]
