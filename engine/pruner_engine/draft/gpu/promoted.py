"""What TVM's lowering makes of bfloat16 where a GPU has no arithmetic of it: float32."""

from __future__ import annotations

from pruner_engine.draft.nests.nest import Block, blocks_under


def promote(root: Block) -> None:
    """Let the buffers of bfloat16 that the function itself allocates be of float32, as TVM allocates them.

    Its arguments stay what they are, and are converted as they are read.
    """
    stores = (store for block in blocks_under(root) for store in block.stores)
    for buffer in {access.buffer for store in stores for access in store.accesses}:
        if buffer.dtype == "bfloat16" and not buffer.argument:
            buffer.dtype = "float32"
