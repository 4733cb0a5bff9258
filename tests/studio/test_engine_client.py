"""The line to the engine: replies find who asked, a killed engine is told, a running one is attached to."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from lent_engine import LentEngine

from limits import no_free_files
from pruner_engine import protocol as msg
from pruner_studio import engine_client
from pruner_studio.engine_client import EngineClient
from pruner_studio.job import Job
from pruner_studio.problem import Problem


@pytest.fixture
def client(qtbot):
    made = EngineClient()
    yield made
    made.quit()
    made.wait_ended(8000)


def test_replies_find_who_asked(qtbot, client: EngineClient) -> None:
    replies, failures = [], []
    client.ask(msg.CheckModel(model="/nowhere/model.onnx"), replies.append, failures.append)
    client.ask(msg.CheckModel(model="matmul:64,64,64"), replies.append, failures.append)
    qtbot.waitUntil(lambda: bool(replies and failures), timeout=60_000)
    assert failures[0].kind == "user" and "/nowhere/model.onnx" in failures[0].message
    assert replies[0].model == "matmul:64,64,64"
    assert client.running and client.owned


def test_a_killed_engine_is_told_in_words(qtbot, client: EngineClient) -> None:
    hellos, ends, failures = [], [], []
    client.received.connect(lambda event: hellos.append(event) if isinstance(event, msg.Hello) else None)
    client.ended.connect(ends.append)
    client.ask(msg.Doctor(), lambda _: None, failures.append)
    qtbot.waitUntil(lambda: bool(hellos), timeout=30_000)
    os.kill(hellos[0].pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: bool(ends), timeout=10_000)
    assert "signal 9" in ends[0] and failures and not client.running


def test_an_unknown_line_is_a_report_not_a_crash(client: EngineClient) -> None:
    events = []
    client.received.connect(events.append)
    client._receive(b'{"type":"from-the-future"}\n{"type":"by')
    client._receive(b'e"}\n')
    assert [type(event) for event in events] == [msg.Failed, msg.Bye]
    assert events[0].kind == "bug"


def test_no_engine_is_started_for_a_question_that_its_end_left_open(client: EngineClient) -> None:
    """A view that asks again when it gets no answer would start one that nobody waits for."""
    asked = []

    def again(failure: msg.Failed) -> None:
        asked.append(failure)
        client.ask(msg.Doctor(), lambda _: None, asked.append)

    client.ask(msg.Doctor(), lambda _: None, again)
    client.quit()
    client.wait_ended(0)
    assert len(asked) == 1 and not client.running


@pytest.mark.qt_log_ignore("Cannot create pipe")
def test_an_engine_that_cannot_even_be_started_is_told_and_the_next_one_is_started(qtbot, client: EngineClient) -> None:
    replies, failures, ends = [], [], []
    client.ended.connect(ends.append)
    with no_free_files():
        client.ask(msg.CheckModel(model="matmul:8,8,8"), replies.append, failures.append)
        qtbot.waitUntil(lambda: bool(ends), timeout=10_000)
        assert client.unstarted and not client.running
    assert failures[0].message == ends[0] and ends[0].startswith("The engine could not be started: ")
    client.ask(msg.CheckModel(model="matmul:64,64,64"), replies.append, failures.append)
    qtbot.waitUntil(lambda: bool(replies), timeout=60_000)
    assert len(failures) == 1 and not client.unstarted


def test_an_engine_that_does_not_end_when_asked_to_is_killed_by_no_other_program(
    qtbot, client: EngineClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_client, "_KILL_AFTER_MS", 100)
    hellos, ends = [], []
    client.received.connect(hellos.append)
    client.ended.connect(ends.append)
    client.send(msg.Doctor())
    qtbot.waitUntil(lambda: bool(hellos), timeout=30_000)
    os.kill(hellos[0].pid, signal.SIGSTOP)
    client.quit()
    qtbot.waitUntil(lambda: bool(ends), timeout=30_000)
    assert ends == [""]


def test_how_a_job_ended_is_told_once_although_its_engine_lives_on(
    qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_client, "_KILL_AFTER_MS", 100)
    job, told = Job(), []

    def hang(problem: Problem) -> None:
        told.append(problem)
        os.kill(job._process.processId(), signal.SIGSTOP)

    job.problem.connect(hang)
    job.begin(msg.Tune(project=str(tmp_path / "none.pruner"), model="/nowhere/model.onnx"), "")
    with qtbot.waitSignal(job.ended, timeout=120_000):
        pass
    (failure,) = told
    assert "/nowhere/model.onnx" in failure.message and not job.running


def test_an_answer_goes_to_who_has_asked_of_all_who_listen(qtbot, engine_of_windows: LentEngine) -> None:
    one, other, heard = EngineClient(), EngineClient(), []
    for client in (one, other):
        engine_of_windows.lend(client)
        client.received.connect(heard.append)
        client.ask(msg.CheckModel(model="matmul:8,8,8"), lambda _: None, lambda _: None)
    qtbot.waitUntil(lambda: not (len(one.questions) or len(other.questions)), timeout=120_000)
    answers, failures = [], []
    one.ask(msg.CheckModel(model="/nowhere/model.onnx"), answers.append, failures.append)
    other.ask(msg.CheckModel(model="matmul:64,64,64"), answers.append, failures.append)
    one.ask(msg.CheckModel(model="matmul:32,32,32"), answers.append, failures.append)
    qtbot.waitUntil(lambda: len(answers) == 2, timeout=60_000)
    assert {answer.model for answer in answers} == {"matmul:64,64,64", "matmul:32,32,32"}
    qtbot.waitUntil(lambda: bool(failures), timeout=60_000)
    assert len(answers) == 2 and len(failures) == 1
    assert not any(isinstance(event, msg.Answer | msg.Failed) for event in heard)
    for client in (one, other):
        client.quit()


def test_what_ails_the_engine_is_told_to_everybody_who_waits(client: EngineClient) -> None:
    failures = []
    for model in ("one", "two"):
        client.questions.add(msg.CheckModel(model=model), lambda _: None, failures.append)
    client._take(msg.encode(msg.Failed(kind="user", message="The engine ended itself: it hung.")))
    assert [failure.message for failure in failures] == ["The engine ended itself: it hung."] * 2
