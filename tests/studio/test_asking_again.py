"""Views ask the engine for what is looked at last, and again for what could not be had: real engine, real keys."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from pruner_engine import protocol as msg
from pruner_engine.resources import resource_dir
from pruner_studio.engine_client import EngineClient
from pruner_studio.main_window import MainWindow
from pruner_studio.panes import diff

pytestmark = pytest.mark.timeout(600)

_STEPS = 5


@pytest.fixture
def lent() -> dict[str, object]:
    """Its engines are its own: some are halted or killed."""
    return {}


@pytest.fixture
def opened(qtbot, window: MainWindow, tmp_path: Path) -> MainWindow:
    sample = resource_dir() / "samples" / "small-cnn.pruner"
    assert window.workspace.open(shutil.copy(sample, tmp_path / "small-cnn.pruner"))
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


@pytest.fixture
def asked(opened: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[msg.Inspect]:
    """The candidates' texts that the window asks its engine for, in order."""
    found: list[msg.Inspect] = []
    send = opened.workspace.helpers.quick.send

    def listen(command: object) -> None:
        if isinstance(command, msg.Inspect):
            found.append(command)
        send(command)

    monkeypatch.setattr(opened.workspace.helpers.quick, "send", listen)
    return found


def process(engine: EngineClient) -> psutil.Process:
    return psutil.Process(engine._process.processId())


@contextmanager
def busy(engine: EngineClient) -> Iterator[None]:
    """As if it worked on something that takes long."""
    process(engine).suspend()
    try:
        yield
    finally:
        process(engine).resume()


def all_answered(qtbot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not any(len(engine.questions) for engine in window.workspace.helpers.both), timeout=200_000)


def look_at(qtbot, window: MainWindow, page, pane: QWidget) -> None:
    bar = page.tabs.tabBar()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(page.tabs.indexOf(pane)).center())
    all_answered(qtbot, window)


def step_on(qtbot, page, rested, steps: int) -> list[int]:
    """Go down the list of candidates by its arrow key; returns those that were come to."""
    found = []
    for _ in range(steps):
        qtbot.keyClick(page.candidates.table, Qt.Key.Key_Down)
        rested(page)
        found.append(page._subject.candidate_id)
    assert len(set(found)) == steps
    return found


def test_of_candidates_that_are_stepped_through_the_first_and_the_last_are_compiled(
    qtbot, opened: MainWindow, asked: list[msg.Inspect], rested
) -> None:
    page = opened.show_page("schedule")
    rested(page)
    look_at(qtbot, opened, page, page.code)
    qtbot.mouseClick(page.code.forms.part("asm"), Qt.MouseButton.LeftButton)
    all_answered(qtbot, opened)
    asked.clear()
    with busy(opened.workspace.helpers.quick):
        first, *_, last = step_on(qtbot, page, rested, _STEPS)
    all_answered(qtbot, opened)
    for form in ("asm", "replay"):
        assert [command.candidate_id for command in asked if command.forms == [form]] == [first, last]
    assert page.code.subject.candidate_id == last and ".text" in page.code.code["asm"].view.toPlainText()
    assert page.loops.view.replay is not None

    qtbot.mouseClick(page.code.forms.part("tvmscript"), Qt.MouseButton.LeftButton)
    look_at(qtbot, opened, page, page.diff)
    asked.clear()
    with busy(opened.workspace.helpers.quick):
        first, *_, last = step_on(qtbot, page, rested, _STEPS)
    qtbot.waitUntil(lambda: "lines differ" in page.diff.view.told.text(), timeout=200_000)
    left = page.diff.left.currentData()
    assert [command.candidate_id for command in asked] == [left, left, last]
    assert str(last) in page.diff.view.sides[1][0].text()


