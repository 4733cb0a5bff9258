"""PyTorch `torch.export` archives (.pt2), imported into Relax."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable
from typing import Any

import tvm
from tvm import relax

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import importing
from pruner_engine.frontends.negative_indices import count_from_the_start
from pruner_engine.frontends.promotion import promoted


def to_relax(content: bytes, name: str) -> tvm.IRModule:
    """The exported program as a Relax module with weights as constants; dynamic dimensions stay symbolic.

    Raises:
        UserError: PyTorch is not installed, or the archive is broken, would run code, or cannot be imported.
    """
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise UserError("Reading .pt2 files needs PyTorch.", "Install it with: pip install torch") from error
    from pruner_engine.frontends.pt2_guard import check_archive

    check_archive(content, name)
    program = _load(content, name)
    from tvm.relax.frontend.torch import from_exported_program

    from pruner_engine.frontends.attention import in_core_operators

    with importing(name):
        mod = from_exported_program(
            promoted(in_core_operators(program)),
            unwrap_unit_return_tuple=True,
            run_ep_decomposition=False,
            custom_convert_map={"cumsum.default": _cumsum, "amax.default": _amax, "amin.default": _amin},
        )
        return count_from_the_start(mod)


def _load(content: bytes, name: str) -> Any:
    from torch.export.pt2_archive._package import load_pt2

    # PyTorch logs a traceback for every archive that it cannot read; we say it in one sentence
    loggers = [logging.getLogger(n) for n in ("torch.export", "torch._export", "torch.export.pt2_archive._package")]
    before = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        program = load_pt2(io.BytesIO(content)).exported_programs["model"]
    except Exception as error:  # hostile files reach every corner of the deserialiser
        raise UserError(
            f"{name} cannot be read by this version of PyTorch, or it is damaged.",
            "Save it again with torch.export.save.",
        ) from error
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
    # Python source that PyTorch would run to check inputs; shapes are fixed here anyway
    program._guards_code = []
    return program


def _cumsum(node: Any, importer: Any) -> relax.Var:
    """cumsum of booleans counts them: TVM's own converter keeps the type, which LLVM then refuses."""
    x = importer.env[node.args[0]]
    dim = node.args[1] if len(node.args) > 1 else node.kwargs["dim"]
    dtype = "int64" if str(x.ty.dtype) == "bool" else None
    if dtype:
        x = importer.block_builder.emit(relax.op.astype(x, dtype))
    return importer.block_builder.emit(relax.op.cumsum(x, axis=dim, dtype=dtype))


def _amax(node: Any, importer: Any) -> relax.Var:
    return _extreme(relax.op.max, node, importer)


def _amin(node: Any, importer: Any) -> relax.Var:
    return _extreme(relax.op.min, node, importer)


def _extreme(op: Callable[..., Any], node: Any, importer: Any) -> relax.Var:
    """The largest or least along some axes, none of them for all; TVM's importer knows those of one axis only."""
    x, axes, keep = (*node.args, None, None)[:3]
    return importer.block_builder.emit(op(importer.env[x], axis=list(axes) if axes else None, keepdims=bool(keep)))
