"""Instructions of NVIDIA GPUs: those of TVM's rules come with the target, the others with a rule that someone adds."""

from __future__ import annotations

import json
import subprocess
import sys

_SCRIPT = """
import json
from pruner_engine.targets.target import resolve_target

target = resolve_target("h100")
from tvm.s_tir import TensorIntrin
from tvm.s_tir import meta_schedule as ms
from pruner_engine.lowering.tensor_intrinsics import intrinsic_groups
from pruner_engine.space.rules import register_rule

def known(names):
    return [TensorIntrin.get(name, allow_missing=True) is not None for name in names]

others = ["mma_f16f16f32", "mma_ldmatrix_f16_a", "wmma_load_16x16x16_f16_a_shared", "wmma_fill_8x8x32_s32"]
rules = len(ms.ScheduleRule.create("cuda-tensorcore"))  # an error where one that they name is missing
own = all(known({name for group in intrinsic_groups() for name in group.values()}))
before = known(others)
register_rule("mine", lambda machine: None, kind="cuda")
print(json.dumps({"rules": rules, "own": own, "before": before, "after": known(others)}))
"""


def test_a_gpu_has_the_instructions_of_its_rules_and_all_of_them_for_a_rule_of_ones_own() -> None:
    """In a process of its own: what is registered stays so."""
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    assert said["rules"] > 5
    assert said["own"]
    assert said["before"] == [False] * 4
    assert said["after"] == [True] * 4
