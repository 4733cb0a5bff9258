"""Products of bfloat16 on Tensor Cores, which MetaSchedule has rules of other types for."""

from __future__ import annotations

import logging

from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.schedule_rule import MultiLevelTilingTensorCore, PyScheduleRule, ReuseType
from tvm.s_tir.schedule import SBlockRV

from pruner_engine.lowering.tensor_intrinsics import intrinsic_groups
from pruner_engine.space.rules.stages import stages_of

_SCOPE = "shared.dyn"
_ALIGN = (32, 8)  # rows of 16-bit operands start in different banks
_QUIET = logging.getLogger(f"{__name__}.tvm")
_QUIET.addHandler(logging.NullHandler())
_QUIET.propagate = False


@derived_object
class BFloat16TensorCore(PyScheduleRule):
    """MetaSchedule's tiling for Tensor Cores, as it ships for float16, with bfloat16 instructions."""

    def __init__(self) -> None:
        super().__init__()
        self.tiling = MultiLevelTilingTensorCore(
            intrin_groups=intrinsic_groups(),
            structure="SSSRRSRS",
            tile_binds=["blockIdx.y", "blockIdx.x", "threadIdx.y"],
            max_innermost_factor=4,
            vector_load_lens=[1, 2, 3, 4, 8, 16],
            reuse_read=ReuseType(req="must", levels=[4], scope=_SCOPE),
            reuse_write=ReuseType(req="must", levels=[2], scope=_SCOPE),
            use_software_pipeline=False,
        )

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        # it warns of the alignment that `apply` adds
        self.tiling._initialize_with_tune_context(ms.TuneContext(context.mod, target=context.target, logger=_QUIET))

    def apply(self, sch: Schedule, block: SBlockRV) -> list[Schedule]:
        """The schedules to go on with; [sch] where the block is no product of bfloat16."""
        tiled = self.tiling.apply(sch, block)
        for schedule in tiled:
            _align_operands(schedule)
        return list(tiled)

    def clone(self) -> BFloat16TensorCore:
        """Called by TVM for each thread."""
        return BFloat16TensorCore()


def _align_operands(sch: Schedule) -> None:
    for copy in stages_of(sch):
        block = sch.get(copy)
        written = block.writes[0].source
        wanted = written.scope() == _SCOPE and str(written.dtype) == "bfloat16"
        if wanted and "buffer_dim_align" not in block.annotations:  # of the product before this one in the kernel
            sch.storage_align(copy, 0, axis=-2, factor=_ALIGN[0], offset=_ALIGN[1])
