"""Devices: what this host has. `targets.target` and `targets.profiling` need TVM and are imported by name."""

from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.device import Cache, Device
from pruner_engine.targets.gpu import detect_gpus

__all__ = ["Cache", "Device", "detect_gpus", "detect_host"]
