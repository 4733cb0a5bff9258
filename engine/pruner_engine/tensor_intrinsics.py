"""Matrix instructions of NVIDIA GPUs for bfloat16, summed in float32: fragments as in TVM, which has none of this type.

A schedule names them, so that every process that applies schedules for a GPU has them registered.
"""

from __future__ import annotations

import functools

from tvm.s_tir import TensorIntrin

_SIZE = (16, 16, 16)
_TYPE, _SUM, _SCOPE = "bfloat16", "float32", "shared.dyn"


def intrinsic_groups() -> list[dict[str, str]]:
    """Names of the instructions that belong together, for a right operand stored by rows and by columns."""
    return [
        {
            "init": "wmma_fill_16x16x16_f32",
            "load_a": "wmma_load_16x16x16_bf16_a_shared_dyn",
            "load_b": f"wmma_load_16x16x16_bf16_b{stored}_shared_dyn",
            "compute": f"wmma_sync_16x16x16_bf16bf16f32{stored}",
            "store": "wmma_store_16x16x16_f32_shared_dyn",
        }
        for stored in ("", "_trans")
    ]


@functools.cache
def register_tensor_intrinsics() -> None:
    """Register the instructions with TVM; `import_tvm` calls it where it loads TVM's own."""
    from tvm.s_tir.tensor_intrin.cuda import get_wmma_load_intrin, get_wmma_sync_intrin

    rows, columns = intrinsic_groups()
    TensorIntrin.register(rows["load_a"], *get_wmma_load_intrin(*_SIZE, _TYPE, _SCOPE, False, False))
    for group, transposed in ((rows, False), (columns, True)):
        TensorIntrin.register(group["load_b"], *get_wmma_load_intrin(*_SIZE, _TYPE, _SCOPE, True, transposed))
        TensorIntrin.register(group["compute"], *get_wmma_sync_intrin(*_SIZE, _TYPE, _SUM, transposed))
