"""A path that cannot even be looked at, as in a folder that may not be read, is where nothing is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from pruner_studio.main_window import MainWindow
from pruner_studio.models.paths import exists, is_file, is_folder, unusable
from pruner_studio.opening import show_outside


@pytest.fixture
def far(tmp_path: Path) -> str:
    """Refused by the kernel, also for a user who may read everything."""
    path = tmp_path / ("far" * 100) / "far.py"
    for look in (path.is_file, path.is_dir, path.exists):
        with pytest.raises(OSError, match="too long"):
            look()
    return str(path)


def test_nothing_is_there(far: str, tmp_path: Path) -> None:
    assert not (is_file(far) or is_folder(far) or exists(far))
    assert exists(tmp_path) and is_folder(tmp_path) and not is_file(tmp_path)


def test_an_export_asks_for_a_folder_above_it(opened: MainWindow, far: str, tmp_path: Path) -> None:
    page = opened.show_page("export")
    page.refresh()
    page.out.setText(far)
    page._ask()
    (dialog,) = opened.findChildren(QFileDialog)
    assert dialog.directory().path() == str(tmp_path)
    dialog.reject()


def test_what_is_to_be_opened_is_told_to_be_gone(window: MainWindow, far: str) -> None:
    show_outside(far, window.workspace)
    assert window.problems.cards()[0].problem.message == f"{far} is not there any more."


def test_a_plugin_there_keeps_a_run_from_being_made(window: MainWindow, far: str) -> None:
    plugins = window.start_page().form.plugins
    plugins.add(far)
    plugins.boxes[far].setChecked(True)
    assert plugins.hindrance() == f"The plugin {far} is not there any more."


def test_a_folder_that_cannot_hold_files_is_told(tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    assert unusable(str(tmp_path)) == unusable(str(tmp_path / "to be" / "made")) == ""
    assert unusable(str(file / "in it")) == unusable(str(file)) == f"{file} is no folder."
    assert unusable("here").startswith("Name the whole path of the folder")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert unusable(str(tmp_path / "projects")) == f"{tmp_path} cannot be written."
    tmp_path.chmod(0o700)
