"""What-if edits keep every tiling valid and can be undone."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider, QWidget

from pruner_studio.widgets.what_if import TileRow, WhatIfEditor, divisors

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
    made.show_candidate(1, SPEC, START)
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


def test_factors_of_a_long_loop_are_found_while_a_slider_moves() -> None:
    for number in range(1, 200):
        assert divisors(number) == [factor for factor in range(1, number + 1) if number % factor == 0]
    assert divisors(46_337**2) == [1, 46_337, 46_337**2]


def test_edits_are_told_undone_and_redone(qtbot) -> None:
    made = editor(qtbot)
    told = []
    made.edited.connect(lambda: told.append(list(made.decisions)))
    made._edit(2, 2)
    made._edit(3, 0)
    assert told[-1][2:] == [2, 0]
    made.stack.undo()
    assert made.decisions[2:] == [2, -1]
    made.stack.redo()
    made.reset()
    assert made.decisions == START


# ---------------------------------------------------------------- one undo for one gesture


@pytest.fixture
def shown(qtbot) -> WhatIfEditor:
    made = editor(qtbot)
    made.resize(700, 500)
    with qtbot.waitExposed(made):
        made.show()
    return made


def cell(made: WhatIfEditor, at: int) -> QWidget:
    return made._grid_holder.itemAt(0).widget().layout().itemAtPosition(at, 1).widget()


def handle(slider: QSlider) -> QPoint:
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider).center()


def drag(qtbot, slider: QSlider, *stops: int) -> None:
    """Press the handle, go to places between 0 and 100 % of the slider one after the other, release."""
    start = handle(slider)
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=start)
    for stop in stops:
        place = QPoint(round(stop / 100 * (slider.width() - 1)), start.y())
        move = QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(place),
            QPointF(slider.mapToGlobal(place)),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(slider, move)
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=place)


def hold(slider: QSlider, key: Qt.Key, times: int) -> None:
    """Press a key and keep it down while it repeats."""
    for at in range(times):
        kind, none = QEvent.Type.KeyPress, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(slider, QKeyEvent(kind, key, none, "", at > 0))
    QApplication.sendEvent(slider, QKeyEvent(QEvent.Type.KeyRelease, key, none))


def test_a_drag_is_one_undo_and_the_next_drag_another(qtbot, shown: WhatIfEditor) -> None:
    slider, _, _ = cell(shown, 0)._parts[0]
    told = []
    shown.edited.connect(lambda: told.append(list(shown.decisions[0])))
    drag(qtbot, slider, 50, 100)
    first = shown.decisions[0]
    assert len(told) > 1 and shown.stack.count() == 1
    drag(qtbot, slider, 50, 0)
    assert shown.decisions[0] not in (first, START[0])
    assert shown.stack.count() == 2
    shown.stack.undo()
    assert shown.decisions[0] == first
    shown.stack.undo()
    assert shown.decisions == START


def test_a_drag_there_and_back_is_nothing_to_undo(qtbot, shown: WhatIfEditor) -> None:
    slider, _, _ = cell(shown, 0)._parts[0]
    start = round(100 * handle(slider).x() / slider.width())
    drag(qtbot, slider, 100, start)
    assert shown.decisions == START and not shown.stack.canUndo()


def test_a_held_key_is_one_undo_and_the_next_press_another(qtbot, shown: WhatIfEditor) -> None:
    slider, _, choices = cell(shown, 0)._parts[0]
    hold(slider, Qt.Key.Key_Home, 1)
    hold(slider, Qt.Key.Key_Right, 3)
    assert shown.decisions[0][1] == choices[3] and shown.stack.count() == 2
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert shown.decisions[0][1] == choices[1] and shown.stack.count() == 4
    shown.stack.undo()
    assert shown.decisions[0][1] == choices[2]
    shown.stack.undo()
    shown.stack.undo()
    assert shown.decisions[0][1] == choices[0]


def test_each_choice_in_a_list_is_an_undo(qtbot, shown: WhatIfEditor) -> None:
    box = cell(shown, 2)
    qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.keyClick(box, Qt.Key.Key_Up)
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert shown.decisions[2] == 0 and shown.stack.count() == 3
    shown.stack.undo()
    assert shown.decisions[2] == 1
    shown.stack.undo()
    assert shown.decisions[2] == 2


def test_sliders_of_factors_begin_one_below_the_other_however_large_the_factors_are(qtbot) -> None:
    made = WhatIfEditor()
    qtbot.addWidget(made)
    extents = {"i": [1152, 1, 1], "j": [2, 2, 1], "k": [36, 32]}
    spec = [
        {"kind": "tile", "name": name, "domain": {**SPEC[0]["domain"], "extent": math.prod(value), "n": len(value)}}
        for name, value in extents.items()
    ]
    made.show_candidate(1, spec, list(extents.values()))
    made.resize(400, 300)
    with qtbot.waitExposed(made):
        made.show()
    rows = made.findChildren(TileRow)
    places = {row._parts[0][0].mapTo(made, QPoint(0, 0)).x() for row in rows}
    assert len(rows) == 3 and len(places) == 1
