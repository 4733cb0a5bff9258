"""Names of a project that comes from anybody do nothing to the window: no markup, no lines, nothing turned round."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from project_factory import make_project
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QMenu, QWidget

from databases import connected
from pruner_studio.literal import legible, literal, one_line, plain_tip
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.models.rows import RowTable
from pruner_studio.widgets.elided import Elided

EVIL = "<b>HO</b>\n\u202eevil\x07\x1b[31m\t&x"
ORDERS = {"\u202e", "\x07", "\x1b"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    made = make_project(tmp_path_factory.mktemp("from anybody") / f"{EVIL.replace('/', '')}.pruner", rounds=6)
    with connected(made) as db:
        for table, column in (
            ("models", "name"),
            ("models", "source"),
            ("tasks", "name"),
            ("tasks", "op"),
            ("targets", "device"),
            ("runs", "strategy"),
            ("runs", "reason"),
            ("measurements", "message"),
            ("exports", "out"),
        ):
            db.execute(f"UPDATE {table} SET {column} = {column} || ?", (EVIL,))
        db.execute("UPDATE run_tasks SET quarantined = ?", (EVIL,))
    return made


def shown_in(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Every text that is painted by a label, a button or a box of choices."""
    for widget in root.findChildren(QWidget):
        if isinstance(widget, QLabel):
            yield widget, QLabel.text(widget)
        elif isinstance(widget, QAbstractButton):
            yield widget, QAbstractButton.text(widget)
        elif isinstance(widget, QComboBox):
            yield from ((widget, widget.itemText(at)) for at in range(widget.count()))


@pytest.mark.parametrize("key", [page[0] for page in PAGES])
def test_names_stay_within_their_place(window: MainWindow, rested, hostile: Path, key: str) -> None:
    assert window.workspace.open(hostile)
    window.workspace.select(1)
    page = window.show_page(key)
    rested(page)
    texts = [(widget, text) for widget, text in shown_in(window) if "HO" in text]
    assert texts
    for widget, text in texts:
        assert not ORDERS & {*text}, (widget, text)
        if isinstance(widget, Elided | QAbstractButton | QComboBox):
            assert not {"\n", "\t"} & {*text}, (widget, text)
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
            assert "<b>HO" not in text
    for widget in window.findChildren(QWidget):
        assert not ("<b>HO" in widget.toolTip() and Qt.mightBeRichText(widget.toolTip())), widget
    for table in page.findChildren(RowTable):
        cells = [table.text_of(row, column) for row in table.rows[:9] for column in table.columns]
        assert not any({"\n", "\t", *ORDERS} & {*cell} for cell in cells)
    assert not {"\n", *ORDERS} & {*window.windowTitle()}


def test_menus_list_such_a_project_on_one_line(window: MainWindow, hostile: Path) -> None:
    window.workspace.open(hostile)
    listed = [entry.text() for menu in window.findChildren(QMenu) for entry in menu.actions() if "HO" in entry.text()]
    assert listed and all("\n" not in text and "\t" not in text and "&&x" in text for text in listed)
    QApplication.processEvents()


def test_letters_of_every_language_stay_as_they_are() -> None:
    for name in ("Größe µ×→", "שלום", "مرحبا", "模型", "a\u200bb\u2060c", "1\u2009000"):
        assert one_line(name) == legible(name) == literal(name) == plain_tip(name) == name
    assert legible("two\nlines\u202e") == "two\nlines\ufffd" and one_line("two\r\nlines") == "two lines"
