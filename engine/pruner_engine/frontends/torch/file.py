"""PyTorch `torch.export` archives (.pt2), imported into Relax."""

from __future__ import annotations

import io
import logging
from typing import Any

import tvm

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import importing
from pruner_engine.frontends.torch.negative_indices import count_from_the_start
from pruner_engine.frontends.torch.promotion import promoted
from pruner_engine.requirements import OLDEST, is_old


def to_relax(content: bytes, name: str) -> tuple[tvm.IRModule, list[str]]:
    """The exported program as a Relax module with weights as constants, and names of its results.

    Dynamic dimensions stay symbolic.

    Raises:
        UserError: PyTorch is not installed, or the archive is broken, would run code, or cannot be imported.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        raise UserError("Reading .pt2 files needs PyTorch.", "Install it with: pip install torch") from error
    if is_old("torch", torch.__version__):
        raise UserError(
            f"Reading .pt2 files needs PyTorch {OLDEST['torch']} or newer, this is {torch.__version__}.",
            "Update it with: pip install --upgrade torch",
        )
    from pruner_engine.frontends.torch.guard import check_archive
    from pruner_engine.frontends.torch.libraries import know_operators_of_libraries
    from pruner_engine.frontends.torch.operators.quantised import know_quantised_operators

    check_archive(content, name)
    know_quantised_operators(content)
    know_operators_of_libraries(content)
    program = _load(content, name)
    from pruner_engine.frontends.torch.assertions import without_assertions
    from pruner_engine.frontends.torch.attention import in_core_operators
    from pruner_engine.frontends.torch.decompositions import spelled_out
    from pruner_engine.frontends.torch.dimensions import known_by_their_symbols
    from pruner_engine.frontends.torch.importer import Importer
    from pruner_engine.frontends.torch.operators.complex_numbers import with_real_parameters
    from pruner_engine.frontends.torch.operators.recurrent import with_whole_layers
    from pruner_engine.frontends.torch.randomness import refuse_random
    from pruner_engine.frontends.torch.regions import without_regions
    from pruner_engine.frontends.torch.results import result_names, with_named_results
    from pruner_engine.frontends.torch.selections import selected_by_tensors
    from pruner_engine.frontends.torch.state import with_state_outside
    from pruner_engine.frontends.torch.tensors import tensors_only

    with importing(name):
        importer = Importer()
        program = in_core_operators(with_whole_layers(without_regions(known_by_their_symbols(program))))
        program = selected_by_tensors(without_assertions(spelled_out(program, importer.known())))
        refuse_random(program)
        importer.refuse_unknown(program)
        program = tensors_only(with_state_outside(with_named_results(promoted(with_real_parameters(program)))))
        mod = importer.from_exported_program(
            program,
            keep_params_as_input=False,
            unwrap_unit_return_tuple=True,
            no_bind_return_tuple=False,
            custom_convert_map=None,
        )
        return count_from_the_start(mod), result_names(program)


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
