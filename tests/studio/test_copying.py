"""What is copied is told and comes whole; what cannot be opened outside the window is told too."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QClipboard, QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from pruner_engine.protocol import Check
from pruner_studio import opening
from pruner_studio.main_window import MainWindow
from pruner_studio.problem import Problem
from pruner_studio.widgets.checks import CheckList
from pruner_studio.widgets.failures import FailureCard
from pruner_studio.widgets.log_fold import LogFold
from pruner_studio.widgets.messages import MessageCard

PATH = "/home/somebody/projects/tuned-with-a-name-that-fits-no-line/and-no-card-either/of-a-window/model.pruner-lock"


@pytest.fixture
def opened(window: MainWindow, finished_project: Path) -> MainWindow:
    assert window.workspace.open(finished_project)
    return window


def press(qtbot, parent: QWidget, name: str) -> None:
    button = next(made for made in parent.findChildren(QPushButton) if made.text() == name)
    assert button.isVisible() and button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def copied() -> str:
    return QGuiApplication.clipboard().text()


def test_every_copy_is_told_in_the_status_bar(qtbot, opened: MainWindow, rested) -> None:
    bar = opened.statusBar()
    page = opened.show_page("schedule")
    rested(page)
    qtbot.mouseClick(page.copy_button, Qt.MouseButton.LeftButton)
    assert copied().startswith("pruner inspect") and bar.currentMessage() == f"Copied: {copied()}"

    (fold,) = page.findChildren(LogFold)
    fold.show_log("first line\nsecond line")
    press(qtbot, fold, "Copy log")
    assert copied() == "first line\nsecond line" and bar.currentMessage() == "Copied: first line …"

    opened.problems.tell(Problem("Something broke.", "Try again.", "a long report"))
    press(qtbot, opened.problems, "Copy report")
    assert "a long report" in copied() and bar.currentMessage() == "Copied: Something broke. …"

    bar.clearMessage()
    next(made for made in opened.findChildren(QAction) if made.text() == "Copy a &report for the makers").trigger()
    assert bar.currentMessage() == f"Copied: {copied().splitlines()[0]} …"


def mark_all(qtbot, text: QLabel) -> None:
    """Drag the mouse from the first letter behind the last."""
    qtbot.mousePress(text, Qt.MouseButton.LeftButton, pos=QPoint(0, 2))
    qtbot.mouseMove(text, QPoint(text.width() - 1, text.height() - 1))
    qtbot.mouseRelease(text, Qt.MouseButton.LeftButton, pos=QPoint(text.width() - 1, text.height() - 1))


def test_messages_are_marked_by_mouse_and_copied_as_they_are(qtbot, opened: MainWindow, rested) -> None:
    opened.resize(800, 700)
    schedule = opened.show_page("schedule")
    rested(schedule)
    opened.problems.tell(Problem(f"{PATH} cannot be written.", f"Make {PATH} writable."))
    failures = FailureCard()
    qtbot.addWidget(failures)
    failures.show_failures(
        [{"stage": "run", "error": "crash", "count": 1, "message": f"{PATH} is gone.", "log": "", "first_id": 1}], 1
    )
    failures.resize(300, 300)
    with qtbot.waitExposed(failures):
        failures.show()
    schedule._tell(f"{PATH} crashed.", "Look at the log.")
    wanted = {
        opened.problems: (f"{PATH} cannot be written.", f"Make {PATH} writable."),
        failures: (f"{PATH} is gone.",),
        schedule: (f"{PATH} crashed.", "Look at the log."),
    }
    for parent, texts in wanted.items():
        for text in texts:
            shown = next(made for made in parent.findChildren(QLabel) if made.text() == text)
            QGuiApplication.clipboard().clear()
            mark_all(qtbot, shown)
            qtbot.keyClick(shown, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
            assert copied() == text
            if QGuiApplication.clipboard().supportsSelection():
                assert QGuiApplication.clipboard().text(QClipboard.Mode.Selection) == text


def test_what_is_marked_is_copied_wherever_the_keyboard_was(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("tasks")
    with qtbot.waitActive(opened):
        opened.activateWindow()
    opened.problems.tell(Problem("Something broke.", "Try again."))
    rested(page)
    page.table.selectRow(0)
    page.table.setFocus()
    (card,) = opened.problems.cards()
    mark_all(qtbot, next(made for made in card.findChildren(QLabel) if made.text() == "Something broke."))
    qtbot.keyClick(opened, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied() == "Something broke."
    card.findChild(QToolButton).setFocus()
    qtbot.keyClick(opened, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied() == "Something broke.\n\nTry again."


def test_what_an_engine_says_can_be_marked(qtbot, qapp) -> None:
    messages, checks = MessageCard(), CheckList()
    messages.show_messages([{"at": 0.0, "level": "warning", "text": "The disk is full.", "hint": "Free some space."}])
    checks.show_checks([Check("Linker", False, "none", "apt install binutils")])
    for parent, texts in (
        (messages, ("The disk is full.", "Free some space.")),
        (checks, ("none", "apt install binutils")),
    ):
        qtbot.addWidget(parent)
        shown = [made for made in parent.findChildren(QLabel) if made.text().endswith(texts)]
        assert len(shown) == 2
        assert all(made.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse for made in shown)


def test_a_folder_that_is_gone_is_told_when_it_is_to_be_opened(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("export")
    rested(page)
    assert not Path(page.result._exported["out"]).exists()
    press(qtbot, page, "Open folder")
    (card,) = opened.problems.cards()
    assert card.problem.message == f"{page.result._exported['out']} is not there any more." and card.problem.hint


def test_an_export_says_how_to_run_it(qtbot, opened: MainWindow, rested) -> None:
    page = opened.show_page("export")
    rested(page)
    line = f"python {page.result._exported['out']}/run.py --bench"
    assert page.result.run_line.text() == line
    told = {shown.text() for shown in page.result.findChildren(QLabel)}
    assert {"run.py", "runs it from Python"} <= told
    button = next(b for b in page.result.findChildren(QToolButton) if b.accessibleName().startswith("Copy the line"))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert copied() == line


def test_a_desktop_without_a_program_for_a_file_is_told(
    qtbot, opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "QDesktopServices", SimpleNamespace(openUrl=lambda _: False))
    out = tmp_path / "run.html"
    opened.menus.files.write_report(str(out))
    qtbot.waitUntil(lambda: "report" not in opened.menus.files.under_way, timeout=30_000)
    press(qtbot, opened.problems, "Open")
    (card,) = opened.problems.cards()
    assert card.problem.message.startswith(f"{out} could not be opened") and card.problem.hint
