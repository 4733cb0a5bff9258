"""A run's model in the float type that the run asks for."""

from __future__ import annotations

from pruner_engine.export.precision import compare_precision
from pruner_engine.frontends import LoadedModel
from pruner_engine.frontends.precision import in_precision
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.messages import Notice, Phase
from pruner_engine.store.project import Project


def converted(project: Project, run_id: int, model: LoadedModel, dtype: str, job: JobContext) -> LoadedModel:
    """The model in `dtype`, with a word about what that does to its outputs.

    Raises:
        UserError: it cannot be converted, or overflows.
    """
    result = in_precision(model, dtype)
    if result is model:
        return model
    job.emit(Phase(name="precision", detail=dtype))
    found = compare_precision(model, result)
    text = f"In {dtype} the outputs differ by at most {found.error:.1e} of the largest value from those in float32."
    hint = "" if found.ok else "Compare on inputs of your own before using it."
    notice = Notice(level="info" if found.ok else "warning", text=text, hint=hint)
    project.runs.add_event(run_id, notice.level, text, hint)
    job.emit(notice)
    return result
