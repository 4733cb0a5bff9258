"""Pictures of every page in both themes.

They go to a temporary folder and are only looked at for being painted. With `PRUNER_SCREENSHOTS=docs/images` and
`PRUNER_SCREENSHOTS_PROJECT=F.pruner` (a really tuned project) the same test makes the pictures of the documentation.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pruner_engine.resources import resource_dir
from pruner_studio.main_window import PAGES, MainWindow
from pruner_studio.theme import theme
from pruner_studio.widgets.code import CodeView
from pruner_studio.widgets.what_if import TileRow

OUT, PROJECT = os.environ.get("PRUNER_SCREENSHOTS"), os.environ.get("PRUNER_SCREENSHOTS_PROJECT")


def _wait_for_engine(qtbot, window: MainWindow, key: str) -> None:
    """Pictures of the documentation show the engine's answers too; made-up rows have none."""
    if not PROJECT:
        return
    page = window.show_page(key)
    if key == "start":
        qtbot.waitUntil(lambda: page.preflight.state.text() != "checking", timeout=60_000)
    if key == "devices":
        qtbot.waitUntil(lambda: bool(page.profiles), timeout=60_000)
        qtbot.waitUntil(lambda: all(part.reply is not None for part in page.profiles.values()), timeout=60_000)
    if key == "schedule":
        qtbot.waitUntil(lambda: page.loops.view.replay is not None, timeout=60_000)


def _export(qtbot, window: MainWindow) -> None:
    """Pictures show an export that has happened: it is made, beside the project, where the project knows of none."""
    page = window.show_page("export")
    page.refresh()
    if page.pages.currentIndex():
        return
    with qtbot.waitSignal(window.workspace.exported, timeout=400_000):
        window.workspace.start(page.plan())
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=60_000)
    window.problems.dismiss_all()


def _first_product(assembly: CodeView) -> int:
    lines = assembly.toPlainText().splitlines()
    return next(at for at, line in enumerate(lines) if line.lstrip().startswith("vfmadd"))


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_page_is_painted(qtbot, window: MainWindow, finished_project: Path, tmp_path: Path, name: str) -> None:
    theme.choose(name)
    if PROJECT:
        window.settle()
    window.workspace.open(PROJECT or finished_project)
    best = max(window.workspace.reader.runs(), key=lambda run: (run["valid"] > 0, run["id"]))
    window.workspace.choose_run(best["id"])
    if PROJECT:
        window.show_page("start").set_model(str(resource_dir() / "models" / "small-cnn.onnx"))
        window.show_page("start").project.setText("small-cnn.pruner")
        _export(qtbot, window)
    for key, *_ in PAGES:
        page = window.show_page(key)
        _wait_for_engine(qtbot, window, key)
        qtbot.wait(300 if OUT else 20)
        place = Path(OUT or tmp_path) / f"{key}-{name}.png"
        picture = window.grab()
        assert picture.save(str(place))
        image = picture.toImage()
        colors = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
        assert len(colors) > 12, key
        if key == "export":
            assert page.pages.currentIndex() == 1, "what was exported is shown, not that nothing was"
    if PROJECT:
        schedule = window.show_page("schedule")
        schedule.code.forms.choose("asm")
        views = {
            "decisions": (schedule.decisions, lambda: True),
            "roofline": (schedule.roofline, lambda: True),
            "what-if": (schedule.what_if, lambda: "Predicted" in schedule.what_if.parts.verdict.text()),
            "code": (schedule.code, lambda: schedule.code.code["asm"].view.blockCount() > 9),
            "diff": (
                schedule.diff,
                lambda: str(window.workspace.candidate_id) in schedule.diff.view.sides[1][0].text(),
            ),
        }
        for view, (pane, complete) in views.items():
            schedule.tabs.setCurrentWidget(pane)
            if pane is schedule.diff:  # of the fastest and the next one
                timed = window.workspace.reader.candidates(best["id"], window.workspace.task_id, measured=True)
                second = sorted((row for row in timed if row["seconds"]), key=lambda row: row["seconds"])[1]
                window.workspace.select(window.workspace.task_id, second["id"])
            qtbot.waitUntil(complete, timeout=60_000)
            if pane is schedule.what_if:
                slider = schedule.what_if.editor.findChild(TileRow)._parts[0][0]
                slider.setValue(slider.minimum() if slider.value() else slider.maximum())
                qtbot.waitUntil(lambda: "the candidate" in schedule.what_if.parts.verdict.text(), timeout=60_000)
            if pane is schedule.diff:
                schedule.diff.view.next.click()
            if pane is schedule.code:
                schedule.loops.choose(schedule.code._nodes["asm"][_first_product(schedule.code.code["asm"].view)])
            qtbot.wait(300)
            window.grab().save(str(Path(OUT or tmp_path) / f"{view}-{name}.png"))
