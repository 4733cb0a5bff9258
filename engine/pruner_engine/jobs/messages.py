"""Messages between the engine process and whoever drives it, one JSON object a line.

Two closed unions: `Command` towards the engine, `Event` from it. Unknown fields and unknown types are refused.
The project file is the truth; an event says that something in it changed, and carries just what a progress line shows.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

PROTOCOL = 1


class _Message(msgspec.Struct, tag_field="type", forbid_unknown_fields=True, kw_only=True):
    pass


# ---------------------------------------------------------------- commands


class Tune(_Message, tag="tune"):
    """Start a new run in `project` (made if it is not there)."""

    project: str
    model: str  # a path, or a built-in workload such as "matmul:512,512,512"
    inputs: dict[str, list[int]] = {}
    target: str = "auto"
    strategy: str = "pruner"
    trials: int | None = None
    minutes: float | None = None
    seed: int = 0
    settings: dict[str, Any] = {}
    plugins: list[str] = []  # Python files to import first: naming one is the consent to run it
    allow_code: bool = False


class Resume(_Message, tag="resume"):
    """Go on with a run; the newest unfinished one when `run_id` is None."""

    project: str
    run_id: int | None = None
    trials: int | None = None  # a new budget instead of the run's own
    minutes: float | None = None
    plugins: list[str] = []


class Export(_Message, tag="export"):
    """Compile the model with the best schedules of a run (all runs of its target when None) into folder `out`."""

    project: str
    out: str
    run_id: int | None = None


class ExportRecords(_Message, tag="export-records"):
    """Write the best trials of a run (of all runs of its target when None) as MetaSchedule's JSON records."""

    project: str
    out: str
    run_id: int | None = None
    best: int = 1  # trials of each task


class ImportRecords(_Message, tag="import-records"):
    """Add MetaSchedule's JSON records in `folder` as a run; `same_device`: their times are of this very device."""

    project: str
    folder: str
    same_device: bool = False


class ListBoards(_Message, tag="list-boards"):
    """Ask a tracker of TVM's RPC (host:port) which boards are registered."""

    tracker: str
    request: int = 0


class Inspect(_Message, tag="inspect"):
    """Ask for texts of one candidate; `forms` of `inspect.FORMS`, or `why`. candidate None: the task's best."""

    project: str
    task_id: int
    candidate_id: int | None = None
    forms: list[str] = msgspec.field(default_factory=lambda: ["trace"])
    request: int = 0


class WhatIf(_Message, tag="what-if"):
    """Ask the draft model about one edited row of decisions of a sketch; what it took where it was measured."""

    project: str
    task_id: int
    sketch_id: int
    decisions: list[Any]
    measured_s: float | None = None
    request: int = 0


class Verify(_Message, tag="verify"):
    """Ask the learned model of a run about one row of decisions; one is trained where the run kept none."""

    project: str
    run_id: int
    task_id: int
    sketch_id: int
    decisions: list[Any]
    request: int = 0


class Try(_Message, tag="try"):
    """Measure one row of decisions now and keep it as a trial of the run, which nobody else may be working on."""

    project: str
    run_id: int
    task_id: int
    sketch_id: int
    decisions: list[Any]
    request: int = 0


class Pin(_Message, tag="pin"):
    """Put one row of decisions into a run's search: its next round measures it first.

    Said to the engine that works on the run it takes effect there, and a `Notice` tells; said to another one it waits
    in the project file, and `Pinned` answers.
    """

    project: str
    run_id: int
    task_id: int
    sketch_id: int
    decisions: list[Any]
    request: int = 0


class Doctor(_Message, tag="doctor"):
    """Run the pre-flight checks."""


class CheckModel(_Message, tag="check-model"):
    """Look at a model file: its inputs, and which dimensions need a value before it can be tuned."""

    model: str
    allow_code: bool = False


class Pause(_Message, tag="pause"):
    """Hold the job after the candidates in flight."""


class Unpause(_Message, tag="unpause"):
    """Go on after `Pause`."""


class Stop(_Message, tag="stop"):
    """End the job in good order; it can be resumed."""


class Detach(_Message, tag="detach"):
    """Outlive the parent process."""


class Steer(_Message, tag="steer"):
    """Pin, boost or freeze a task of the running job; `normal` undoes it."""

    task_id: int
    action: Literal["pin", "boost", "freeze", "normal"]


class Quit(_Message, tag="quit"):
    """End the engine process."""


Command = (
    Tune
    | Resume
    | Export
    | Inspect
    | WhatIf
    | Verify
    | Try
    | Pin
    | Doctor
    | CheckModel
    | Pause
    | Unpause
    | Stop
    | Detach
    | Steer
    | Quit
    | ExportRecords
    | ImportRecords
    | ListBoards
)

# ---------------------------------------------------------------- events


