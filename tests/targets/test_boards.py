"""What a board tells of itself becomes a target, and kernels that cannot run there are refused."""

import dataclasses

import pytest
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.targets import detect_host
from pruner_engine.targets.board_facts import BoardFacts
from pruner_engine.targets.boards import board_target, refuse_unfit
from pruner_engine.targets.cache_files import caches_told
from pruner_engine.targets.device import Cache
from pruner_engine.targets.target import cpu_features, host_target, resolve_target, target_json, threads_of

PI4 = BoardFacts("pi4", "aarch64-unknown-linux-gnu", "cortex-a72", cores=4, features=("neon",))


def test_a_board_is_tuned_for_as_it_says_that_it_is():
    target = board_target(PI4)
    assert (target.attrs["mcpu"], target.attrs["mtriple"]) == ("cortex-a72", "aarch64-linux-gnu")
    assert threads_of(target) == 4
    assert target_json(resolve_target(target_json(target))) == target_json(target)


def test_what_a_boards_system_masks_is_not_used():
    guest = BoardFacts("vm", "aarch64-linux-gnu", "neoverse-v1", features=("bf16", "dotprod", "fullfp16", "neon"))
    assert {"bf16", "dotprod"} < {*cpu_features(board_target(guest))}
    assert not {"sve", "i8mm"} & {*cpu_features(board_target(guest))}


@pytest.mark.parametrize("name", ["generic", "cortex-of-tomorrow"])
def test_what_a_processor_has_that_llvm_does_not_know_is_used(name):
    unknown = BoardFacts("new", "aarch64-linux-gnu", name, features=("dotprod", "i8mm", "neon"))
    assert {"dotprod", "i8mm"} < {*cpu_features(board_target(unknown))}


def test_makers_of_a_system_do_not_make_another_target():
    other = dataclasses.replace(PI4, triple="arm64-conda-linux-gnu")
    assert target_json(board_target(other)) == target_json(board_target(PI4))


def test_a_board_of_this_machines_kind_has_what_this_machine_has():
    host = host_target()
    twin = BoardFacts("twin", f"{detect_host().arch}-linux-gnu", str(host.attrs["mcpu"]), cores=3)
    assert target_json(board_target(twin)) == target_json(Target({**host.export(), "num-cores": 3}))


def test_a_board_that_cannot_tell_what_it_is_has_to_be_named():
    with pytest.raises(UserError, match='"mute" cannot tell') as told:
        board_target(BoardFacts("mute"))
    assert "--target" in told.value.hint


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("sapphire-rapids", "Kernels for x86_64 cannot run.*processor of aarch64"),
        ("graviton3", "Kernels for graviton3 cannot run.*no bf16, dotprod, .*sve"),
    ],
)
def test_kernels_that_a_board_cannot_run_are_refused(target, words):
    with pytest.raises(UserError, match=words) as told:
        refuse_unfit(PI4, resolve_target(target))
    assert "target auto" in told.value.hint


def test_kernels_that_a_board_runs_or_may_run_are_let_through():
    arm = resolve_target("raspberry-pi/4b-aarch64")
    refuse_unfit(PI4, arm)
    refuse_unfit(BoardFacts("mute"), arm)
    refuse_unfit(dataclasses.replace(PI4, features=None), resolve_target("graviton3"))


def test_caches_are_read_from_what_linux_says_of_a_core():
    files = {
        "cpu4/cache/index0/size": "64K", "cpu4/cache/index0/type": "Data", "cpu4/cache/index0/level": "1",
        "cpu4/cache/index0/shared_cpu_list": "4", "cpu4/cache/index1/size": "64K",
        "cpu4/cache/index1/type": "Instruction", "cpu4/cache/index2/size": "2M", "cpu4/cache/index2/type": "Unified",
        "cpu4/cache/index2/level": "2", "cpu4/cache/index2/shared_cpu_list": "0-7",
    }  # fmt: skip
    told = caches_told(lambda name: files.get(name, ""), 4, {4: "4", 5: "5", 6: "6", 7: "7"})
    assert told == (Cache(1, 64 << 10), Cache(2, 2 << 20, shared_by=4))
