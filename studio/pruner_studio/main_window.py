"""The window: navigation at the left, the run on top, problems below it, the page in the middle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QSettings, QSize, QTimer
from PySide6.QtGui import (
    QClipboard,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from pruner_studio import clipboard, closing, kept_sizes
from pruner_studio.announcing import announce, remarks
from pruner_studio.dropping import files_in, one_of, take_as_copy
from pruner_studio.editing import Actions, edit_actions
from pruner_studio.focus_frames import FocusFrames
from pruner_studio.garbage import Garbage
from pruner_studio.keyboard import KeyboardKeeper, press_button
from pruner_studio.left_alone import LeftAlone
from pruner_studio.literal import one_line
from pruner_studio.menus import Menus
from pruner_studio.models.projects import is_project
from pruner_studio.page_stack import PageStack
from pruner_studio.pages.finder import Finder, Places
from pruner_studio.pages.page import Page
from pruner_studio.problem import Problem
from pruner_studio.session import Session, crashes
from pruner_studio.settings_file import unkept
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label, repaint_icons
from pruner_studio.widgets.explained import terms_at
from pruner_studio.widgets.problems import ProblemStack
from pruner_studio.widgets.run_bar import RunBar
from pruner_studio.widgets.sidebar import PAGES, Sidebar
from pruner_studio.workspace import Workspace

if TYPE_CHECKING:  # a project is shown sooner without
    from pruner_studio.pages.compare import ComparePage
    from pruner_studio.pages.start import StartPage

_SIZE, _LEAST_SIZE = QSize(1440, 900), QSize(760, 440)
_BORDER = QSize(16, 48)  # that a window manager may add
_TOLD_MS = 4000
_SETTLED_MS = 250


class MainWindow(QMainWindow):
    """The window of one project.

    Args:
        opening: a project is about to be opened, so that no page is made for the time until then.
    """

    def __init__(self, *, opening: bool = False) -> None:
        super().__init__()
        self.setWindowTitle(tr("Pruner Studio"))
        self._restore_size()
        self.setAcceptDrops(True)
        self.workspace = Workspace(self)
        self.pages = PageStack(self.workspace)
        self.pages.go_to.connect(self.show_page)
        self.pages.refreshed.connect(self._tell_drawn)
        self.problems = ProblemStack()
        self.run_bar = RunBar(self.workspace)
        self.sidebar = Sidebar(PAGES, self.show_page)
        self.setCentralWidget(self._laid_out())
        self._fill_status_bar()
        self._session: Session | None = None
        self.menus = Menus(self)
        KeyboardKeeper(self)
        FocusFrames(self)
        self.workspace.problem.connect(self.problems.tell)
        self.workspace.solved.connect(self.problems.withdraw)
        self.workspace.opened.connect(self._opened)
        self.workspace.job_changed.connect(self._job_changed)
        self.workspace.job.detached.connect(self._job_left)
        remarks.made.connect(self._remark)
        QGuiApplication.clipboard().changed.connect(self._clipboard_changed)
        theme.changed.connect(self._repaint_icons)
        self._job_was_running = self._job_was_new = False
        self.keep_job: bool | None = None  # what becomes of a running job at the end; None: not asked yet
        if not opening:
            self.show_page("start")

    def _restore_size(self) -> None:
        """The size and place of the last session; at the first start a size that this screen has room for."""
        screen = self.screen().availableGeometry().size()
        self.resize(_SIZE.boundedTo(screen - _BORDER))
        self.setMinimumSize(_LEAST_SIZE.boundedTo(screen - _BORDER))
        if isinstance(kept := QSettings().value("geometry"), QByteArray):
            self.restoreGeometry(kept)

    def _laid_out(self) -> QWidget:
        """The sidebar at the left of the run, the problems and the pages."""
        content = QWidget()
        content.setObjectName("content")
        right = QVBoxLayout(content)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.run_bar)
        right.addWidget(self.problems)
        right.addWidget(self.pages, 1)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addWidget(content, 1)
        return whole

    def _fill_status_bar(self) -> None:
        self._drawn = label("", "faint", name=tr("What is drawn"))
        self._place = label("", "faint", cut=True, name=tr("Project file"))
        self._place.setContentsMargins(10, 0, 0, 0)
        self.statusBar().addWidget(self._place, 1)
        self._drawn.setContentsMargins(0, 0, 10, 0)
        self.statusBar().addPermanentWidget(self._drawn)
        self.statusBar().setSizeGripEnabled(False)

    # ------------------------------------------------------------ pages

    def show_page(self, key: str) -> Page:
        """Bring a page to the front, making it where it is not there yet."""
        page = self.pages.show_page(key)
        self._tell_drawn()
        self.sidebar.mark(key)
        return page

    @property
    def current_page(self) -> str:
        return self.pages.current

    def settle(self, path: str | None = None) -> None:
        """After the first frame: open what was asked for, then look at the last sessions and at the machine."""
        for problem in crashes():
            self.problems.tell(problem)
        self._session = Session(self.problems.tell)
        if path:
            self.open_path(path)
        QTimer.singleShot(_SETTLED_MS, self, self._look_around)

    def _look_around(self) -> None:
        """Do what can wait until the window is shown: load plots, look for dead engines, check this machine."""
        if self._session is None:  # closed meanwhile
            return
        Garbage(self)
        self._session.describe()
        if (problem := unkept()) is not None:
            self.problems.tell(problem)
        LeftAlone(self.workspace, self.problems).look()
        cast("StartPage", self.pages.page("start")).preflight.check()
        self.pages.make_ahead()

    def open_path(self, path: str) -> None:
        """A project is shown, a model is put on the Start page."""
        if is_project(path):
            if not self.workspace.open(path) and not self.workspace.path:
                self.show_page("start")
            return
        self.start_page().take_file(path)

    def _repaint_icons(self) -> None:
        repaint_icons(self)

    def _opened(self) -> None:
        self.setWindowTitle(
            tr("{project} – Pruner Studio").format(project=one_line(Path(self.workspace.path).stem))
            if self.workspace.path
            else tr("Pruner Studio")
        )
        self._place.setText(self.workspace.path)
        self.show_page("overview" if self.workspace.path else "start")
        self.menus.look_for_recent()

    def _job_changed(self) -> None:
        job = self.workspace.job
        if job.owned and not self._job_was_running and job.work.task == "tune":
            self.show_page("overview")
        elif not job.running and self._job_was_new and self.current_page == "overview":
            self.show_page("start")  # it could not even begin: what to do is said about the plan there
        self._job_was_running = job.running
        self._job_was_new = job.owned and job.work.task == "tune" and job.work.run_id is None

    # ------------------------------------------------------------ actions of the menus

    def copy_report(self) -> None:
        """Versions, machine, the run shown and what went wrong lately, ready to be pasted into an issue."""
        from pruner_studio.bug_report import report_of

        clipboard.copy(report_of(self.workspace, self.problems.problems()))

    def start_page(self) -> StartPage:
        """The Start page, shown."""
        return cast("StartPage", self.show_page("start"))

    def recent_forgotten(self) -> None:
        """The list of recent projects was cleared."""
        if "start" in self.pages.made:
            cast("StartPage", self.pages.made["start"]).recent.refresh()

    def add_runs(self) -> None:
        """Ask for another project whose runs are laid over those of this one."""
        cast("ComparePage", self.show_page("compare")).ask_for_runs()

    def copy_command(self) -> None:
        """The terminal's line for what is shown."""
        clipboard.copy(self.pages.command_line())

    def _remark(self, told: str) -> None:
        """Say what was done in the status bar, and to a screen reader."""
        self.statusBar().showMessage(told, _TOLD_MS)
        announce(self.statusBar(), told)

    def _clipboard_changed(self, mode: QClipboard.Mode) -> None:
        clipboard.take_out_breaks(mode)

    def duplicate_run(self) -> None:
        """Put the plan of the shown run on the Start page."""
        run = self.workspace.run()
        if run is not None:
            self.start_page().duplicate(run)

    def edit_actions(self) -> Actions:
        """What the Edit menu can do now: to the focused widget, else to the edits of the shown page."""
        made = edit_actions(self.menus.keyboard_at)
        for stack in self.pages.page(self.current_page).edits():
            if stack.canUndo():
                made.setdefault("undo", stack.undo)
            if stack.canRedo():
                made.setdefault("redo", stack.redo)
        return made

    def edit(self, name: str) -> None:
        """Do one of these; nothing happens where it cannot be done."""
        if (do := self.edit_actions().get(name)) is not None:
            do()

    def finder(self) -> Finder | None:
        """The field in which words to find on the shown page are typed; None where there is none."""
        return self.pages.page(self.current_page).finder()

    def begin_to_find(self) -> None:
        """Move the focus to that field."""
        if (finder := self.finder()) is not None:
            finder.begin()

    def find_again(self, *, back: bool = False) -> None:
        """Go to the next place of what is sought in code, or the one before."""
        if isinstance(finder := self.finder(), Places):
            finder.go_on(back=back)

    def show_help(self, *, everything: bool = False) -> None:
        """Open the glossary at the terms of the focused widget, else at those of the page."""
        from pruner_studio.widgets.help_window import HelpWindow

        page = self.pages.page(self.current_page)
        shown = cast("HelpWindow", self._show_beside(HelpWindow, lambda: HelpWindow(self)))
        shown.explain(*((), ()) if everything else (terms_at(self.menus.keyboard_at, page), page.terms()))

    def show_preferences(self) -> None:
        from pruner_studio.widgets.preferences import Preferences

        self._show_beside(Preferences, lambda: Preferences(self))

    def show_shortcuts(self) -> None:
        from pruner_studio.widgets.shortcuts import Shortcuts

        self._show_beside(Shortcuts, lambda: Shortcuts(self.menuBar(), self))

    def _show_beside(self, kind: type[QWidget], make: Callable[[], QWidget]) -> QWidget:
        """Bring the one that is open to the front, or make it."""
        there = [found for found in self.findChildren(kind) if found.isVisible()]
        shown = there[0] if there else make()
        shown.show()
        shown.raise_()
        shown.activateWindow()
        return shown

    def show_about(self) -> None:
        from pruner_studio.widgets.about import show_about

        show_about(self)

    def _tell_drawn(self) -> None:
        """Say in the status bar where a page shows less than there is."""
        self._drawn.setText(" · ".join(filter(None, self.pages.page(self.current_page).notes())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.problems.fit(self.height())
        self.sidebar.fit(narrow=self.width() < theme.pixels(_LEAST_SIZE.width()))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            theme.look_at_screens()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_button(event, self):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if files_in(event.mimeData()):
            take_as_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """A project or a model may be dropped anywhere."""
        if files := files_in(event.mimeData()):
            take_as_copy(event)
            self.open_path(one_of(files, self.problems.tell))

    # ------------------------------------------------------------ end

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks what becomes of a job that this window started; what it measured is kept in any case."""
        job = self.workspace.job
        if job.owned and not job.ending and self.keep_job is None:
            event.ignore()
            closing.ask(self, job.work.task, self._close_and)
            return
        if job.owned and self.keep_job and not job.alone:
            event.ignore()
            job.detach()
            return
        if not (job.owned and self.keep_job):
            job.quit()
        self.workspace.helpers.quit()
        self.hide()
        if not self.keep_job:
            job.wait_ended(15_000)
        self.workspace.helpers.wait_ended(2_000)
        self.workspace.close()
        kept_sizes.write()
        QSettings().setValue("geometry", self.saveGeometry())
        if self._session is not None:
            self._session.end()
            self._session = None
        event.accept()

    def _close_and(self, keep_job: bool) -> None:
        self.keep_job = keep_job
        self.close()

    def _job_left(self, goes_on: bool) -> None:
        """Close, unless the job would end with the window, or has just come to a bad end, which is told already."""
        if goes_on:
            self.close()
            return
        self.keep_job = None
        if self.workspace.job.owned:
            told = tr("The window stays open: its engine is busy, and would have ended with it.")
            self.problems.tell(Problem(told, tr("Close it again in a moment."), level="warning"))

    def close_unasked(self) -> None:
        """Close as if "Stop and close" had been chosen, with whatever dialog is open."""
        self._close_and(keep_job=False)
        QCoreApplication.exit()
