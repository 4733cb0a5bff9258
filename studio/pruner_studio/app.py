"""Entry point of the window: `pruner-studio [PROJECT or MODEL]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from pruner_studio import translation
from pruner_studio.theme import theme


def make_application(argv: Sequence[str]) -> QApplication:
    """The one application object, named and themed."""
    app = QApplication(list(argv))
    app.setApplicationName("pruner-studio")
    app.setApplicationDisplayName("Pruner Studio")
    app.setOrganizationName("pruner-studio")
    app.setDesktopFileName("pruner-studio")
    translation.install(app)
    theme.start(app)
    app.setWindowIcon(theme.icon("pruner-studio", size=64))
    return app


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window; on a project or model file where one is named."""
    arguments = list(sys.argv if argv is None else argv)
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM")
    ):
        sys.stderr.write(
            "There is no display. Use the terminal instead: `pruner tune MODEL`, or start an X server first.\n"
        )
        return 2
    app = make_application(arguments[:1])
    from pruner_studio.main_window import MainWindow  # its texts are translated as it is imported

    window = MainWindow()
    window.show()
    # The first frame before anything else: pages and plots are made when the event loop is idle
    QTimer.singleShot(0, lambda: window.settle(arguments[1] if len(arguments) > 1 else None))
    code = app.exec()
    if window.keep_tuning:
        os._exit(code)  # Qt would kill the engine that is to live on when it clears up its process object
    return code


if __name__ == "__main__":
    sys.exit(main())
