"""PyTorch `torch.export` archives (.pt2), imported into Relax."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tvm

from pruner_engine.errors import UserError
from pruner_engine.frontends.importing import importing
from pruner_engine.frontends.model import bind, bind_dims, declared_inputs, values_of
from pruner_engine.frontends.torch.rewrites.negative_indices import count_from_the_start
from pruner_engine.frontends.torch.rewrites.promotion import promoted
from pruner_engine.protocol import ModelInput
from pruner_engine.requirements import OLDEST, is_old
from pruner_engine.structures import know_structures


@dataclass(frozen=True)
class Imported:
    """An exported program as a Relax module with weights as constants.

    Attributes:
        mod: of the shapes that were given; where they leave one open, of those that the program was exported with.
        outputs: names of its results.
        open: a Relax function of the program's own inputs (see signature/extents.py); None where the module is as open
            as they.
    """

    mod: tvm.IRModule
    outputs: list[str]
    open: tvm.IRModule | None

    @property
    def declared(self) -> list[ModelInput]:
        """The inputs: those that the program is called with, and behind them what it keeps from call to call."""
        found = declared_inputs(self.mod)
        own = [] if self.open is None else declared_inputs(self.open)
        return own + found[len(own) :]

    def with_shapes(self, shapes: Mapping[str, Sequence[int]]) -> tvm.IRModule:
        """The module of those shapes, which are the ones that were given, or all that are possible.

        Raises:
            UserError: a dimension that follows from another cannot be what is given.
        """
        if self.open is None:
            return bind(self.mod, shapes)
        values_of(self.open, shapes)
        return self.mod


def to_relax(content: bytes, name: str, given: Mapping[str, Sequence[int]]) -> Imported:
    """Import an exported program.

    Args:
        given: shapes by input name.

    Raises:
        UserError: PyTorch is not installed, or the archive is broken, would run code, or cannot be imported.
    """
    _require_torch()
    from pruner_engine.frontends.torch.decompositions.libraries import know_operators_of_libraries
    from pruner_engine.frontends.torch.guard import check_archive
    from pruner_engine.frontends.torch.operators.quantised import know_quantised_operators

    check_archive(content, name)
    know_quantised_operators(content)
    know_operators_of_libraries(content)
    program, conditions = _load(content, name)
    from pruner_engine.frontends.torch.decompositions.table import spelled_out
    from pruner_engine.frontends.torch.importer import Importer
    from pruner_engine.frontends.torch.operators.complex_numbers import with_real_parameters
    from pruner_engine.frontends.torch.operators.recurrent import with_whole_layers
    from pruner_engine.frontends.torch.randomness import refuse_random
    from pruner_engine.frontends.torch.rewrites.assertions import without_assertions
    from pruner_engine.frontends.torch.rewrites.attention import in_core_operators
    from pruner_engine.frontends.torch.rewrites.choices import with_known_choices
    from pruner_engine.frontends.torch.rewrites.regions import without_regions
    from pruner_engine.frontends.torch.rewrites.scalars import with_known_scalars
    from pruner_engine.frontends.torch.rewrites.selections import selected_by_tensors
    from pruner_engine.frontends.torch.signature.conditions import refuse_beyond
    from pruner_engine.frontends.torch.signature.dimensions import known_by_their_symbols
    from pruner_engine.frontends.torch.signature.extents import example_of, open_inputs, shapes_of, with_extents
    from pruner_engine.frontends.torch.signature.results import result_names, with_named_results
    from pruner_engine.frontends.torch.signature.state import with_state_outside
    from pruner_engine.frontends.torch.signature.tensors import tensors_only

    with importing(name):
        importer = Importer()
        program = without_regions(known_by_their_symbols(program))
        inputs = open_inputs(program)
        values = None if inputs is None else _values(program, inputs, given)
        if values is not None:
            refuse_beyond(conditions, shapes_of(program, values), values, example_of(program) or {})
            program = with_extents(program, values)
        program = with_known_scalars(in_core_operators(with_whole_layers(with_known_choices(program))))
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
        return Imported(count_from_the_start(mod), result_names(program), None if values is None else inputs)


def _require_torch() -> None:
    try:
        import torch
    except ModuleNotFoundError as error:
        raise UserError("Reading .pt2 files needs PyTorch.", "Install it with: pip install torch") from error
    if is_old("torch", torch.__version__):
        raise UserError(
            f"Reading .pt2 files needs PyTorch {OLDEST['torch']} or newer, this is {torch.__version__}.",
            "Update it with: pip install --upgrade torch",
        )


def _values(program: Any, inputs: tvm.IRModule, given: Mapping[str, Sequence[int]]) -> dict[str, int] | None:
    """What the symbols of a program's dimensions are: as given, else as they were when it was exported."""
    from pruner_engine.frontends.torch.signature.extents import example_of

    declared = declared_inputs(inputs)
    own = {item.name: given[item.name] for item in declared if item.name in given}
    try:
        return values_of(inputs, bind_dims(declared, own))
    except UserError:  # said when all inputs are known, those for what the program keeps, too
        return example_of(program)


def _load(content: bytes, name: str) -> tuple[Any, list[str]]:
    """The program, and the conditions on its inputs' sizes, which are Python source that PyTorch would run."""
    from torch.export.pt2_archive._package import load_pt2

    # PyTorch logs a traceback for every archive that it cannot read; we say it in one sentence
    loggers = [logging.getLogger(n) for n in ("torch.export", "torch._export", "torch.export.pt2_archive._package")]
    before = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        know_structures(io.BytesIO(content))
        program = load_pt2(io.BytesIO(content)).exported_programs["model"]
    except Exception as error:  # hostile files reach every corner of the deserialiser
        raise UserError(
            f"{name} cannot be read by this version of PyTorch, or it is damaged.",
            "Save it again with torch.export.save.",
        ) from error
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
    conditions = [str(condition) for condition in program._guards_code or []]
    program._guards_code = []
    return program, conditions
