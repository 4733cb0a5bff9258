"""A TensorFlow Lite model in the window: its open size is given, it is tuned, and exported by keys, beside LiteRT."""

from __future__ import annotations

from pathlib import Path

import pytest
from pointer import press
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QSpinBox, QWidget

from databases import connected
from pruner_studio.main_window import MainWindow
from pruner_studio.models.words import PHASES

MODEL = Path(__file__).parents[1] / "frontends" / "tflite_models" / "text-open.tflite"


@pytest.fixture
def lent() -> dict[str, object]:
    """All engines are the window's own."""
    return {}


def press_enter(qtbot, window: QWidget, text: str) -> None:
    """Go to a button by the Tab key, and press it by Enter."""
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    for _ in range(30):
        at = QApplication.focusWidget()
        assert at is not None and at.window() is window
        if getattr(at, "text", str)() == text:
            qtbot.keyClick(at, Qt.Key.Key_Return)
            return
        qtbot.keyClick(at, Qt.Key.Key_Tab)
    raise AssertionError(f"The Tab key does not lead to {text}.")


def question(window: MainWindow) -> QMessageBox:
    return next(made for made in window.findChildren(QMessageBox) if made.isVisible())


def test_a_tflite_model_is_tuned_and_exported_by_keys(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project = tmp_path / "text.pruner"
    start = window.start_page()
    start.take_file(str(MODEL))
    qtbot.waitUntil(lambda: "tflite" in start.drop.about.text(), timeout=60_000)
    (size,) = start.shapes.findChildren(QSpinBox)
    size.setValue(2)
    assert list(start.plan().inputs.values()) == [[2, 8, 16]]
    start.project.setText(str(project))
    start.form.budget.setValue(6)
    press(qtbot, start.tune)
    qtbot.waitUntil(lambda: window.workspace.path == str(project), timeout=90_000)
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=240_000)
    assert window.workspace.run()["valid"] > 0

    overview = window.show_page("overview")
    overview.refresh()
    assert overview.tiles["litert"].isVisible() and overview.tiles["litert"]._value.text().endswith("s")
    assert not overview.tiles["onnxruntime"].isVisible() and not overview.tiles["torch"].isVisible()

    with connected(project) as db:  # it is asked then whether that shall be exported
        db.execute("UPDATE baselines SET seconds = 1e-9 WHERE name = 'litert'")
    export = window.show_page("export")
    export.out.setFocus()
    press_enter(qtbot, window, "Export")
    assert "LiteRT" in question(window).text()
    qtbot.keyClick(question(window), Qt.Key.Key_Return)
    assert "nothing was exported" in export.phase.text() and not window.workspace.job.running
    press_enter(qtbot, window, "Export")
    assert export.phase.text() == ""
    press_enter(qtbot, question(window), "Export all the same")
    qtbot.waitUntil(lambda: PHASES["check"] in export.phase.text(), timeout=180_000)
    assert export.empty._title.text() == "Exporting"
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=180_000)
    qtbot.waitUntil(export.result.isVisible, timeout=30_000)
    assert export.result.check_state.text() == "equal"
    assert {bar.name for bar in export.result.latency_bars.bars} == {"Tuned", "Untuned", "LiteRT"}
