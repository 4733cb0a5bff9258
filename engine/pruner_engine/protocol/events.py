"""Events from an engine: they say that something in the project file changed, and what a progress line shows."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

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

    Of any job: start, load. Of a run: profile, precision, prepare, space, restore, baseline, draft, verify, measure,
    learn. Of an export: prepare, export, check. Of answers: verify, build. Of records: records.
    """

    name: str
    task: str = ""
    detail: str = ""


class Progress(Message, tag="progress"):
    """After every batch of trials."""

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

    level: Literal["info", "warning", "error"]
    text: str
    hint: str = ""


class State(Message, tag="state"):
    """The job's state changed: preparing, tuning, paused, stopping; detached answers `Detach`."""

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

    export_id: int
    out: str
    summary: dict[str, Any]


class RecordsExported(Message, tag="records-exported"):
    """Answer to `ExportRecords`."""

    out: str
    records: int


class RecordsImported(Message, tag="records-imported"):
    """Answer to `ImportRecords`: the new run, how many records it holds, what was left out."""

    run_id: int
    records: int
    failed: int
    problems: list[str]


Sign = Literal["answers", "silent", "gone"]


class Board(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board that is registered at a tracker.

    Attributes:
        sign: "answers" to a greeting, within `answer_s`; "silent": it accepts, but is at work or hangs; or "gone".
    """

    key: str
    address: str
    sign: Sign
    answer_s: float | None


class Boards(Message, tag="boards"):
    """Answer to `ListBoards`."""

    tracker: str
    boards: list[Board]
    request: int = 0


class Inspected(Message, tag="inspected"):
    """Answer to `Inspect`: text per form; for linked forms the node of the loop tree that each line belongs to."""

    request: int
    candidate_id: int
    texts: dict[str, str]
    nodes: dict[str, list[int | None]] = msgspec.field(default_factory=dict)


class Predicted(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the draft model says of one row of decisions: seconds a call, and their parts."""

    latency_s: float
    symbols: dict[str, float]
    penalties: dict[str, float]
    times: dict[str, float]


class WhatIfScore(Message, tag="what-if-score"):
    """Answer to `WhatIf`: score, predicted latency in seconds, its parts, and sentences about what costs time.

    Attributes:
        against: the same of the row that it is held against; None where none was named, or that one is not valid.
    """

    request: int
    score: float
    latency_s: float
    valid: bool
    symbols: dict[str, float]
    penalties: dict[str, float]
    times: dict[str, float]
    reasons: list[str] = msgspec.field(default_factory=list)
    against: Predicted | None = None


class Verified(Message, tag="verified"):
    """Answer to `Verify`: the row's place in the model's order of candidates whose latencies are known."""

    request: int
    model: str  # kind
    learned_from: str  # where its knowledge comes from, in words
    score: float  # higher is better; comparable within this model only
    place: int  # from 1, among the `of` measured candidates and this one
    of: int
    like_s: float  # latency that measured candidates of such a score had, in seconds


class Tried(Message, tag="tried"):
    """Answer to `Try`: the trial is in the project file."""

    request: int
    candidate_id: int
    stage: str
    seconds: float | None
    error: str = ""  # kind of failure, which tells what to do: `advice`
    message: str = ""
    before: bool = False  # the run had measured it already; it was not measured again


class Pinned(Message, tag="pinned"):
    """Answer to `Pin`: the row waits in the project file, or was measured already."""

    request: int
    candidate_id: int
    before: bool = False


class Check(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One row of the pre-flight table."""

    name: str
    ok: bool
    value: str
    hint: str = ""
    needed: bool = True


class DoctorReport(Message, tag="doctor-report"):
    """Answer to `Doctor`: ok only if a tuning would work."""

    ok: bool
    checks: list[Check]


class Profiled(Message, tag="profiled"):
    """Answer to `Profile`.

    Attributes:
        profile: the figures, as `targets/profile.py` names them; `source` says where they come from.
        measured_at: when, in seconds of the epoch; None where they were not measured, or nobody noted it.
        quiet: nothing else worked while they were measured.
    """

    target: str
    profile: dict[str, Any]
    measured_at: float | None = None
    quiet: bool = False
    request: int = 0


class ModelInput(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A model input; a dimension is a number, or a name where it must be given.

    Attributes:
        bounds: least and largest value (None: none) of the names for which the model says so.
    """

    name: str
    shape: list[int | str]
    dtype: str
    bounds: dict[str, tuple[int, int | None]] = {}


class ModelChecked(Message, tag="model-checked"):
    """Answer to `CheckModel`."""

    model: str
    kind: str
    inputs: list[ModelInput]
    bytes: int


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
    """Sent every second by a living engine; `phase` and how long it has lasted, in seconds."""

    phase: str
    phase_s: float


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
    | Inspected
    | WhatIfScore
    | Verified
    | Tried
    | Pinned
    | DoctorReport
    | ModelChecked
    | Failed
    | Heartbeat
    | Bye
    | RecordsExported
    | RecordsImported
    | Boards
    | Profiled
)

_events = msgspec.json.Decoder(Event)


def decode_event(line: bytes) -> Event:
    """Raises msgspec.DecodeError or ValidationError for anything that is not an event."""
    return _events.decode(line)
