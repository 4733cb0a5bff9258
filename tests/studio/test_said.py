"""What engines say in English is shown in the user's language, and copied as they said it."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QLabel

from pruner_engine.errors import UserError, of_surroundings
from pruner_engine.model_names import whole
from pruner_engine.protocol import Check, Phase, Verified
from pruner_engine.resources import resource_dir
from pruner_engine.store.reader import ProjectReader
from pruner_studio import translation
from pruner_studio.job import Job
from pruner_studio.models.recent import summaries
from pruner_studio.models.rounds import correlation
from pruner_studio.models.settings import hindrance
from pruner_studio.models.words import PHASES
from pruner_studio.panes.what_if import WhatIfPane
from pruner_studio.problem import Problem
from pruner_studio.reasons import KNOWN
from pruner_studio.said import all_said, said
from pruner_studio.widgets.checks import CheckList
from pruner_studio.widgets.export_result import ExportResult
from pruner_studio.widgets.figure import Figure
from pruner_studio.widgets.problem_card import ProblemCard
from pruner_studio.widgets.setting_fields import SettingFields
from pruner_studio.workspace import Workspace


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    assert translation.install(qapp, "de")
    said.cache_clear()
    yield
    translation.install(qapp, "none")
    said.cache_clear()


def texts(widget) -> list[str]:
    return [shown.text() for shown in widget.findChildren(QLabel)]


def test_a_refusal_is_told_in_german_and_copied_in_english(qtbot, german: None, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        ProjectReader(tmp_path / "a {0} folder" / "none.pruner")
    error = raised.value
    card = ProblemCard(Problem(error.message, error.hint))
    qtbot.addWidget(card)
    assert f"Es gibt keine Projektdatei {tmp_path}/a {{0}} folder/none.pruner." in texts(card)
    assert "Prüfen Sie den Pfad, oder optimieren Sie zuerst ein Modell hinein." in texts(card)
    card._copy()
    assert QGuiApplication.clipboard().text() == f"{error.message}\n\n{error.hint}"


def test_why_a_recent_project_and_a_tracker_will_not_do_is_told_in_german(german: None, tmp_path: Path) -> None:
    (path := tmp_path / "letter.pruner").write_text("Dear reader, this is a letter.", encoding="utf-8")
    with pytest.raises(UserError) as raised:
        ProjectReader(path)
    (row,) = summaries([str(path)])
    assert row["problem"] == all_said(raised.value.message, raised.value.hint) != str(raised.value)
    assert hindrance({"rpc": "board"}).startswith("„board“ ist keine Adresse eines Trackers.")


def test_a_refusal_of_a_model_is_told_in_german(german: None, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        whole(f"{tmp_path}/model.onnx")
    told = all_said(raised.value.message, raised.value.hint)
    assert told == f"Es gibt keine Datei {tmp_path}/model.onnx. Suchen Sie einen Fehler in ihrem Namen oder Ordner."


def test_what_stands_in_a_sentence_is_told_in_german_too(german: None) -> None:
    wanted = "Nach 30 s beendet: der Lauf."
    assert said("The run was ended after 30 s.") == wanted
    assert said("No candidate could be measured (8 run). The first reason: The run was ended after 30 s.").endswith(
        f"Der erste Grund: {wanted}"
    )
    steps = "9 steps, no others than the schedule writes out are unrolled."
    why = f"31 % of the time (1.2 ms) goes into loops and their start: {steps}"
    behind = "9 Schritte, abgerollt sind nur die, die der Ablaufplan ausschreibt."
    assert said(why) == f"31 % der Zeit (1,2 ms) geht in Schleifen und ihren Beginn: {behind}"


def test_why_a_run_ended_is_told_in_german_with_what_to_do(german: None) -> None:
    """A project file holds both as one text."""
    full = "The disk that holds /a b/c. d.pruner is full. Free some space, then resume: nothing measured is lost."
    assert said(full) == (
        "Der Datenträger mit /a b/c. d.pruner ist voll. "
        "Geben Sie Platz frei, und setzen Sie dann fort: Nichts Gemessenes ist verloren."
    )
    assert said("Nobody knows this. Nor that.") == "Nobody knows this. Nor that."


def test_sizes_of_caches_are_written_as_other_sizes(german: None) -> None:
    assert said("L1 32.0 kB, L2 1.00 MB, L3 512 kB") == "L1 32,0 kB, L2 1,00 MB, L3 512 kB"


def test_numbers_in_a_sentence_are_written_as_around_it(german: None) -> None:
    said_of = "88 % of the time (1.2 ms) is arithmetic: {}, which the device's peak of 236 GFLOP/s could do in 320 µs."
    for number, wanted in (("75.5 MFLOP", "75,5 MFLOP"), ("9.44 FLOP", "9,44 FLOP")):
        assert f"ist Rechnen: {wanted}, die" in said(said_of.format(number))
    steps = "73.7 k steps, no others than the schedule writes out are unrolled."
    assert "73,7 k Schritte" in said(f"31 % of the time (1.2 ms) goes into loops and their start: {steps}")
    busy = "LiteRT was timed while other programs kept 1.2 cores busy: what it takes may be told too long."
    assert "1,2 Kerne" in said(busy)
    assert "18,7 GFLOP/s" in said("18.7 GFLOP/s, outputs right")
    far = said("output 0 differs by 2.5e-02 of its largest value; rounding explains 0.0012")
    assert "2,5e-02" in far and "0,0012" in far
    versions = "Reading .pt2 files needs PyTorch 2.5 or newer, this is 2.4."
    assert said(versions).endswith("PyTorch 2.5 oder neuer nötig; dies ist 2.4.")
    assert correlation(0.294) == "+0,29"


def test_numbers_are_typed_as_they_are_shown(qtbot, german: None) -> None:
    fields = SettingFields()
    qtbot.addWidget(fields)
    told = texts(fields)
    typed = [made.widget.text() for made in fields.editors.values() if isinstance(made.widget, QDoubleSpinBox)]
    assert any("," in shown for shown in typed)
    assert all(f"Vorgabe {shown}" in told for shown in typed)


def test_a_tolerance_is_written_as_in_german(qtbot, german: None) -> None:
    workspace = Workspace()
    result = ExportResult(workspace)
    qtbot.addWidget(result)
    result._show_checks([{"ok": True, "against": "onnxruntime", "tolerance": 0.012, "message": ""}])
    assert "Gegen ONNX Runtime: gleich innerhalb der Toleranz von 1,2e-02" in texts(result)


def test_checks_of_the_machine_are_german(qtbot, german: None) -> None:
    shown = CheckList()
    qtbot.addWidget(shown)
    shown.show_checks([Check("Temporary files", False, "/tmp, 3 MB free", "Free 1 GB, or set TMPDIR.")])
    wanted = {"Temporäre Dateien", "/tmp, 3 MB frei", "Geben Sie 1 GB frei, oder setzen Sie TMPDIR."}
    assert wanted <= set(texts(shown))


def test_what_an_export_does_is_told_in_german(german: None) -> None:
    job = Job()
    for detail, wanted in (
        ("compile the tuned model", "optimiertes Modell kompilieren"),
        ("round 2 of 5: ONNX Runtime", "Runde 2 von 5: ONNX Runtime"),
        ("round 1 of 5: torch.compile, which compiles first", "Runde 1 von 5: torch.compile, das zuerst kompiliert"),
        ("/tmp/resnet18.onnx", "/tmp/resnet18.onnx"),
    ):
        job.received.emit(Phase(name="check", detail=detail))
        assert job.work.phase == f"{PHASES['check']} · {wanted}"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("12 measurements of this task, just now", "12 Messungen dieser Aufgabe, gerade eben"),
        ("52 measurements of run 3", "52 Messungen von Lauf 3"),
    ],
)
def test_what_a_model_learned_from_is_told_in_german(qtbot, german: None, source: str, wanted: str) -> None:
    pane = WhatIfPane(Workspace())
    qtbot.addWidget(pane)
    reply = Verified(model="pacm", learned_from=source, score=1.0, place=1, of=2, like_s=None)
    assert pane._verified(reply).endswith(f"Gelernt hat es aus {wanted}.")


def test_every_sentence_is_known_whatever_stands_in_it(german: None) -> None:
    sentences = json.loads((resource_dir() / "translations" / "engine.json").read_text(encoding="utf-8"))
    same = []
    for sentence in sentences:
        holes = re.findall(r"\{\d+\}", sentence)
        words = [f"/tmp/words-{at}" for at in range(len(holes))]
        filled = sentence
        for hole, word in zip(holes, words, strict=True):
            filled = filled.replace(hole, word)
        told = said(filled)
        assert all(word in told for word in words) and not re.search(r"\{\d+\}", told), told
        same += [filled] if told == filled and not filled.istitle() else []
    assert all(" " not in one or one in ("TVM ffi", "ONNX Runtime") for one in same), same


def test_what_nobody_knows_stays_and_so_does_everything_in_english(german: None, qapp: QApplication) -> None:
    unknown = "InternalError: Check failed: (x > 0) is false"
    assert said(unknown) == unknown and said("") == "" and all_said("", unknown) == unknown
    translation.install(qapp, "none")
    said.cache_clear()
    assert said("The run was ended after 30 s.") == "The run was ended after 30 s."


def test_why_the_system_refuses_is_told_in_german_in_every_sentence(german: None, tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path))
    told = said(of_surroundings(full).message)
    assert told == f"Das System hat abgelehnt: kein Platz mehr auf dem Datenträger ({tmp_path})."
    read_only = os.strerror(errno.EROFS)
    assert said(f"The folder {tmp_path} cannot be written: {read_only}.").endswith(
        "das Dateisystem ist schreibgeschützt."
    )
    figure = Figure("Bild", tuple, lambda: [("a", "b")])
    with pytest.raises(UserError) as raised:
        figure.save(str(tmp_path / "nowhere" / "picture.csv"))
    assert "keine solche Datei" in raised.value.message


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC, errno.EROFS, errno.ENOENT, errno.EIO, errno.ENOTDIR])
def test_the_systems_reasons_are_known_as_it_words_them(number: int) -> None:
    assert os.strerror(number) in KNOWN
