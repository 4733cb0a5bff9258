"""Schedule primitives on nests with symbolic extents; importing the package registers all of them."""

from pruner_engine.draft.nests.primitives import blocks, caches, layouts, loops, moves, padding, reductions
from pruner_engine.draft.nests.primitives.registry import AT_ROOT, INLINE, PRIMITIVES

__all__ = ["AT_ROOT", "INLINE", "PRIMITIVES", "blocks", "caches", "layouts", "loops", "moves", "padding", "reductions"]
