"""A model is tuned once the engine knows it: not before, not after a refusal, and no script without consent."""

from __future__ import annotations

import shutil
from pathlib import Path

import onnx
import pytest
from lent_engine import LentEngine
from onnx import TensorProto, helper
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QScrollArea, QSpinBox

from pruner_engine.frontends.workloads import build_workload
from pruner_engine.resources import resource_dir
from pruner_studio.main_window import MainWindow
from pruner_studio.pages.start import StartPage
from pruner_studio.widgets.model_card import WORKLOADS

KERNEL = """
# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def double(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("double"):
            vi = T.axis.remap("S", [i])
            y[vi] = x[vi] * T.float32(2)
"""


@pytest.fixture
def lent(checker: LentEngine) -> dict[str, LentEngine]:
    """Models are looked at by one engine for all windows."""
    return {"slow": checker}


@pytest.fixture
def start(window: MainWindow) -> StartPage:
    return window.start_page()


@pytest.fixture
def broken(tmp_path: Path) -> str:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"no model at all" * 100)
    return str(path)


def test_a_refused_model_cannot_be_tuned(qtbot, window: MainWindow, start: StartPage, broken: str) -> None:
    start.set_model("matmul:64,64,64")
    assert not start.tune.isEnabled() and start.hindrance.text() == start.tune.toolTip() == "Looking at the model…"
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert not start.hindrance.isVisible() and start.tune.toolTip() == ""
    project = start.project.text()
    start.project.clear()
    assert not start.tune.isEnabled() and start.tune.toolTip() == "Name a project file."
    start.project.setText(str(Path(project).parent) + "/")
    assert not start.tune.isEnabled(), "a folder is no file"
    start.project.setText(project.removesuffix(".pruner"))
    assert start.plan().project == project, "a file without the suffix would be taken for a model when it is opened"
    start.project.setText(project)
    start.set_model(broken)
    assert not start.tune.isEnabled()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=60_000)
    assert not start.tune.isEnabled()
    refusal = window.problems.cards()[0].problem.message
    assert {refusal} == {start.drop.about.text(), start.hindrance.text(), start.tune.toolTip()}


def test_a_workload_that_begins_like_one_of_the_list_is_taken_as_it_is_typed(qtbot, start: StartPage) -> None:
    field = start.model_card.workload.lineEdit()
    field.setFocus()
    qtbot.keyClicks(field, "softmax:64,10")
    assert field.text() == "softmax:64,10" and field.selectedText() == ""


def test_a_refusal_of_the_model_before_says_nothing_of_this_one(
    qtbot, window: MainWindow, start: StartPage, broken: str
) -> None:
    start.set_model(broken)
    start.set_model("matmul:64,64,64")
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert window.problems.cards() == [] and start.drop.about.text().startswith("workload")


def test_open_dimensions_are_asked_for_before_the_model_can_be_tuned(qtbot, start: StartPage, tmp_path: Path) -> None:
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 16]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "open", tensors[:1], tensors[1:])
    path = tmp_path / "open.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    seen = []
    start.line_changed.connect(lambda: seen.append((start.tune.isEnabled(), "--input" in start.command_line())))
    start.take_file(str(path))
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert (True, False) not in seen and start.plan().inputs == {"x": [1, 16]}


def test_an_input_of_a_long_name_asks_for_no_wider_window(
    qtbot, window: MainWindow, start: StartPage, tmp_path: Path
) -> None:
    name = "decoder_model.decoder.layers.0.encoder_attention.past_key_values.of_the_last_window"
    tensors = [helper.make_tensor_value_info(each, TensorProto.FLOAT, ["batch", 16]) for each in (name, "y")]
    graph = helper.make_graph([helper.make_node("Relu", [name], ["y"])], "long", tensors[:1], tensors[1:])
    path = tmp_path / "long.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    window.resize(760, 600)
    start.take_file(str(path))
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    (told,) = (shown for shown in start.shapes.findChildren(QLabel) if shown.text() == name)
    qtbot.waitUntil(lambda: 0 < told.width() < told.sizeHint().width())
    assert name in told.toolTip()
    assert all(area.horizontalScrollBar().maximum() == 0 for area in start.findChildren(QScrollArea))


