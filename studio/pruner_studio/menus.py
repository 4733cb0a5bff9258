"""The menu bar; each entry calls a method of the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QWidget
from shiboken6 import isValid

from pruner_studio import background
from pruner_studio.files import Files
from pruner_studio.literal import literal, plain_tip
from pruner_studio.models.recent import forget_all, names, recent, there
from pruner_studio.models.words import THEMES
from pruner_studio.pages.finder import Places
from pruner_studio.theme import CHOICES, theme
from pruner_studio.translation import tr
from pruner_studio.widgets.sidebar import PAGES

if TYPE_CHECKING:
    from pruner_studio.main_window import MainWindow

_FULL = Qt.WindowState.WindowFullScreen


class Menus(QObject):
    """The menus of a window, whose entries are enabled as far as they make sense."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.files = Files(window.workspace, window)
        self._of_project: list[QAction] = []
        self._of_run: list[QAction] = []
        self._pages: dict[str, QAction] = {}
        self._themes: dict[str, QAction] = {}
        self._gone: set[str] = set()  # projects opened lately that were not there when they were last looked for
        self._file()
        self._edit()
        self._run()
        self._view()
        self._help()
        workspace = window.workspace
        busy = workspace.helpers.busy_changed, self.files.under_way.changed
        for signal in (workspace.opened, workspace.changed, workspace.job_changed, *busy):
            signal.connect(self._enable)
        window.pages.line_changed.connect(self._enable_copy)
        self._before: QWidget | None = None
        cast("QApplication", QApplication.instance()).focusChanged.connect(self._focus_moved)
        self._enable()
        self._enable_copy()

    @property
    def keyboard_at(self) -> QWidget | None:
        """The part of the window that the keyboard is at, or was before it went to the menus."""
        focused = self._window.focusWidget()
        if not isinstance(focused, QMenuBar):
            return focused
        return self._before if self._before is not None and isValid(self._before) else None

    def _focus_moved(self, before: QWidget | None, now: QWidget | None) -> None:
        if isinstance(now, QMenuBar) and now is self._window.menuBar():
            self._before = before

    def look_for_recent(self) -> None:
        """List the projects opened lately, and leave out those that are gone as soon as that is known."""
        self._fill_recent()
        paths = recent()

        def looked(found: list[str]) -> None:
            gone = set(paths) - set(found)
            if gone != self._gone:
                self._gone = gone
                self._fill_recent()

        background.run(self, lambda: there(paths), looked, self._window.problems.tell)

    def _fill_recent(self) -> None:
        for entry in self._recent.actions():  # one of them may be what is at work: `clear` would delete it at once
            self._recent.removeAction(entry)
            entry.deleteLater()
        for path, name in names([path for path in recent() if path not in self._gone]).items():
            entry = self._add(self._recent, literal(name), "", partial(self._window.workspace.open, path))
            entry.setToolTip(plain_tip(path))
        self._recent.addSeparator()
        self._add(self._recent, tr("Clear this list"), "", self._forget)
        self._recent.setToolTipsVisible(True)

    def _forget(self) -> None:
        forget_all()
        self._fill_recent()
        self._window.recent_forgotten()

    def _menu(self, title: str, within: QMenu | None = None) -> QMenu:
        """A menu of the bar, or within another one.

        Created in Python: PySide is not told when Qt deletes a menu of its own, and may reuse its wrapper for another.
        """
        around = self._window.menuBar() if within is None else within
        made = QMenu(title, around)
        around.addMenu(made)
        return made

    def _add(self, menu: QMenu, text: str, keys: str, do: Callable[[], object]) -> QAction:
        made = QAction(text, menu)
        if keys:
            made.setShortcut(QKeySequence(keys))
        made.triggered.connect(lambda _=False: do())
        menu.addAction(made)
        return made

    def _file(self) -> None:
        window, menu = self._window, self._menu(tr("&File"))
        self._add(menu, tr("&New run"), "Ctrl+N", window.start_page)
        self._add(menu, tr("&Open…"), "Ctrl+O", lambda: window.start_page().ask_for_model())
        self._recent = self._menu(tr("Open &recent"), menu)
        self._recent.aboutToShow.connect(self.look_for_recent)
        self.look_for_recent()
        self._add(menu, tr("Open the &demonstration"), "", lambda: window.start_page().open_demo())
        menu.addSeparator()
        self._of_run += [
            self._add(menu, tr("&Add runs of another project…"), "", window.add_runs),
            self._add(menu, tr("&Export the tuned model…"), "Ctrl+E", lambda: window.show_page("export")),
        ]
        report = self._add(menu, tr("Save a re&port…"), "Ctrl+Shift+S", self.files.save_report)
        inside = self._menu(tr("&Tuning records"), menu)
        records = [
            self._add(inside, tr("&Export as MetaSchedule's JSON…"), "", self.files.export_records),
            self._add(inside, tr("&Import…"), "", self.files.import_records),
        ]
        self._of_run += [report, *records]
        menu.addSeparator()
        copy = self._add(menu, tr("Save a cop&y…"), "", self.files.save_copy)
        self._of_kind = {"report": [report], "records": records, "copy": [copy]}
        self._of_project += [
            copy,
            self._add(menu, tr("Show in its &folder"), "", self.files.show_folder),
            self._add(menu, tr("&Close the project"), "Ctrl+W", window.workspace.leave),
        ]
        self._add(menu, tr("&Quit"), "Ctrl+Q", window.close)

    def _edit(self) -> None:
        window, menu = self._window, self._menu(tr("&Edit"))
        self._edits = {
            name: self._add(menu, text, keys, partial(window.edit, name))
            for name, text, keys in (
                ("undo", tr("&Undo"), "Ctrl+Z"),
                ("redo", tr("&Redo"), "Ctrl+Shift+Z"),
                ("cut", tr("Cu&t"), "Ctrl+X"),
                ("copy", tr("&Copy"), "Ctrl+C"),
                ("paste", tr("&Paste"), "Ctrl+V"),
                ("select_all", tr("Select &all"), "Ctrl+A"),
            )
        }
        self._edits["redo"].setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        menu.insertSeparator(self._edits["cut"])
        menu.addSeparator()
        self._find = self._add(menu, tr("&Find…"), "Ctrl+F", window.begin_to_find)
        self._find_again = [
            self._add(menu, tr("Find &next"), "F3", window.find_again),
            self._add(menu, tr("Find pre&vious"), "Shift+F3", partial(window.find_again, back=True)),
        ]
        # While the menu is open only: what can be done is asked of the shown page, and the keys do no harm
        menu.aboutToShow.connect(self._enable_edits)
        for made in (*self._edits.values(), self._find, *self._find_again):
            menu.aboutToHide.connect(partial(made.setEnabled, True))
        menu.addSeparator()
        self._copy = self._add(menu, tr("Copy as co&mmand"), "Ctrl+Shift+C", window.copy_command)
        menu.addSeparator()
        preferences = self._add(menu, tr("Pr&eferences…"), "Ctrl+,", window.show_preferences)
        preferences.setMenuRole(QAction.MenuRole.PreferencesRole)

    def _run(self) -> None:
        bar, menu = self._window.run_bar, self._menu(tr("&Run"))
        self._of_bar = [
            (self._add(menu, tr("&Pause or go on"), "Ctrl+P", bar.toggle_pause), bar.pause_button),
            (self._add(menu, tr("&Stop"), "Ctrl+.", bar.stop), bar.stop_button),
            (self._add(menu, tr("&Resume"), "Ctrl+R", bar.resume), bar.resume_button),
            (self._add(menu, tr("&Go on with more trials…"), "", bar.go_on), bar.go_on_button),
        ]
        menu.addSeparator()
        self._duplicate = self._add(menu, tr("&Duplicate with changes…"), "Ctrl+D", self._window.duplicate_run)

    def _view(self) -> None:
        window, menu = self._window, self._menu(tr("&View"))
        pages = QActionGroup(menu)
        for index, (key, name, *_) in enumerate(PAGES):
            self._pages[key] = made = self._add(menu, name, f"Ctrl+{index + 1}", partial(window.show_page, key))
            made.setCheckable(True)
            pages.addAction(made)
        window.pages.currentChanged.connect(self._mark_page)
        menu.addSeparator()
        themes, group = self._menu(tr("&Theme"), menu), QActionGroup(menu)
        for choice in CHOICES:
            made = self._add(themes, THEMES[choice], "", partial(theme.choose, choice))
            made.setCheckable(True)
            made.setChecked(choice == theme.choice)
            group.addAction(made)
            self._themes[choice] = made
        theme.changed.connect(self._mark_theme)
        self._add(menu, tr("&Refresh"), "F5", window.workspace.refresh)
        self._add(menu, tr("F&ull screen"), "F11", lambda: window.setWindowState(window.windowState() ^ _FULL))

    def _help(self) -> None:
        window, menu = self._window, self._menu(tr("&Help"))
        self._add(menu, tr("Explain what is &here"), "F1", window.show_help)
        self._add(menu, tr("What all &figures mean"), "Shift+F1", partial(window.show_help, everything=True))
        self._add(menu, tr("&Keyboard shortcuts"), "Ctrl+?", window.show_shortcuts)
        self._add(menu, tr("Copy a &report for the makers"), "", window.copy_report)
        menu.addSeparator()
        self._add(menu, tr("&About Pruner Studio"), "", window.show_about)

    def _mark_page(self) -> None:
        if (shown := self._pages.get(self._window.pages.current)) is not None:
            shown.setChecked(True)

    def _mark_theme(self) -> None:
        self._themes[theme.choice].setChecked(True)

    def _enable(self) -> None:
        for action in self._of_project:
            action.setEnabled(bool(self._window.workspace.path))
        for action in self._of_run:
            action.setEnabled(self._window.workspace.run_id is not None)
        for kind, actions in self._of_kind.items():
            for action in actions:
                action.setEnabled(action.isEnabled() and kind not in self.files.under_way)
        self._duplicate.setEnabled(self._window.run_bar.has_plan)
        for action, pressed in self._of_bar:
            action.setEnabled(not pressed.isHidden() and pressed.isEnabled())

    def _enable_edits(self) -> None:
        possible, finder = self._window.edit_actions(), self._window.finder()
        for name, made in self._edits.items():
            made.setEnabled(name in possible)
        self._find.setEnabled(finder is not None)
        for made in self._find_again:
            made.setEnabled(isinstance(finder, Places))

    def _enable_copy(self) -> None:
        self._copy.setEnabled(bool(self._window.pages.command_line()))
