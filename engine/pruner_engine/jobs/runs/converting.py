"""A run's model in the float type that the run asks for."""

from __future__ import annotations

import msgspec
import tvm

from pruner_engine import __version__
from pruner_engine.export.precision import compare_precision
from pruner_engine.frontends import LoadedModel
from pruner_engine.frontends.precision import in_precision
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.protocol import Notice, Phase


class _Verdict(msgspec.Struct, forbid_unknown_fields=True):
    """What `compare_precision` found of a model in a type, kept in the project: it runs the model twice untuned."""

    versions: str  # of what converts and compiles: others may find another error
    error: float
    ok: bool


def converted(run: OpenRun, model: LoadedModel, dtype: str) -> LoadedModel:
    """The model in `dtype`, with a word about what that does to its outputs.

    Raises:
        UserError: it cannot be converted, or overflows.
    """
    result = in_precision(model, dtype)
    if result is model:
        return model
    found = _verdict(run, model, result)
    text = f"In {dtype} the outputs differ by at most {found.error:.1e} of the largest value from those in float32."
    hint = "" if found.ok else "Compare on inputs of your own before using it."
    run.note(Notice(level="info" if found.ok else "warning", text=text, hint=hint))
    return result


def _verdict(run: OpenRun, exact: LoadedModel, result: LoadedModel) -> _Verdict:
    """That of an earlier run of the same versions, else of a comparison now."""
    name, versions = f"precision {run.row['model_id']} {result.dtype}", f"{__version__} on {tvm.__version__}"
    kept = run.project.work.fact(name, _Verdict)
    if kept is not None and kept.versions == versions:
        return kept
    run.job.emit(Phase(name="precision", detail=result.dtype))
    agreement = compare_precision(exact, result)
    found = _Verdict(versions, float(agreement.error), bool(agreement.ok))
    run.project.work.keep_fact(name, found)
    return found
