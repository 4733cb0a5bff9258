"""Exported libraries that a board does not survive, or that never end there."""

from __future__ import annotations

from pathlib import Path

import foul
import pytest

from fleets import own_board, tracking, wait_for
from pruner_engine.errors import UserError
from pruner_engine.export import boards
from pruner_engine.export.baselines import Timing, example_inputs
from pruner_engine.export.build import compile_model
from pruner_engine.export.library import write_library
from pruner_engine.frontends import load_model
from pruner_engine.measure.boards.rpc import boards_of
from pruner_engine.measure.workers.wire import Fleet
from pruner_engine.tasks.prepare import prepare
from schedules import CPU, tvm

MODEL = load_model("matmul:32,32,32")


@pytest.fixture(scope="module")
def fleet():
    with tracking() as port, own_board(port, "shaken"):
        wait_for(lambda: "shaken" in boards_of("127.0.0.1", port))
        yield Fleet("127.0.0.1", port, "shaken")


def library(folder: Path, kernel: tvm.IRModule | None = None) -> Path:
    """The model's library, its kernel replaced by another."""
    prepared = prepare(MODEL.mod, CPU)
    if kernel is not None:
        (variable,) = (v for v, function in prepared.functions.items() if isinstance(function, tvm.tirx.PrimFunc))
        prepared.update_func(variable, kernel["main"].with_attr("global_symbol", variable.name_hint))
    write_library(compile_model(prepared, CPU), MODEL, CPU, 2, folder)
    return folder


def timed(fleet: Fleet, folder: Path) -> Timing:
    return boards.time_on_board(fleet, 1e-6, "tuned", folder, MODEL, example_inputs(MODEL), 2, 1)


def test_a_library_that_ends_its_board_is_a_sentence(fleet, tmp_path):
    with pytest.raises(UserError, match="The session ended there"):
        timed(fleet, library(tmp_path, foul.calling_in_a_block("abort")))
    assert timed(fleet, library(tmp_path)).repeats, "and the board is waited for"


def test_a_library_that_hangs_is_given_up(fleet, tmp_path, monkeypatch):
    monkeypatch.setattr(boards, "_LEAST_S", 4.0)
    with pytest.raises(UserError, match="The tuned library did not run on a board of shaken"):
        timed(fleet, library(tmp_path, foul.calling_in_a_block("pause")))
    assert timed(fleet, library(tmp_path)).repeats
