"""`pruner boards`: who waits at a tracker."""

from __future__ import annotations

import click
import msgspec
from rich.table import Table

from pruner_engine.cli.options import json_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.cli.progress import carry_out
from pruner_engine.protocol import Boards, ListBoards
from pruner_engine.units import latency

_SIGNS = {"answers": "answers", "silent": "accepts, but is at work or hangs", "gone": "does not answer"}


@click.command()
@click.argument("tracker", metavar="HOST:PORT")
@json_option
def boards(tracker: str, as_json: bool) -> None:
    """Boards that are registered at a tracker of TVM's RPC, and whether they answer."""
    answer = carry_out(ListBoards(tracker=tracker), Boards, quiet=True)
    if as_json:
        print_json({"tracker": answer.tracker, "boards": msgspec.to_builtins(answer.boards)})
        return
    table = Table("key", "address", "sign of life", "after")
    for board in answer.boards:
        table.add_row(board.key, board.address, _SIGNS[board.sign], latency(board.answer_s))
    print_table(table)
