"""From the list of recent projects to a closed one: by clicks and keys, with real files."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import weakref
from contextlib import closing
from pathlib import Path

import pytest
from project_factory import make_project
from PySide6.QtCore import QByteArray, QObject, QSettings, Qt
from PySide6.QtGui import QAction, QGuiApplication, QPainter, QPixmap, QTextDocument
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QPushButton, QStyleOptionButton

from databases import connected
from pruner_engine import units
from pruner_engine.resources import resource_dir
from pruner_engine.search.settings import SearchSettings
from pruner_engine.store.reader import ProjectReader
from pruner_studio import background, session
from pruner_studio.main_window import MainWindow
from pruner_studio.models.recent import names, recent, summaries
from pruner_studio.problem import Problem
from pruner_studio.widgets.help_window import HelpWindow
from pruner_studio.widgets.shortcuts import Shortcuts

SAMPLE = resource_dir() / "samples" / "small-cnn.pruner"


def action(window: MainWindow, name: str) -> QAction:
    return next(found for found in window.findChildren(QAction) if found.text().replace("&", "") == name)


def press(qtbot, window: MainWindow, keys: str) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keySequence(window, keys)


def named(parent, name: str) -> QPushButton:
    return next(made for made in parent.findChildren(QPushButton) if made.accessibleName() == name)


def test_recent_projects_show_the_best_of_all_runs(qtbot, window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project)
    window.show_page("start")
    card = window.show_page("start").recent
    qtbot.waitUntil(lambda: bool(card.summaries), timeout=10_000)
    with ProjectReader(finished_project) as reader:
        best = min(reader.runs(), key=lambda run: run["latency_s"])
    (row,) = card.summaries
    assert (row["latency_s"], row["gain"]) == (best["latency_s"], best["gain"])
    told = f"{units.latency(best['latency_s'])}  {units.ratio(best['gain'])}"
    assert told in [found.text() for found in card.findChildren(QLabel)]
    window.workspace.leave()
    qtbot.mouseClick(named(card, f"Open recent project {finished_project.name}"), Qt.MouseButton.LeftButton)
    assert window.workspace.path == str(finished_project)


def test_recent_projects_of_one_name_are_told_apart_by_their_folders(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    places = [tmp_path / folder / name for folder, name in (("a", "p"), ("b", "p"), ("b", "q"))]
    for place in places:
        place.parent.mkdir(exist_ok=True)
        shutil.copy(finished_project, place.with_suffix(".pruner"))
    QSettings().setValue("recent", [f"{place}.pruner" for place in places])
    card = window.show_page("start").recent
    card.refresh()
    qtbot.waitUntil(lambda: len(card.summaries) == 3, timeout=10_000)
    assert [made.text().strip() for made in card._buttons.values()] == ["a/p", "b/p", "q"]
    window.menus.look_for_recent()
    assert [made.text() for made in window.menus._recent.actions()][:3] == ["a/p", "b/p", "q"]
    assert set(names(["/p.pruner", "/a/p.pruner"]).values()) == {"/p", "a/p"}


def test_the_keyboard_stays_at_a_recent_project_when_its_figures_come(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    others = [str(shutil.copy(finished_project, tmp_path / f"{name}.pruner")) for name in ("one", "two")]
    QSettings().setValue("recent", [others[0], str(finished_project), others[1]])
    card = window.show_page("start").recent
    card.refresh()
    named(card, f"Open recent project {finished_project.name}").setFocus()
    qtbot.waitUntil(lambda: len(card.summaries) == 3, timeout=60_000)
    assert window.focusWidget().accessibleName() == f"Open recent project {finished_project.name}"
    forgotten = next(made for made in window.focusWidget().actions() if "Remove" in made.text())
    forgotten.trigger()
    assert window.focusWidget().accessibleName() == "Open recent project two.pruner"
    qtbot.waitUntil(lambda: len(card.summaries) == 2, timeout=60_000)
    assert window.focusWidget().accessibleName() == "Open recent project two.pruner"


def test_a_project_that_another_program_locks_is_no_damaged_one(window: MainWindow, tmp_path: Path) -> None:
    place = shutil.copy(SAMPLE, tmp_path / "shared.pruner")
    with closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN EXCLUSIVE")
        assert not window.workspace.open(place)
        (told,) = window.problems.problems()
        assert told.message == f"{place} is locked by another program." and told.hint.startswith("Close the program")
        other.execute("ROLLBACK")
    assert window.workspace.open(place) and window.problems.problems() == []


def test_an_ampersand_in_a_name_is_shown_and_is_no_key(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    place = shutil.copy(finished_project, tmp_path / "R&D <b>x.pruner")
    window.workspace.open(place)
    card = window.show_page("start").recent
    qtbot.waitUntil(lambda: bool(card.summaries), timeout=30_000)
    entry = named(card, "Open recent project R&D <b>x.pruner")
    assert entry.text() == "R&D <b>x" and entry.shortcut().isEmpty()
    option = QStyleOptionButton()
    entry.initStyleOption(option)
    assert option.text == "R&&D <b>x"
    (listed,) = (made for made in window.menus._recent.actions() if "D <b>x" in made.text())
    assert listed.text() == "R&&D <b>x"
    for tip in (entry.toolTip(), listed.toolTip()):
        read = QTextDocument()
        read.setHtml(tip)
        assert read.toPlainText() == str(place)


def test_a_recent_project_out_of_reach_keeps_no_window_from_starting(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    far = str(tmp_path / ("far" * 100) / "far.pruner")  # refused by the kernel, as a share that is gone
    with pytest.raises(OSError, match="too long"):
        Path(far).stat()
    QSettings().setValue("recent", [far, str(finished_project)])
    again = MainWindow(opening=True)
    qtbot.addWidget(again)

    def listed() -> list[str]:
        return [made.text() for made in again.menus._recent.actions() if made.toolTip() not in ("", made.text())]

    qtbot.waitUntil(lambda: listed() == ["resnet18"], timeout=20_000)
    again.settle(far)
    assert again.current_page == "start" and "There is no file" in again.problems.cards()[0].problem.message
    again.close()


def test_a_project_on_a_disk_that_is_not_mounted_is_listed_again_when_it_is(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    disk, elsewhere = tmp_path / "disk", tmp_path / "elsewhere"
    disk.mkdir()
    far = Path(shutil.copy(finished_project, disk / "far.pruner"))
    window.workspace.open(far)
    window.workspace.leave()
    card = window.start_page().recent

    def listed() -> tuple[bool, bool]:
        """On the Start page, and in the menu."""
        card.refresh()
        window.menus._recent.aboutToShow.emit()
        qtbot.waitUntil(lambda: not background._window().works, timeout=20_000)
        return str(far) in card._buttons, "far" in [made.text() for made in window.menus._recent.actions()]

    assert listed() == (True, True)
    disk.rename(elsewhere)
    assert listed() == (False, False)
    window.workspace.open(finished_project)
    window.workspace.leave()
    assert listed() == (False, False)
    named(card, f"Open recent project {finished_project.name}").actions()[-1].trigger()  # takes that one off the list
    assert recent() == [str(far)]
    elsewhere.rename(disk)
    assert listed() == (True, True)


def test_the_demonstration_is_opened_as_a_copy(qtbot, window: MainWindow, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    before = SAMPLE.read_bytes()
    assert len(before) <= 1 << 20
    qtbot.mouseClick(window.show_page("start").recent.demo, Qt.MouseButton.LeftButton)
    assert Path(window.workspace.path).parent == tmp_path / "pruner-projects"
    runs = window.workspace.reader.runs()
    assert window.workspace.run()["id"] == min(runs, key=lambda run: run["latency_s"])["id"], "the fastest"
    assert {run["strategy"] for run in runs} == {"pruner", "moa-pruner", "metaschedule"}
    assert SAMPLE.read_bytes() == before


def test_a_run_is_duplicated_with_its_settings(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project = Path(shutil.copy(SAMPLE, tmp_path / "own.pruner"))
    window.workspace.open(project, 1)
    run = window.workspace.run()
    press(qtbot, window, "Ctrl+D")
    start = window.show_page("start")
    qtbot.waitUntil(lambda: start.plan().project == str(project), timeout=20_000)
    plan = start.plan()
    assert (plan.strategy, plan.seed, plan.trials) == (run["strategy"], run["seed"], run["budget_trials"])
    assert plan.project == str(project) and plan.target == run["target"]
    start.form.seed.setValue(7)
    assert "--seed 7" in start.command_line()
    defaults = json.loads(SearchSettings().as_json())
    assert defaults | start.plan().settings == defaults | run["settings"]


def test_a_run_whose_model_file_is_gone_is_duplicated_from_the_copy_in_the_project(
    qtbot, window: MainWindow, tmp_path: Path
) -> None:
    project = Path(shutil.copy(SAMPLE, tmp_path / "own.pruner"))
    window.workspace.open(project, 1)
    press(qtbot, window, "Ctrl+D")
    start = window.show_page("start")
    qtbot.waitUntil(lambda: bool(start.plan().model), timeout=20_000)
    model = Path(start.plan().model)
    with connected(project) as db:
        (content,) = db.execute("SELECT content FROM models").fetchone()
    assert model.name == "small-cnn.onnx" and model.is_absolute() and model.read_bytes() == content
    qtbot.waitUntil(start.tune.isEnabled, timeout=60_000)
    assert [path.name for path in model.parent.iterdir()] == [model.name]
    written = model.stat().st_mtime_ns
    start.set_model("")
    press(qtbot, window, "Ctrl+D")
    qtbot.waitUntil(lambda: start.plan().model == str(model), timeout=20_000)
    assert model.stat().st_mtime_ns == written, "a copy that is there is not written again"
    with connected(project) as db:
        db.execute("UPDATE models SET content = NULL")
    press(qtbot, window, "Ctrl+D")
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=20_000)
    (card,) = window.problems.cards()
    assert "small-cnn.onnx is not there any more" in card.problem.message and card.problem.hint


def test_a_model_that_is_chosen_meanwhile_stays(qtbot, window: MainWindow, tmp_path: Path) -> None:
    window.workspace.open(shutil.copy(SAMPLE, tmp_path / "own.pruner"), 1)
    window.duplicate_run()
    start = window.start_page()
    start.set_model("matmul:8,8,8")
    qtbot.waitUntil(lambda: not background._window().works, timeout=20_000)
    assert start.plan().model == "matmul:8,8,8"


def test_what_others_measured_is_neither_shown_first_nor_duplicated(window: MainWindow, tmp_path: Path) -> None:
    project = make_project(tmp_path / "imported.pruner", runs=2, rounds=1)
    with connected(project) as db:
        db.execute("UPDATE runs SET strategy = 'imported' WHERE id = 2")
        db.execute("UPDATE progress SET latency_s = latency_s / 100 WHERE run_id = 2")
    with ProjectReader(project) as reader:
        own, imported = (run["latency_s"] for run in reader.runs())
    assert imported < own and [row["latency_s"] for row in summaries([str(project)])] == [own]
    window.workspace.open(project)
    assert window.workspace.run_id == 1, "a run that was tuned here is not displaced"
    for run_id, offered in ((1, True), (2, False)):
        window.workspace.open(project, run_id)
        assert action(window, "Duplicate with changes…").isEnabled() == offered
        assert window.run_bar.go_on_button.isVisible() == offered


def test_a_project_is_known_by_one_name_however_it_is_called(
    window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    (link := tmp_path / "link.pruner").symlink_to(finished_project)
    window.open_path(str(link))
    assert window.workspace.path == str(finished_project.resolve()) == recent()[0]


def test_a_cleared_list_of_recent_projects_is_empty_on_the_start_page_too(
    qtbot, window: MainWindow, finished_project: Path
) -> None:
    window.workspace.open(finished_project)
    start = window.start_page()
    entry = f"Open recent project {finished_project.name}"

    def listed() -> bool:
        shown = (made for made in start.recent.findChildren(QPushButton) if made.isVisible())
        return entry in [made.accessibleName() for made in shown]

    qtbot.waitUntil(listed)
    action(window, "Clear this list").trigger()
    assert not listed()

    window.workspace.open(finished_project)
    window.start_page()
    qtbot.waitUntil(listed)
    row = named(start.recent, entry)
    next(made for made in row.actions() if made.text() == "&Remove from this list").trigger()
    assert not listed() and recent() == [] and finished_project.is_file()


def test_a_dialog_for_a_folder_opens_in_one_that_is_there(
    window: MainWindow, finished_project: Path, tmp_path: Path, monkeypatch
) -> None:
    window.workspace.open(finished_project)
    records: list[str] = []
    monkeypatch.setattr(window.menus.files, "write_records", records.append)
    page = window.show_page("export")
    page.refresh()
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").touch()
    for ask, ending, taken in (
        (window.menus.files.export_records, "records", lambda: records[-1]),
        (page._ask, "export", page.out.text),
    ):
        ask()
        (dialog,) = window.findChildren(QFileDialog)
        assert dialog.directory().path() == str(finished_project.parent)
        for chosen, written in ((full, full / f"resnet18-{ending}"), (full / "own", full / "own")):
            chosen.mkdir(exist_ok=True)
            dialog.fileSelected.emit(str(chosen))
            assert taken() == str(written)
        dialog.setParent(None)
        dialog.deleteLater()


def test_a_project_is_closed_by_ctrl_w(qtbot, window: MainWindow, finished_project: Path) -> None:
    window.workspace.open(finished_project)
    press(qtbot, window, "Ctrl+W")
    assert window.workspace.path == "" and window.current_page == "start"
    assert window.windowTitle() == "Pruner Studio"
    assert not action(window, "Close the project").isEnabled()
    assert window.show_page("overview").pages.currentIndex() == 0


def test_a_run_is_saved_as_a_page(qtbot, window: MainWindow, finished_project: Path, tmp_path: Path) -> None:
    window.workspace.open(finished_project)
    out = tmp_path / "run.html"
    press(qtbot, window, "Ctrl+Shift+S")
    dialog = window.findChild(QFileDialog)
    assert dialog.isVisible() and dialog.windowModality() != Qt.WindowModality.ApplicationModal
    dialog.reject()
    window.menus.files.write_report(str(out))
    qtbot.waitUntil(lambda: "report" not in window.menus.files.under_way, timeout=30_000)
    (card,) = window.problems.cards()
    assert card.problem.level == "info", card.problem.message
    assert "<svg" in out.read_text() and "src=" not in out.read_text()
    qtbot.mouseClick(named(card, "Copy as command"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == f"pruner report {finished_project} --html {out} --run 3"


def test_copy_as_command_tells_what_is_shown_and_changes_nothing(
    qtbot, window: MainWindow, finished_project: Path
) -> None:
    window.workspace.open(finished_project, 2)
    for key, line in (
        ("overview", f"pruner status {finished_project}"),
        ("tasks", f"pruner tasks {finished_project} --run 2"),
        ("draft", f"pruner rounds {finished_project} --run 2"),
        ("adaptation", f"pruner adaptation {finished_project} --run 2"),
        ("compare", f"pruner compare {finished_project} --run 2"),
        ("devices", "pruner profile --kept"),
    ):
        window.show_page(key)
        press(qtbot, window, "Ctrl+Shift+C")
        assert QGuiApplication.clipboard().text() == line
    draft = window.show_page("draft")
    draft.refresh()
    draft.task.setFocus()
    qtbot.keyClick(draft.task, Qt.Key.Key_Down)
    press(qtbot, window, "Ctrl+Shift+C")
    task = window.workspace.reader.tasks(2)[0]["id"]
    assert QGuiApplication.clipboard().text() == f"pruner rounds {finished_project} --run 2 --task {task}"
    export = window.show_page("export")
    press(qtbot, window, "Ctrl+Shift+C")
    line = f"pruner export {finished_project} --all-runs --out {export.out.text()} --run 2"
    assert QGuiApplication.clipboard().text() == line
    export.beside.setFocus()
    qtbot.keyClick(export.beside, Qt.Key.Key_Space)
    press(qtbot, window, "Ctrl+Shift+C")
    assert QGuiApplication.clipboard().text() == f"{line} --weights beside"


def test_copy_as_command_is_offered_where_there_is_one(qtbot, window: MainWindow, finished_project: Path) -> None:
    copy = action(window, "Copy as command")
    QGuiApplication.clipboard().setText("kept")
    for key in ("start", "overview", "tasks", "schedule", "draft", "adaptation", "compare", "export"):
        window.show_page(key)
        assert not copy.isEnabled(), key
        press(qtbot, window, "Ctrl+Shift+C")
    assert QGuiApplication.clipboard().text() == "kept" and not window.statusBar().currentMessage()
    window.show_page("devices")
    assert copy.isEnabled()
    start = window.show_page("start")
    start.set_model("matmul:64,64,64")
    assert copy.isEnabled()
    start.set_model("")
    assert not copy.isEnabled()
    window.workspace.open(finished_project)
    assert copy.isEnabled()
    export = window.show_page("export")
    assert copy.isEnabled() and export.copy_button.isEnabled()
    export.out.clear()
    assert not copy.isEnabled() and not export.copy_button.isEnabled()
    window.workspace.leave()
    assert not copy.isEnabled()


def test_f1_explains_the_figures(qtbot, window: MainWindow) -> None:
    press(qtbot, window, "F1")
    help_window = window.findChild(HelpWindow)
    assert help_window.isVisible()
    window.show_help()
    assert window.findChildren(HelpWindow) == [help_window]
    qtbot.keyClicks(help_window.filter, "wave")
    told = help_window.text.toPlainText()
    assert "Waves full" in told and "Register pressure" not in told
    help_window.close()


def test_records_go_out_of_a_project_and_into_it(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project = Path(shutil.copy(SAMPLE, tmp_path / "own.pruner"))
    window.workspace.open(project)
    out = tmp_path / "records"
    files = window.menus.files
    files.write_records(str(out))
    qtbot.waitUntil(lambda: "records" not in files.under_way, timeout=120_000)
    written = window.problems.cards()[0].problem
    assert written.level == "info", written.message
    assert [name for name, _ in written.actions] == ["Open", "Copy as command"]
    files._ask_device(str(out))
    box = window.findChild(QMessageBox)
    qtbot.mouseClick(next(b for b in box.buttons() if b.text() == "On another one"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "records" not in files.under_way, timeout=120_000)
    assert len(window.workspace.reader.runs()) == 4
    card = window.problems.cards()[0]
    qtbot.mouseClick(named(card, "Show"), Qt.MouseButton.LeftButton)
    assert window.workspace.run()["strategy"] == "imported"


@pytest.fixture
def opening(qtbot, window: MainWindow):
    """A window that is made to open a project, as by `pruner-studio PROJECT`."""
    made = MainWindow(opening=True)
    qtbot.addWidget(made)
    made.show()
    assert made.current_page == ""
    yield made
    made.close()


def test_a_window_for_a_project_shows_it_first(opening: MainWindow, finished_project: Path) -> None:
    opening.settle(str(finished_project))
    assert opening.current_page == "overview" and list(opening.pages.made) == ["overview"]
    assert opening.workspace.path == str(finished_project)


def test_a_window_for_a_project_that_is_none_shows_the_start_page(opening: MainWindow, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pruner"
    broken.write_bytes(b"not a database at all" * 100)
    opening.settle(str(broken))
    assert opening.current_page == "start"
    (card,) = opening.problems.cards()
    assert "broken.pruner" in card.problem.message and card.problem.hint


def test_a_dead_engine_of_the_last_session_is_told_at_start(qtbot, window: MainWindow, tmp_path: Path) -> None:
    project = make_project(tmp_path / "broken.pruner", runs=1, rounds=2, state="tuning")
    window.workspace.open(project)
    window.workspace.leave()
    window.settle()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=10_000)
    (card,) = window.problems.cards()
    assert "Run 1 of broken was interrupted" in card.problem.message
    qtbot.mouseClick(named(card, "Open"), Qt.MouseButton.LeftButton)
    assert window.workspace.path == str(project) and window.run_bar.resume_button.isVisible()


def test_what_was_told_of_a_run_goes_when_its_project_is_opened_otherwise(
    qtbot, window: MainWindow, finished_project: Path, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "broken.pruner", runs=1, rounds=2, state="tuning")
    window.workspace.open(project)
    window.workspace.leave()
    window.settle()
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=10_000)
    window.workspace.open(finished_project)
    assert window.problems.cards()
    window.open_path(str(project))
    assert window.problems.cards() == []


_CRASHES = """
import faulthandler, sys
from PySide6.QtCore import QCoreApplication
from pruner_studio.session import Session
app = QCoreApplication(["pruner-studio"])
session = Session(print)
session.describe()
{deed}
"""


@pytest.mark.parametrize(
    ("deed", "told"),
    [("faulthandler._sigsegv()", "Segmentation fault"), ("import os; os._exit(1)", "pruner-studio")],
    ids=["native", "killed"],
)
def test_a_window_that_crashed_is_told_once_at_the_next_start(deed: str, told: str) -> None:
    session.crashes()
    subprocess.run([sys.executable, "-c", _CRASHES.format(deed=deed)], env=os.environ, check=False, timeout=60)
    (problem,) = session.crashes()
    assert told in problem.report and "python" in problem.report and problem.hint
    assert session.crashes() == []


def test_a_crash_is_told_where_the_next_window_has_the_same_number_as_in_a_container() -> None:
    session.crashes()
    ended = subprocess.Popen([sys.executable, "-c", _CRASHES.format(deed="import os; os._exit(1)")], env=os.environ)
    ended.wait(60)
    (log,) = Path(os.environ["XDG_STATE_HOME"]).rglob(f"session-{ended.pid}.log")
    log.rename(log.with_stem(f"session-{os.getpid()}"))
    (problem,) = session.crashes()
    assert "python" in problem.report
    assert session.crashes() == []


def test_a_window_that_ended_in_good_order_leaves_nothing(qtbot, window: MainWindow) -> None:
    window.settle()
    window.close()
    assert session.crashes() == []


def test_a_window_whose_state_cannot_be_written_works_and_says_so(
    qtbot, qapp, finished_project: Path, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "state"))
    window = MainWindow(opening=True)
    qtbot.addWidget(window)
    window.settle(str(finished_project))
    assert window.workspace.path == str(finished_project) and window.current_page == "overview"
    (problem,) = window.problems.problems()
    assert problem.level == "warning" and "log" in problem.message
    window.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_an_error_is_told_although_its_log_is_full(qtbot) -> None:
    told = []
    made = session.Session(told.append)
    made._file.close()
    made._file = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115
    made._hook = lambda *_: None
    made._error(ZeroDivisionError, ZeroDivisionError("by zero"), None)
    made._hook = sys.__excepthook__
    made.end()
    assert "ZeroDivisionError" in told[0].message


def test_damage_is_told_once_and_taken_back(qtbot, window: MainWindow, rested, tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLE, tmp_path / "damaged.pruner"))
    whole = path.read_bytes()
    window.workspace.open(path)
    rested(window.show_page("overview"))
    with path.open("r+b") as file:
        file.write(bytes(3 * 4096))
    qtbot.waitUntil(lambda: bool(window.problems.cards()), timeout=20_000)
    window.problems.dismiss_all()
    qtbot.wait(1_000)  # two looks
    assert not window.problems.problems()
    with path.open("r+b") as file:
        file.write(whole[: 3 * 4096])
    qtbot.waitUntil(lambda: window.workspace._damage is None, timeout=20_000)
    assert not window.problems.cards()


def test_damage_of_a_project_goes_with_it(qtbot, window: MainWindow, rested, tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLE, tmp_path / "damaged.pruner"))
    window.workspace.open(path)
    rested(window.show_page("overview"))
    with path.open("r+b") as file:
        file.write(bytes(3 * 4096))
    qtbot.waitUntil(lambda: bool(window.problems.problems()), timeout=20_000)
    window.workspace.open(shutil.copy(SAMPLE, tmp_path / "sound.pruner"))
    assert not window.problems.problems()


def test_an_error_in_a_slot_becomes_a_card(qtbot, window: MainWindow) -> None:
    told = []
    made = session.Session(told.append)
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError as error:
        made._hook = lambda *_: None
        made._error(type(error), error, error.__traceback__)
    made._hook = sys.__excepthook__
    assert "ZeroDivisionError" in told[0].message and "by zero" in told[0].report
    made.end()


def test_what_the_system_refuses_is_a_sentence_wherever_the_window_met_it(qtbot) -> None:
    told: list[Problem] = []
    full = OSError(errno.ENOSPC, "No space left on device")

    def write() -> None:
        raise full

    made = session.Session(told.append)
    made._error(OSError, full, None)
    made.end()
    asks = QObject()
    background.run(asks, write, told.append, told.append)
    qtbot.waitUntil(lambda: len(told) == 2, timeout=20_000)
    for problem in told:
        assert "No space left" in problem.message and "Free some space" in problem.hint and not problem.report


def test_what_painted_when_an_error_came_is_let_go(qtbot) -> None:
    made, picture, painters = session.Session(lambda _: None), QPixmap(8, 8), []

    def paint() -> None:
        painter = QPainter(picture)
        painters.append(weakref.ref(painter))
        raise ZeroDivisionError

    made._hook = lambda *_: None
    with pytest.raises(ZeroDivisionError) as raised:  # which keeps it, as Python does
        paint()
    assert painters[0]() is not None and picture.paintingActive()
    made._error(*raised._excinfo)
    assert painters[0]() is None and not picture.paintingActive()

    with pytest.raises(KeyError) as raised:
        try:
            paint()
        except ZeroDivisionError:
            {}["another one follows"]
    sys.last_traceback = raised.tb
    made._error(*raised._excinfo)
    assert painters[1]() is None and not picture.paintingActive() and not hasattr(sys, "last_traceback")
    made._hook = sys.__excepthook__
    made.end()


def test_a_window_comes_back_as_large_as_it_was(qtbot, window: MainWindow) -> None:
    window.resize(1111, 777)
    window.close()
    again = MainWindow()
    qtbot.addWidget(again)
    assert (again.width(), again.height()) == (1111, 777)
    again.close()
    QSettings().setValue("geometry", QByteArray(b"no geometry"))
    afresh = MainWindow()
    qtbot.addWidget(afresh)
    assert afresh.width() == 1440
    afresh.close()


def test_the_shortcuts_are_those_of_the_menus(qtbot, window: MainWindow) -> None:
    action(window, "Keyboard shortcuts").trigger()
    (listed,) = window.findChildren(Shortcuts)
    told = {part.text() for part in listed.findChildren(QLabel)}
    for menu in (top.menu() for top in window.menuBar().actions()):
        for entry in menu.actions():
            if not entry.shortcut().isEmpty():
                assert entry.shortcut().toString() in told, entry.text()
    listed.close()


def test_a_copy_of_the_project_holds_what_is_in_it_now(qtbot, window: MainWindow, tmp_path: Path) -> None:
    path = make_project(tmp_path / "at-work.pruner")
    assert window.workspace.open(path)
    with closing(sqlite3.connect(path)) as writer:  # as an engine that has the file open: the row is in its log only
        writer.execute("PRAGMA journal_mode = WAL")
        with writer:
            writer.execute("UPDATE runs SET seed = 4711 WHERE id = 1")
        copy = tmp_path / "kept.pruner"
        window.menus.files.write_copy(str(copy))
        qtbot.waitUntil(lambda: "copy" not in window.menus.files.under_way, timeout=30_000)
    (card,) = window.problems.cards()
    assert card.problem.message == f"The project was copied to {copy}."
    ((_, open_copy),) = card.problem.actions
    open_copy()
    assert window.workspace.path == str(copy) and window.workspace.reader.run(1)["seed"] == 4711

    for place, why in ((copy, "the open project itself"), (tmp_path / "nowhere" / "a.pruner", "could not be written")):
        window.problems.dismiss_all()
        window.menus.files.write_copy(str(place))
        qtbot.waitUntil(lambda: "copy" not in window.menus.files.under_way, timeout=30_000)
        (card,) = window.problems.cards()
        assert why in card.problem.message and card.problem.hint
    assert not list(tmp_path.glob("*.part*"))
