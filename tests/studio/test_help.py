"""Everything that the window shows is explained in one place, which the documentation is made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from draft.spaces import CPU, GPU, space_of
from pruner_engine.draft import analyzer_for
from pruner_engine.targets.profiling import profile_for
from pruner_studio.help import GROUPS, help_of, markdown, terms

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("target", [CPU, GPU], ids=["cpu", "gpu"])
def test_every_part_of_a_prediction_is_explained(target) -> None:
    space = space_of("matmul:64,64,64", target)
    analyzer = analyzer_for(space, profile_for(target))
    sketch = space.sketches[0]
    found = analyzer.explain(sketch.index, sketch.sample(np.random.default_rng(0), 1)[0])
    for group, names in (("symbol", found.symbols), ("penalty", found.penalties), ("time", found.times)):
        assert names and [name for name in names if help_of(f"{group}.{name}") is None] == []


def test_every_term_has_a_group_a_text_and_a_source() -> None:
    for name, term in terms().items():
        assert name.partition(".")[0] in GROUPS
        assert term.text.endswith(".") and term.source and term.text in term.tip


def test_the_documentation_is_made_from_the_same_texts() -> None:
    assert (ROOT / "docs" / "terms.md").read_text(encoding="utf-8") == markdown()
