"""Context help: every number that the window shows says how it is computed and where it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from pruner_studio.help import help_of, terms, tip_of
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.models.rows import RowTable
from pruner_studio.widgets.cards import StatTile
from pruner_studio.widgets.nest import NestTree

# Numbers that are nobody's result: they name a row, or say where it stands
PLAIN = {
    ("compare", "Run"),
    ("compare", "Seed"),
    ("draft", "Round"),
    ("schedule", "#"),
    ("schedule", "Round"),
    ("schedule", ""),  # the number of an instruction of the trace
}


@pytest.fixture
def opened(window: MainWindow, finished_project: Path) -> MainWindow:
    assert window.workspace.open(finished_project)
    return window


def explained(tip: str) -> bool:
    """It is a term's: its text, and a formula or a source."""
    return any(tip == term.tip and (term.formula or term.source) for term in terms().values())


def test_every_tile_says_how_its_number_is_computed_and_where_it_comes_from(opened: MainWindow) -> None:
    pages = {key: opened.show_page(key) for key, *_ in PAGES}
    tiles = [(key, tile) for key, page in pages.items() for tile in page.findChildren(StatTile)]
    assert {"overview", "draft"} <= {key for key, _ in tiles}
    assert [(key, tile.accessibleName()) for key, tile in tiles if not explained(tile.toolTip())] == []


def test_every_column_of_numbers_says_how_they_are_computed_and_where_they_come_from(opened: MainWindow) -> None:
    found: dict[tuple[str, str], str] = {}
    for key, *_ in PAGES:
        page = opened.show_page(key)
        page.refresh()
        for model in page.findChildren(RowTable):
            for at, column in enumerate(model.columns):
                if column.right or column.share or column.curve:
                    tip = model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
                    found[key, column.title] = tip or ""
    assert {"tasks", "schedule", "draft", "compare", "export"} <= {key for key, _ in found}
    assert {place for place, tip in found.items() if not explained(tip)} == PLAIN


def test_the_figures_of_a_candidate_are_explained(opened: MainWindow) -> None:
    tip = opened.show_page("schedule").candidate_card.note.toolTip()
    assert all(tip_of(f"figure.{name}") in tip for name in ("measured_latency", "spread", "gflops", "gain"))


def test_the_noise_of_a_round_is_told_as_it_is_computed(opened: MainWindow) -> None:
    """`Tuner._noise` divides the slowest repeat by the fastest; a candidate's ± is something else."""
    noise, spread = help_of("figure.noise"), help_of("figure.spread")
    assert noise and noise.formula == "largest ÷ smallest − 1"
    assert spread and spread.formula == "(largest − smallest) ÷ 2 ÷ median"


def test_the_parts_of_the_working_time_are_explained(opened: MainWindow) -> None:
    page = opened.show_page("overview")
    page.refresh()
    assert page.time_bars._bars and all(explained(bar.tip) for bar in page.time_bars._bars)


def test_a_loop_that_runs_as_often_as_only_the_run_knows_is_told_so(qtbot) -> None:
    nest = NestTree()
    qtbot.addWidget(nest)
    loop = {"id": 0, "type": "loop", "name": "i", "extent": None, "kind": "serial", "thread": "", "annotations": {}}
    nest.show_nest([loop | {"children": []}])
    item = nest.topLevelItem(0)
    assert (item.text(0), item.toolTip(0)) == ("i  ?", "serial loop i, iterations: ?")
