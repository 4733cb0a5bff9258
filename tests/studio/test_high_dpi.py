"""On a screen of twice as many pixels nothing is drawn coarser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_LOOK = """
import json
from pruner_studio import app
made = app.make_application(["pruner-studio"])
first = app.splash()
from pruner_studio.main_window import MainWindow
from pruner_studio.theme import theme
window = MainWindow()
window.resize(1200, 800)
window.show()
made.processEvents()
picture, icon = first.pixmap(), theme.pixmap("pause", size=18)
print(json.dumps({
    "splash": [picture.width(), first.width()],
    "icon": [icon.width(), icon.deviceIndependentSize().width()],
    "window": [window.grab().width(), window.width()],
}))
window.close()
"""


def test_pictures_have_the_pixels_of_the_screen() -> None:
    environment = {**os.environ, "QT_SCALE_FACTOR": "2", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", _LOOK], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for name, (pixels, width) in json.loads(done.stdout.splitlines()[-1]).items():
        assert pixels == 2 * width, name


_FIRST = """
from pruner_studio import app
made = app.make_application(["pruner-studio"])
from pruner_studio.main_window import MainWindow
window = MainWindow()
window.show()
made.processEvents()
screen = window.screen().availableGeometry().size()
print(screen.width() - window.width(), screen.height() - window.height())
window.close()
"""


@pytest.mark.parametrize("scale", ["1", "2"])
def test_the_first_window_fits_on_its_screen(tmp_path: Path, scale: str) -> None:
    """The virtual screen has 800 × 800 pixels."""
    environment = {**os.environ, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", _FIRST], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert all(int(left) >= 0 for left in done.stdout.split())
