"""Entry point of the window: `pruner-studio [PROJECT or MODEL]`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QLabel

from pruner_studio import translation
from pruner_studio.arguments import answer_to
from pruner_studio.surroundings import tell_own_libraries
from pruner_studio.theme import STYLE, theme
from pruner_studio.translation import tr


def make_application(argv: Sequence[str]) -> QApplication:
    """The one application object, named and themed."""
    tell_own_libraries()
    gc.disable()  # what is made at the start stays: looking for garbage among it only costs; `Garbage` goes on with it
    app = QApplication([*argv[:1], *STYLE, *argv[1:]])
    app.setApplicationName("pruner-studio")
    app.setApplicationDisplayName("Pruner Studio")
    app.setOrganizationName("pruner-studio")
    app.setDesktopFileName("pruner-studio")
    translation.install(app)
    theme.start(app)
    app.setWindowIcon(theme.icon("pruner-studio", size=64))
    return app


def splash() -> QLabel:
    """A window that is shown while the main one is made; Qt's own splash screen may wait a second for the screen."""
    screen = QGuiApplication.primaryScreen()
    picture = QPixmap(QSize(360, 120) * screen.devicePixelRatio())
    picture.setDevicePixelRatio(screen.devicePixelRatio())
    picture.fill(theme.color("surface"))
    painter = QPainter(picture)
    painter.drawPixmap(28, 36, theme.pixmap("pruner-studio", size=48))
    font = QFont(QApplication.font())
    font.setPixelSize(22)
    font.setWeight(QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(theme.color("text"))
    painter.drawText(QRect(96, 0, 250, 120), Qt.AlignmentFlag.AlignVCenter, "Pruner Studio")
    painter.end()
    made = QLabel(f=Qt.WindowType.SplashScreen)
    made.setPixmap(picture)
    made.setFixedSize(picture.deviceIndependentSize().toSize())
    made.move(screen.availableGeometry().center() - made.rect().center())
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window; on a project or model file where one is named."""
    arguments = list(sys.argv if argv is None else argv)
    if answer := answer_to(arguments[1:]):
        (sys.stderr if answer.code else sys.stdout).write(f"{answer.text}\n")
        return answer.code
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM")
    ):
        sys.stderr.write(
            tr("There is no display. Use the terminal instead: `pruner tune MODEL`, or start an X server first.") + "\n"
        )
        return 2
    app = make_application(arguments[:1])
    first = splash()
    first.show()
    app.processEvents()
    from pruner_studio.ended_by_signal import EndedBySignal
    from pruner_studio.main_window import MainWindow  # takes most of the start; its texts are translated as it comes
    from pruner_studio.models.projects import is_project

    path = arguments[1] if len(arguments) > 1 else None
    window = MainWindow(opening=path is not None and is_project(path))
    EndedBySignal(window.close_unasked, window)
    window.show()
    first.close()
    # The first frame before anything else: pages and plots are made when the event loop is idle
    QTimer.singleShot(0, lambda: window.settle(path))
    code = app.exec()
    if window.keep_job:
        os._exit(code)  # Qt would kill the engine that is to live on when it clears up its process object
    return code


if __name__ == "__main__":
    sys.exit(main())
