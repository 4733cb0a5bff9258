"""An earlier export is replaced only after a question, which names it."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from pointer import press
from PySide6.QtWidgets import QMessageBox

from databases import connected
from pruner_engine import units
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import MainWindow

RUN = 3


@pytest.fixture
def path(finished_project: Path, tmp_path: Path) -> Path:
    """A project of which nothing is known to be slower than a library."""
    place = Path(shutil.copy(finished_project, tmp_path / "resnet18.pruner"))
    with connected(place) as db:
        db.execute("UPDATE baselines SET seconds = 1e3")
    return place


def exporting(window: MainWindow, path: Path, rested):
    """The page, about to export into a folder that holds an export."""
    assert window.workspace.open(path, RUN)
    page = window.show_page("export")
    rested(page)
    bundle = path.with_name("bundle")
    bundle.mkdir()
    (bundle / "metadata.json").write_text("{}")
    page.out.setText(str(bundle))
    return page


def question(window: MainWindow) -> QMessageBox | None:
    return next((box for box in window.findChildren(QMessageBox) if box.isVisible()), None)


def answer(qtbot, window: MainWindow, text: str) -> None:
    box = question(window)
    press(qtbot, next(made for made in box.buttons() if made.text().replace("&", "") == text))


def begun(qtbot, window: MainWindow) -> bool:
    """An export has begun; of made-up rows it comes to nothing."""
    exports = window.workspace.job.work.task == "export"
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=120_000)
    return exports


def test_what_is_replaced_is_named(qtbot, window: MainWindow, path: Path, rested) -> None:
    page = exporting(window, path, rested)
    with connected(path) as db:
        db.execute("UPDATE exports SET out = ? WHERE run_id = ?", (page.out.text(), RUN))
    with closing(ProjectReader(path)) as reader:
        (noted,) = reader.exports(RUN)
    press(qtbot, page.go)
    box = question(window)
    assert box.text() == f"Replace the export in {page.out.text()}?"
    assert f"was of run {RUN}: {units.moment(noted['at'])}" in box.informativeText()
    assert units.latency(noted["summary"]["latency"]["tuned"]["seconds"]) in box.informativeText()
    answer(qtbot, window, "Cancel")
    assert not window.workspace.job.running and page.phase.text() == "You were asked, and nothing was exported."
    press(qtbot, page.go)
    answer(qtbot, window, "Replace it")
    assert begun(qtbot, window)


def test_a_folder_that_is_free_is_offered(qtbot, window: MainWindow, path: Path, rested) -> None:
    page = exporting(window, path, rested)
    path.with_name("bundle-2").mkdir()
    press(qtbot, page.go)
    assert question(window).informativeText() == "What is there was not exported from this project."
    answer(qtbot, window, "Write bundle-3")
    assert page.out.text() == str(path.with_name("bundle-3")) == page.plan().out
    assert begun(qtbot, window)


def test_what_is_slower_and_replaces_an_export_is_asked_about_twice(
    qtbot, window: MainWindow, path: Path, rested
) -> None:
    with connected(path) as db:
        db.execute("UPDATE baselines SET seconds = 1e-6 WHERE name = 'torch'")
    page = exporting(window, path, rested)
    press(qtbot, page.go)
    answer(qtbot, window, "Export all the same")
    assert question(window).text().startswith("Replace the export in")
    answer(qtbot, window, "Replace it")
    assert begun(qtbot, window)
