"""How many turns an access of a warp to shared memory takes."""

from __future__ import annotations

import pytest

from pruner_engine.draft.gpu.banks import turns
from pruner_engine.draft.nests.footprint import Touch
from pruner_engine.draft.nests.index import Atom, Var
from pruner_engine.draft.nests.nest import Buffer, Loop


def turns_of(rows: int, columns: int, *, down: int, across: int, dtype: str = "float32") -> float:
    """Of 32 threads, `down` of which read rows of their own and `across` columns, of a tile kept at once."""
    y, x, inner = Atom("y", down), Atom("x", across), Atom("inner", columns // across)
    threads = [Loop([y, x], thread="threadIdx.x")]
    serial = Loop([inner])
    buffer = Buffer("tile", [rows, columns], dtype, scope="shared")
    column = Var(x) if across == columns else Var(inner) if across == 1 else None
    assert column is not None
    touch = Touch(buffer, (Var(y), column), 1, read=True, written=False, guarded=False)
    return turns(touch, threads, [*threads, serial], 32)


@pytest.mark.parametrize(
    ("tile", "expected"),
    [
        ({"rows": 1, "columns": 32, "down": 1, "across": 32}, 1),  # neighbours, a bank each
        ({"rows": 32, "columns": 32, "down": 32, "across": 1}, 32),  # a column: all in one bank
        ({"rows": 32, "columns": 33, "down": 32, "across": 1}, 1),  # rows of odd length: again a bank each
        ({"rows": 32, "columns": 8, "down": 32, "across": 1}, 8),
        ({"rows": 4, "columns": 8, "down": 4, "across": 8}, 1),
        ({"rows": 1, "columns": 64, "down": 1, "across": 1}, 0.25),  # all read one element
        ({"rows": 32, "columns": 64, "down": 32, "across": 1, "dtype": "float16"}, 32),
    ],
)
def test_words_of_one_bank_come_one_after_the_other(tile, expected):
    assert turns_of(**tile) == expected
