"""Copies features of many candidates into one block of memory, so that the rest can be freed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pruner_engine.verify.model import PARTS, Features


def in_one_piece(features: Sequence[Features]) -> list[Features]:
    """The same features, all numbers side by side.

    They are extracted one by one, among temporary objects of megabytes: each kept where it was made would keep the page
    around it from being given back.
    """
    whole = np.empty(sum(getattr(f, part).size for f in features for part in PARTS), np.float32)
    kept, start = [], 0
    for of_one in features:
        parts = {}
        for part in PARTS:
            values = getattr(of_one, part)
            if not values.size:
                parts[part] = values
                continue
            place = whole[start : start + values.size].reshape(values.shape)
            place[...] = values
            parts[part], start = place, start + values.size
        kept.append(Features(**parts))
    return kept
