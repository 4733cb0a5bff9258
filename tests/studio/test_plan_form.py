"""The plan of a run: what is said in the window is what `pruner tune` takes, within the engine's own limits."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from lent_engine import LentEngine
from msgspec import inspect
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QScrollArea,
    QToolButton,
    QWidget,
)
from test_accessibility import controls, told
from test_cut_texts import SCREENS, cut

from databases import connected
from pruner_engine.cli import tune
from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.protocol import Tune
from pruner_engine.resources import resource_dir
from pruner_engine.rule_names import NAMES
from pruner_engine.search.settings import SearchSettings, settings_from
from pruner_engine.search.strategies import strategy_names
from pruner_engine.targets import Device, named, named_targets
from pruner_studio.help import help_of
from pruner_studio.main_window import MainWindow
from pruner_studio.pages.start import StartPage
from pruner_studio.widgets.plan_form import STRATEGIES
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.setting_fields import SettingFields

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"


@pytest.fixture
def lent(engine_of_windows: LentEngine, checker: LentEngine) -> dict[str, LentEngine]:
    """The model of each plan is looked at by one engine for all windows."""
    return {"quick": engine_of_windows, "slow": checker}


@pytest.fixture
def start(qtbot, window: MainWindow) -> StartPage:
    with qtbot.waitActive(window):
        window.activateWindow()
    page = window.start_page()
    page.set_model("matmul:64,64,64")
    return page


@pytest.fixture
def terminal(monkeypatch):
    """What the terminal makes of a line, without carrying it out."""

    def take(line: str) -> Tune:
        taken: list[Tune] = []
        monkeypatch.setattr(tune, "_run", lambda command, _: taken.append(command))
        program, *words = shlex.split(line)
        assert program == "pruner" and CliRunner().invoke(cli, words, catch_exceptions=False).exit_code == 0
        return taken[0]

    return take


def offered(start: StartPage) -> list[str]:
    return [start.form.target.itemText(at) for at in range(start.form.target.count())]


def give(qtbot, field: QWidget, text: str) -> None:
    """Type over what a field holds."""
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, text)


def unfold(qtbot, start: StartPage) -> dict[str, QWidget]:
    """The fields of the settings, by name."""
    qtbot.mouseClick(start.form.settings_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: start.form.fields.isVisible() and start.form.fields.editors["check"].widget.height() > 0)
    return {name: made.widget for name, made in start.form.fields.editors.items()}


def test_the_devices_of_this_machine_and_the_presets_are_offered(qtbot, start: StartPage) -> None:
    known = named_targets()
    qtbot.waitUntil(lambda: offered(start) == [target.name for target in known], timeout=30_000)
    box = start.form.target
    for at, target in enumerate(known):
        listed = box.model().index(at, 0).data()
        assert listed.startswith(target.name) and target.device in listed
        assert target.device in box.itemData(at, Qt.ItemDataRole.ToolTipRole)
    assert start.plan().target == "auto" and known[0].device in box.about
    box.setFocus()
    for _ in known:
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert start.plan().target == known[-1].name and f"--target {known[-1].name}" in start.command_line()
    assert any(known[-1].device in found.text() for found in start.form.findChildren(QLabel) if found.isVisible())


def test_another_target_is_typed_and_stays_while_devices_are_found(qtbot, start: StartPage, terminal) -> None:
    text = '{"kind":"llvm","mcpu":"znver4"}'
    give(qtbot, start.form.target.lineEdit(), text)
    with qtbot.waitSignal(start.form.target.offered, timeout=30_000):
        start.form.target.refresh()
    assert start.plan().target == text == terminal(start.command_line()).target
    give(qtbot, start.form.target.lineEdit(), "h")
    assert start.plan().target == "h", "not a listed one that begins so"
    give(qtbot, start.form.target.lineEdit(), " ")
    assert start.plan().target == "auto"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonesuch", '"nonesuch" is not a target: no device has this name, and it is neither llvm nor cuda.'),
        ("znver4 ", '"znver4" is not a target: no device has this name, and it is neither llvm nor cuda.'),
        ("llvm -mcpu=znver4", '"llvm -mcpu=znver4" is not a target: options are given as JSON.'),
        ('{"kind":"vulkan"}', '"{"kind":"vulkan"}" is not a target: its kind "vulkan" is neither llvm nor cuda.'),
        ("{kind}", '"{kind}" is not a target: it is no JSON from its character 2 on.'),
        ("cuda", 'There is no GPU "cuda": no NVIDIA driver answers on this machine.'),
        ("H100", "Kernels for H100 cannot run: no NVIDIA driver answers here."),
        ("auto", ""),
        ("zen4", ""),
        ("nvidia/whatever", ""),
        ('{"kind":"llvm","mcpu":"znver4"}', ""),
        ('{"tag":"arm/thing"}', ""),
    ],
)
def test_a_target_that_is_none_is_told_beside_its_field(
    qtbot, start: StartPage, monkeypatch, text: str, why: str
) -> None:
    """What only TVM knows is left to the run."""
    monkeypatch.setattr(named, "detect_gpus", list)
    with qtbot.waitSignal(start.form.target.offered, timeout=30_000):
        start.form.target.refresh()
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    give(qtbot, start.form.target.lineEdit(), text)
    assert start.tune.isEnabled() is (not why)
    told = [
        shown for shown in start.form.findChildren(QLabel) if shown.property("role") == "warn" and shown.isVisible()
    ]
    assert [shown.text().startswith(why) for shown in told] == ([True] if why else [])
    assert start.hindrance.text().startswith(why)


def test_boards_may_have_what_this_machine_has_not(qtbot, start: StartPage, monkeypatch) -> None:
    monkeypatch.setattr(named, "detect_gpus", list)
    with qtbot.waitSignal(start.form.target.offered, timeout=30_000):
        start.form.target.refresh()
    start.form.target.choose("orin")
    assert "no NVIDIA driver" in start.form.target.hindrance
    start.form.target.measure_on_boards(True)
    assert start.form.target.hindrance == ""


def test_another_gpu_than_the_first_is_listed_but_not_to_be_chosen(qtbot, start: StartPage, monkeypatch) -> None:
    gpus = [
        Device("cuda", name, "f", "sm_90", 132, 2048, 32, index=index) for name, index in (("H100", 1), ("H200", 3))
    ]
    monkeypatch.setattr(named, "detect_gpus", lambda: gpus)
    start.form.target.refresh()
    qtbot.waitUntil(lambda: "cuda:1" in offered(start), timeout=30_000)
    box = start.form.target
    first, second = (box.model().index(offered(start).index(name), 0) for name in ("cuda", "cuda:1"))
    assert first.flags() & Qt.ItemFlag.ItemIsEnabled and not second.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "CUDA_VISIBLE_DEVICES=3" in second.data(Qt.ItemDataRole.ToolTipRole)


def test_a_preset_of_the_users_that_is_none_is_told(
    qtbot, window: MainWindow, start: StartPage, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "pruner-studio" / "devices").mkdir(parents=True)
    (tmp_path / "pruner-studio" / "devices" / "mine.json").write_text("[]")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    start.form.target.refresh()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=30_000)
    assert "mine.json is not a device description" in window.problems.cards()[0].problem.message
    assert start.plan().target == "auto"


def test_every_strategy_that_ships_is_offered_and_one_of_a_plugin_is_typed(qtbot, start: StartPage) -> None:
    assert {strategy.name for strategy in STRATEGIES} <= set(strategy_names())
    box = start.form.strategy
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert start.plan().strategy == STRATEGIES[1].name and box.about == STRATEGIES[1].about
    give(qtbot, box.lineEdit(), "draft-only")
    assert start.plan().strategy == "draft-only" and "--strategy draft-only" in start.command_line()
    assert "plugin" in box.about


def test_every_setting_has_a_field_with_its_default_and_its_meaning(qtbot, start: StartPage) -> None:
    fields, defaults = unfold(qtbot, start), json.loads(SearchSettings().as_json())
    assert fields.keys() == defaults.keys() - {"fixed"} and start.plan().settings == {}, "inputs stand with the model"
    shown = {found.text() for found in start.form.fields.findChildren(QLabel)}
    for name, field in fields.items():
        term = help_of(f"setting.{name}")
        assert term and term.title in shown and name in field.toolTip() and term.text in field.toolTip()
        assert start.form.fields.editors[name].read() == defaults[name]
        if isinstance(field, QAbstractSpinBox) and defaults[name] is not None:
            unit = " s" if name.endswith("_s") else ""
            assert f"default {defaults[name]:g}{unit}" in shown
    assert list(fields["without_rules"].boxes) == list(NAMES)


def test_changed_settings_are_told_and_taken_as_a_terminal_takes_them(
    qtbot, start: StartPage, terminal, tmp_path: Path
) -> None:
    (checkpoint := tmp_path / "own model.safetensors").touch()
    (known := tmp_path / "other model.pruner").touch()
    fields = unfold(qtbot, start)
    give(qtbot, fields["draft_set"], "256")
    give(qtbot, fields["round_trials"], "32")
    give(qtbot, fields["momentum"], "0.995")
    give(qtbot, fields["model"], "pacm")
    give(qtbot, fields["checkpoint"].line, str(checkpoint))
    give(qtbot, fields["start_from"].line, str(known))
    give(qtbot, fields["rpc_key"], "pi")
    assert "rpc_key" not in start.plan().settings, "without a tracker it says nothing"
    assert "boards" not in start.form.target.about
    give(qtbot, fields["rpc"], "127.0.0.1:9190")
    assert "boards" in start.form.target.about, "they are asked what they are, this machine's CPU is not meant"
    qtbot.mouseClick(fields["dtype"].part("bfloat16"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(fields["caches"].part("cold"), Qt.MouseButton.LeftButton)
    for box in (fields["without_rules"].boxes[name] for name in ("rows", "winograd")):
        qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    given = {
        "dtype": "bfloat16", "model": "pacm", "checkpoint": str(checkpoint), "rpc": "127.0.0.1:9190", "rpc_key": "pi",
        "without_rules": ["rows", "winograd"], "round_trials": 32, "draft_set": 256, "momentum": 0.995,
        "caches": "cold", "start_from": str(known),
    }  # fmt: skip
    plan, taken = start.plan(), terminal(start.command_line())
    assert plan.settings == given
    assert settings_from(taken.settings) == settings_from(given)
    assert (taken.model, taken.project, taken.trials) == (plan.model, plan.project, plan.trials)
    note = start.form.settings_note.text()
    assert "draft_set = 256" in note and "without_rules = rows, winograd" in note and "repeats" not in note
    qtbot.mouseClick(start.form.settings_button, Qt.MouseButton.LeftButton)
    assert not start.form.fields.isVisible() and start.form.settings_note.isVisible()
    qtbot.mouseClick(start.form.defaults_button, Qt.MouseButton.LeftButton)
    assert start.plan().settings == {} and "--set" not in start.command_line()


def test_the_limits_of_the_fields_are_those_of_the_engine(qtbot, start: StartPage) -> None:
    fields, defaults = unfold(qtbot, start), json.loads(SearchSettings().as_json())
    numbers = {name: field for name, field in fields.items() if isinstance(field, QAbstractSpinBox)}
    assert {"draft_set", "eps_greedy", "generations", "run_timeout_s"} <= numbers.keys()
    for name, field in numbers.items():
        least = field.minimum() + (defaults[name] is None)
        settings_from({name: least}), settings_from({name: field.maximum()})
        with pytest.raises(UserError):
            settings_from({name: least - 1})
    give(qtbot, fields["mutation"], "7")
    give(qtbot, fields["draft_set"], "0\t")
    assert start.plan().settings.get("mutation", 0.85) <= 1 and start.plan().settings.get("draft_set", 96) >= 1
    fields["generations"].setFocus()
    for _ in range(2):
        qtbot.keyClick(fields["generations"], Qt.Key.Key_Up)
    assert start.plan().settings["generations"] == 1
    for _ in range(3):
        qtbot.keyClick(fields["generations"], Qt.Key.Key_Down)
    assert "generations" not in start.plan().settings, "the strategy's own again"


def test_what_the_engine_would_refuse_cannot_be_tuned(qtbot, start: StartPage, tmp_path: Path) -> None:
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    fields = unfold(qtbot, start)
    for field, wrong, right, why in (
        (fields["rpc"], "board", "board:9190", "not the address of a tracker"),
        (fields["checkpoint"].line, str(tmp_path / "none"), str(SAMPLE), "no pre-trained model"),
        (fields["start_from"].line, str(tmp_path / "none"), str(SAMPLE), "There is no project"),
    ):
        give(qtbot, field, wrong)
        assert not start.tune.isEnabled() and why in start.hindrance.text() and why in start.tune.toolTip()
        give(qtbot, field, right)
        assert start.tune.isEnabled()


def test_settings_of_a_duplicated_run_can_be_changed(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project = Path(shutil.copy(SAMPLE, tmp_path / "own.pruner"))
    with connected(project) as db:
        given = {"draft_set": 128, "without_rules": ["mine"], "check": "all", "caches": "warm"}
        db.execute("UPDATE runs SET settings = ?", (json.dumps(given),))
    window.workspace.open(project, 1)
    window.duplicate_run()
    start = window.start_page()
    assert not start.tune.isEnabled() and start.hindrance.text() == "The model is being taken from the project."
    qtbot.waitUntil(lambda: start.plan().settings == given, timeout=20_000)
    assert start.plan().settings == given
    assert "caches = warm" in start.form.settings_note.text(), "its latencies will not compare with those of other runs"
    fields = unfold(qtbot, start)
    give(qtbot, fields["draft_set"], "64")
    qtbot.mouseClick(fields["check"].part("best"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(fields["caches"].part("network"), Qt.MouseButton.LeftButton)
    assert start.plan().settings == {"draft_set": 64, "without_rules": ["mine"]}


def test_settings_that_are_none_are_told(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project = Path(shutil.copy(SAMPLE, tmp_path / "own.pruner"))
    with connected(project) as db:
        db.execute("UPDATE runs SET settings = ?", ('{"draft_set": -5}',))
    window.workspace.open(project, 1)
    window.duplicate_run()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=20_000)
    assert window.start_page().hindrance.text() == ""
    assert (
        "The setting draft_set takes a whole number of 1 or more, not -5." in window.problems.cards()[0].problem.message
    )


def test_settings_that_unfold_at_the_lower_end_are_scrolled_into_sight(qtbot, start: StartPage) -> None:
    start.window().resize(1366, 768)
    area = start.findChild(QScrollArea)
    start.form.settings_button.click()
    fields = start.form.fields

    def seen(part: QWidget) -> bool:
        return area.viewport().rect().contains(part.mapTo(area.viewport(), part.rect().center()))

    qtbot.waitUntil(lambda: seen(fields.editors["dtype"].widget))
    assert seen(start.form.settings_button)


def test_the_keyboard_unfolds_the_settings_and_reaches_every_field(qtbot, start: StartPage) -> None:
    start.form.settings_button.setFocus()
    qtbot.keyClick(start.form.settings_button, Qt.Key.Key_Space)
    editors = start.form.fields.editors
    wanted = {told(widget) for widget in controls(start.form.fields)} - {
        told(made) for kind in ("dtype", "layout", "caches", "check") for made in controls(editors[kind].widget)[1:]
    }  # of exclusive buttons the arrow keys reach the others
    assert len(wanted) > len(NAMES) + 20
    for _ in range(len(wanted) + 5):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        wanted.discard(told(QApplication.focusWidget()))
    assert wanted == set()


@pytest.mark.parametrize("screen", SCREENS)
def test_no_setting_is_cut_on_a_small_screen(qtbot, window: MainWindow, start: StartPage, rested, screen: str) -> None:
    window.resize(*SCREENS[screen])
    unfold(qtbot, start)
    rested(start)
    assert cut(start.form) == []


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A strategy under another name, which leaves a note wherever its code is run."""
    path = tmp_path / "own plugin.py"
    path.write_text(
        "from pathlib import Path\n"
        "from pruner_engine.search.strategy import make_strategy, register_strategy\n"
        "Path(__file__).with_suffix('.ran').touch()\n"
        "register_strategy('mine', lambda context: make_strategy('random', context))\n"
    )
    return path


