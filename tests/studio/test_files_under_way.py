"""What is written and read for a dialog is told while it lasts, and its end by one card, whatever came of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtGui import QAction

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow
from pruner_studio.problem import Problem

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"
TORN, FAILED = 5, 2


def entry(window: MainWindow, text: str) -> QAction:
    return next(found for found in window.findChildren(QAction) if found.text().replace("&", "") == text)


@pytest.fixture
def told(window: MainWindow, tmp_path: Path) -> list[Problem]:
    """What a window with a project of its own tells from now on."""
    window.workspace.open(shutil.copy(SAMPLE, tmp_path / "own.pruner"))
    problems: list[Problem] = []
    window.workspace.problem.connect(problems.append)
    return problems


@pytest.mark.parametrize(
    ("text", "place"),
    [("Save a copy…", "copy.pruner"), ("Save a copy…", "none/copy.pruner"), ("Save a report…", "a.html")],
)
def test_an_entry_rests_while_its_file_is_written(
    qtbot, window: MainWindow, told: list[Problem], tmp_path: Path, text: str, place: str
) -> None:
    files, made = window.menus.files, entry(window, text)
    assert made.isEnabled()
    (files.write_copy if "copy" in text else files.write_report)(str(tmp_path / place))
    assert not made.isEnabled()
    window.workspace.changed.emit()
    assert not made.isEnabled() and entry(window, "Close the project").isEnabled()
    qtbot.waitUntil(made.isEnabled, timeout=60_000)
    assert (tmp_path / place).exists() == ("none" not in place) and told
    assert not any("Writing" in left.message for left in window.problems.problems())


def test_records_are_told_of_while_they_are_read_and_by_one_card_then(
    qtbot, window: MainWindow, told: list[Problem], tmp_path: Path
) -> None:
    files, folder, imports = window.menus.files, tmp_path / "records", entry(window, "Import…")
    files.write_records(str(folder))
    assert not imports.isEnabled()
    qtbot.waitUntil(imports.isEnabled, timeout=120_000)
    spoil(folder / "database_tuning_record.json")
    told.clear()
    files.read_records(str(folder), same_device=True)
    reading = f"Reading the records in {folder}…"
    qtbot.waitUntil(lambda: bool(told), timeout=60_000)
    assert told[0].message == reading and window.problems.cards()[0].problem == told[0]
    qtbot.waitUntil(imports.isEnabled, timeout=120_000)
    assert reading not in [left.message for left in window.problems.problems()]

    notice, outcome = told[1:]
    assert notice.message.startswith("The records count as measured with warm caches") and notice.hint
    assert f"{FAILED} trials that had failed were not taken over." in outcome.message and outcome.level == "warning"
    lines = outcome.report.splitlines()
    assert len(lines) == TORN and all("left out" in line for line in lines)
    assert outcome.hint == f"{' '.join(lines[:3])} {TORN - 3} more are in the details."
    assert [name for name, _ in outcome.actions] == ["Show", "Copy as command"]


def spoil(records: Path) -> None:
    """Add trials that failed, and lines that no program has written."""
    row = json.loads(records.read_text(encoding="utf-8").splitlines()[0])
    row[1][1] = [1e10]
    lines = [json.dumps(row)] * FAILED + ["{"] * TORN
    with records.open("a", encoding="utf-8") as file:
        file.write("\n".join(lines))
