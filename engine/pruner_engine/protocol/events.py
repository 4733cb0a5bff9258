"""Events from an engine: they say that something in the project file changed, and what a progress line shows."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pruner_engine.notices import Level
from pruner_engine.protocol.answers import (
    Boards,
    DoctorReport,
    Inspected,
    ModelChecked,
    Pinned,
    Profiled,
    RecordsExported,
    RecordsImported,
    Tried,
    Verified,
    WhatIfScore,
)
from pruner_engine.protocol.message import Message


class Hello(Message, tag="hello"):
    """First line of every engine process."""

    protocol: int
    version: str
    pid: int


class RunStarted(Message, tag="run-started"):
    """A run exists in the project file and is being worked on."""

    project: str
    run_id: int
    resumed: bool = False


class Phase(Message, tag="phase"):
    """What the engine does now.

    Of any job: start, load. Of a run: precision, profile, prepare, layout, baseline, space, restore, draft, verify,
    measure, learn, and what a plugin's strategy says. Of an export: prepare, draft, export, check. Of answers: verify,
    build, profile. Of records: records.
    """

    name: str
    task: str = ""
    detail: str = ""


class Progress(Message, tag="progress"):
    """Where a run stands: before its first round, after each trial, at the end of each round."""

    run_id: int
    trials: int
    budget_trials: int | None
    valid: int
    failed: int
    elapsed_s: float
    left_s: float | None
    latency_s: float | None  # estimated end-to-end latency with the best schedules so far
    untuned_s: float | None
    task_id: int | None = None
    round_id: int | None = None


class Notice(Message, tag="notice"):
    """Something that the user should know: also kept in the project's events."""

    level: Level
    text: str
    hint: str = ""


class State(Message, tag="state"):
    """The job's state changed: tuning, paused, stopping; detached answers `Detach`."""

    name: str


class RunFinished(Message, tag="run-finished"):
    """The run ended: finished (budget spent), stopped (asked for), or failed (nothing valid was measured)."""

    run_id: int
    state: Literal["finished", "stopped", "failed"]
    trials: int
    valid: int
    latency_s: float | None
    untuned_s: float | None
    reason: str = ""


class Exported(Message, tag="exported"):
    """A bundle was written."""

    out: str
    summary: dict[str, Any]


class Failed(Message, tag="failed"):
    """The command could not be carried out.

    `kind` user: the message is for the reader; stopped: as the reader wished; bug: `report` can be copied.
    """

    kind: Literal["user", "stopped", "bug"]
    message: str
    hint: str = ""
    report: str = ""
    request: int = 0


class Heartbeat(Message, tag="heartbeat"):
    """Sent every second by a living engine."""


class Bye(Message, tag="bye"):
    """Last line of an engine process that ends in good order."""


Event = (
    Hello
    | RunStarted
    | Phase
    | Progress
    | Notice
    | State
    | RunFinished
    | Exported
    | Failed
    | Heartbeat
    | Bye
    | RecordsExported
    | RecordsImported
    | Boards
    | Inspected
    | WhatIfScore
    | Verified
    | Tried
    | Pinned
    | DoctorReport
    | Profiled
    | ModelChecked
)

_events = msgspec.json.Decoder(Event)


def decode_event(line: bytes) -> Event:
    """Raises msgspec.DecodeError or ValidationError for anything that is not an event."""
    return _events.decode(line)
