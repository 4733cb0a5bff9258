"""Cooperative fetches whose vectors straddle rows of what is fetched; some of them TVM cannot lower."""

from __future__ import annotations

from collections.abc import Sequence

from pruner_engine.draft.columns import Value, any_of, ceil_div, divides, equal, product


def can_be_synchronised(lengths: Sequence[Value], width: Value, threads: Value, unroll: Value) -> Value:
    """Whether TVM's ThreadSync understands where a fetch writes.

    It follows an index that is one run of addresses, or one that holds no variable. Neither is so where the rounds of
    the fetch stay a loop, and one round of all threads covers whole rows that are no whole vectors: then the simplifier
    takes the loop's variable out of one digit of the index and leaves it in another, and variables are made of the two.

    Args:
        lengths: of the fetched tile, outermost dimension first.
        width: elements of a vector.
        threads: that fetch together.
        unroll: rounds up to which loops are unrolled.
    """
    at_once, total = threads * width, product(lengths)
    rounds = ceil_div(total, at_once)
    vectors = (width > 1) * divides(width, total)  # one that does not is given up
    stays = (rounds > 1) * (rounds > unroll)
    several = sum((length > 1 for length in lengths), start=0) > 2  # the index of a matrix is one run again
    rows = [product(lengths[at:]) for at in range(1, len(lengths))]
    whole = any_of(equal(row, at_once) for row in rows)  # the loop's variable is a digit of its own
    split = any_of((row > 1) * divides(row, at_once) * (1 - divides(width, row)) for row in rows)
    return 1 - vectors * stays * several * (1 - whole) * split
