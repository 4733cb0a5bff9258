"""The protocol between engine and its clients: closed, typed, one line a message."""

import msgspec
import pytest

from pruner_engine import protocol as m

COMMANDS = [
    m.Tune(project="p", model="m", inputs={"x": [1, 3]}, trials=8, settings={"draft_set": 4}),
    m.Resume(project="p"),
    m.Export(project="p", out="o"),
    m.Inspect(project="p", task_id=1, forms=["asm"]),
    m.WhatIf(project="p", task_id=1, sketch_id=2, decisions=[[1, 2], 3]),
    m.Doctor(),
    m.CheckModel(model="m"),
    m.Pause(),
    m.Unpause(),
    m.Stop(),
    m.Detach(),
    m.Steer(task_id=1, action="boost"),
    m.Quit(),
]
EVENTS = [
    m.Hello(protocol=m.PROTOCOL, version="1", pid=1),
    m.Phase(name="draft"),
    m.Notice(level="info", text="line\nbreak"),
    m.Failed(kind="user", message="no"),
    m.Heartbeat(),
    m.Bye(),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: type(c).__name__)
def test_a_command_survives_the_wire(command):
    line = m.encode(command)
    assert line.count(b"\n") == 1
    assert m.decode_command(line) == command


@pytest.mark.parametrize("event", EVENTS, ids=lambda e: type(e).__name__)
def test_an_event_survives_the_wire(event):
    line = m.encode(event)
    assert line.count(b"\n") == 1, "a line break inside a text must not end the message"
    assert m.decode_event(line) == event


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"not json",
        b'{"type":"tune"}',
        b'{"type":"erase-disk"}',
        b'{"type":"pause","extra":1}',
        b'{"type":"steer","task_id":1,"action":"explode"}',
        b'{"type":"tune","project":1,"model":"m"}',
    ],
)
def test_what_is_no_command_is_refused(line):
    with pytest.raises(msgspec.DecodeError):
        m.decode_command(line)


def test_strings_of_tvm_travel_as_text():
    import tvm_ffi

    text = tvm_ffi.core.String("asm")
    assert m.decode_event(m.encode(m.Notice(level="info", text=text))).text == "asm"


def test_what_cannot_be_sent_is_an_error():
    with pytest.raises(NotImplementedError, match="object cannot be sent"):
        m.encode(m.Exported(out="o", summary={"x": object()}))
