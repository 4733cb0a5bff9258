"""Rules that TVM's pools name: their lack is not told of, and changes nothing."""

import pytest
from tvm_ffi.registry import remove_global_func

from pruner_engine.benchmarks.draft_rate import spaces_of
from pruner_engine.space.rules.pools import know_rules_of_pools
from pruner_engine.targets.target import resolve_target


@pytest.mark.parametrize("target", ["zen4", "h100"])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_a_pool_has_the_sketches_that_tvm_gives_it_without_its_warning(kind, target, capfd):
    def sketches():
        (space,) = spaces_of(f"{kind}pool:1,16,12,12,3", resolve_target(target))
        return [sketch.hash for sketch in space.sketches]

    found = sketches()
    assert "Unknown schedule rule" not in capfd.readouterr().err
    device = "cpu" if target == "zen4" else "cuda"
    remove_global_func(f"s_tir.meta_schedule.{device}.meta_schedule.pool_{kind}")
    try:
        assert sketches() == found != []
    finally:
        know_rules_of_pools()
    assert "Unknown schedule rule" in capfd.readouterr().err
