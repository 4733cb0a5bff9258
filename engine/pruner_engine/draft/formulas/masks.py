"""Conditions of formulas as bit masks, so that a choice between two columns takes no branch.

A processor guesses which way a branch goes, and a condition over random rows is guessed wrong every other time, which
costs as much as ten additions. A mask has all bits set where the condition holds; choosing is arithmetic on bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pruner_engine.draft.formulas.columns import Column, Value, topological

#: operations whose result is a mask
MASKS = frozenset(("mask_gt", "mask_ge", "mask_eq", "mask_any", "and", "or", "unless_mask", "choose_mask", "constant"))

_COMPARISONS = {"gt": "mask_gt", "ge": "mask_ge", "eq": "mask_eq"}
_DIVISIONS = {"div": "", "floor_div": "floor", "ceil_div": "ceil"}
_AND, _OR = ("mul", "min"), ("max",)


def with_masks(outputs: Sequence[Value]) -> list[Value]:
    """The same formulas with their conditions as masks.

    Comparisons become `mask_…`, products and maxima of them `and` and `or`. Of `where` remain `when` (a number, else
    0), `unless` (0, else a number) and `choose`. `number` is a mask as 1 or 0.
    """
    rewriting = _Rewriting()
    for node in topological(outputs):
        rewriting.add(node)
    return [rewriting.number(value) for value in outputs]


class _Rewriting:
    def __init__(self) -> None:
        self._numbers: dict[Column, Value] = {}
        self._masks: dict[Column, Column] = {}
        self._conditions: set[Column] = set()  # what is 1 or 0 everywhere

    def add(self, node: Column) -> None:
        """Rewrite a formula whose operands are rewritten."""
        mask = self._as_mask(node)
        if mask is None:
            self._numbers[node] = self._as_number(node)
        else:
            self._masks[node] = mask
            self._conditions.add(node)

    def number(self, value: Value) -> Value:
        if not isinstance(value, Column):
            return value
        if value not in self._numbers:
            self._numbers[value] = Column("number", self._masks[value])
        return self._numbers[value]

    def _mask(self, value: Value) -> Column:
        if not isinstance(value, Column):
            return Column("constant", bool(value))
        if value not in self._masks:
            self._masks[value] = Column("mask_any", self._numbers[value])
        return self._masks[value]

    def _is_condition(self, value: Value) -> bool:
        return value in self._conditions if isinstance(value, Column) else value in (0, 1)

    def _as_mask(self, node: Column) -> Column | None:
        if node.op in _COMPARISONS:
            return Column(_COMPARISONS[node.op], *map(self.number, node.args))
        if node.op in (*_AND, *_OR) and all(map(self._is_condition, node.args)):
            return Column("or" if node.op in _OR else "and", *map(self._mask, node.args))
        if node.op == "where" and all(map(self._is_condition, node.args[1:])):
            return self._choice(*map(self._mask, node.args))
        return None

    def _choice(self, condition: Column, a: Column, b: Column) -> Column:
        if a.op == "constant":
            return Column("or", condition, b) if a.args[0] else Column("unless_mask", condition, b)
        if b.op == "constant" and not b.args[0]:
            return Column("and", condition, a)
        return Column("choose_mask", condition, a, b)

    def _as_number(self, node: Column) -> Value:
        if node.op == "where":
            return self._numeric_choice(*node.args)
        args = [self.number(a) if isinstance(a, Column) else a for a in node.args]
        if node.op not in _DIVISIONS:
            return Column(node.op, *args)
        rounding, found = _DIVISIONS[node.op], _quotient(*args)
        return Column(rounding, found) if rounding else found

    def _numeric_choice(self, condition: Value, a: Value, b: Value) -> Column:
        mask, one, other = self._mask(condition), self.number(a), self.number(b)
        if not isinstance(other, Column) and other == 0:
            return Column("when", mask, one)
        if not isinstance(one, Column) and one == 0:
            return Column("unless", mask, other)
        return Column("choose", mask, one, other)


def _quotient(a: Value, b: Value) -> Value:
    """A division by a power of two is a multiplication, which is exact too and takes half the time."""
    if isinstance(a, Column) and isinstance(b, (int, float)) and b > 0 and math.frexp(b)[0] == 0.5:
        return a * (1.0 / b)
    return Column("div", a, b)
