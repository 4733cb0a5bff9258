"""What-if edits keep every tiling valid and can be undone."""

from __future__ import annotations

import math

from pruner_studio.widgets.what_if import WhatIfEditor

SPEC = [
    {"kind": "tile", "name": "C.i", "domain": {"extent": 96, "n": 4, "max_innermost": 16, "partition": [0, 1]}},
    {"kind": "tile", "name": "C.j", "domain": {"extent": 64, "n": 3, "max_innermost": -1, "partition": [1, 16]}},
    {"kind": "categorical", "name": "unroll", "domain": {"candidates": [0, 16, 64], "probs": [0.3, 0.3, 0.4]}},
    {"kind": "location", "name": "pad", "domain": {"indices": [-2, -1, 0, 1]}},
]
START = [[3, 2, 4, 4], [2, 2, 16], 1, -1]


def editor(qtbot) -> WhatIfEditor:
    made = WhatIfEditor()
    qtbot.addWidget(made)
    made.show_candidate(SPEC, START)
    return made


def test_products_stay_and_limits_hold(qtbot) -> None:
    made = editor(qtbot)
    for at in (0, 1):
        row = made._grid_holder.itemAt(0).widget().layout().itemAtPosition(at, 1).widget()
        for slider, _, _ in row._parts:
            for step in range(slider.minimum(), slider.maximum() + 1):
                slider.setValue(step)
                value = made.decisions[at]
                assert math.prod(value) == SPEC[at]["domain"]["extent"]
                if at == 0:
                    assert value[-1] <= 16
                else:
                    assert math.prod(value[1:]) % 16 == 0


def test_edits_are_told_undone_and_redone(qtbot) -> None:
    made = editor(qtbot)
    told = []
    made.edited.connect(lambda: told.append(list(made.decisions)))
    made._edit(2, 2, 0)
    made._edit(3, 0, 0)
    assert told[-1][2:] == [2, 0]
    made.stack.undo()
    assert made.decisions[2:] == [2, -1]
    made.stack.redo()
    made.reset()
    assert made.decisions == START
