"""Commands towards an engine."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pruner_engine.protocol.message import Message


class Question(Message, kw_only=True):
    """What is answered; its answer, or the failure to give one, has the same number."""

    request: int = 0


class WithPlugins(Message, kw_only=True):
    """What a plugin may have a part in.

    Attributes:
        plugins: Python files to import first: naming one is the consent to run it.
    """

    plugins: list[str] = msgspec.field(default_factory=list)


class QuestionWithPlugins(WithPlugins, kw_only=True):
    """A `Question` in which a plugin may have a part."""

    request: int = 0


class Tune(WithPlugins, tag="tune"):
    """Start a new run in `project` (made if it is not there)."""

    project: str
    model: str  # a path, or a built-in workload such as "matmul:512,512,512"
    inputs: dict[str, list[int]] = msgspec.field(default_factory=dict)
    target: str = "auto"
    strategy: str = "pruner"
    trials: int | None = None
    minutes: float | None = None
    seed: int = 0
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    allow_code: bool = False


class Resume(WithPlugins, tag="resume"):
    """Go on with a run; the newest unfinished one when `run_id` is None."""

    project: str
    run_id: int | None = None
    trials: int | None = None  # a new budget instead of the run's own
    minutes: float | None = None


class Export(WithPlugins, tag="export"):
    """Compile the model of a run with its best schedules into folder `out`.

    Attributes:
        run_id: None for the newest, with `all_runs`.
        all_runs: the best schedules of all runs on that run's target, not of that run alone.
        weights_beside: the weights are written to a file of their own, in place of the library; None: where they are
            many.
        rpc, rpc_key: host:port of a tracker and which of its boards run the library; empty for those of the run, or
            this machine.
    """

    project: str
    out: str
    run_id: int | None = None
    all_runs: bool = False
    weights_beside: bool | None = None
    rpc: str = ""
    rpc_key: str = ""


class ExportRecords(Question, tag="export-records"):
    """Write the best trials of each task of a run as MetaSchedule's JSON records; runs as `Export` takes them."""

    project: str
    out: str
    run_id: int | None = None
    all_runs: bool = False
    best: int = 1  # trials of each task


class ImportRecords(Question, tag="import-records"):
    """Add MetaSchedule's JSON records in `folder` as a run; `same_device`: their times are of this very device."""

    project: str
    folder: str
    same_device: bool = False


class ListBoards(Question, tag="list-boards"):
    """Ask a tracker of TVM's RPC (host:port) which boards are registered."""

    tracker: str


UNTUNED = 0
"""In the place of a candidate's id: the kernel as it is without tuning."""


class Inspect(QuestionWithPlugins, tag="inspect"):
    """Ask for texts of one candidate; `forms` of `inspect.FORMS`, or `why`. candidate None: the task's best."""

    project: str
    task_id: int
    candidate_id: int | None = None
    forms: list[str] = msgspec.field(default_factory=lambda: ["trace"])


class _Row(QuestionWithPlugins):
    """A question about one row of decisions of a sketch."""

    project: str
    task_id: int
    sketch_id: int
    decisions: list[Any]


class _RowOfRun(_Row, kw_only=True):
    """The same as part of a run."""

    run_id: int


class WhatIf(_Row, tag="what-if"):
    """Ask the draft model about one edited row of decisions of a sketch.

    Attributes:
        measured_s: what it took, where it was measured.
        against: another row of the sketch, which the answer is held against.
    """

    measured_s: float | None = None
    against: list[Any] | None = None


class Verify(_RowOfRun, tag="verify"):
    """Ask the learned model of a run about one row of decisions; one is trained where the run kept none."""


class Try(_RowOfRun, tag="try"):
    """Measure one row of decisions now and keep it as a trial of the run, which nobody else may be working on."""


class Pin(_RowOfRun, tag="pin"):
    """Put one row of decisions into a run's search: its next round measures it first.

    Said to the engine that works on the run it takes effect there, and a `Notice` tells; said to another one it waits
    in the project file, and `Pinned` answers.
    """


class Doctor(Question, tag="doctor"):
    """Run the pre-flight checks."""


class Profile(Question, tag="profile"):
    """Measure a device of this machine now and keep its profile; without `measure`, tell what is known of it."""

    target: str = "auto"
    measure: bool = True


class CheckModel(Question, tag="check-model"):
    """Look at a model file: its inputs, and which dimensions need a value before it can be tuned."""

    model: str
    allow_code: bool = False


class Pause(Message, tag="pause"):
    """Hold the job after the candidates in flight."""


class Unpause(Message, tag="unpause"):
    """Go on after `Pause`."""


class Stop(Message, tag="stop"):
    """End the job in good order; it can be resumed."""


class Detach(Message, tag="detach"):
    """Outlive the parent process."""


class Steer(Message, tag="steer"):
    """Pin, boost or freeze a task of the running job; `normal` undoes it."""

    task_id: int
    action: Literal["pin", "boost", "freeze", "normal"]


class Quit(Message, tag="quit"):
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
    | Profile
)

_commands = msgspec.json.Decoder(Command)


def decode_command(line: bytes) -> Command:
    """Raises msgspec.DecodeError or ValidationError for anything that is not a command."""
    return _commands.decode(line)
