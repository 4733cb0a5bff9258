"""Light and dark theme: one table of tokens becomes palette, style sheet, icons and plot colours.

The tokens are data (`resources/themes`). Qt's own colour scheme is only asked, never set: most X sessions ignore it.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from PySide6.QtCore import QByteArray, QObject, QRectF, QSettings, Qt, Signal
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from pruner_engine.resources import resource_dir

CHOICES = ("system", "light", "dark")
STYLE = ("-style", "Fusion")
"""For Qt's command line: `setStyle` would first make Python's side of all enumerations of QStyle, 4 % of the start."""
_SANS = ("Inter", "Inter Variable", "Noto Sans", "Cantarell", "Ubuntu", "Segoe UI", "DejaVu Sans")
_LETTERS = 13  # pixels of the letters that the looks are made for
_MONO = ("JetBrains Mono", "Cascadia Code", "Noto Sans Mono", "Ubuntu Mono", "DejaVu Sans Mono")


@lru_cache(maxsize=2)
def tokens_of(name: str) -> dict[str, str]:
    """Colour tokens of theme `light` or `dark`."""
    tokens: dict[str, str] = json.loads((resource_dir() / "themes" / f"{name}.json").read_text(encoding="utf-8"))
    return tokens


@lru_cache(maxsize=2)
def _installed(wanted: tuple[str, ...]) -> str:
    families = set(QFontDatabase.families())
    return next((family for family in wanted if family in families), wanted[-1])


class Theme(QObject):
    """The theme in use; `changed` is emitted after the application has taken a new one, or a denser screen."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choice = "system"
        self.name = "light"
        self._letters = _LETTERS
        self._applied: tuple[str, int] | None = None
        self._drawn_for = 1.0  # pixels of the densest screen when icons were drawn

    def start(self, app: QApplication) -> None:
        """Take the remembered choice and what the system tells: its scheme, the size of its letters.

        Args:
            app: was made with `STYLE`.
        """
        font = app.font()
        font.setFamily(_installed(_SANS))
        app.setFont(font)
        self._letters = max(_LETTERS, QFontInfo(font).pixelSize())
        app.styleHints().colorSchemeChanged.connect(lambda _: self._use(self.choice))
        self._drawn_for = _ratio()
        app.screenAdded.connect(lambda _: self.look_at_screens())
        self._use(str(QSettings().value("theme", "system")))

    def look_at_screens(self) -> None:
        """Have icons drawn anew where the densest screen is another one now."""
        if _ratio() != self._drawn_for:
            self._drawn_for = _ratio()
            self.changed.emit()

    def choose(self, choice: str) -> None:
        """Use `light`, `dark` or what the system says, and remember it."""
        self._use(choice)
        QSettings().setValue("theme", self.choice)

    def _use(self, choice: str) -> None:
        self.choice = choice if choice in CHOICES else "system"
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        self.name = self.choice if self.choice != "system" else ("dark" if dark else "light")
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        wanted = self.name, self._letters
        if self._applied != wanted:  # a style sheet is taken anew by every widget, which takes some 0.5 s
            app.setPalette(self._palette())
            app.setStyleSheet("")  # in place of another one it is taken again with all around each widget: 2 s
            app.setStyleSheet(self._style_sheet())
            self._applied = wanted
        self.changed.emit()

    def pixels(self, usual: int) -> int:
        """A length that holds texts, as long as the letters of the desktop ask for where they are larger than usual."""
        return round(usual * self._letters / _LETTERS)

    @property
    def mono(self) -> str:
        """Family of the fixed-width font."""
        return _installed(_MONO)

    def color(self, token: str, alpha: int = 255) -> QColor:
        color = QColor(_color(tokens_of(self.name)[token]))
        color.setAlpha(alpha)
        return color

    def series(self, index: int) -> QColor:
        """Colour of the index-th curve."""
        return self.color(f"series{index % 6 + 1}")

    def pixmap(self, icon: str, token: str = "muted", size: int = 18) -> QPixmap:
        """A line icon drawn in a colour token, sharp on high-density screens."""
        return _pixmap(icon, tokens_of(self.name)[token], size, _ratio())

    def icon(self, icon: str, token: str = "muted", size: int = 18) -> QIcon:
        made = QIcon(self.pixmap(icon, token, size))
        made.addPixmap(self.pixmap(icon, "faint", size), QIcon.Mode.Disabled)
        return made

    def _palette(self) -> QPalette:
        palette, role = QPalette(), QPalette.ColorRole
        for kind, token in {
            role.Window: "window", role.WindowText: "text", role.Base: "surface", role.AlternateBase: "window",
            role.Text: "text", role.Button: "raised", role.ButtonText: "text", role.BrightText: "bad",
            role.ToolTipBase: "raised", role.ToolTipText: "text", role.Highlight: "accent",
            role.HighlightedText: "accent_text", role.Link: "accent", role.PlaceholderText: "faint",
            role.Mid: "border", role.Light: "surface", role.Dark: "border_strong",
        }.items():  # fmt: skip
            palette.setColor(kind, self.color(token))
        for kind in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, kind, self.color("faint"))
        return palette

    def _style_sheet(self) -> str:
        sheet = (resource_dir() / "themes" / "studio.qss").read_text(encoding="utf-8")
        words = {
            **tokens_of(self.name),
            "mono": f'"{self.mono}", monospace',
            "icons": (resource_dir() / "icons").as_posix(),
        }
        sheet = re.sub(r"(?<=font-size: )\d+", lambda match: str(self.pixels(int(match.group()))), sheet)
        return re.sub(r"@(\w+)", lambda match: words[match.group(1)], sheet)


@lru_cache(maxsize=128)
def _color(text: str) -> QColor:
    return QColor(text)


def _ratio() -> float:
    """Pixels of the densest screen for one of ours."""
    return max((screen.devicePixelRatio() for screen in QGuiApplication.screens()), default=1.0)


@lru_cache(maxsize=512)
def _pixmap(icon: str, color: str, size: int, ratio: float) -> QPixmap:
    source = (resource_dir() / "icons" / f"{icon}.svg").read_text(encoding="utf-8").replace("currentColor", color)
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(0, 0, pixmap.width(), pixmap.height()))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


theme = Theme()