class Hello(_Message, tag="hello"):
    """First line of every engine process."""

    protocol: int
    version: str
    pid: int


class RunStarted(_Message, tag="run-started"):
    """A run exists in the project file and is being worked on."""

    project: str
    run_id: int
    resumed: bool = False


class Phase(_Message, tag="phase"):
    """What the engine does now: load, prepare, space, baseline, draft, verify, build, run, learn, export, check."""

    name: str
    task: str = ""
    detail: str = ""


class Progress(_Message, tag="progress"):
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


class Notice(_Message, tag="notice"):
    """Something that the user should know: also kept in the project's events."""

    level: Literal["info", "warning", "error"]
    text: str
    hint: str = ""


class State(_Message, tag="state"):
    """The job's state changed: preparing, tuning, paused, stopping; detached answers `Detach`."""

    name: str


class RunFinished(_Message, tag="run-finished"):
    """The run ended: finished (budget spent), stopped (asked for), or failed (nothing valid was measured)."""

    run_id: int
    state: Literal["finished", "stopped", "failed"]
    trials: int
    valid: int
    latency_s: float | None
    untuned_s: float | None
    reason: str = ""


class Exported(_Message, tag="exported"):
    """A bundle was written."""

    export_id: int
    out: str
    summary: dict[str, Any]


class RecordsExported(_Message, tag="records-exported"):
    """Answer to `ExportRecords`."""

    out: str
    records: int


class RecordsImported(_Message, tag="records-imported"):
    """Answer to `ImportRecords`: the new run, how many records it holds, what was left out."""

    run_id: int
    records: int
    failed: int
    problems: list[str]


class Board(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board that is registered at a tracker; `answers` tells whether its port does, within `answer_s`."""

    key: str
    address: str
    answers: bool
    answer_s: float | None


class Boards(_Message, tag="boards"):
    """Answer to `ListBoards`."""

    tracker: str
    boards: list[Board]
    request: int = 0


class Inspected(_Message, tag="inspected"):
    """Answer to `Inspect`: text per form."""

    request: int
    candidate_id: int | None
    texts: dict[str, str]


class WhatIfScore(_Message, tag="what-if-score"):
    """Answer to `WhatIf`: score, predicted latency in seconds, its parts, and sentences about what costs time."""

    request: int
    score: float
    latency_s: float
    valid: bool
    symbols: dict[str, float]
    penalties: dict[str, float]
    times: dict[str, float]
    reasons: list[str] = []


class Verified(_Message, tag="verified"):
    """Answer to `Verify`: the row's place in the model's order of candidates whose latencies are known."""

    request: int
    model: str  # kind
    learned_from: str  # where its knowledge comes from, in words
    score: float  # higher is better; comparable within this model only
    place: int  # from 1, among the `of` measured candidates and this one
    of: int
    like_s: float  # latency that measured candidates of such a score had, in seconds


class Tried(_Message, tag="tried"):
    """Answer to `Try`: the trial is in the project file."""

    request: int
    candidate_id: int
    stage: str
    seconds: float | None
    message: str = ""
    before: bool = False  # the run had measured it already; it was not measured again


class Pinned(_Message, tag="pinned"):
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


class DoctorReport(_Message, tag="doctor-report"):
    """Answer to `Doctor`: ok only if a tuning would work."""

    ok: bool
    checks: list[Check]


class ModelInput(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A model input; a dimension is a number, or a name where it must be given."""

    name: str
    shape: list[int | str]
    dtype: str


class ModelChecked(_Message, tag="model-checked"):
    """Answer to `CheckModel`."""

    model: str
    kind: str
    inputs: list[ModelInput]
    bytes: int


class Failed(_Message, tag="failed"):
    """The command could not be carried out. `kind` user: the message is for the reader; bug: `report` can be copied."""

    kind: Literal["user", "bug"]
    message: str
    hint: str = ""
    report: str = ""
    request: int = 0


class Heartbeat(_Message, tag="heartbeat"):
    """Sent every second by a living engine; `phase` and how long it has lasted, in seconds."""

    phase: str
    phase_s: float


class Bye(_Message, tag="bye"):
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
)


def _plain(value: object) -> object:
    """TVM's strings are str by inheritance, which msgspec does not take for str."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be sent")


_encoder = msgspec.json.Encoder(enc_hook=_plain)
_commands = msgspec.json.Decoder(Command)
_events = msgspec.json.Decoder(Event)


def encode(message: _Message) -> bytes:
    """One line, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_command(line: bytes) -> Command:
    """Raises msgspec.DecodeError or ValidationError for anything that is not a command."""
    return _commands.decode(line)


def decode_event(line: bytes) -> Event:
    """Raises msgspec.DecodeError or ValidationError for anything that is not an event."""
    return _events.decode(line)
