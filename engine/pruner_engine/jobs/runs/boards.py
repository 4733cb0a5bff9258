"""What a run's boards are: their target where none was named, and the profile that the draft reckons with."""

from __future__ import annotations

from tvm.target import Target

from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.runs.measuring import fleet_of
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.measure.boards.asking import ask_board
from pruner_engine.measure.boards.rpc import fleet_size
from pruner_engine.notices import OnNotice
from pruner_engine.protocol import Notice, Phase
from pruner_engine.search.settings import SearchSettings
from pruner_engine.targets.board_facts import BoardFacts
from pruner_engine.targets.boards import board_target, refuse_unfit
from pruner_engine.targets.estimate import estimate
from pruner_engine.targets.misnamed import OF_THIS_CPU
from pruner_engine.targets.presets import preset_for
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import (
    cpu_of,
    device_of,
    host_target,
    resolve_target,
    runs_here,
    target_json,
    threads_of,
)


def asked_board(settings: SearchSettings, job: JobContext) -> BoardFacts | None:
    """What the first free board of a run says that it is; None where this machine measures.

    Raises:
        UserError: the tracker has no such board, or it cannot be asked.
    """
    if (fleet := fleet_of(settings)) is None:
        return None
    fleet_size(fleet)
    job.emit(Phase(name="profile", detail=f"board {fleet.key}"))
    return ask_board(fleet)


def run_target(text: str, board: BoardFacts | None) -> Target:
    """The target that a run's user named; where the boards are to measure and none was named, the board's own.

    Raises:
        UserError: it is no target, or the board cannot run its kernels.
    """
    if board is None:
        return resolve_target(text)
    if text.strip() in OF_THIS_CPU:
        return resolve_target(target_json(board_target(board)))
    target = resolve_target(text)
    if target.kind.name != "llvm" and board.triple and target_json(cpu_of(target)) == target_json(host_target()):
        target = Target(target, host=board_target(board))  # the text names none, so it is what launches kernels there
    refuse_unfit(board, target)
    return target


def run_profile(target: Target, board: BoardFacts | None, on_notice: OnNotice) -> DeviceProfile:
    """The profile of what a run measures on. Of a board it is told by its data sheet, or estimated of what it says."""
    known = board is None or target.kind.name != "llvm" or runs_here(target) or preset_for(target, device_of(target))
    if board is None or known:
        return profile_for(target, on_notice)
    return estimate(target, board.device)


def tell_board(run: OpenRun, target: Target, board: BoardFacts | None) -> None:
    """Tell what a run's board is, and warn where kernels are tuned for more cores than it has."""
    if board is None:
        return
    features = ", ".join(board.features or ())
    name = " ".join(filter(None, (board.arch, board.mcpu, f"({features})" if features else "")))
    if name:
        several = f'The board "{board.key}" is {name}, its kernels use {board.cores} cores.'
        text = f'The board "{board.key}" is {name}, its kernels use one core.' if board.cores == 1 else several
        run.note(Notice(level="info", text=text))
    if target.kind.name == "llvm" and (wanted := threads_of(target)) > board.cores:
        text = f'Kernels are tuned for {wanted} cores, and the board "{board.key}" runs them on {board.cores}.'
        hint = "Tune for the target auto, which is the board as it is, or name its cores in a target as JSON."
        run.note(Notice(level="warning", text=text, hint=hint))