def choose_plugin(qtbot, start: StartPage, path: Path) -> QCheckBox:
    """Through the dialog, as a user does."""
    qtbot.mouseClick(start.form.plugins.add_button, Qt.MouseButton.LeftButton)
    (dialog,) = start.form.plugins.findChildren(QFileDialog)
    dialog.selectFile(str(path))
    with qtbot.waitSignal(dialog.destroyed, timeout=10_000):
        dialog.accept()
    return start.form.plugins.boxes[str(path)]


def test_the_code_of_a_plugin_is_run_only_after_a_tick(qtbot, start: StartPage, terminal, plugin: Path) -> None:
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    part = start.form.plugins
    assert not part.warning.isVisible()
    box = choose_plugin(qtbot, start, plugin)
    assert part.warning.isVisible() and "is run on this machine with your rights" in part.warning.text()
    assert box.text() == "Run the code of own plugin.py" and not box.isChecked() and box.hasFocus()
    assert not start.tune.isEnabled() and "Tick the plugins" in start.hindrance.text()
    assert start.plan().plugins == [] and "--plugin" not in start.command_line()
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert start.plan().plugins == [str(plugin)] == terminal(start.command_line()).plugins and start.tune.isEnabled()
    assert start.workspace.plugins == [str(plugin)], "it takes part wherever a run is gone on with or looked at"
    plugin.rename(plugin.with_suffix(".away"))
    qtbot.keyClick(box, Qt.Key.Key_Space)
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert not start.tune.isEnabled() and "is not there any more" in start.hindrance.text()
    leave = next(made for made in part.findChildren(QToolButton) if made.accessibleName() == "Leave out own plugin.py")
    qtbot.mouseClick(leave, Qt.MouseButton.LeftButton)
    assert start.plan().plugins == [] and start.tune.isEnabled() and not part.warning.isVisible()
    assert start.workspace.plugins == []
    assert not list(plugin.parent.glob("*.ran")), "choosing it and asking about the model runs none of it"


