"""The window in another language: the real German texts, loaded by Qt."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pruner_engine.measure.advice import ADVICE, OTHERWISE
from pruner_engine.resources import resource_dir

TEXTS = resource_dir() / "translations" / "studio_de.ts"
COLLECTED = {("help.py", "tr(text)"), ("said.py", "tr(text)"), ("said.py", "tr(pattern)")}  # whose texts are data
COLLECTED |= {("window_words.py", "tr(advice(stage, error))")}
_PUT_IN = r"{\w+(?::[^}]*)?}"

_GERMAN = """
import json, re, sys, tempfile
from pathlib import Path
sys.path[:0] = [{tests!r}, str(Path({tests!r}).parent)]
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QToolButton
from pruner_studio import app
made = app.make_application(["pruner-studio"])
from project_factory import make_project
from pruner_studio.help import help_of, tip_of
from pruner_studio.main_window import PAGES, MainWindow
from resting import rests
from test_cut_texts import cut

def letters(actions):
    return [found.lower() for action in actions for found in re.findall("&(.)", action.text())]

told = {{"help": [tip_of("symbol.threads"), help_of("figure.weight").formula]}}
window = MainWindow()
start, compare = window.show_page("start"), window.show_page("compare")
menus = window.menuBar().actions()
told["window"] = [start.tune.text(), menus[0].text(), compare.title_label.text()]
told["letters"] = [letters(entries) for entries in (menus, *(menu.menu().actions() for menu in menus))]
told["keys"] = [window.sidebar.findChildren(QToolButton)[0].toolTip(), compare.table.menu().actions()[-4].text()]
told["cancel"] = made.translate("QPlatformTheme", "Cancel")
window.resize(1280, 800)
window.show()
with tempfile.TemporaryDirectory() as folder:
    window.workspace.open(make_project(Path(folder) / "stopped.pruner", rounds=2, state="stopped"))
    compare.refresh()
    column = next(column for column in compare.model.columns if column.title == "Zustand")
    told["states"] = [compare.model.text_of(row, column) for row in compare.model.rows]
    window.workspace.open(make_project(Path(folder) / "resnet18.pruner"), 3)
    told["cut"] = []
    for key, *_ in PAGES:
        page = window.show_page(key)
        if key == "start":
            page.form.settings_button.click()
        for pane in [pane for _, pane in getattr(page, "panes", ())] or [None]:
            if pane is not None:
                page.tabs.setCurrentWidget(pane)
            QTest.qWait(100)
            while not rests(page):
                QTest.qWait(20)
            for _ in range(5):  # a layout asks the one around it for room in an event of its own
                made.processEvents()
            told["cut"].append([key, cut(window)])
    bar = window.show_page("schedule").tabs.tabBar()
    told["tabs"] = [bar.sizeHint().width(), bar.width()]
    window.resize(760, 440)
    window.show_page("start").set_model(str(Path(folder) / "kernel.py"))
    told["sideways"] = []
    for _ in range(2):  # with the settings unfolded, and without
        QTest.qWait(200)
        told["sideways"].append(start.findChild(QScrollArea).horizontalScrollBar().maximum())
        start.form.settings_button.click()
    window.close()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def german() -> dict[str, Any]:
    """What a window says in a process of its own: texts are translated once, German would stay for other tests."""
    code = _GERMAN.format(tests=str(Path(__file__).parent))
    environment = {**os.environ, "PRUNER_LANGUAGE": "de", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_window_speaks_german(german: dict[str, Any]) -> None:
    assert german["window"] == ["Optimieren", "&Datei", "Vergleich"]


def test_the_help_speaks_german(german: dict[str, Any]) -> None:
    tip, formula = german["help"]
    assert tip.splitlines() == [
        "Threads eines Blocks.",
        "= Produkt der an threadIdx gebundenen Längen",
        "Quelle: Pruner (ASPLOS 2025), symbolbasierte Analyse",
    ]
    assert formula == ""  # and no formula where there is none


def test_the_states_of_runs_are_german_where_they_are_compared(german: dict[str, Any]) -> None:
    assert german["states"] == ["fertig", "fertig", "gestoppt"]


def test_no_letter_opens_two_entries_of_a_menu_and_the_buttons_of_qt_are_german(german: dict[str, Any]) -> None:
    assert len(german["letters"]) > 5
    assert [found for found in german["letters"] if len(set(found)) < len(found)] == []
    assert german["cancel"] == "Abbrechen"


def test_keys_are_told_in_german(german: dict[str, Any]) -> None:
    assert german["keys"] == ["Start (Strg+1)", "&Kopieren\tStrg+C"]


def test_no_german_text_is_cut_on_a_small_screen(german: dict[str, Any]) -> None:
    assert len(german["cut"]) > 9 and [found for found in german["cut"] if found[1]] == []
    wanted, there = german["tabs"]
    assert wanted <= there, "no view of a candidate is out of sight"


def test_the_plan_of_a_script_is_not_scrolled_sideways_in_a_small_window(german: dict[str, Any]) -> None:
    assert german["sideways"] == [0, 0]


def messages() -> list[tuple[str, str]]:
    root = ElementTree.parse(TEXTS).getroot()
    return [(m.findtext("source", ""), m.findtext("translation", "")) for m in root.iter("message")]


def finished() -> set[str]:
    """Texts that have a translation which nobody is still to look at."""
    root = ElementTree.parse(TEXTS).getroot()
    found = ((m.findtext("source", ""), m.find("translation")) for m in root.iter("message"))
    return {source for source, told in found if told is not None and told.text and "type" not in told.attrib}


def test_a_translation_keeps_what_is_put_in() -> None:
    for source, translation in messages():
        if translation:
            assert sorted(re.findall(_PUT_IN, source)) == sorted(re.findall(_PUT_IN, translation)), source


def strings(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Literals of a module that are neither docstrings, nor given to `tr`, nor read by programmers alone."""
    passed: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.Raise | ast.MatchValue | ast.Compare):
            passed |= {node} if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else set(ast.walk(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tr":
            passed |= set(ast.walk(node))
        elif isinstance(node, ast.JoinedStr):
            passed |= set(node.values)
        elif isinstance(node, ast.AnnAssign):
            passed |= set(ast.walk(node.annotation))
        elif isinstance(node, ast.Dict):
            passed |= set(node.keys)
    for node in ast.walk(tree):
        if node in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            yield node, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node, node.value


# Words in a row, a word beside something put in, or one word with a capital
_PROSE = re.compile(r"[A-Za-z]{2,}[,:;.]? [A-Za-z]{2,}|[a-z]{3,} {}|{} [a-z]{3,}|^[A-Z][a-z]{2,}$")
_NO_PROSE = re.compile(r"^SELECT |^<|: [^;]+;|{ .* }|^started {}, pruner-studio")
_NAMES = {"Pruner Studio", "LLVM IR"}


def untold(source: str) -> list[str]:
    found = (text for _, text in strings(ast.parse(source)))
    return [text for text in found if _PROSE.search(text) and not _NO_PROSE.search(text) and text not in _NAMES]


def test_every_text_of_the_window_can_be_translated() -> None:
    modules = [path for path in Path("studio/pruner_studio").rglob("*.py") if path.name != "theme.py"]  # names of fonts
    found = [f"{path}: {text!r}" for path in modules for text in untold(path.read_text(encoding="utf-8"))]
    assert len(modules) > 50 and found == []


def test_a_text_that_cannot_be_translated_is_found() -> None:
    assert untold('label.setText("Nothing here")') == ["Nothing here"]
    assert untold('label.setText(f"Ended: {why} now")') == ["Ended: {} now"]
    assert untold('NAMES = {"key": "Tuned"}') == ["Tuned"]
    assert untold('label.setText(tr("Ended: {why}").format(why=why))') == []


def test_the_texts_are_those_of_the_code() -> None:
    """`make translations` was run since texts were changed, and all of them are translated."""
    used: set[str] = set()
    for path in Path("studio").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tr":
                (text,) = node.args
                if isinstance(text, ast.Constant):
                    used.add(text.value)
    assert sorted(used - finished()) == []


def test_the_texts_of_the_help_are_translated() -> None:
    stored = json.loads((resource_dir() / "help" / "terms.json").read_text(encoding="utf-8"))
    used = {text for entry in stored.values() for text in entry.values() if text}
    used |= {*ADVICE.values(), OTHERWISE}
    assert len(used) > 100 and sorted(used - finished()) == []


def test_the_sentences_of_engines_are_those_of_their_code_and_are_translated() -> None:
    done = subprocess.run(
        [sys.executable, "packaging/sentences.py"], capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    assert done.stdout == (resource_dir() / "translations" / "engine.json").read_text(encoding="utf-8")
    used = set(json.loads(done.stdout))
    assert len(used) > 300 and sorted(used - finished()) == []


def test_a_translator_is_given_literals_only() -> None:
    """`tr` of a variable is not collected: it would stay English without a word. Texts that are data are."""
    for path in Path("studio/pruner_studio").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tr":
                collected = isinstance(node.args[0], ast.Constant) or (path.name, ast.unparse(node)) in COLLECTED
                assert collected, f"{path}:{node.lineno}"
