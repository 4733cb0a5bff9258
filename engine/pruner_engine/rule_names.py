"""Names of our schedule rules and graph rewrites, by which a run can leave them out; docs/rules.md explains each."""

from __future__ import annotations

from typing import Literal

#: of convolutions: as the model has them, or with channels last
Layout = Literal["own", "channels-last"]
BFLOAT16_RULE = "bfloat16-tensor-core"
SPLIT_RULE = "split-sum"
EPILOGUE_RULE = "epilogue"
_OF_CPUS = ("rows", "columns", "amx", "register-tile", "winograd", "vector-copy", "moves")
SCHEDULE_RULES = (*_OF_CPUS, BFLOAT16_RULE, SPLIT_RULE, EPILOGUE_RULE)
#: rewrites of the graph, and whether they are for CPUs alone
REWRITES = {
    "signals": False,
    "simplify": False,
    "channels-last": False,
    "integers": True,
    "bfloat16s": True,
    "few-bits": False,
    "transposed": False,
    "wide-products": True,
    "wide-channels": True,
    "groups": True,
    "winograd": True,
}
NAMES = tuple(dict.fromkeys((*SCHEDULE_RULES, *REWRITES)))
"""Of both; some are the two parts of one idea, and left out together."""
