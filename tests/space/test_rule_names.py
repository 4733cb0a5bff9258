"""Every rule and rewrite of ours is among the names that can be left out, which are known without TVM."""

import subprocess
import sys
from pathlib import Path

from pruner_engine.processes.child import environment
from pruner_engine.rule_names import NAMES, SCHEDULE_RULES

RULES = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")


def test_they_are_those_of_the_rules():
    """In a process of its own: plugins of other tests add theirs."""
    code = (
        "from pruner_engine.tvm_import import import_tvm; import_tvm();"
        "from pruner_engine.space.rules import GPU_RULES, OWN_RULES; print(*OWN_RULES, *GPU_RULES)"
    )
    shipped = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert set(shipped.stdout.split()) == set(SCHEDULE_RULES) and set(SCHEDULE_RULES) <= set(NAMES)


def test_each_is_explained():
    assert [name for name in NAMES if f"`{name}`" not in RULES] == []
