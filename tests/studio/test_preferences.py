"""What is chosen once for all projects is kept, and used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from pruner_studio.main_window import MainWindow
from pruner_studio.settings_file import unkept
from pruner_studio.theme import theme
from pruner_studio.widgets.preferences import Preferences

_SPEAKS = """
from pruner_studio import app
made = app.make_application(["pruner-studio"])
from pruner_studio.translation import tr
print(tr("Tune"))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def preferences(qtbot, window: MainWindow) -> Preferences:
    with qtbot.waitActive(window):
        window.activateWindow()
    QTest.keySequence(window, QKeySequence("Ctrl+,"))
    (made,) = window.findChildren(Preferences)
    with qtbot.waitActive(made):
        made.activateWindow()
    return made


def spoken(system: str) -> str:
    """What "Tune" is called at the next start, where the system speaks a language."""
    QSettings().sync()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "PRUNER_LANGUAGE"))}
    environment |= {"LANG": system, "QT_QPA_PLATFORM": "offscreen", "PYTHONIOENCODING": "utf-8"}
    environment.pop("LANGUAGE", None)
    code = [sys.executable, "-c", _SPEAKS]
    done = subprocess.run(code, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=True)
    return done.stdout.strip()


def test_a_language_is_used_from_the_next_start_on(qtbot, preferences: Preferences) -> None:
    assert (spoken("en_GB.UTF-8"), spoken("de_DE.UTF-8")) == ("Tune", "Optimieren")
    preferences.language.setFocus()
    for system, chosen in (("de_DE.UTF-8", "Tune"), ("en_GB.UTF-8", "Optimieren")):
        qtbot.keyClick(preferences.language, Qt.Key.Key_Down)
        assert spoken(system) == chosen
    qtbot.keyClick(preferences.language, Qt.Key.Key_Home)
    assert spoken("de_DE.UTF-8") == "Optimieren"


def test_new_projects_are_kept_in_the_chosen_folder(
    qtbot, window: MainWindow, home: Path, preferences: Preferences
) -> None:
    line, start = preferences.projects.line, window.start_page()
    line.setFocus()
    qtbot.keyClicks(line, "~/tuned here")
    assert not QSettings().contains("projects"), "it is being typed"
    qtbot.keyClick(line, Qt.Key.Key_Return)
    start.set_model("matmul:64,64,64")
    assert Path(start.project.text()).parent == home / "tuned here"
    qtbot.mouseClick(start.recent.demo, Qt.MouseButton.LeftButton)
    assert Path(window.workspace.path).parent == home / "tuned here"
    line.clear()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    start.set_model("matmul:32,32,32")
    assert Path(start.project.text()).parent == home / "pruner-projects" == Path(line.placeholderText())


def test_a_folder_that_cannot_be_used_is_told_and_not_kept(qtbot, preferences: Preferences, tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    line, refusal = preferences.projects.line, preferences.refusal
    line.setFocus()
    qtbot.keyClicks(line, str(file / "projects"))
    preferences.language.setFocus()
    assert refusal.isVisible() and refusal.text() == f"{file} is no folder."
    assert not QSettings().contains("projects")
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, str(tmp_path / "projects"))
    qtbot.keyClick(preferences, Qt.Key.Key_Escape)  # closes it
    assert QSettings().value("projects") == str(tmp_path / "projects") and refusal.isHidden()


def test_what_is_not_told_leaves_no_gap(preferences: Preferences) -> None:
    (note,) = (part for part in preferences.findChildren(QLabel) if part.text().startswith("New projects"))
    below = preferences.projects.geometry().bottom()
    assert 0 < note.y() - below < note.fontMetrics().height()


def test_what_was_chosen_is_shown_again(qtbot, window: MainWindow, preferences: Preferences, tmp_path: Path) -> None:
    qtbot.keyClicks(preferences.projects.line, str(tmp_path))
    preferences.language.setFocus()
    qtbot.keyClick(preferences.language, Qt.Key.Key_End)
    qtbot.keyClick(preferences, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(Preferences))
    window.show_preferences()
    (again,) = window.findChildren(Preferences)
    assert (again.projects.line.text(), again.language.currentData()) == (str(tmp_path), "de")


def test_the_theme_is_that_of_the_view_menu(qtbot, window: MainWindow, preferences: Preferences) -> None:
    qtbot.mouseClick(preferences.theme.part("dark"), Qt.MouseButton.LeftButton)
    assert theme.name == "dark" and window.menus._themes["dark"].isChecked()
    window.menus._themes["light"].trigger()
    assert theme.name == "light" and preferences.theme.current == "light"


@pytest.fixture
def settings_at():
    """Keeps settings below another folder."""
    place, kind, scope = (
        Path(QSettings().fileName()).parents[1],
        QSettings.Format.NativeFormat,
        QSettings.Scope.UserScope,
    )
    yield lambda folder: QSettings.setPath(kind, scope, str(folder))
    QSettings.setPath(kind, scope, str(place))


def test_what_cannot_be_kept_for_the_next_start_is_told(window: MainWindow, settings_at, tmp_path: Path) -> None:
    assert unkept() is None
    (tmp_path / "file").write_text("")
    settings_at(tmp_path / "file")
    told = unkept()
    assert told.level == "warning" and f"{QSettings().fileName()} cannot be written" in told.message
    assert str(tmp_path) in told.message
    window.settle()
    window._look_around()
    assert told.message in [problem.message for problem in window.problems.problems()]
