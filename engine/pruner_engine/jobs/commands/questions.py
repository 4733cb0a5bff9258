"""Short questions to the engine: what a model wants, what a schedule looks like, what if a decision were another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.reasons import reasons
from pruner_engine.errors import UserError
from pruner_engine.frontends import check_model as look_at
from pruner_engine.inspect import code_of
from pruner_engine.inspect.why import why_text
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.workbench import Workbench, stored_task, workbench
from pruner_engine.protocol import UNTUNED, CheckModel, Inspect, Inspected, Predicted, WhatIf, WhatIfScore
from pruner_engine.space.row_check import checked_row
from pruner_engine.space.sketch import Sketch
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.queries.lookups import fastest
from pruner_engine.store.reader import ProjectReader

_WHY = "why"


def check_model(command: CheckModel, job: JobContext) -> None:
    """Tell what a model wants: inputs, outputs, and sizes that are open."""
    job.emit(look_at(command.model, allow_code=command.allow_code))


def inspect(command: Inspect, job: JobContext) -> None:
    """Texts of a candidate or the untuned kernel; of the task's best when none is named, and is there."""
    with ProjectReader(command.project) as reader:
        _, task, target = stored_task(reader, command.task_id)
        candidate_id = command.candidate_id
        if candidate_id is None:
            best = fastest(reader, command.task_id)
            candidate_id = UNTUNED if best is None else best
        told = _trace_of(reader, command.task_id, candidate_id) if candidate_id else (None,)
        forms = [form for form in command.forms if form != _WHY]
        code = code_of(task, target, forms, *told)
        texts = {form: one.text for form, one in code.items()}
        if _WHY in command.forms:
            texts[_WHY] = _why(command, reader, candidate_id)
    nodes = {form: one.nodes for form, one in code.items() if one.nodes}
    job.emit(Inspected(candidate_id=candidate_id, texts=texts, nodes=nodes))


def _trace_of(reader: ProjectReader, task_id: int, candidate_id: int) -> tuple[str, str]:
    """A candidate's trace, and its hash."""
    row = reader.candidate(candidate_id)
    if row is None or row["task_id"] != task_id:
        hint = "`pruner inspect` without --candidate shows the best."
        raise UserError(f"The task has no candidate {candidate_id}.", hint)
    trace = reader.trace(candidate_id)
    if trace is None:
        raise UserError(f"The trace of candidate {candidate_id} was not kept.", "Choose a measured candidate.")
    return trace, row["hash"]


def what_if(command: WhatIf, job: JobContext) -> None:
    """Score of one edited row of decisions, with its parts."""
    bench = workbench(command.project, command.task_id)
    job.emit(_score(bench, command))
    # the pane asks when it opens; the next question comes from a slider
    sketch = bench.sketch(command.sketch_id)
    bench.analyzer.prepare(sketch.index, checked_row(sketch, command.decisions))


def _score(bench: Workbench, asked: WhatIf) -> WhatIfScore:
    sketch = bench.sketch(asked.sketch_id)
    found = bench.explained(sketch, asked.decisions)
    valid = _counts(found)
    return WhatIfScore(
        score=-float(np.log2(found.latency_s)) if valid else 0.0,
        latency_s=float(found.latency_s) if valid else 0.0,
        valid=valid,
        symbols=found.symbols,
        penalties=found.penalties,
        times=found.times,
        reasons=reasons(found, bench.profile, asked.measured_s),
        against=None if asked.against is None else _predicted(bench, sketch, asked.against),
    )


def _predicted(bench: Workbench, sketch: Sketch, decisions: list[Any]) -> Predicted | None:
    """What is said of a row by the same calibration; None where it is not valid."""
    found = bench.explained(sketch, decisions, kept=True)
    if not _counts(found):
        return None
    return Predicted(float(found.latency_s), found.symbols, found.penalties, found.times)


def _counts(found: Explanation) -> bool:
    return bool(found.valid and np.isfinite(found.latency_s))


def _why(command: Inspect, reader: ProjectReader, candidate_id: int) -> str:
    """What the draft model says of a candidate, as text."""
    row = reader.candidate(candidate_id)
    if row is None or row["sketch_id"] is None:
        raise UserError(
            "The draft model reads candidates of the task's own sketches only.", "Name one with --candidate."
        )
    measured = row["seconds"] if row["stage"] == "ok" and not row["censored"] else None
    asked = WhatIf(
        project=command.project,
        task_id=command.task_id,
        sketch_id=row["sketch_id"],
        decisions=row["decisions"],
        measured_s=measured,
    )
    bench = workbench(command.project, command.task_id)
    with making_sense(Path(command.project)):
        return why_text(_score(bench, asked), measured)
