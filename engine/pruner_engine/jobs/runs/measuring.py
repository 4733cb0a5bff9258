"""The measurer of a run, by its settings, and the device whose latencies it gives."""

from __future__ import annotations

import dataclasses

import tvm

from pruner_engine.measure.boards.rpc import boards_of
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureOptions
from pruner_engine.measure.workers.wire import Fleet
from pruner_engine.search.settings import SearchSettings
from pruner_engine.targets.device import Device, fingerprint
from pruner_engine.targets.target import device_of, target_json


def measurer_for(target: tvm.target.Target, settings: SearchSettings) -> Measurer:
    """The measurer that a run's settings ask for: of this machine, or of the boards of a tracker.

    Raises:
        UserError: the settings name no address of a tracker.
    """
    options = MeasureOptions(
        build_timeout_s=settings.build_timeout_s,
        run_timeout_s=settings.run_timeout_s,
        repeats=settings.repeats,
        check=settings.check,
        caches=settings.caches,
    )
    return Measurer(target, options, fleet=fleet_of(settings))


def check_tracker(settings: SearchSettings) -> None:
    """Raises UserError where a tracker is to measure whose address is none, or that does not answer."""
    if settings.tracker is not None:
        boards_of(*settings.tracker)


def measured_on(target: tvm.target.Target, settings: SearchSettings) -> Device:
    """The device that a run measures: the target's on this machine, or the boards of a key as a device of their own."""
    device = device_of(target)
    if not settings.rpc:
        return device
    identity = fingerprint("boards", settings.rpc_key, target_json(target))
    return dataclasses.replace(device, name=f"boards of {settings.rpc_key}", fingerprint=identity)


def fleet_of(settings: SearchSettings) -> Fleet | None:
    """The boards that a run's settings name; None for this machine."""
    return None if settings.tracker is None else Fleet(*settings.tracker, settings.rpc_key)
