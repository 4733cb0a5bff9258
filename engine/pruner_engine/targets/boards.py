"""The target of a board, and whether another target's kernels run there."""

from __future__ import annotations

from typing import Any

from tvm.target import Target, codegen

from pruner_engine.errors import UserError
from pruner_engine.targets.board_facts import BoardFacts
from pruner_engine.targets.cpu import ARM_FEATURES, detect_host
from pruner_engine.targets.device import without_maker
from pruner_engine.targets.target import architecture_of, cpu_features, cpu_of, host_target, masked

_ASK = "Tune for the target auto: the board is asked then. Or name one of its kind; `pruner targets` lists some."


def board_target(board: BoardFacts) -> Target:
    """The target of a board's processor: LLVM's name of it, the features that its system lends, its cores.

    Raises:
        UserError: it does not tell what it is.
    """
    if not board.triple:
        raise UserError(
            f'The board "{board.key}" cannot tell what processor it has: its TVM comes without the compiler.',
            "Name it with --target: a device that `pruner targets` lists, or a TVM target as JSON.",
        )
    here = host_target()
    if board.arch == detect_host().arch and board.mcpu == here.attrs["mcpu"] and board.features is None:
        # one of this machine's kind: what hypervisors mask of it is known here
        return Target({**here.export(), "num-cores": board.cores})
    triple = without_maker(board.triple)
    config: dict[str, Any] = {"kind": "llvm", "mtriple": triple, "num-cores": board.cores}
    if codegen.llvm_is_valid_cpu(board.mcpu, triple):
        config["mcpu"] = board.mcpu
    if board.features is not None:
        implied = codegen.llvm_get_cpu_features(Target(config))
        if mattr := masked(board.device, implied):
            config["mattr"] = mattr
    return Target(config)


def refuse_unfit(board: BoardFacts, target: Target) -> None:
    """Raises UserError where a board cannot run kernels of the target: one that tries ends its server."""
    cpu = cpu_of(target)
    there = architecture_of(target)
    if board.arch and board.arch != there:
        raise UserError(
            f'Kernels for {there} cannot run on the board "{board.key}", which has a processor of {board.arch}.', _ASK
        )
    if board.features is None:
        return
    if missing := sorted(set(cpu_features(target)) & set(ARM_FEATURES) - set(board.features)):
        name = cpu.attrs.get("model") or cpu.attrs.get("mcpu") or there
        raise UserError(
            f'Kernels for {name} cannot run on the board "{board.key}": its processor has no {", ".join(missing)}.',
            _ASK,
        )
