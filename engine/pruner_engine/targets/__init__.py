"""Devices: what this host has. `targets.target` and `targets.profiling` need TVM and are imported by name."""

from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.device import Cache, Device
from pruner_engine.targets.gpu import detect_gpus
from pruner_engine.targets.named import NamedTarget, named_targets, refusal

__all__ = ["Cache", "Device", "NamedTarget", "detect_gpus", "detect_host", "named_targets", "refusal"]
