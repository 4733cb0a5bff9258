"""The window in another language: the real German texts, loaded by Qt."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from pruner_engine.resources import resource_dir

TEXTS = resource_dir() / "translations" / "studio_de.ts"

_GERMAN = """
from pruner_studio import app
made = app.make_application(["pruner-studio"])
from pruner_studio.main_window import MainWindow
window = MainWindow()
start = window.show_page("start")
print(start.tune.text(), "|", window.menuBar().actions()[0].text(), "|", window.show_page("compare").title_label.text())
window.close()
"""


def test_the_window_speaks_german() -> None:
    environment = {**os.environ, "PRUNER_LANGUAGE": "de", "QT_QPA_PLATFORM": "offscreen", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", _GERMAN], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "Optimieren | &Datei | Vergleich"


def messages() -> list[tuple[str, str]]:
    root = ElementTree.parse(TEXTS).getroot()
    return [(m.findtext("source", ""), m.findtext("translation", "")) for m in root.iter("message")]


def test_a_translation_keeps_what_is_put_in() -> None:
    for source, translation in messages():
        if translation:
            assert sorted(re.findall(r"{\w+}", source)) == sorted(re.findall(r"{\w+}", translation)), source


def test_the_texts_are_those_of_the_code() -> None:
    """`make translations` was run since texts were changed: most of them are there and translated."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in Path("studio").rglob("*.py"))
    used = {text for text in re.findall(r'\btr\(\s*"((?:[^"\\]|\\.)*)"\s*\)', code)}
    known = {source for source, translation in messages() if translation}
    assert len(used & known) > 0.9 * len(used)
