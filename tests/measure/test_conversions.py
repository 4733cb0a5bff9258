"""What TVM adds to every kernel for float16 is left out of those that have none of it, and of no others."""

from __future__ import annotations

import tarfile

import numpy as np
import pytest
import tvm

from pruner_engine.measure.building.build import build
from pruner_engine.measure.building.conversions import without_conversions
from pruner_engine.measure.workers import wire
from pruner_engine.targets.target import target_json
from schedules import CPU

SECTION = b".text.tvm.fp16.conv"  # where TVM puts them


def doubled(dtype: str, through: str) -> tvm.IRModule:
    """A kernel that doubles sixteen numbers of a type, computed in another."""
    return tvm.script.from_source(
        f"""
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "{dtype}"), B: T.Buffer((16,), "{dtype}")):
        T.func_attr({{"tirx.noalias": True}})
        for i in range(16):
            with T.sblock("B"):
                v = T.axis.spatial(16, i)
                B[v] = T.Cast("{dtype}", T.Cast("{through}", A[v]) * T.Cast("{through}", T.float32(2)))
"""
    )


def built(mod: tvm.IRModule, library) -> str:
    text = str(tvm.ir.save_json(mod))
    answer = build(wire.Build(id=1, mod=text, target=target_json(CPU), library=str(library)))
    assert answer.kernel is not None, answer.message
    return answer.kernel.library


@pytest.mark.parametrize(("dtype", "through", "has"), [("float32", "float64", False), ("float16", "float32", True)])
def test_objects_hold_the_conversions_that_they_need(tmp_path, dtype, through, has):
    with tarfile.open(built(doubled(dtype, through), tmp_path / "k.tar")) as tar:
        objects = [tar.extractfile(name).read() for name in tar.getnames() if name.endswith(".o")]
    assert objects and any(SECTION in one for one in objects) == has


@pytest.mark.parametrize(("dtype", "through"), [("float16", "float32"), ("float32", "float16"), ("float32", "float64")])
def test_numbers_are_converted_right(tmp_path, dtype, through):
    kernel = tvm.runtime.load_module(built(doubled(dtype, through), tmp_path / "k.so"))["main"]
    numbers = np.linspace(-3, 3, 16).astype("float16").astype(dtype)
    out = tvm.runtime.tensor(np.zeros(16, dtype))
    kernel(tvm.runtime.tensor(numbers), out)
    assert np.array_equal(out.numpy(), 2 * numbers)


@pytest.mark.parametrize("small", ["bfloat16", "float8_e4m3fn", "float4_e2m1fn"])
def test_what_may_be_computed_in_float16_keeps_them(small):
    text = str(tvm.ir.save_json(tvm.tirx.Var("x", small)))
    mod = doubled("float32", "float64")
    assert without_conversions(mod, text) is mod
    assert without_conversions(mod, str(tvm.ir.save_json(mod))) is not mod
