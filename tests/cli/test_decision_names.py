"""`pruner try` can name each decision, also where several share a name."""

from __future__ import annotations

from pruner_engine.jobs.lines import decision_names


def test_decisions_of_one_name_are_numbered() -> None:
    assert decision_names([{"name": name} for name in ("i", "ax0", "k", "ax0", "ax0")]) == [
        "i",
        "ax0.1",
        "k",
        "ax0.2",
        "ax0.3",
    ]
