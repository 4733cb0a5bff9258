"""Devices: profiles and calibration of the file, and boards that come and go at a real tracker."""

from __future__ import annotations

import json
import re
from pathlib import Path

from painted import LastText
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea

from databases import connected
from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.resources import resource_dir
from pruner_engine.targets import detect_host
from pruner_studio.main_window import MainWindow
from pruner_studio.widgets.device_profile import DeviceProfile


def texts(widget) -> str:
    return "\n".join(found.text() for found in widget.findChildren(QLabel))


def test_profiles_and_calibration_are_those_of_the_file(window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project)
    page = window.show_page("devices")
    page.refresh()
    with connected(finished_project) as db:
        (profile,) = db.execute("SELECT profile FROM targets").fetchone()
    stored = json.loads(profile)
    told = texts(page)
    assert units.rate(stored["peak_flops"], "FLOP") in told and units.rate(stored["dram_bandwidth"], "B") in told
    for name, factor in stored["calibration"].items():
        assert f"{name} {units.ratio(factor)}" in told


def test_this_machine_is_detected_without_holding_the_window(qtbot, window: MainWindow) -> None:
    page = window.show_page("devices")
    qtbot.waitUntil(lambda: "this machine" in texts(page), timeout=30_000)


def cells(model, row) -> dict[str, str]:
    return {column.title: model.text_of(row, column) for column in model.columns}


def test_presets_stand_beside_this_machine_with_the_figures_of_their_files(qtbot, window: MainWindow) -> None:
    model = window.show_page("devices").known.model
    qtbot.waitUntil(lambda: len(model.rows) > 1, timeout=30_000)
    shown = {row["id"]: cells(model, row) for row in model.rows}
    assert model.rows[0]["id"] == "auto" and shown["auto"]["Device"] == detect_host().name
    files = {path.stem: json.loads(path.read_text())["profile"] for path in (resource_dir() / "devices").glob("*.json")}
    assert files and files.keys() <= shown.keys()
    for name, stored in files.items():
        told = shown[name]
        assert told["Device"] == stored["name"] and told["Cores"] == units.count(stored["cores"])
        assert told["Peak"] == units.rate(stored["peak_flops"], "FLOP")
        assert told["Peak, one core"] == units.rate(stored["peak_flops_core"], "FLOP")
        assert told["Memory"] == units.rate(stored["dram_bandwidth"], "B")
        assert told["Memory, one core"] == units.rate(stored["dram_bandwidth_core"], "B")
        tensor = (stored["gpu"] or {}).get("tensor_flops")
        assert told["Tensor Cores"] == (units.rate(tensor, "FLOP") if tensor else "–")
        assert told["Figures are"] == "from a data sheet"