def test_a_form_that_is_left_before_its_turn_is_asked_for_when_it_is_chosen_again(
    qtbot, opened: MainWindow, rested
) -> None:
    page = opened.show_page("schedule")
    rested(page)
    look_at(qtbot, opened, page, page.code)
    with busy(opened.workspace.helpers.quick):
        step_on(qtbot, page, rested, 1)
        for form in ("llvm", "asm", "llvm"):
            qtbot.mouseClick(page.code.forms.part(form), Qt.MouseButton.LeftButton)
    all_answered(qtbot, opened)
    for form, told in (("asm", ".text"), ("llvm", "define")):
        qtbot.mouseClick(page.code.forms.part(form), Qt.MouseButton.LeftButton)
        all_answered(qtbot, opened)
        assert told in page.code.code[form].view.toPlainText()


def test_a_view_whose_engine_died_is_filled_by_f5(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("schedule")
    rested(page)
    views: list[tuple[QWidget, Callable[[], str], Callable[[], bool]]] = [
        (page.loops, page.loops.code.toPlainText, lambda: page.loops.view.replay is not None),
        (page.code, page.code.code["tvmscript"].view.toPlainText, lambda: page.loops.view.replay is not None),
        (page.what_if, page.what_if.parts.note.text, lambda: "Predicted" in page.what_if.parts.verdict.text()),
        (page.diff, page.diff.view.told.text, lambda: "lines differ" in page.diff.view.told.text()),
    ]
    look_at(qtbot, opened, page, page.loops)
    for pane, told, is_there in views:
        look_at(qtbot, opened, page, pane)
        dead = process(opened.workspace.helpers.quick)
        dead.suspend()
        step_on(qtbot, page, rested, 1)
        dead.kill()
        qtbot.waitUntil(lambda told=told: "Ask again" in told(), timeout=60_000)
        opened.workspace.changed.emit()  # news of a run at work are no wish of the user's
        rested(page)
        assert "Ask again" in told() and not opened.workspace.helpers.quick.running
        qtbot.keyClick(opened, Qt.Key.Key_F5)
        qtbot.waitUntil(is_there, timeout=200_000)
        all_answered(qtbot, opened)


def test_a_form_that_could_not_be_had_is_asked_for_by_choosing_it_again(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("schedule")
    rested(page)
    look_at(qtbot, opened, page, page.code)
    for form, told in (("asm", ".text"), ("tvmscript", "@T.prim_func")):
        qtbot.mouseClick(page.code.forms.part(form), Qt.MouseButton.LeftButton)
        all_answered(qtbot, opened)
        dead = process(opened.workspace.helpers.quick)
        dead.suspend()
        step_on(qtbot, page, rested, 1)
        dead.kill()
        text = page.code.code[form].view.toPlainText
        qtbot.waitUntil(lambda text=text: "Ask again" in text(), timeout=60_000)
        all_answered(qtbot, opened)
        qtbot.mouseClick(page.code.forms.part(form), Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda text=text, told=told: told in text(), timeout=200_000)


def test_a_prediction_does_not_wait_for_what_takes_long(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("schedule")
    rested(page)
    look_at(qtbot, opened, page, page.what_if)
    qtbot.mouseClick(page.what_if.verify_button, Qt.MouseButton.LeftButton)
    slow = opened.workspace.helpers.slow
    with busy(slow):
        step_on(qtbot, page, rested, 1)
        qtbot.waitUntil(lambda: "Predicted" in page.what_if.parts.verdict.text(), timeout=60_000)
        page.tabs.setCurrentWidget(page.loops)
        qtbot.waitUntil(lambda: page.loops.view.replay is not None, timeout=60_000)
        assert len(slow.questions) == 1
    all_answered(qtbot, opened)


def test_a_comparison_that_could_not_be_made_is_told_and_made_again(
    qtbot, opened: MainWindow, rested, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was said to be under way for ever."""

    def fails(*_: object) -> None:
        raise MemoryError

    page = opened.show_page("schedule")
    rested(page)
    told = page.diff.view.told
    with monkeypatch.context() as patch:
        patch.setattr(diff, "diff_lines", fails)
        look_at(qtbot, opened, page, page.diff)
        qtbot.waitUntil(lambda: "There is not enough memory." in told.text(), timeout=60_000)
    look_at(qtbot, opened, page, page.roofline)
    look_at(qtbot, opened, page, page.diff)
    qtbot.waitUntil(lambda: "lines differ" in told.text(), timeout=60_000)
