"""Answers of an engine to questions, which are commands too: about schedules, models, machines and records."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pruner_engine.protocol.message import Message


class Answer(Message, kw_only=True):
    """What ends a question; `request` is the number that the question had."""

    request: int = 0


class RecordsExported(Answer, tag="records-exported"):
    """Answer to `ExportRecords`."""

    out: str
    records: int


class RecordsImported(Answer, tag="records-imported"):
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


class Boards(Answer, tag="boards"):
    """Answer to `ListBoards`."""

    tracker: str
    boards: list[Board]


class Inspected(Answer, tag="inspected"):
    """Answer to `Inspect`: text per form; for linked forms the node of the loop tree that each line belongs to."""

    candidate_id: int
    texts: dict[str, str]
    nodes: dict[str, list[int | None]] = msgspec.field(default_factory=dict)


class Predicted(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the draft model says of one row of decisions: seconds a call, and their parts."""

    latency_s: float
    symbols: dict[str, float]
    penalties: dict[str, float]
    times: dict[str, float]


class WhatIfScore(Answer, tag="what-if-score"):
    """Answer to `WhatIf`: score, predicted latency in seconds, its parts, and sentences about what costs time.

    Attributes:
        against: the same of the row that it is held against; None where none was named, or that one is not valid.
    """

    score: float
    latency_s: float
    valid: bool
    symbols: dict[str, float]
    penalties: dict[str, float]
    times: dict[str, float]
    reasons: list[str] = msgspec.field(default_factory=list)
    against: Predicted | None = None


class Verified(Answer, tag="verified"):
    """Answer to `Verify`: the row's place in the model's order of candidates whose latencies are known."""

    model: str  # kind
    learned_from: str  # where its knowledge comes from, in words
    score: float  # higher is better; comparable within this model only
    place: int  # from 1, among the `of` measured candidates and this one
    of: int
    like_s: float | None  # seconds that measured candidates of such a score took; None where no other was measured


class Tried(Answer, tag="tried"):
    """Answer to `Try`: the trial is in the project file."""

    candidate_id: int
    stage: str
    seconds: float | None
    error: str = ""  # kind of failure, which tells what to do: `advice`
    message: str = ""
    before: bool = False  # the run had measured it already; it was not measured again


class Pinned(Answer, tag="pinned"):
    """Answer to `Pin`: the row waits in the project file, or was measured already."""

    candidate_id: int
    before: bool = False


class Check(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One row of the pre-flight table."""

    name: str
    ok: bool
    value: str
    hint: str = ""
    needed: bool = True


class DoctorReport(Answer, tag="doctor-report"):
    """Answer to `Doctor`: ok only if a tuning would work."""

    ok: bool
    checks: list[Check]


class Profiled(Answer, tag="profiled"):
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


class ModelInput(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A model input; a dimension is a number, or a name where it must be given.

    Attributes:
        bounds: least and largest value (None: none) of the names for which the model says so.
    """

    name: str
    shape: list[int | str]
    dtype: str
    bounds: dict[str, tuple[int, int | None]] = {}


class ModelChecked(Answer, tag="model-checked"):
    """Answer to `CheckModel`."""

    model: str
    kind: str
    inputs: list[ModelInput]
    bytes: int
