"""The line to the engine: replies find who asked, a killed engine is told, a running one is attached to."""

from __future__ import annotations

import os
import signal

import pytest

from pruner_engine import protocol as msg
from pruner_studio.engine_client import EngineClient


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
