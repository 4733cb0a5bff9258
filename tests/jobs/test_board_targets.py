"""What a run on boards is tuned for, and what the draft reckons with."""

import pytest

from pruner_engine.errors import UserError
from pruner_engine.jobs.runs.boards import run_profile, run_target
from pruner_engine.targets import Cache
from pruner_engine.targets.board_facts import BoardFacts
from pruner_engine.targets.boards import board_target
from pruner_engine.targets.target import cpu_of, host_target, resolve_target, target_json

JETSON = BoardFacts("jetson", "aarch64-linux-gnu", "cortex-a78ae", cores=8, features=("dotprod", "fullfp16", "neon"))


@pytest.mark.parametrize("name", ["auto", " cpu "])
def test_what_is_no_device_of_its_own_means_the_board(name):
    assert target_json(run_target(name, JETSON)) == target_json(board_target(JETSON))
    assert target_json(run_target(name, None)) == target_json(host_target())


def test_kernels_of_a_boards_gpu_are_launched_by_its_own_processor():
    target = run_target('{"kind":"cuda","arch":"sm_87"}', JETSON)
    assert cpu_of(target).attrs["mtriple"] == "aarch64-linux-gnu"
    assert cpu_of(resolve_target("orin")).attrs["mtriple"] == "aarch64-linux-gnu"
    with pytest.raises(UserError, match="for x86_64 cannot run"):
        run_target('{"kind":"cuda","arch":"sm_87","host":{"kind":"llvm","mtriple":"x86_64-linux-gnu"}}', JETSON)


def test_the_draft_reckons_with_the_caches_and_the_clock_that_a_board_tells():
    pi = BoardFacts(
        "pi", "aarch64-linux-gnu", "cortex-a76", 4, ("neon",), (Cache(1, 64 << 10), Cache(2, 512 << 10)), 2.4e9
    )
    profile = run_profile(board_target(pi), pi, print)
    assert [cache.bytes for cache in profile.caches] == [64 << 10, 512 << 10]
    assert profile.peak_flops == 4 * profile.peak_flops_core == 4 * 2.4e9 * 16
    preset = run_profile(resolve_target("graviton3"), pi, print)
    assert preset.source == "preset"
