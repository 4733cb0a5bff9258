"""The free decisions of a sketch as integers: domains with MetaSchedule's priors, mutation and enumeration.

A decision takes `width` columns of a row: a tiling its factors (outermost first), a categorical choice its index, a
compute location its loop index (-1 root, -2 inlined).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

Rows = np.ndarray
Rng = np.random.Generator


@dataclass(frozen=True)
class Decision(ABC):
    """One sampling instruction of a sketch.

    Attributes:
        instruction: its position in the sketch's trace.
        name: for people, such as "C.i" (block and loop) or "unroll_explicit".
    """

    instruction: int
    name: str

    kind = ""

    @property
    def width(self) -> int:
        """Columns of a row that it takes."""
        return 1

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of values."""

    @abstractmethod
    def values(self) -> Rows:
        """All values, int32[size, width]."""

    @abstractmethod
    def domain(self) -> dict[str, Any]:
        """JSON description of the values."""

    @abstractmethod
    def sample(self, rng: Rng, n: int) -> Rows:
        """`n` values from MetaSchedule's prior, int32[n, width]."""

    def mutate(self, rng: Rng, values: Rows) -> Rows:
        """Another value for each of int32[n, width]; by default a fresh sample."""
        return self.sample(rng, len(values))

    def to_json(self, value: Rows) -> Any:
        """The value as TVM's traces hold it: one integer, or of a tiling a list of factors."""
        return int(value[0])

    def from_json(self, value: Any) -> list[int]:
        """What `to_json` gave.

        Raises:
            TypeError, ValueError: it is none, and TVM would not survive applying it.
        """
        return [int(v) for v in value] if self.width > 1 else [int(value)]

    def admits(self, value: Any) -> bool:
        """Whether `value`, as a trace holds it, is in the domain."""
        row = self.from_json(value)
        whole = row == (list(value) if self.width > 1 else [value])  # else something was rounded, or read
        return whole and len(row) == self.width and bool((self.values() == np.array(row)).all(axis=1).any())

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "domain": self.domain()}


@dataclass(frozen=True)
class TileDecision(Decision):
    """SamplePerfectTile and SamplePartitionedTile: `n` factors whose product is `extent`.

    MetaSchedule's prior distributes the exponent of each prime uniformly over the compositions and rejects what breaks
    the limits, hence it is uniform over the admissible factorisations.

    Attributes:
        max_innermost: cap of the last factor, -1 for none.
        partition: (position, factor): the product from the position on is a multiple of the factor.
    """

    extent: int
    n: int
    max_innermost: int = -1
    partition: tuple[int, int] = (0, 1)

    kind = "tile"

    @property
    def width(self) -> int:
        return self.n

    @cached_property
    def _table(self) -> Rows:
        table = np.ones((1, self.n), dtype=np.int32)
        for prime, power in prime_factors(self.extent):
            parts = prime ** compositions(power, self.n)
            table = (table[:, None, :] * parts[None, :, :]).reshape(-1, self.n)
        return table[self._admissible(table)].astype(np.int32)

    def _admissible(self, values: Rows) -> np.ndarray:
        position, factor = self.partition
        ok = values[:, position:].prod(axis=1) % factor == 0
        return ok if self.max_innermost < 0 else ok & (values[:, -1] <= self.max_innermost)

    @cached_property
    def _divisors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Divisors of the extent, sorted; per divisor its own divisors greater than one, padded; their number."""
        divisors = [1]
        for prime, power in prime_factors(self.extent):
            divisors = [d * prime**p for d in divisors for p in range(power + 1)]
        divisors.sort()
        own = [[d for d in divisors if d > 1 and value % d == 0] or [1] for value in divisors]
        padded = np.ones((len(own), max(map(len, own))), dtype=np.int32)
        for index, row in enumerate(own):
            padded[index, : len(row)] = row
        return np.array(divisors, dtype=np.int32), padded, np.array([len(row) for row in own])

    @property
    def size(self) -> int:
        return len(self._table)

    def values(self) -> Rows:
        return self._table

    def domain(self) -> dict[str, Any]:
        return {
            "extent": self.extent,
            "n": self.n,
            "max_innermost": self.max_innermost,
            "partition": list(self.partition),
        }

    def sample(self, rng: Rng, n: int) -> Rows:
        return self._table[rng.integers(self.size, size=n)]

    def mutate(self, rng: Rng, values: Rows) -> Rows:
        """Moves a factor to another position, as MetaSchedule's MutateTileSize; samples where that is ruled out."""
        n, each = len(values), np.arange(len(values))
        divisors, own, count = self._divisors
        source = np.where(values > 1, rng.random(values.shape), -1.0).argmax(axis=1)
        target = (source + rng.integers(1, self.n, size=n)) % self.n
        at = np.searchsorted(divisors, values[each, source])
        factor = own[at, (rng.random(n) * count[at]).astype(np.int64)]
        moved = values.copy()
        moved[each, source] //= factor
        moved[each, target] *= factor
        bad = ~self._admissible(moved)
        moved[bad] = self.sample(rng, int(bad.sum()))
        return moved

    def to_json(self, value: Rows) -> list[int]:
        return [int(v) for v in value]

    def from_json(self, value: Any) -> list[int]:
        row = [int(v) for v in value]
        if min(row) < 1:  # TVM divides by them
            raise ValueError(f"{row} are no factors")
        return row


@dataclass(frozen=True)
class CategoricalDecision(Decision):
    """SampleCategorical: an index into `candidates`."""

    candidates: tuple[int, ...]
    probabilities: tuple[float, ...]

    kind = "categorical"

    @property
    def size(self) -> int:
        return len(self.candidates)

    def values(self) -> Rows:
        return np.arange(self.size, dtype=np.int32)[:, None]

    def domain(self) -> dict[str, Any]:
        return {"candidates": list(self.candidates), "probs": list(self.probabilities)}

    def sample(self, rng: Rng, n: int) -> Rows:
        weights = np.array(self.probabilities)
        return rng.choice(self.size, size=(n, 1), p=weights / weights.sum()).astype(np.int32)


@dataclass(frozen=True)
class LocationDecision(Decision):
    """SampleComputeLocation: a loop index of the block's first consumer, -1 for the root, -2 for inlining.

    `indices` holds every location that some decision of the sketch allows. TVM replaces one that the other decisions
    rule out (a loop of extent 1) by the nearest before it, which computes the same.
    """

    indices: tuple[int, ...]

    kind = "location"

    @property
    def size(self) -> int:
        return len(self.indices)

    def values(self) -> Rows:
        return np.array(self.indices, dtype=np.int32)[:, None]

    def domain(self) -> dict[str, Any]:
        return {"indices": list(self.indices)}

    def sample(self, rng: Rng, n: int) -> Rows:
        return self.values()[rng.integers(self.size, size=n)]


def prime_factors(number: int) -> list[tuple[int, int]]:
    """(prime, power) pairs, ascending."""
    found = []
    for prime in range(2, math.isqrt(number) + 1):
        power = 0
        while number % prime == 0:
            number, power = number // prime, power + 1
        if power:
            found.append((prime, power))
    return found + ([(number, 1)] if number > 1 else [])


def compositions(total: int, parts: int) -> np.ndarray:
    """All ways to write `total` as an ordered sum of `parts` non-negative integers, int64[ways, parts]."""
    places = total + parts - 1  # of ones and of what divides them
    found = list(combinations(range(places), parts - 1))
    dividers = np.array(found, dtype=np.int64).reshape(len(found), parts - 1)
    return np.diff(dividers, axis=1, prepend=-1, append=places) - 1
