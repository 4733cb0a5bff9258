"""The parts of an edited prediction stand beside those of the candidate as it is."""

from __future__ import annotations

import csv
from pathlib import Path

from pruner_engine import units
from pruner_engine.protocol import Predicted, WhatIfScore
from pruner_studio.theme import theme
from pruner_studio.widgets.parts import PartsView

EDITED = {
    "latency_s": 2e-3,
    "symbols": {"flops": 4096.0, "vector": 8.0},
    "penalties": {"wave": 0.5},
    "times": {"compute": 1e-3, "memory": 1e-3},
}
AS_IT_IS = Predicted(4e-3, {"flops": 4096.0, "vector": 16.0}, {"wave": 1.0}, {"compute": 1e-3, "memory": 3e-3})


def shown(qtbot, against: Predicted | None) -> PartsView:
    view = PartsView()
    qtbot.addWidget(view)
    view.show_score(WhatIfScore(request=0, score=1.0, valid=True, against=against, **EDITED))
    return view


def texts(view: PartsView, key: str) -> list[str]:
    return [bar.text for bar in view.groups[key][1].bars]


def test_what_changed_is_told_in_brackets_and_marked(qtbot) -> None:
    view = shown(qtbot, AS_IT_IS)
    assert "2.00× faster than the candidate" in view.verdict.text() and not view.legend.isHidden()
    assert texts(view, "times") == ["1.00 ms", "1.00 ms (3.00 ms)"]
    assert texts(view, "penalties") == ["0.50 (1.00)"] and texts(view, "symbols") == [units.count(4096), "8 (16)"]
    compute, memory = view.groups["times"][1].bars
    assert (compute.fill, compute.mark) == (1 / 3, None), "what is as it was has no mark"
    assert (memory.fill, memory.mark) == (1 / 3, 1.0)
    flops, vector = view.groups["symbols"][1].bars
    assert flops.fill == 1.0 and 0 < vector.fill < vector.mark < 1, "bars share a logarithmic scale"


def test_a_candidate_that_nobody_edited_is_held_against_nothing(qtbot) -> None:
    view = shown(qtbot, None)
    assert "the candidate" not in view.verdict.text() and view.legend.isHidden()
    assert texts(view, "symbols") == [units.count(4096), "8"]
    assert all(bar.mark is None for _, bars in view.groups.values() for bar in bars.bars)


def test_both_are_saved(qtbot, tmp_path: Path) -> None:
    view = shown(qtbot, AS_IT_IS)
    view.figure.save(str(tmp_path / "parts.csv"))
    heads, *rows = csv.reader((tmp_path / "parts.csv").read_text(encoding="utf-8").splitlines())
    assert heads == ["group", "name", "value", "candidate"]
    assert [row[2:] for row in rows if row[0] == "times (s)"] == [["0.001", "0.001"], ["0.001", "0.003"]]


def test_figures_of_the_decisions_before_are_grey(qtbot) -> None:
    view = shown(qtbot, AS_IT_IS)
    view.resize(400, 600)
    with qtbot.waitExposed(view):
        view.show()
    bars, accent = view.groups["times"][1], theme.color("accent").rgb()

    def colored() -> bool:
        picture = bars.grab().toImage()
        return any(picture.pixel(x, 13 + bars.row) == accent for x in range(picture.width()))

    assert colored()
    view.wait()
    assert view.verdict.text() == "Asking the draft model…" and not colored()
    view.show_score(WhatIfScore(request=0, score=1.0, valid=True, against=AS_IT_IS, **EDITED))
    assert "Predicted" in view.verdict.text() and colored()