def test_a_dimension_of_several_inputs_is_one_number(qtbot, start: StartPage, tmp_path: Path) -> None:
    shape = ["batch", "sequence"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("ids", "mask", "kinds")]
    nodes = [helper.make_node("Add", ["ids", "mask"], ["some"]), helper.make_node("Add", ["some", "kinds"], ["all"])]
    output = helper.make_tensor_value_info("all", TensorProto.FLOAT, shape)
    path = tmp_path / "three.onnx"
    onnx.save(
        helper.make_model(
            helper.make_graph(nodes, "three", inputs, [output]), opset_imports=[helper.make_opsetid("", 17)]
        ),
        path,
    )
    start.take_file(str(path))
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    fields = {made.accessibleName(): made for made in start.shapes.findChildren(QSpinBox)}
    assert len(fields) == 6
    told = []
    start.shapes.changed.connect(lambda: told.append(start.shapes.values()))
    for name, value in (("mask: batch", "8"), ("kinds: sequence", "64")):
        fields[name].setFocus()
        fields[name].selectAll()
        qtbot.keyClicks(fields[name], value)
        qtbot.keyClick(fields[name], Qt.Key.Key_Tab)
    assert {name: fields[name].value() for name in fields} == {
        f"{name}: {dimension}": value
        for name in ("ids", "mask", "kinds")
        for dimension, value in (("batch", 8), ("sequence", 64))
    }
    assert start.plan().inputs == {name: [8, 64] for name in ("ids", "mask", "kinds")}
    assert all(len(set(map(tuple, shapes.values()))) == 1 for shapes in told), "no input is ahead of the others"
    start.set_model(str(path), {"ids": [2, 32], "mask": [2, 32], "kinds": [2, 32]})
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert start.plan().inputs == {name: [2, 32] for name in ("ids", "mask", "kinds")}


