"""What went wrong is a card that says what to do, with the log where there is one."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from project_factory import make_project
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine.store.reader import ProjectReader
from pruner_studio.engine_client import NOT_STARTED, EngineClient
from pruner_studio.main_window import MainWindow
from pruner_studio.problem import Problem
from pruner_studio.widgets.failures import FailureCard
from pruner_studio.widgets.problems import ProblemStack
from pruner_studio.window_words import advice_of
from pruner_studio.workspace import Workspace

LOG = "free(): invalid pointer\nSegmentation fault"
CRASH = {"stage": "run", "error": "crash", "count": 3, "message": "Signal 11.", "log": LOG, "first_id": 7}


def press(widget, name: str) -> None:
    next(b for b in widget.findChildren(QPushButton) if b.text() == name).click()


# ---------------------------------------------------------------- failed candidates


@pytest.fixture
def card(qtbot) -> FailureCard:
    made = FailureCard()
    qtbot.addWidget(made)
    made.show()
    return made


def texts(card: FailureCard) -> list[str]:
    """What its rows say, top down."""
    rows = (card._rows.itemAt(at).widget() for at in range(card._rows.count()))
    return [row.text() for row in rows if isinstance(row, QLabel)]


def test_a_kind_of_failure_says_what_to_do_and_shows_its_log(card: FailureCard) -> None:
    card.show_failures([CRASH], 10)
    assert texts(card) == ["3 × failed while running · crashed  (30 %)".replace("(30 %)", "(30 % of trials)"),
                            "Signal 11.", advice_of("run", "crash")]  # fmt: skip
    log = card.logs["run", "crash"]
    assert not log.unfolded
    press(log, "Log")
    assert log.unfolded and log.log == LOG
    press(log, "Copy log")
    assert QGuiApplication.clipboard().text() == LOG


def test_a_log_that_is_being_read_stays_open_while_the_run_goes_on(card: FailureCard) -> None:
    card.show_failures([CRASH], 10)
    card.logs["run", "crash"].unfold()
    card.show_failures([{**CRASH, "count": 4}, {**CRASH, "error": "timeout", "log": ""}], 12)
    assert card.logs.keys() == {("run", "crash")} and card.logs["run", "crash"].unfolded


def test_what_somebody_is_at_stays_while_the_run_goes_on(qtbot, card: FailureCard) -> None:
    with qtbot.waitActive(card):
        card.activateWindow()
    card.show_failures([CRASH], 10)
    look = next(made for made in card.findChildren(QPushButton) if made.text() == "Look at the first")
    qtbot.waitUntil(look.isVisible)
    look.setFocus()
    card.show_failures([{**CRASH, "count": 4}], 16)
    assert texts(card)[0] == "4 × failed while running · crashed  (25 % of trials)" and look.hasFocus()
    card.show_failures([], 16)
    assert texts(card) == ["None of these tasks."]


def test_the_schedule_of_a_failed_candidate_says_what_to_do(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    path = shutil.copy(finished_project, tmp_path / "failed.pruner")
    with connected(path) as db:
        db.execute("UPDATE measurements SET log = ? WHERE stage = 'run'", (LOG,))
    db.close()
    assert window.workspace.open(path)
    with ProjectReader(path) as reader:
        failed = next(row for row in reader.candidates(3, measured=True) if row["stage"] == "run")
    window.workspace.select(failed["task_id"], failed["id"])
    page = window.show_page("schedule")
    page.refresh()
    assert page.message.text() == failed["message"]
    assert page.hint.text() == advice_of("run", failed["error"])
    assert page.log.log == LOG and not page.log.isHidden()
    best = next(row for row in window.workspace.reader.tasks(3) if row["id"] == failed["task_id"])["best_candidate_id"]
    window.workspace.select(failed["task_id"], best)
    page.refresh()
    assert page.hint.isHidden() and page.log.isHidden()


# ---------------------------------------------------------------- an engine that ends


@pytest.mark.parametrize(("task", "words"), [("tune", "press Resume"), ("export", "Export again")])
def test_a_crashed_engine_says_what_to_do_about_its_job(qtbot, task: str, words: str) -> None:
    workspace, told = Workspace(), []
    workspace.problem.connect(told.append)
    workspace.job.work.task = task
    workspace.job.ended.emit("The engine was ended by signal 9.")
    (problem,) = told
    assert words in problem.hint and workspace.job.work.task == ""


def test_what_was_told_of_a_crashed_engine_goes_when_its_run_is_taken_up(window: MainWindow, tmp_path: Path) -> None:
    project = make_project(tmp_path / "crashed.pruner", runs=1, rounds=2, state="tuning")
    window.workspace.open(project)
    window.workspace.job.work.task = "tune"
    window.workspace.job.ended.emit("The engine was killed.")
    assert told(window.problems) == ["The engine was killed."]
    window.workspace.start(msg.Resume(project=str(project), run_id=1))
    assert told(window.problems) == []
    window.workspace.job.wait_ended(0)


def test_a_question_that_a_dead_engine_leaves_open_says_what_to_do(qtbot) -> None:
    client, hellos, failures = EngineClient(), [], []
    client.received.connect(hellos.append)
    client.ask(msg.Doctor(), lambda _: None, failures.append)
    qtbot.waitUntil(lambda: bool(hellos), timeout=60_000)
    os.kill(hellos[0].pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: bool(failures), timeout=10_000)
    assert failures[0].kind == "bug" and "Ask again" in failures[0].hint


def test_an_engine_that_cannot_be_started_says_so(qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    client, failures = EngineClient(), []
    client.ask(msg.Doctor(), lambda _: None, failures.append)
    qtbot.waitUntil(lambda: bool(failures), timeout=10_000)
    assert "could not be started" in failures[0].message and failures[0].hint == NOT_STARTED


def test_a_message_from_the_future_says_what_to_do(qtbot) -> None:
    client, events = EngineClient(), []
    client.received.connect(events.append)
    client._receive(b'{"type":"from-the-future"}\n')
    assert events[0].kind == "bug" and "same release" in events[0].hint


# ---------------------------------------------------------------- cards of problems


def told(stack: ProblemStack) -> list[str]:
    return [card.problem.message for card in stack.cards()]


def test_problems_without_room_are_counted_and_come_back(qtbot) -> None:
    stack = ProblemStack()
    qtbot.addWidget(stack)
    for number in range(5):
        stack.tell(Problem(f"Problem {number}"))
    assert told(stack) == ["Problem 4", "Problem 3", "Problem 2"]
    assert "problems: 2 " in stack.older.text() and not stack._more.isHidden()
    stack.cards()[0].dismissed.emit()
    assert told(stack) == ["Problem 3", "Problem 2", "Problem 1"] and "problems: 1 " in stack.older.text()
    stack.tell(Problem("Problem 0"))  # one that waits is shown once
    assert [problem.message for problem in stack.problems()] == [f"Problem {number}" for number in (0, 3, 2, 1)]
    stack.withdraw(Problem("Problem 3"))
    assert told(stack) == ["Problem 0", "Problem 2", "Problem 1"] and stack._more.isHidden()


def test_fewer_problems_are_shown_in_a_low_window(window: MainWindow) -> None:
    for number in range(4):
        window.problems.tell(Problem(f"Problem {number}"))
    for height, shown in ((560, 1), (700, 2), (900, 3), (700, 2)):
        window.resize(1280, height)
        QApplication.processEvents()
        assert told(window.problems) == [f"Problem {3 - at}" for at in range(shown)]
        assert f"problems: {4 - shown} " in window.problems.older.text()


def test_all_problems_are_dismissed_at_once(qtbot) -> None:
    stack = ProblemStack()
    qtbot.addWidget(stack)
    for number in range(9):
        stack.tell(Problem(f"Problem {number}"))
    press(stack, "Dismiss all")
    assert stack.problems() == [] and stack.isHidden()
