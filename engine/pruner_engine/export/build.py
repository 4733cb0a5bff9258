"""Compile a prepared model with the best schedules of a database."""

from __future__ import annotations

from typing import Any

import tvm
from tvm import relax
from tvm.relax import transform
from tvm.s_tir.meta_schedule import Database

from pruner_engine.errors import UserError


def apply_database(prepared: tvm.IRModule, target: tvm.target.Target, database: Database) -> tvm.IRModule:
    """Replace each kernel that has a record by its best schedule; the others stay as they are."""
    with target, database, tvm.transform.PassContext(opt_level=3):
        return transform.MetaScheduleApplyDatabase()(prepared)


def compile_model(
    prepared: tvm.IRModule, target: tvm.target.Target, database: Database | None = None
) -> relax.VMExecutable:
    """Compile, with constant weights packed as the schedules want them.

    Args:
        prepared: legalised and fused module.
        database: None compiles the untuned model.

    Raises:
        UserError: TVM could not compile it.
    """
    try:
        applied = prepared if database is None else apply_database(prepared, target, database)
        with target, tvm.transform.PassContext(opt_level=3):
            packed = transform.FoldConstant()(transform.SplitLayoutRewritePreproc()(applied))
            return tvm.compile(packed, target)
    except (RuntimeError, ValueError, TypeError) as error:
        last = " ".join(str(error).strip().splitlines()[-1:])
        what = "untuned model" if database is None else "tuned model"
        raise UserError(f"TVM could not compile the {what}: {last}") from error


def is_applied(function: Any) -> bool:
    """Whether `apply_database` has scheduled this function."""
    return bool(function.attrs and function.attrs.get("tirx.is_scheduled", False))
