"""Compiles formulas to a straight line of array operations over few registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from pruner_engine.draft.formulas.array_operations import ON_BITS, OPERATIONS, WRITES_EARLY
from pruner_engine.draft.formulas.columns import Column, Value, topological
from pruner_engine.draft.formulas.masks import MASKS, with_masks

_LEAVES = frozenset(("row", "constant"))


class Step(NamedTuple):
    """One array operation.

    Attributes:
        operation: called with the operands and the array that takes the result.
        operands: picks these out of the slots.
    """

    operation: Callable[..., Any]
    operands: Callable[[list[Any]], tuple[Any, ...]]


@dataclass(frozen=True)
class Code:
    """Compiled formulas.

    A slot is what a step reads or writes. Slots come in pairs, the first an array of numbers and the second the same
    memory as integers, whose bits masks are made of; a pair is known by the index of its first.

    Attributes:
        dtype: of the numbers.
        slots: constants are in their slots; None where a decision or a register is put for each evaluation.
        decisions: pairs of slots that hold a decision, each with the decision's index in the row.
        registers: pairs of slots for results.
        steps: in the order of execution.
        outputs: pair of slots of each formula's value.
    """

    dtype: np.dtype[Any]
    slots: list[Any] = field(default_factory=list)
    decisions: list[tuple[int, int]] = field(default_factory=list)
    registers: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)

    @property
    def bits(self) -> np.dtype[Any]:
        """The integers that are as wide as the numbers."""
        return np.dtype(f"i{self.dtype.itemsize}")


def compile_formulas(outputs: Sequence[Value], dtype: type[np.floating[Any]]) -> Code:
    """The formulas as steps; registers are used again as soon as their content is not needed any more."""
    return _Compiler(with_masks(outputs), np.dtype(dtype)).code


class _Compiler:
    def __init__(self, outputs: Sequence[Value], dtype: np.dtype[Any]) -> None:
        self.code = Code(dtype)
        self._place: dict[Any, int] = {}  # pair of slots by formula or number
        self._free: list[int] = []  # registers
        self._one = self._slot(np.asarray(1.0, dtype))
        order = topological(outputs)
        last_use = {arg: at for at, node in enumerate(order) for arg in node.args if isinstance(arg, Column)}
        last_use |= {value: len(order) for value in outputs if isinstance(value, Column)}
        for at, node in enumerate(order):
            if node.op in _LEAVES:
                self._place[node] = self._leaf(node)
            else:
                own = {a for a in node.args if isinstance(a, Column) and a.op not in _LEAVES}
                self._add_step(node, dying={self._place[a] for a in own if last_use[a] == at})
        self.code.outputs.extend(map(self._operand, outputs))

    def _add_step(self, node: Column, dying: set[int]) -> None:
        """Compute a formula.

        Args:
            dying: registers that no later step reads.
        """
        on_bits = int(node.op in ON_BITS)
        operands = [self._operand(arg) + on_bits for arg in node.args]
        if node.op == "number":  # the bits of 1 where the mask is set
            operands.append(self._one + on_bits)
        if node.op in WRITES_EARLY:
            register = self._register()
            self._free += dying
        else:
            self._free += dying
            register = self._register()
        self._place[node] = register
        result = register + int(on_bits or node.op in MASKS)
        self.code.steps.append(Step(OPERATIONS[node.op], itemgetter(*operands, result)))

    def _register(self) -> int:
        if self._free:
            return self._free.pop()
        self.code.registers.append(self._slot(None))
        return self.code.registers[-1]

    def _leaf(self, node: Column) -> int:
        if node.op == "constant":
            return self._slot(np.asarray(-int(node.args[0]), self.code.bits).view(self.code.dtype))
        slot = self._slot(None)
        self.code.decisions.append((slot, node.args[0]))
        return slot

    def _operand(self, value: Any) -> int:
        if value not in self._place:
            self._place[value] = self._slot(np.asarray(value, self.code.dtype))
        return self._place[value]

    def _slot(self, content: np.ndarray | None) -> int:
        """A new pair of slots."""
        self.code.slots.extend((content, None if content is None else content.view(self.code.bits)))
        return len(self.code.slots) - 2
