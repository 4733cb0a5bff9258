"""The navigation at the left: a button a page, and the theme; pictures alone where a window is narrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from pruner_studio.keyboard import told
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label, paint_icon

# key, name, module and class of the page, group; a page is imported and made when it is first shown
PAGES = (
    ("start", tr("Start"), "start:StartPage", ""),
    ("overview", tr("Overview"), "overview:OverviewPage", tr("RUN")),
    ("tasks", tr("Tasks"), "tasks:TasksPage", ""),
    ("schedule", tr("Schedule"), "schedule:SchedulePage", ""),
    ("draft", tr("Draft vs verify"), "draft_verify:DraftVerifyPage", ""),
    ("adaptation", tr("Adaptation"), "adaptation:AdaptationPage", ""),
    ("compare", tr("Compare"), "compare:ComparePage", tr("RESULTS")),
    ("export", tr("Export"), "export:ExportPage", ""),
    ("devices", tr("Devices"), "devices:DevicesPage", tr("MACHINE")),
)

_BOLDER = 12  # pixels that a name needs more in bold letters
_LEAST = 196  # pixels of its width, where names are told


class Sidebar(QWidget):
    """Buttons for some of PAGES; `on_chosen` takes the key of a page."""

    def __init__(self, pages: Sequence[tuple[str, str, str, str]], on_chosen: Callable[[str], object]) -> None:
        super().__init__()
        self._buttons: dict[str, QToolButton] = {}
        self._sections: list[QLabel] = []
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(self.sizePolicy().Policy.Fixed, self.sizePolicy().Policy.Preferred)
        self._narrow = False
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 14, 10, 12)
        column.setSpacing(2)
        column.addLayout(self._brand())
        group = QButtonGroup(self)
        for number, (key, name, _, section) in enumerate(pages, 1):
            if section:
                self._sections.append(label(section, "section"))
                column.addWidget(self._sections[-1])
            self._buttons[key] = self._page_button(key, name, number, on_chosen)
            group.addButton(self._buttons[key])
            column.addWidget(self._buttons[key])
        column.addStretch(1)
        self._theme_button = QToolButton()
        self._theme_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._theme_button.setIconSize(QSize(theme.pixels(18), theme.pixels(18)))
        self._theme_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme_button.clicked.connect(lambda: theme.choose("light" if theme.name == "dark" else "dark"))
        theme.changed.connect(self._paint_theme_button)
        self._paint_theme_button()
        column.addWidget(self._theme_button)

    def _brand(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 0, 8)
        row.setSpacing(9)
        self._mark = QLabel()
        theme.changed.connect(self._paint_mark)
        self._paint_mark()
        row.addWidget(self._mark)
        self._name = label(tr("Pruner Studio"), "brand", cut=True)
        row.addWidget(self._name, 1)
        return row

    @staticmethod
    def _page_button(key: str, name: str, number: int, on_chosen: Callable[[str], object]) -> QToolButton:
        """A button that brings a page to the front, as Ctrl and its number do."""
        made = QToolButton()
        made.setText(f"  {name}")
        made.setToolTip(f"{name} ({told(f'Ctrl+{number}')})")
        made.setAccessibleName(name)
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.setSizePolicy(made.sizePolicy().Policy.Expanding, made.sizePolicy().Policy.Fixed)
        paint_icon(made, key)
        made.clicked.connect(lambda _=False: on_chosen(key))
        return made

    def sizeHint(self) -> QSize:
        """Wide enough for the name of the page that is shown, whose letters are bold."""
        if self._narrow:
            return super().sizeHint()
        return (super().sizeHint() + QSize(theme.pixels(_BOLDER), 0)).expandedTo(QSize(_LEAST, 0))

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return whole - QSize(0, sum(part.sizeHint().height() for part in self._sections if not part.isHidden()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_headings()

    def _place_headings(self) -> None:
        """On a low screen the headings go: every button stays in sight."""
        headings = sum(part.sizeHint().height() for part in self._sections)
        low = self.height() < self.minimumSizeHint().height() + headings
        for part in self._sections:
            part.setHidden(low or self._narrow)

    def fit(self, narrow: bool) -> None:
        """Leave the names to tool tips in a narrow window, so that the page has the room."""
        if narrow == self._narrow:
            return
        self._narrow = narrow
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if narrow else Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        for made in (*self._buttons.values(), self._theme_button):
            made.setToolButtonStyle(style)
        self._name.setHidden(narrow)
        self._place_headings()

    def mark(self, key: str) -> None:
        """Show which page is in front, and let the Tab key lead to its button; arrow keys go on from there."""
        self._buttons[key].setChecked(True)
        for other, made in self._buttons.items():
            made.setFocusPolicy(Qt.FocusPolicy.StrongFocus if other == key else Qt.FocusPolicy.ClickFocus)

    def _paint_mark(self) -> None:
        self._mark.setPixmap(theme.pixmap("pruner-studio", size=24))

    def _paint_theme_button(self) -> None:
        other = "light" if theme.name == "dark" else "dark"
        picture = "sun" if other == "light" else "moon"
        self._theme_button.setIcon(theme.icon(picture, size=theme.pixels(18)))
        self._theme_button.setText("  " + (tr("Light theme") if other == "light" else tr("Dark theme")))
        told = tr("Use the light theme") if other == "light" else tr("Use the dark theme")
        self._theme_button.setAccessibleName(told)
        self._theme_button.setToolTip(told)