def test_this_machine_is_measured_at_a_click_and_the_figures_are_those_that_are_kept(
    qtbot, window: MainWindow, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    page = window.show_page("devices")
    qtbot.waitUntil(lambda: "auto" in page.profiles, timeout=30_000)
    part = page.profiles["auto"]
    qtbot.waitUntil(lambda: part.state.text() == "estimated", timeout=90_000)
    assert "Not measured yet" in part.note.text() and not list(tmp_path.rglob("*.json"))
    qtbot.mouseClick(part.measure_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: part.progress.isVisible() and not part.measure_button.isEnabled(), timeout=5_000)
    qtbot.waitUntil(lambda: part.state.text() == "measured", timeout=150_000)
    assert not part.progress.isVisible() and part.measure_button.isEnabled()
    (path,) = tmp_path.rglob("*.json")
    kept = json.loads(path.read_text())
    stored, told = kept["profile"], texts(part)
    assert part.when.text() == units.moment(kept["measured_at"]) != ""
    assert ("Other programs worked" in part.note.text()) == (not kept["quiet"])
    row = cells(page.known.model, page.known.model.rows[0])
    for figure, unit, column in (
        ("peak_flops", "FLOP", "Peak"), ("peak_flops_core", "FLOP", "Peak, one core"),
        ("dram_bandwidth", "B", "Memory"), ("dram_bandwidth_core", "B", "Memory, one core"),
    ):  # fmt: skip
        assert units.rate(stored[figure], unit) in told and row[column] == units.rate(stored[figure], unit)
    for cache in stored["caches"]:
        size, speed = units.size(cache["bytes"]), units.rate(cache["bandwidth"], "B")
        assert f"L{cache['level']} {size} at {speed}".replace(" ", "\N{NO-BREAK SPACE}") in told
    assert row["Figures are"] == "measured" and window.problems.cards() == []


def test_a_device_that_cannot_be_measured_says_why_beside_the_button(qtbot, window: MainWindow) -> None:
    part = DeviceProfile(window.workspace, "t4")
    qtbot.addWidget(part)
    part.show()
    qtbot.waitUntil(lambda: part.state.text() == "from a data sheet", timeout=90_000)
    part.measure_button.setFocus()
    qtbot.keyClick(part.measure_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: "not a device of this machine" in part.note.text(), timeout=90_000)
    assert part.measure_button.isEnabled() and not part.progress.isVisible()


def test_boards_are_watched_at_their_tracker(qtbot, window: MainWindow) -> None:
    from tvm.rpc.server import Server
    from tvm.rpc.tracker import Tracker

    tracker = Tracker(host="127.0.0.1", port=9190, port_end=9290)
    server = Server(host="127.0.0.1", port=9090, port_end=9190, key="pi", tracker_addr=("127.0.0.1", tracker.port))
    card = window.show_page("devices").boards
    try:
        qtbot.keyClicks(card.tracker, f"127.0.0.1:{tracker.port}")
        look = next(made for made in card.findChildren(QPushButton) if made.text() == "Look")
        qtbot.mouseClick(look, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: card.state.text() == "1 of 1 answer", timeout=90_000)
        (row,) = card.model.rows
        assert row["key"] == "pi" and row["sign"] == "answers"
        card._beat.setInterval(200)
        server.terminate()
        qtbot.waitUntil(lambda: card.state.text() != "1 of 1 answer", timeout=60_000)
    finally:
        tracker.terminate()
    qtbot.waitUntil(lambda: card.state.text() == "no answer", timeout=60_000)
    assert "No tracker answers" in card.told.text()
    assert window.problems.cards() == []


def test_what_is_told_of_boards_stands_below_their_heading_in_any_room(window: MainWindow, rested) -> None:
    page = window.show_page("devices")
    for width in (1400, 800):
        window.resize(width, 800)
        rested(page)
        card = page.boards
        assert "Kernels can be measured on other machines" in card.told.text() and not card.told.isHidden()
        assert card.told.y() > card.heading.geometry().bottom() and card.note.text().startswith("registered at")


def test_a_tracker_that_is_given_up_leaves_no_failure(window: MainWindow) -> None:
    card = window.show_page("devices").boards
    failure = msg.Failed(kind="user", message="No tracker answers at 10.0.0.7:9190.", hint="")
    card._tracker = "10.0.0.7:9190"
    card._failed("10.0.0.7:9190", failure)
    assert card.told.text().startswith("No tracker answers")
    card.ask()  # the field is empty
    assert "No tracker" not in card.told.text() and card.state.isHidden()
    card._failed("10.0.0.7:9190", failure)  # of what was asked before
    assert "No tracker" not in card.told.text()


def test_the_seconds_of_a_silent_board_count_on(qtbot, window: MainWindow, rested) -> None:
    page = window.show_page("devices")
    rested(page)
    card = page.boards
    sign = LastText(card.table, 0, "Sign of life")
    for now in ("answers", "gone"):
        board = msg.Board(key="pi", address="10.0.0.7:9090", sign=now, answer_s=0.001)
        card._answered(msg.Boards(tracker="", boards=[board]))
    rested(page)
    for area in window.findChildren(QScrollArea):
        if area.isAncestorOf(card.table):
            area.ensureWidgetVisible(card.table)
    qtbot.waitUntil(lambda: "silent for" in sign.text, timeout=5_000)
    before = sign.text
    qtbot.wait(1_100)
    card._answered(msg.Boards(tracker="", boards=[board]))
    qtbot.waitUntil(lambda: sign.text != before, timeout=5_000)
    counted = re.fullmatch(r"silent for ([\d.]+) s", sign.text)
    assert counted and float(counted[1]) > 1.05


def test_a_high_window_lists_more_of_the_known_devices(qtbot, window: MainWindow, rested) -> None:
    page = window.show_page("devices")
    qtbot.waitUntil(lambda: bool(page.profiles) and bool(page.known.model.rows), timeout=30_000)
    heights = []
    for height in (900, 1800):
        window.resize(1400, height)
        rested(page)
        heights.append(page.known.table.height())
    assert heights[1] > heights[0] + 200
