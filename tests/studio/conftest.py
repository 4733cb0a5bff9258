"""A window on a virtual screen, with settings of its own."""

from __future__ import annotations

import gc
import sqlite3
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

sys.path.insert(0, str(Path(__file__).parent))

from lent_engine import LentEngine
from project_factory import NEWEST_RUN, make_project
from resting import rests

from pruner_studio import background
from pruner_studio.garbage import Garbage
from pruner_studio.main_window import MainWindow
from pruner_studio.pages.page import Page
from pruner_studio.theme import STYLE, theme


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A warning that no test expects is a failure: of Python's here, of Qt's by `qt_log_level_fail`."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("error"))


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["pruner-studio", *STYLE]


@pytest.fixture(scope="session")
def qapp(qapp):
    qapp.setApplicationName("pruner-studio")
    qapp.setOrganizationName("pruner-studio")
    theme.start(qapp)
    yield qapp


@pytest.fixture(scope="module", autouse=True)
def _garbage(qapp: QApplication):
    """Is looked for in this thread, as in the product; what Qt holds is left to no thread of another test."""
    looks = Garbage(qapp)
    yield
    looks.deleteLater()
    gc.collect()
    gc.enable()


@pytest.fixture(scope="session")
def engine_of_windows():
    with LentEngine() as made:
        yield made


@pytest.fixture(scope="session")
def checker():
    """Looks at models for one window after another."""
    with LentEngine() as made:
        yield made


@pytest.fixture
def lent(engine_of_windows: LentEngine) -> dict[str, LentEngine]:
    """Engines that answer a window's questions, by the name of its helper; the others are its own."""
    return {"quick": engine_of_windows}


@pytest.fixture
def window(qtbot, qapp: QApplication, tmp_path: Path, lent: dict[str, LentEngine]):
    """An open window; its engines end with it, but for those that are lent to it."""
    QSettings().clear()
    theme.choose("light")
    made = MainWindow()
    for name, engine in lent.items():
        engine.lend(getattr(made.workspace.helpers, name))

    def at_rest(_: MainWindow) -> None:
        for name in lent:
            getattr(made.workspace.helpers, name).wait_ended(0)  # it asks no more while it closes

    qtbot.addWidget(made, before_close_func=at_rest)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()


@pytest.fixture(scope="session")
def finished_project(tmp_path_factory) -> Path:
    """A project of three runs with made-up rows; read only."""
    return make_project(tmp_path_factory.mktemp("projects") / "resnet18.pruner")


@pytest.fixture
def db(finished_project: Path):
    """The same project as SQLite holds it."""
    connection = sqlite3.connect(f"file:{finished_project}?mode=ro", uri=True)
    yield connection
    connection.close()


@pytest.fixture
def opened(window: MainWindow, finished_project: Path) -> MainWindow:
    """A window that shows the project's newest run."""
    window.workspace.open(finished_project, NEWEST_RUN)
    return window


@pytest.fixture
def answered(qtbot):
    """Waits until a window's engines have answered what it has asked them: what is put into its views then stays."""

    def wait(window: MainWindow) -> None:
        helpers = window.workspace.helpers.both
        qtbot.waitUntil(lambda: not any(len(engine.questions) for engine in helpers), timeout=200_000)

    return wait


@pytest.fixture
def rested(qtbot):
    """Waits until a page shows what the project file holds, what threads make of it too, laid out: a loaded machine
    takes its time for that."""

    def wait(page: Page) -> None:
        qtbot.waitUntil(lambda: rests(page) and not background._window().works, timeout=60_000)
        for _ in range(5):  # a layout asks the one around it for room in an event of its own
            QApplication.processEvents()

    return wait
