"""Curves of very many points: drawn by the extremes of each column, and told so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from project_factory import make_project

from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.plot import Plot, Series, extremes


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
    plot = Plot("Many", "x", "y")
    qtbot.addWidget(plot)
    x = np.arange(20_000.0)
    plot.show_data([Series("curve", x, np.sin(x))])
    assert plot.thinned.startswith("Many: ") and "of 20000 points drawn" in plot.thinned
    plot.save(str(tmp_path / "all.csv"))
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 20_001
    plot.show_data([Series("curve", x[:50], x[:50])])
    assert plot.thinned == ""


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
