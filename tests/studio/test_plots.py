"""Curves of very many points are drawn by the extremes of each column; everything drawn can be saved."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from project_factory import make_project
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter, QTextDocument
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from pruner_engine.errors import UserError
from pruner_engine.protocol import WhatIfScore
from pruner_engine.store.reader import ProjectReader
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.models.drawn_runs import SHOWN
from pruner_studio.models.runs import BASELINES
from pruner_studio.plotting import pg
from pruner_studio.widgets import figure as figures
from pruner_studio.widgets.drawn import Bar, Bars, Funnel
from pruner_studio.widgets.figure import Figure, SaveButton
from pruner_studio.widgets.names import Names
from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.roofline import Kernels, Roofline
from pruner_studio.widgets.run_curves import RunCurves
from pruner_studio.widgets.scale import Scale
from pruner_studio.widgets.series import Level, Series
from pruner_studio.widgets.shares import ShareBars
from pruner_studio.widgets.thinning import extremes


def test_extremes_keep_what_the_eye_would_see() -> None:
    rng = np.random.default_rng(0)
    x, y = np.sort(rng.uniform(0, 100, 50_000)), rng.normal(size=50_000)
    thin_x, thin_y = extremes(x, y, 200)
    assert len(thin_x) <= 4 * 200 and (np.diff(thin_x) >= 0).all()
    assert (thin_x[0], thin_y[0], thin_x[-1], thin_y[-1]) == (x[0], y[0], x[-1], y[-1])
    assert thin_y.max() == y.max() and thin_y.min() == y.min()
    column = np.minimum(((x - x[0]) / (x[-1] - x[0]) * 200).astype(int), 199)
    for at in (0, 57, 199):
        own = y[column == at]
        assert {own.min(), own.max()} <= set(thin_y)


def test_a_thinned_curve_says_so_and_exports_all(qtbot, tmp_path: Path) -> None:
    plot = Plot("Many", Scale("x"), Scale("y"))
    qtbot.addWidget(plot)
    x = np.arange(20_000.0)
    plot.show_data([Series("curve", x, np.sin(x))])
    assert plot.thinned.startswith("Many: ") and "of 20000 points drawn" in plot.thinned
    plot.figure.save(str(tmp_path / "all.csv"))
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 20_001
    plot.show_data([Series("curve", x[:50], x[:50])])
    assert plot.thinned == ""


def test_the_axis_of_a_run_at_work_does_not_move_with_every_trial(qtbot, finished_project: Path) -> None:
    plot = RunCurves("curve")
    qtbot.addWidget(plot)
    plot.show()

    def right(trials: int, budget: int | None, *, alive: bool = True) -> float:
        run = {"id": 1, "strategy": "pruner", "settings": {}, "alive": alive, "trials": trials}
        points = [{"trials": at, "latency_s": 1 / (1 + at)} for at in range(trials + 1)]
        plot.show_runs([(run | {"budget_trials": budget}, SHOWN)], 1, lambda _: points, [])
        return plot._view.getPlotItem().getViewBox().viewRange()[0][1]

    room = right(21, 1000)
    assert [right(34, 1000), right(50, 1000)] == pytest.approx([room, room], rel=0.01) and room > 50
    room = right(51, 60)
    assert right(60, 60) == pytest.approx(room, rel=0.01) and 60 < room < 70, "no more than the budget lets come"
    assert right(51, None) > room > right(51, None, alive=False), "one that has ended takes all the room"


@pytest.mark.parametrize(("first", "last"), [(0.1, 1000.0), (0.099, 999.0), (1.0, 99.9)])
def test_every_tick_has_its_name_inside_the_plot_up_to_the_ends(qtbot, first: float, last: float) -> None:
    plot = Plot("Wide", Scale("x", log=True), Scale("y"))
    qtbot.addWidget(plot)
    plot.resize(500, 260)
    plot.show_data([Series("points", np.array([first, last]), np.array([0.0, 1.0]), points=True)])
    plot._view.getPlotItem().getViewBox().setRange(xRange=(np.log10(first), np.log10(last)), padding=0)
    with qtbot.waitExposed(plot):
        plot.show()
    axis = plot._view.getPlotItem().getAxis("bottom")
    picture = QImage(8, 8, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    _, ticks, names = axis.generateDrawSpecs(painter)
    painter.end()
    assert len(names) == len(ticks) > 3
    boxes = [axis.mapRectToScene(box) for box, *_ in names]
    assert all(plot._view.sceneRect().contains(box) for box in boxes)
    assert all(left.right() < right.left() for left, right in pairwise(boxes))


@pytest.mark.parametrize("trials", [0, 10])
def test_what_a_run_has_of_its_first_round_is_a_point(qtbot, trials: int) -> None:
    plot = RunCurves("curve")
    qtbot.addWidget(plot)
    plot.show()
    run = {"id": 1, "strategy": "pruner", "settings": {}, "alive": False, "trials": 200, "budget_trials": 200}
    many = [{"trials": at, "latency_s": 1 / (1 + at)} for at in range(200)]
    plot.show_runs([(run, SHOWN)], 1, lambda _: many, [])
    plot.show_runs([(run, SHOWN)], 1, lambda _: [{"trials": trials, "latency_s": 0.4}], [])
    drawn = [item for item in plot._view.getPlotItem().items if isinstance(item, pg.ScatterPlotItem)]
    assert [(float(item.data["x"][0]), float(item.data["y"][0])) for item in drawn if len(item.data)] == [
        (trials, pytest.approx(np.log10(0.4)))
    ]
    (left, right), (low, high) = plot._view.getPlotItem().getViewBox().viewRange()
    assert -1 < left <= trials < right < trials + 2, "not as many trials as were shown before"
    assert 0.1 < 10**low < 0.4 < 10**high < 2


def test_the_larger_a_kernels_share_of_the_time_the_larger_is_its_point(qtbot) -> None:
    plot = Roofline()
    qtbot.addWidget(plot)
    plot.show_kernels({}, [Kernels("k", [1.0, 2.0], [1e9, 2e9], [7, 8], ["a", "b"], shares=[0.01, 0.64])], None)
    (points,) = (
        item
        for item in plot._view.getPlotItem().items
        if isinstance(item, pg.ScatterPlotItem) and item.data["x"].size == 2
    )
    small, large = points.data["size"]
    assert 5 < small < large / 2


def test_a_bar_never_lies_on_its_figure(qtbot) -> None:
    def painted(fill: float) -> QImage:
        bars = Bars("Narrow", "seconds")
        qtbot.addWidget(bars)
        bars.resize(200, 60)
        bars.show_bars([Bar("A name that takes its half", 0.858, fill, "858 ms   9.57× of it")])
        return bars.grab().toImage()

    assert painted(1.0) == painted(0.0), "there is no room for a bar here"


def test_the_status_bar_tells_what_is_not_drawn(window: MainWindow, tmp_path: Path) -> None:
    project = make_project(tmp_path / "long.pruner", runs=1, rounds=450)
    window.workspace.open(project)
    window.workspace.select(None)
    page = window.show_page("draft")
    for _ in range(5):
        page.refresh()
    page.refreshed.emit()
    assert "density of points" in window._drawn.text()
    window.show_page("devices")
    assert window._drawn.text() == ""


def drawn_figures(window: MainWindow) -> dict[str, Figure]:
    """Every figure of every page, by name; the pages that draw them are shown."""
    found = {}
    for key, *_ in PAGES:
        page = window.show_page(key)
        page.refresh()
        found |= {made.figure.name: made.figure for made in page.findChildren(SaveButton)}
    return found


def test_everything_drawn_can_be_saved(window: MainWindow, rested, finished_project: Path, tmp_path: Path) -> None:
    window.workspace.open(finished_project, 3)
    schedule = window.show_page("schedule")
    schedule.refresh()
    for pane in (schedule.roofline, schedule.decisions):
        schedule.tabs.setCurrentWidget(pane)
        rested(schedule)
    score = WhatIfScore(
        request=0, score=1.0, latency_s=3e-3, valid=True, symbols={"footprint": 4096.0}, penalties={"vector": 0.5},
        times={"compute": 1e-3, "memory": 2e-3},
    )  # fmt: skip
    schedule.what_if.parts.show_score(score)
    figures = drawn_figures(window)
    painted = {one for kind in (Plot, Bars, Funnel, ShareBars) for one in window.findChildren(kind)}
    saved = {part for figure in figures.values() for whole in figure.parts() for part in [whole, *ancestors(whole)]}
    saved |= {part for figure in figures.values() for whole in figure.parts() for part in whole.findChildren(ShareBars)}
    assert painted <= saved, "a figure without a way to save it"
    for at, (name, figure) in enumerate(figures.items()):
        for suffix in ("png", "svg", "csv"):
            figure.save(str(tmp_path / f"{at}.{suffix}"))
        picture = QImage(str(tmp_path / f"{at}.png"))
        assert picture.width() > 100 and picture.height() > 20, name
        colors = {picture.pixel(x, y) for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)}
        assert len(colors) > 3, f"{name}: nothing painted"
        drawing = ElementTree.parse(tmp_path / f"{at}.svg").getroot()
        kinds = {element.tag.rpartition("}")[2] for element in drawing.iter()}
        assert "text" in kinds and kinds & {"path", "polygon", "polyline"}, f"{name}: no vectors"
        heads, *rows = csv.reader((tmp_path / f"{at}.csv").read_text(encoding="utf-8").splitlines())
        assert len(heads) >= 2 and rows and all(len(row) == len(heads) for row in rows), name


def test_saved_points_are_named(window: MainWindow, finished_project: Path, tmp_path: Path) -> None:
    window.workspace.open(finished_project, 3)
    page = window.show_page("tasks")
    page.refresh()
    page.roofline.figure.save(str(tmp_path / "roofline.csv"))
    heads, *rows = csv.reader((tmp_path / "roofline.csv").read_text(encoding="utf-8").splitlines())
    assert heads[-2:] == ["name", "id"]
    tasks = {str(row["id"]): row["name"] for row in page.model.rows if row["best_s"]}
    assert {row[-1]: row[-2] for row in rows if row[-1]} == tasks


def test_a_plot_without_data_has_no_axes(qtbot) -> None:
    plot = Plot("Later", Scale("x"), Scale("y"))
    qtbot.addWidget(plot)
    item = plot._view.getPlotItem()
    with qtbot.waitExposed(plot):
        plot.show()
    assert not item.getAxis("left").isVisible() and plot._nothing.isVisible()
    plot.show_data([Series("curve", np.arange(3.0), np.arange(3.0))])
    assert item.getAxis("left").isVisible() and item.getAxis("bottom").isVisible()
    plot.show_data([])
    assert not item.getAxis("bottom").isVisible()


def ancestors(widget: QWidget) -> list[QWidget]:
    found = []
    while (widget := widget.parentWidget()) is not None:
        found.append(widget)
    return found


def test_saved_bars_are_the_figures_of_the_project(
    window: MainWindow, finished_project: Path, tmp_path: Path, rested
) -> None:
    window.workspace.open(finished_project, 3)
    page = window.show_page("overview")
    rested(page)
    page.time_bars.figure.save(str(tmp_path / "time.csv"))
    heads, *rows = csv.reader((tmp_path / "time.csv").read_text(encoding="utf-8").splitlines())
    with ProjectReader(finished_project) as reader:
        worked = reader.worked(3)
    assert heads == ["name", "seconds"]
    assert [float(seconds) for _, seconds in rows] == pytest.approx(list(worked.values()))


def test_what_cannot_be_written_is_a_sentence(window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project, 3)
    figure = window.show_page("overview").curve.figure
    for suffix in ("png", "svg", "csv"):
        with pytest.raises(UserError, match="could not be written"):
            figure.save(f"/nowhere/curve.{suffix}")
    assert figure.file_stem == "latency-over-the-run"


def test_where_a_plot_was_saved_is_told_and_offered_for_the_next(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(figures._Place, "folder", Path())
    window.workspace.open(finished_project, 3)
    button = window.show_page("overview").curve.findChild(SaveButton)
    folder = tmp_path / "Bilder für Übersicht"
    folder.mkdir()

    def asked(kind: str) -> QFileDialog:
        next(choice for choice in button.choices.actions() if kind in choice.text()).trigger()
        (dialog,) = button.findChildren(QFileDialog)
        return dialog

    dialog = asked("PNG")
    dialog.selectFile(str(folder / "Kurve äöü"))
    dialog.accept()
    qtbot.waitUntil(lambda: not button.findChildren(QFileDialog))
    assert not QImage(str(folder / "Kurve äöü.png")).isNull()
    assert window.statusBar().currentMessage() == f"Saved: {folder / 'Kurve äöü.png'}"
    dialog = asked("CSV")
    assert Path(dialog.directory().absolutePath()) == folder and dialog.selectedNameFilter() == "CSV (*.csv)"
    dialog.reject()


def test_a_picture_that_cannot_be_made_leaves_what_has_its_name(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    window.workspace.open(finished_project, 3)
    (kept := tmp_path / "curve.xyz").write_text("mine")
    with pytest.raises(UserError, match="not written in this format"):
        window.show_page("overview").curve.figure.save(str(kept))
    assert kept.read_text() == "mine"


def test_of_many_runs_the_newest_and_the_shown_one_are_drawn_until_others_are_chosen(
    window: MainWindow, rested, tmp_path: Path
) -> None:
    window.workspace.open(make_project(tmp_path / "many.pruner", runs=9, rounds=1), 1)
    libraries = {color for _, color in BASELINES.values()}
    for key, plot, last in (("compare", "plot", "1 metaschedule"), ("overview", "curve", "1 metaschedule")):
        page = window.show_page(key)
        rested(page)
        drawn = getattr(page, plot).series
        assert [series.name[0] for series in drawn[:-1]] == [*"456789"] and drawn[-1].name == last
        assert len({series.color for series in drawn}) == 7 and not libraries & {series.color for series in drawn}
        assert "7 of 9 runs drawn" in window._drawn.text()


def test_a_name_without_end_asks_for_no_more_room_than_a_window_has(qtbot) -> None:
    plot = Plot("Runs", Scale("x"), Scale("y"))
    qtbot.addWidget(plot)
    plot.show_data([Series(f"12 {'strategy_' * 40}, warm caches", np.arange(3.0), np.arange(3.0))])
    plot.show()
    assert plot.minimumSizeHint().width() < 700
    assert all(part in plot.legend.text() for part in ("12&nbsp;strategy_", "…", "warm&nbsp;caches"))


def test_names_in_a_legend_are_shown_whole_in_as_many_lines_as_they_need(qtbot) -> None:
    plot = Plot("Many", Scale("x"), Scale("y"))
    qtbot.addWidget(plot)
    plot.resize(300, 300)
    names = [f"roof <{number}> of 414 GB/s" for number in range(6)]
    plot.show_data([Series(name, np.arange(2.0), np.arange(2.0)) for name in names])
    with qtbot.waitExposed(plot):
        plot.show()
    told = QTextDocument()
    told.setHtml(plot.legend.text())
    assert [part.strip() for part in told.toPlainText().split("━")[1:]] == names
    assert plot.legend.height() >= plot.legend.heightForWidth(plot.legend.width()) > 2 * plot.fontMetrics().height()
    told.setTextWidth(plot.legend.width())
    assert told.size().width() <= plot.legend.width(), "now it is laid out"
    block = told.firstBlock()
    lines = [block.layout().lineAt(at) for at in range(block.layout().lineCount())]
    assert len(lines) > 2 and {block.text()[line.textStart()] for line in lines} == {"━"}


def test_a_legend_tells_a_curve_from_a_group_of_points_of_the_same_colour(qtbot) -> None:
    plot = Plot("Both", Scale("x"), Scale("y"))
    qtbot.addWidget(plot)
    x = np.arange(3.0)
    plot.show_data([Series("roof", x, x, "muted"), Series("kernels", x, x, "muted", points=True)])
    told = QTextDocument()
    told.setHtml(plot.legend.text())
    assert told.toPlainText().split() == ["━", "roof", "●", "kernels"]


def named(plot: Plot) -> dict[str, QRectF]:
    """Where the names of lines are painted, in the scene."""
    box = plot._view.getPlotItem().getViewBox()
    (names,) = [one for one in box.addedItems if isinstance(one, Names)]
    box.updateMatrix()  # as before a painting
    return {line.name: place for place, line, _ in names.placed(names.sceneTransform())}


def apart(places: dict[str, QRectF]) -> bool:
    boxes = list(places.values())
    return not any(a.intersects(b) for at, a in enumerate(boxes) for b in boxes[at + 1 :])


def test_the_name_of_a_level_stays_inside_the_plot(qtbot) -> None:
    plot = Plot("Level", Scale("x"), Scale("y"))
    qtbot.addWidget(plot)
    plot.resize(500, 260)
    plot.show_data([Series("curve", np.arange(3.0), np.arange(3.0))], [Level("above", 3.0), Level("below", -1.0)])
    with qtbot.waitExposed(plot):
        plot.show()
    box = plot._view.getPlotItem().getViewBox()
    places = named(plot)
    assert set(places) == {"above  3", "below  -1"}
    inside = box.mapRectToScene(box.boundingRect()).adjusted(-1, -1, 1, 1)
    assert all(inside.contains(place) for place in places.values())


def run_curve(name: str, x: list[float], y: list[float], *, strong: bool = False, color: str = "series2") -> Series:
    return Series(name, np.array(x, float), np.array(y, float), color, steps=True, strong=strong, told_at_end=True)


@pytest.fixture
def alike(qtbot) -> Plot:
    """Three curves that end nearly at one place."""
    plot = Plot("Runs", Scale("trials"), Scale("latency", log=True))
    qtbot.addWidget(plot)
    plot.resize(640, 400)
    curves = [run_curve(f"{at} a strategy", [0, 10, 40 + at], [8, 2, 1 + at / 100]) for at in range(3)]
    plot.show_data([*curves[:2], run_curve("shown", [0, 10, 42], [8, 2, 1.01], strong=True, color="series1")])
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


def test_curves_are_named_where_they_end_and_no_name_lies_on_another(alike: Plot) -> None:
    places, box = named(alike), alike._view.getPlotItem().getViewBox()
    assert set(places) == {"0 a strategy", "1 a strategy", "shown"}
    inside = box.mapRectToScene(box.boundingRect()).adjusted(-1, -1, 1, 1)
    assert all(inside.contains(place) for place in places.values()) and apart(places)
    end = box.mapViewToScene(QPointF(42, np.log10(1.01)))
    assert places["shown"].left() > end.x() and abs(places["shown"].center().y() - end.y()) < 1  # it comes first


def test_names_stand_one_above_another_as_the_ends_of_their_curves_do(alike: Plot) -> None:
    """A name that a level was in the way of stood above those of slower runs."""
    ends = {"slow": 93.1, "fast": 78.4, "shown": 78.0}
    curves = [run_curve(name, [0, 40, 230], [500, 95, end], strong=name == "shown") for name, end in ends.items()]
    for height in range(180, 420, 20):
        alike.resize(640, height)
        alike.show_data(curves, [Level("PyTorch", 92.4), Level("ONNX Runtime", 69.1), Level("Untuned", 669)])
        QApplication.processEvents()
        places = named(alike)
        tops = [places[name].top() for name in ends]
        assert tops == sorted(tops) and apart(places), height


def test_what_stands_at_the_top_of_an_axis_is_whole(qtbot) -> None:
    plot = Plot("Loss", Scale("round"), Scale("loss"))
    qtbot.addWidget(plot)
    plot.resize(360, 200)
    plot.show_data([Series("adapted", np.arange(3.0), np.array([0.6, 0.4, 0.0]))])
    with qtbot.waitExposed(plot):
        plot.show()
    plot._view.getPlotItem().setYRange(0, 0.601, padding=0)
    QApplication.processEvents()
    axis, picture = plot._view.getAxis("left"), QImage(8, 8, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    *_, texts = axis.generateDrawSpecs(painter)
    painter.end()
    assert "0.6" in {text for *_, text in texts}
    assert all(axis.mapRectToScene(place).top() >= 0 for place, *_ in texts)


def painted_widths(plot: Plot, ratio: int) -> list[float]:
    """Of the pens in a picture of so many pixels a point."""
    picture = QImage(plot._view.size() * ratio, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(ratio)
    painter = QPainter(picture)
    plot._view.render(painter)
    painter.end()
    items = plot._view.getPlotItem().getViewBox().addedItems
    return [one.opts["pen"].widthF() for one in items if isinstance(one, pg.PlotCurveItem)]


def test_curves_are_as_broad_on_a_fine_screen(alike: Plot) -> None:
    assert painted_widths(alike, 2) == [8, 4, 4]


def test_the_run_shown_is_broad_and_below_one_that_goes_the_same_way(alike: Plot) -> None:
    assert painted_widths(alike, 1) == [4, 2, 2]  # in the order of painting
    assert "<b>shown</b>" in alike.legend.text() and alike.legend.text().count("<b>") == 1


def test_a_broad_curve_of_many_points_is_not_smoothed(qtbot) -> None:
    """To smooth it would take many times as long as all else, and nobody sees it."""
    plot = Plot("Loss", Scale("round"), Scale("loss"))
    qtbot.addWidget(plot)
    for points, smoothed in ((50, True), (1_000, False)):
        x = np.arange(float(points))
        plot.show_data([Series("loss", x, x % 7)])
        items = plot._view.getPlotItem().getViewBox().addedItems
        assert [one.opts["antialias"] for one in items if isinstance(one, pg.PlotCurveItem)] == [smoothed]


def test_of_one_curve_no_end_is_named(qtbot) -> None:
    plot = Plot("Run", Scale("trials"), Scale("latency"))
    qtbot.addWidget(plot)
    plot.show_data([run_curve("shown", [0, 10], [8, 2], strong=True)])
    assert not [one for one in plot._view.getPlotItem().getViewBox().addedItems if isinstance(one, Names)]


def test_names_of_levels_that_lie_close_together_do_not_lie_on_each_other(qtbot) -> None:
    plot = Plot("Levels", Scale("x"), Scale("y", log=True))
    qtbot.addWidget(plot)
    plot.resize(560, 260)
    levels = [Level("ONNX Runtime", 0.82), Level("PyTorch", 0.95), Level("Untuned", 5.7)]
    plot.show_data([Series("curve", np.arange(3.0), np.array([5.7, 1.2, 0.4]))], levels)
    with qtbot.waitExposed(plot):
        plot.show()
    places = named(plot)
    assert len(places) == 3 and apart(places)


def test_names_of_levels_keep_off_the_ends_of_curves_and_their_names(alike: Plot) -> None:
    alike.show_data(alike.series, [Level("ONNX Runtime", 1.03), Level("PyTorch", 0.99)])
    QApplication.processEvents()
    places = named(alike)
    assert len(places) == 5 and apart(places)
