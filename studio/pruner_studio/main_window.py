"""The window: navigation at the left, the run on top, problems below it, the page in the middle."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path

from PySide6.QtCore import QSettings, QSize, Qt
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMessageBox,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruner_studio.pages.page import Page
from pruner_studio.pages.start import StartPage
from pruner_studio.theme import CHOICES, theme
from pruner_studio.widgets.basic import label, paint_icon, repaint_icons
from pruner_studio.widgets.problems import ProblemStack
from pruner_studio.widgets.run_bar import RunBar
from pruner_studio.workspace import Problem, Workspace, recent

# key, name, module and class of the page, group; a page is imported and made when it is first shown
PAGES = (
    ("start", "Start", "start:StartPage", ""),
    ("overview", "Overview", "overview:OverviewPage", "RUN"),
    ("tasks", "Tasks", "tasks:TasksPage", ""),
    ("schedule", "Schedule", "schedule:SchedulePage", ""),
    ("draft", "Draft vs verify", "draft_verify:DraftVerifyPage", ""),
    ("adaptation", "Adaptation", "adaptation:AdaptationPage", ""),
    ("compare", "Compare", "compare:ComparePage", "RESULTS"),
    ("export", "Export", "export:ExportPage", ""),
    ("devices", "Devices", "devices:DevicesPage", "MACHINE"),
)


class MainWindow(QMainWindow):
    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Pruner Studio")
        self.resize(1440, 900)
        self.setMinimumSize(960, 620)
        self.workspace = Workspace(self)
        self._pages: dict[str, Page] = {}
        self._buttons: dict[str, QToolButton] = {}
        self._stack = QStackedWidget()
        self.problems = ProblemStack()
        self.run_bar = RunBar(self.workspace)
        content = QWidget()
        content.setObjectName("content")
        right = QVBoxLayout(content)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.run_bar)
        right.addWidget(self.problems)
        right.addWidget(self._stack, 1)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._sidebar())
        row.addWidget(content, 1)
        self.setCentralWidget(whole)
        self._make_menus()
        self.workspace.problem.connect(self.problems.tell)
        self.workspace.opened.connect(self._opened)
        self.workspace.job_changed.connect(self._job_changed)
        self._job_was_running = False
        self.keep_tuning: bool | None = None  # what becomes of a running job at the end; None: not asked yet
        self.show_page("start")

    # ------------------------------------------------------------ pages

    def show_page(self, key: str) -> Page:
        """Bring a page to the front, making it where it is not there yet."""
        if key not in self._pages:
            module, name = next(entry[2] for entry in PAGES if entry[0] == key).split(":")
            page = getattr(importlib.import_module(f"pruner_studio.pages.{module}"), name)(self.workspace)
            if hasattr(page, "go_to"):
                page.go_to.connect(self.show_page)
            self._pages[key] = page
            self._stack.addWidget(page)
        self._stack.setCurrentWidget(self._pages[key])
        self._buttons[key].setChecked(True)
        return self._pages[key]

    @property
    def current_page(self) -> str:
        return next(key for key, page in self._pages.items() if page is self._stack.currentWidget())

    def settle(self, path: str | None = None) -> None:
        """After the first frame: import what plots need, open what was asked for, look at the machine."""
        threading.Thread(target=importlib.import_module, args=("pyqtgraph",), daemon=True).start()
        if path:
            self.open_path(path)
        start = self._pages["start"]
        assert isinstance(start, StartPage)
        start.check_machine()

    def open_path(self, path: str) -> None:
        """A project is shown, a model is put on the Start page."""
        start = self.show_page("start")
        assert isinstance(start, StartPage)
        if not Path(path).is_file() and ":" not in path:
            self.problems.tell(Problem(f"There is no file {path}.", "Choose another one on the Start page."))
        else:
            start.take_file(path)

    def _opened(self) -> None:
        self.setWindowTitle(
            f"{Path(self.workspace.path).stem} – Pruner Studio" if self.workspace.path else "Pruner Studio"
        )
        for key in self._buttons:
            self._buttons[key].setEnabled(True)
        self.show_page("overview")
        self._fill_recent()

    def _job_changed(self) -> None:
        running = self.workspace.job.running
        if running and not self._job_was_running and self.workspace.job_task == "tune":
            self.show_page("overview")
        self._job_was_running = running

    # ------------------------------------------------------------ sidebar and menus

    def _sidebar(self) -> QWidget:
        bar = QWidget()
        bar.setObjectName("sidebar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        bar.setFixedWidth(196)
        column = QVBoxLayout(bar)
        column.setContentsMargins(10, 14, 10, 12)
        column.setSpacing(2)
        brand = QHBoxLayout()
        brand.setContentsMargins(8, 0, 0, 8)
        brand.setSpacing(9)
        mark = QLabel()
        mark.setPixmap(theme.pixmap("pruner-studio", size=24))
        brand.addWidget(mark)
        brand.addWidget(label("Pruner Studio", "brand"), 1)
        column.addLayout(brand)
        group = QButtonGroup(self)
        for index, (key, name, _, section) in enumerate(PAGES):
            if section:
                column.addWidget(label(section, "section"))
            made = QToolButton()
            made.setText(f"  {name}")
            made.setToolTip(f"{name} (Ctrl+{index + 1})")
            made.setAccessibleName(name)
            made.setCheckable(True)
            made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            made.setSizePolicy(made.sizePolicy().Policy.Expanding, made.sizePolicy().Policy.Fixed)
            paint_icon(made, key)
            made.clicked.connect(lambda _=False, key=key: self.show_page(key))
            group.addButton(made)
            self._buttons[key] = made
            column.addWidget(made)
        column.addStretch(1)
        self._theme_button = QToolButton()
        self._theme_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._theme_button.setIconSize(QSize(18, 18))
        self._theme_button.clicked.connect(lambda: theme.choose("light" if theme.name == "dark" else "dark"))
        theme.changed.connect(self._theme_changed)
        self._paint_theme_button()
        column.addWidget(self._theme_button)
        return bar

    def _theme_changed(self) -> None:
        repaint_icons(self)
        self._paint_theme_button()

    def _paint_theme_button(self) -> None:
        other = "light" if theme.name == "dark" else "dark"
        self._theme_button.setIcon(theme.icon("sun" if other == "light" else "moon"))
        self._theme_button.setText(f"  {other.capitalize()} theme")
        self._theme_button.setAccessibleName(f"Use the {other} theme")

    def _make_menus(self) -> None:
        start = lambda: self.show_page("start")  # noqa: E731
        file_menu = self.menuBar().addMenu("&File")
        self._action(file_menu, "&New run", "Ctrl+N", start)
        self._action(file_menu, "&Open…", "Ctrl+O", lambda: self._start_page().ask_for_model())
        self._recent = file_menu.addMenu("Open &recent")
        self._fill_recent()
        file_menu.addSeparator()
        self._action(file_menu, "&Quit", "Ctrl+Q", self.close)
        run_menu = self.menuBar().addMenu("&Run")
        self._action(run_menu, "&Pause or go on", "Ctrl+P", self.run_bar.toggle_pause)
        self._action(run_menu, "&Stop", "Ctrl+.", self.run_bar.stop)
        self._action(run_menu, "&Resume", "Ctrl+R", self.run_bar.resume)
        self._action(run_menu, "&Copy as command", "Ctrl+Shift+C", self.run_bar.copy_command)
        view_menu = self.menuBar().addMenu("&View")
        for index, (key, name, _, _) in enumerate(PAGES):
            self._action(view_menu, name, f"Ctrl+{index + 1}", lambda key=key: self.show_page(key))
        view_menu.addSeparator()
        theme_menu = view_menu.addMenu("&Theme")
        for choice in CHOICES:
            self._action(theme_menu, choice.capitalize(), "", lambda choice=choice: theme.choose(choice))
        self._action(view_menu, "Refresh", "F5", self.workspace.changed.emit)

        help_menu = self.menuBar().addMenu("&Help")
        self._action(help_menu, "Copy &report", "", self.copy_report)

    def copy_report(self) -> None:
        """Versions, machine, the run shown and what went wrong lately, ready to be pasted into an issue."""
        from pruner_engine.report import environment

        run = self.workspace.run()
        parts = [environment()]
        if run is not None:
            facts = {
                name: run[name] for name in ("strategy", "state", "reason", "phase", "trials", "failed", "settings")
            }
            parts.append("\n".join(f"{name}: {value}" for name, value in facts.items()))
        for problem in (card.problem for card in self.problems.cards()):
            parts.append("\n".join(part for part in (problem.message, problem.hint, problem.report) if part))
        parts += [client.stderr_tail for client in (self.workspace.job, self.workspace.helper) if client.stderr_tail]
        QGuiApplication.clipboard().setText("\n\n".join(parts))

    def _action(self, menu, text: str, keys: str, do) -> QAction:  # type: ignore[no-untyped-def]
        made = QAction(text, self)
        if keys:
            made.setShortcut(QKeySequence(keys))
        made.triggered.connect(lambda _=False: do())
        menu.addAction(made)
        return made

    def _start_page(self) -> StartPage:
        page = self.show_page("start")
        assert isinstance(page, StartPage)
        return page

    def _fill_recent(self) -> None:
        self._recent.clear()
        for path in recent():
            self._action(self._recent, path, "", lambda path=path: self.workspace.open(path))

    # ------------------------------------------------------------ end

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks what becomes of a job that this window started; what it measured is kept in any case."""
        if self.workspace.job.owned and self.workspace.job_task == "tune" and self.keep_tuning is None:
            event.ignore()
            self._ask_to_close()
            return
        if self.workspace.job.owned and self.keep_tuning:
            self.workspace.job.detach()
        else:
            self.workspace.job.quit()
        self.workspace.helper.quit()
        self.hide()
        if not self.keep_tuning:
            self.workspace.job.wait_ended(15_000)
        self.workspace.helper.wait_ended(2_000)
        self.workspace.close()
        QSettings().sync()
        event.accept()

    def _ask_to_close(self) -> None:
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText("A model is being tuned. Keep tuning without the window?")
        box.setInformativeText(
            "Open the project again to watch and steer it. Stopped, it can be resumed where it was left."
        )
        keep = box.addButton("Keep tuning", QMessageBox.ButtonRole.AcceptRole)
        stop = box.addButton("Stop and close", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)

        def answered(chosen: QAbstractButton) -> None:
            if chosen in (keep, stop):
                self.keep_tuning = chosen is keep
                self.close()

        box.buttonClicked.connect(answered)
        box.open()
