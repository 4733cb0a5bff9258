"""F1 explains what the keyboard is at, else what the page shows; formulas do not need a mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QToolTip

from pruner_engine.protocol import WhatIfScore
from pruner_studio.help import help_of, terms
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.help_window import HelpWindow
from pruner_studio.widgets.parts import PartsView


@pytest.fixture
def opened(qtbot, window: MainWindow, finished_project: Path) -> MainWindow:
    window.workspace.open(finished_project)
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def explained(qtbot, window: MainWindow, keys: str = "F1") -> HelpWindow:
    """The window that the keys open."""
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keySequence(window, keys)
    (shown,) = (found for found in window.findChildren(HelpWindow) if found.isVisible())
    return shown


def told(shown: HelpWindow) -> set[str]:
    """Names of the terms that it explains, text and formula."""
    text = shown.text.toPlainText()
    return {name for name, term in terms().items() if term.text in text and term.formula in text}


def test_a_setting_is_explained_at_its_field(qtbot, opened: MainWindow) -> None:
    start = opened.start_page()
    qtbot.mouseClick(start.form.settings_button, Qt.MouseButton.LeftButton)
    start.form.fields.editors["draft_set"].widget.setFocus()
    shown = explained(qtbot, opened)
    assert told(shown) == {"setting.draft_set"} and shown.scope.current == "here"
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    start.form.fields.editors["checkpoint"].widget.line.setFocus()
    assert told(explained(qtbot, opened)) == {"setting.checkpoint"}, "a part of the field"


def test_where_nothing_is_to_be_explained_the_page_is(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("tasks")
    rested(page)
    opened.sidebar.setFocus()
    shown = explained(qtbot, opened)
    assert shown.scope.current == "page" and not shown.scope.part("here").isEnabled()
    assert {"figure.gain", "figure.roof_share", "figure.flop"} <= told(shown)
    assert not [name for name in told(shown) if name.startswith(("setting.", "penalty."))]
    shown.filter.setFocus()
    qtbot.keyClicks(shown.filter, "wave")
    assert shown.scope.current == "all" and "penalty.wave" in told(shown) and "figure.gain" not in told(shown)
    page.table.setFocus()
    again = explained(qtbot, opened)
    assert again is shown and shown.scope.current == "here" and shown.filter.text() == ""
    assert "figure.gain" in told(shown)


def test_everything_is_explained_by_another_key(qtbot, opened: MainWindow) -> None:
    opened.show_page("tasks")
    shown = explained(qtbot, opened, "Shift+F1")
    assert shown.scope.current == "all" and told(shown) == set(terms())


def test_without_a_project_the_settings_are(qtbot, window: MainWindow) -> None:
    window.show_page("start")
    shown = explained(qtbot, window)
    assert told(shown) == {name for name in terms() if name.startswith("setting.")}


def test_the_arrow_keys_tell_the_formula_of_every_bar(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("overview")
    rested(page)
    bars = page.time_bars
    bars.setFocus()
    parts = ("draft_s", "verify_s", "build_s", "run_s", "learn_s")
    for at, name in enumerate(parts):
        qtbot.keyClick(bars, Qt.Key.Key_Down if at else Qt.Key.Key_Home)
        assert help_of(f"figure.{name}").tip in QToolTip.text()
        shown = explained(qtbot, opened)
        assert told(shown) == {f"figure.{name}"}
        shown.close()
        QApplication.processEvents()
        with qtbot.waitActive(opened):
            opened.activateWindow()
        bars.setFocus()
    QToolTip.hideText()


def test_parts_of_a_prediction_are_reached_by_keys_and_scrolled_to(qtbot) -> None:
    names = [name.partition(".")[2] for name in terms() if name.startswith("symbol.")]
    view = PartsView()
    qtbot.addWidget(view)
    view.resize(320, 240)
    score = WhatIfScore(
        request=0, score=1.0, latency_s=1e-3, valid=True, symbols=dict.fromkeys(names, 2.0),
        penalties={"wave": 0.5}, times={"compute": 1e-3},
    )  # fmt: skip
    view.show_score(score)
    with qtbot.waitExposed(view):
        view.show()
    bars = view.groups["symbols"][1]
    bars.setFocus()
    qtbot.keyClick(bars, Qt.Key.Key_End)
    last = help_of(f"symbol.{names[-1]}")
    assert bars.tips_in_focus() == [last.tip]
    assert isinstance(view, QScrollArea)
    bottom = bars.mapTo(view.viewport(), bars.rect().bottomLeft()).y()
    assert 0 < bottom <= view.viewport().height() + 8
    qtbot.keyClick(bars, Qt.Key.Key_Up)
    assert bars.tips_in_focus() == [help_of(f"symbol.{names[-2]}").tip]
    QToolTip.hideText()
