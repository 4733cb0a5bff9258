"""The pages of the window: each is made when it is first shown, or before while nobody waits."""

from __future__ import annotations

import importlib
import threading

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget

from pruner_studio.pages.page import Page
from pruner_studio.widgets.sidebar import PAGES
from pruner_studio.workspace import Workspace

_REST_MS = 100  # between two parts of pages that are made ahead


class PageStack(QStackedWidget):
    """Each page in a frame, which scrolls it where the window has less room than it needs.

    Signals:
    go_to: a page asks for another one, by its key.
    refreshed: a page shows what the project file holds now.
    line_changed: the command line of what is shown may be another one, or none, now.
    """

    go_to = Signal(str)
    refreshed = Signal()
    line_changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.made: dict[str, Page] = {}
        self._begun: dict[str, Page] = {}
        self._frames: dict[str, QScrollArea] = {}
        self._imports = threading.Thread(target=_import_pages, daemon=True)
        self.currentChanged.connect(self.line_changed)
        workspace.opened.connect(self.line_changed)

    def page(self, key: str) -> Page:
        """A page, made where it is not there yet."""
        while key not in self.made:
            self._make_part(key)
        return self.made[key]

    def _make_part(self, key: str) -> None:
        """The next part of a page, which joins the others once it is whole."""
        if key not in self._begun:
            self._begun[key] = page = _class_of(key)(self.workspace)
            page.go_to.connect(self.go_to)
            page.refreshed.connect(self.refreshed)
            page.line_changed.connect(self.line_changed)
            self._frames[key] = frame = QScrollArea(self, widgetResizable=True)
            frame.setFrameShape(QFrame.Shape.NoFrame)
            frame.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it takes the keys that scroll
            frame.setAccessibleName(page.title)  # the keyboard is at it where nothing in it can take it
            frame.hide()
            frame.setWidget(page)
        elif not self._begun[key].build_on():
            self.made[key] = self._begun.pop(key)
            self.addWidget(self._frames[key])

    def show_page(self, key: str) -> Page:
        """Bring a page to the front."""
        page = self.page(key)
        self.setCurrentWidget(self._frames[key])
        return page

    @property
    def current(self) -> str:
        """Key of the page in front; empty before there is one."""
        return next((key for key in self.made if self._frames[key] is self.currentWidget()), "")

    def command_line(self) -> str:
        """The terminal command that prints what the page in front shows; empty where nothing is shown."""
        page = self.made.get(self.current)
        return page.command_line() if page is not None else ""

    def make_ahead(self) -> None:
        """Make the pages that nobody has opened yet, one after another, so that opening them takes no time."""
        self._imports.start()
        QTimer.singleShot(_REST_MS, self, self._make_next)

    def _make_next(self) -> None:
        waiting = [key for key, *_ in PAGES if key not in self.made]
        if not waiting or not self.isVisible():
            return
        if not (self._imports.is_alive() or QGuiApplication.mouseButtons()):  # nobody waits for either
            self._make_part(waiting[0])
        QTimer.singleShot(_REST_MS, self, self._make_next)


def _class_of(key: str) -> type[Page]:
    module, name = next(entry[2] for entry in PAGES if entry[0] == key).split(":")
    made: type[Page] = getattr(importlib.import_module(f"pruner_studio.pages.{module}"), name)
    return made


def _import_pages() -> None:
    """Load what pages need, plots above all."""
    for key, *_ in PAGES:
        _class_of(key)