def test_an_input_by_which_a_model_chooses_may_be_given_its_value(qtbot, start: StartPage, tmp_path: Path) -> None:
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [4]),
        helper.make_tensor_value_info("rate", TensorProto.FLOAT, []),
    ]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])
    graph = helper.make_graph([helper.make_node("Mul", ["x", "rate"], ["y"])], "scaled", inputs, [output])
    path = str(tmp_path / "scaled.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    start.take_file(path)
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    fields = {made.accessibleName(): made for made in start.model_card.fixed.findChildren(QLineEdit)}
    assert list(fields) == ["Value of input rate"] and "fixed" not in start.plan().settings
    qtbot.keyClicks(fields["Value of input rate"], "0.5")
    assert start.plan().settings == {"fixed": ["rate=0.5"]} and "--fix rate=0.5" in start.command_line()
    start.set_model(path, {}, ["rate=2", "x=1,2,3,4"])
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert start.plan().settings == {"fixed": ["rate=2", "x=1,2,3,4"]}, "of a run that the window has no field for"
    start.set_model("matmul:64,64,64")
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert start.plan().settings == {}


def test_the_page_says_what_may_be_dropped(start: StartPage) -> None:
    assert ".onnx" in start.drop.about.text()
    start.set_model("matmul:64,64,64")
    assert ".onnx" not in start.drop.about.text()
    start.set_model("")
    assert ".onnx" in start.drop.about.text()


def test_each_kind_of_budget_keeps_its_amount(qtbot, start: StartPage) -> None:
    kinds, amount = start.form.budget_kind, start.form.budget
    amount.setValue(5000)
    for kind, kept in (("trials", 5000), ("minutes", 10), ("gain", 10), ("trials", 5000)):
        qtbot.mouseClick(kinds.part(kind), Qt.MouseButton.LeftButton)
        assert (kinds.current, amount.value(), amount.isVisible()) == (kind, kept, kind != "gain")
    start.form.choose_budget(None, 1800)
    assert (kinds.current, amount.value()) == ("minutes", 30)


def test_budgets_of_a_duplicated_run_stay_as_they_were_until_one_is_changed(start: StartPage) -> None:
    for trials, seconds, told in ((200, 150.0, "and no more than"), (None, 150.0, "exactly"), (200, None, "")):
        start.form.choose_budget(trials, seconds)
        plan = start.plan()
        assert (plan.trials, plan.minutes) == (trials, 2.5 if seconds else None)
        assert start.form.budget_note.text().startswith(told) and bool(told) == bool(start.form.budget_note.text())
    start.form.choose_budget(200, 150.0)
    start.form.budget.setValue(100)
    assert (start.plan().trials, start.plan().minutes, start.form.budget_note.text()) == (100, None, "")


def test_a_model_is_called_as_in_a_terminal(start: StartPage) -> None:
    start.set_model("matmul:512,512,512")
    assert Path(start.project.text()).name == "matmul_512_512_512.pruner"
    start.set_model("/models/net:v2.onnx")
    assert Path(start.project.text()).name == "net_v2.pruner"
    assert start.drop.name.text() == "net:v2.onnx" and start.model_card.workload.currentText() == ""


@pytest.mark.parametrize("name", ["double.py", "DOUBLE.PY", "double.tvmscript"])
def test_a_script_needs_consent(qtbot, window: MainWindow, start: StartPage, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(KERNEL)
    start.take_file(str(path))
    assert start.consent.isVisible() and not start.tune.isEnabled()
    assert start.drop.about.text() == "Tick below to look at it."
    _tick(qtbot, start)
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert start.plan().allow_code and "--allow-code" in start.command_line()
    _tick(qtbot, start)
    assert not start.tune.isEnabled() and "--allow-code" not in start.command_line()
    _tick(qtbot, start)
    _tick(qtbot, start)  # withdrawn while the engine looks
    qtbot.wait(1_500)
    assert not start.tune.isEnabled() and start.drop.about.text() == "Tick below to look at it."
    assert window.problems.cards() == []


def _tick(qtbot, start: StartPage) -> None:
    qtbot.mouseClick(start.consent, Qt.MouseButton.LeftButton, pos=QPoint(8, start.consent.height() // 2))


def test_a_refusal_goes_when_another_model_is_chosen(qtbot, window: MainWindow, start: StartPage, broken: str) -> None:
    start.set_model(broken)
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=60_000)
    start.set_model("matmul:64,64,64")
    assert window.problems.cards() == []


def test_a_file_that_was_no_project_is_forgotten_once_one_is_opened(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    (broken := tmp_path / "broken.pruner").write_bytes(b"nothing")
    window.open_path(str(broken))
    assert "cannot be read" in window.problems.cards()[0].problem.message
    window.open_path(str(finished_project))
    assert window.problems.cards() == []


def test_a_folder_is_called_one(window: MainWindow, tmp_path: Path) -> None:
    window.open_path(str(tmp_path))
    assert window.problems.cards()[0].problem.message == f"{tmp_path} is a folder."


def test_a_model_that_was_refused_is_looked_at_again_by_f5(
    qtbot, window: MainWindow, start: StartPage, broken: str
) -> None:
    start.set_model(broken)
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=60_000)
    assert not start.tune.isEnabled()
    shutil.copyfile(resource_dir() / "models" / "small-cnn.onnx", broken)
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert window.problems.cards() == []


@pytest.mark.parametrize("text", WORKLOADS)
def test_a_workload_that_is_offered_is_one_that_the_engine_knows(text: str) -> None:
    assert "main" in build_workload(text)
