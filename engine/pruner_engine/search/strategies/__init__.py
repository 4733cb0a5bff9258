"""The strategies that ship; importing this package registers them."""

from pruner_engine.search.strategies import draft_verify, learned, metaschedule, momentum, random_search
from pruner_engine.search.strategy import check_settings, make_strategy, register_strategy, strategy_names

__all__ = [
    "check_settings",
    "draft_verify",
    "learned",
    "make_strategy",
    "metaschedule",
    "momentum",
    "random_search",
    "register_strategy",
    "strategy_names",
]
