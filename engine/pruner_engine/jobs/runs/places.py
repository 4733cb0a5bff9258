"""Where the tuned model of a run is run: where it was measured, where that is in reach."""

from __future__ import annotations

import msgspec
import tvm

from pruner_engine.errors import UserError
from pruner_engine.export.place import Place
from pruner_engine.jobs.runs.measuring import fleet_of, measured_on
from pruner_engine.measure.boards.rpc import fleet_size
from pruner_engine.search.settings import SearchSettings
from pruner_engine.targets.target import device_kind, device_of, why_not_here


def asked_boards(settings: SearchSettings, rpc: str, key: str) -> SearchSettings:
    """A run's settings with the boards of another tracker, where one is named; without a key the run's own."""
    return msgspec.structs.replace(settings, rpc=rpc, rpc_key=key or settings.rpc_key) if rpc else settings


def place_for(target: tvm.target.Target, settings: SearchSettings, *, boards_only: bool = False) -> Place:
    """The boards of the settings where one waits there, else this machine where it runs kernels of the target.

    What boards run is held against nothing that this machine runs: they come first, as they do in a run.

    Args:
        boards_only: they were asked for now.

    Raises:
        UserError: there are none though they were asked for.
    """
    why_not = why_not_here(target)
    if (fleet := fleet_of(settings)) is not None and device_kind(target) == "cpu":
        try:
            fleet_size(fleet)
            return Place(measured_on(target, settings).name, fleet)
        except UserError as error:
            if boards_only:
                raise
            why_not = why_not and error.message  # what to do about this comes first
    elif boards_only:
        raise UserError("Boards run no models for GPUs.", "Leave --rpc out.")
    return Place("", why_not=why_not) if why_not else Place(device_of(target).name)