def test_a_run_with_a_plugins_strategy_is_tuned_and_gone_on_with(
    qtbot, window: MainWindow, start: StartPage, plugin: Path, tmp_path: Path
) -> None:
    qtbot.mouseClick(choose_plugin(qtbot, start, plugin), Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    give(qtbot, start.form.strategy.lineEdit(), "mine")
    give(qtbot, start.project, str(tmp_path / "mine.pruner"))
    give(qtbot, start.form.budget, "2")
    start.form.take_settings({"round_trials": 2})
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    qtbot.mouseClick(start.tune, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(window.run_bar.go_on_button.isVisible, timeout=200_000)
    run = window.workspace.run()
    assert (run["strategy"], run["trials"], run["state"]) == ("mine", 2, "finished")
    qtbot.mouseClick(window.run_bar.go_on_button, Qt.MouseButton.LeftButton)
    assert window.run_bar.more.command().plugins == [str(plugin)]
    give(qtbot, window.run_bar.more.further, "1")
    qtbot.mouseClick(window.run_bar.more.go, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.workspace.run()["trials"] == 3, timeout=200_000)
    qtbot.waitUntil(lambda: not window.workspace.job.running, timeout=60_000)
    assert window.problems.cards() == []


def test_a_setting_that_takes_one_of_a_few_words_is_chosen_and_not_typed(qtbot) -> None:
    fields = SettingFields()
    qtbot.addWidget(fields)
    kinds = {field.name: field.type for field in inspect.type_info(SearchSettings).fields}
    closed = [name for name, kind in kinds.items() if "Literal" in str(kind)]
    assert {"dtype", "layout", "caches", "check"} <= set(closed)
    assert [name for name in closed if not isinstance(fields.editors[name].widget, Segments | QComboBox)] == []


def test_a_setting_in_seconds_tells_its_unit(qtbot) -> None:
    fields = SettingFields()
    qtbot.addWidget(fields)
    limit = fields.editors["build_timeout_s"]
    assert limit.widget.text() == "30 s" and "default 30 s" in [made.text() for made in fields.findChildren(QLabel)]
    limit.widget.lineEdit().setText("12.5 s")
    assert limit.read() == 12.5 and fields.editors["mutation"].widget.text() == "0.85"
