"""A project or a model is dropped on any part of the window, from a file manager."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow
from pruner_studio.pages.page import Page
from pruner_studio.widgets.editors import Editor


def dropped_on(part: QWidget, *urls: QUrl) -> bool:
    """Drop files where a part of the window is, as Qt hands them from what is on top to what lies around it."""
    data, place, copy = QMimeData(), QPointF(part.rect().center()), Qt.DropAction.CopyAction
    data.setUrls(list(urls))
    data.setText(" ".join(url.toString() for url in urls))  # as file managers do
    how = copy, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(place.toPoint(), *how)
    QApplication.sendEvent(part, entered)
    if not entered.isAccepted():
        return False
    moved = QDragMoveEvent(place.toPoint(), *how)
    moved.accept()  # Qt answers so for a part that has taken the files as they came
    QApplication.sendEvent(part, moved)
    if moved.isAccepted():
        QApplication.sendEvent(part, QDropEvent(place, *how))
    return moved.isAccepted()


def test_a_file_that_is_offered_to_be_moved_is_taken_as_a_copy(window: MainWindow, finished_project: Path) -> None:
    data, either = QMimeData(), Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    data.setUrls([QUrl.fromLocalFile(str(finished_project))])
    for part in (window, window.start_page().drop):
        how = either, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
        entered, dropped = QDragEnterEvent(QPoint(5, 5), *how), QDropEvent(QPointF(5, 5), *how)
        assert dropped.proposedAction() == Qt.DropAction.MoveAction
        for event in (entered, dropped):
            QApplication.sendEvent(part, event)
            assert event.isAccepted() and event.dropAction() == Qt.DropAction.CopyAction
        assert window.workspace.path == str(finished_project)
        window.workspace.leave()


def unfolded(page: Page) -> dict[str, Editor]:
    """The fields of the settings, which are made when they are first asked for."""
    page.form.settings_button.click()
    return page.form.fields.editors


@pytest.mark.parametrize(
    ("key", "of"),
    [
        ("overview", lambda page: page.curve._view.viewport()),
        ("tasks", lambda page: page.filter),
        ("tasks", lambda page: page.table.viewport()),
        ("start", lambda page: page.project),
        ("start", lambda page: page.model_card.workload.lineEdit()),
        ("start", lambda page: page.drop),
        ("start", lambda page: unfolded(page)["checkpoint"].widget.line),
        ("export", lambda page: page.out),
    ],
)
def test_what_is_dropped_on_any_part_is_opened(
    window: MainWindow, rested, finished_project: Path, tmp_path: Path, key: str, of: Callable[[Page], QWidget]
) -> None:
    other = Path(shutil.copy(finished_project, tmp_path / "other.pruner"))
    window.workspace.open(finished_project)
    page = window.show_page(key)
    rested(page)
    assert dropped_on(of(page), QUrl.fromLocalFile(str(other)))
    assert window.workspace.path == str(other)


def test_of_several_files_a_model_or_project_is_taken(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    (beside := tmp_path / "weights.data").write_bytes(b"1")
    files = [QUrl.fromLocalFile(str(path)) for path in (beside, finished_project, tmp_path)]
    assert dropped_on(window, *files)
    assert window.workspace.path == str(finished_project)
    assert window.problems.problems()[0].message == "Of 3 dropped files resnet18.pruner was taken."


def test_a_name_of_two_lines_is_told_in_one(window: MainWindow, finished_project: Path, tmp_path: Path) -> None:
    named = Path(shutil.copy(finished_project, tmp_path / "two\nlines.pruner"))
    assert dropped_on(window, *(QUrl.fromLocalFile(str(path)) for path in (named, tmp_path)))
    assert window.problems.problems()[0].message == "Of 2 dropped files two lines.pruner was taken."


@pytest.mark.parametrize("part", ["window", "drop"])
def test_a_folder_that_is_dropped_is_told_to_be_one(window: MainWindow, tmp_path: Path, part: str) -> None:
    start = window.start_page()
    start.set_model("matmul:64,64,64")
    assert dropped_on(window if part == "window" else start.drop, QUrl.fromLocalFile(str(tmp_path)))
    assert window.problems.problems()[0].message == f"{tmp_path} is a folder."
    assert start.plan().model == "matmul:64,64,64"


@pytest.mark.parametrize("part", ["window", "drop"])
def test_a_link_into_the_web_is_not_taken(window: MainWindow, part: str) -> None:
    start = window.start_page()
    start.set_model("matmul:64,64,64")
    assert not dropped_on(window if part == "window" else start.drop, QUrl("https://example.org/model.onnx"))
    assert start.plan().model == "matmul:64,64,64"


def test_the_project_is_offered_under_the_bare_name_of_any_file(window: MainWindow, tmp_path: Path) -> None:
    start = window.start_page()
    (text := tmp_path / "notes.txt").write_text("no model")
    assert dropped_on(window, QUrl.fromLocalFile(str(text)))
    assert Path(start.project.text()).name == "notes.pruner"


@pytest.mark.parametrize("letter", ["a", "ä"])
def test_the_longest_name_of_a_model_leaves_room_for_those_of_its_project(
    window: MainWindow, tmp_path: Path, letter: str
) -> None:
    start = window.start_page()
    longest = letter * (250 // len(letter.encode())) + ".onnx"
    model = shutil.copy(resource_dir() / "models" / "small-cnn.onnx", tmp_path / longest)
    assert dropped_on(window, QUrl.fromLocalFile(str(model)))
    project = Path(start.project.text()).name
    assert project.startswith(letter * 100)
    for ending in ("", "-journal", "-wal", "-shm", "-lock"):
        (tmp_path / f"{project}{ending}").touch()
