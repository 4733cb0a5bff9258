"""Regions of images (RoiAlign) with as many samples as they have pixels: zeros where one has none.

TVM's kernel leaves what it makes of such a region as the memory was: it begins a sum with its first sample.
"""

from __future__ import annotations

import tvm
from tvm import relax, te, tirx, topi

from pruner_engine.tasks.kernels.norms import Legalize

_FAR, _APART = 3, 2  # of the numbers of a region: its image, two near edges, and two far ones


def regions() -> dict[str, Legalize]:
    """What `LegalizeOps` shall take instead of TVM's kernel, by operator."""
    name = "relax.vision.roi_align"
    stock: Legalize = tvm.ir.Op.get(name).get_attr("FLegalize")

    def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        form = call.attrs
        if form.sample_ratio > 0 or not form.aligned:  # those that are not aligned have a pixel at least
            return stock(builder, call)

        def sampled(x: te.Tensor, rois: te.Tensor) -> te.Tensor:
            def edge(region: tirx.Var, number: tirx.Var) -> tirx.Expr:
                own, near = rois(region, number), rois(region, tirx.max(number - _APART, 0))
                return tirx.Select(tirx.all(number >= _FAR, own <= near), near + 1, own)

            filled = te.compute(rois.shape, edge, name="regions")
            found = topi.vision.roi_align(
                x, filled, form.pooled_size, form.spatial_scale, form.mode, form.sample_ratio, True, form.layout
            )

            def of_some(region: tirx.Var, *place: tirx.Var) -> tirx.Expr:
                filling = [rois(region, far) > rois(region, far - _APART) for far in (_FAR, _FAR + 1)]
                return tirx.Select(tirx.all(*filling), found(region, *place), tirx.const(0, found.dtype))

            return te.compute(found.shape, of_some, name="samples")

        return builder.call_te(sampled, *call.args, primfunc_name_hint="roi_align")

    return {name: legalize}
