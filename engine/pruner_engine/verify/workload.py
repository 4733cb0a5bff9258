"""Workload embedding: what a task computes, as a short vector."""

from __future__ import annotations

import numpy as np

from pruner_engine.tasks.task import TuningTask

WIDTH = 16
_CLASSES = (
    "conv1d",
    "conv2d",
    "conv3d",
    "depthwise",
    "transpose",
    "matmul",
    "dense",
    "softmax",
    "norm",
    "reduce",
    "pool",
)


def workload_embedding(task: TuningTask) -> np.ndarray:
    """float32[16]: operator class one-hot (last: other), then log2 of FLOPs, of bytes in and out, of FLOPs per byte."""
    sizes = [arg.bytes for arg in task.args]
    read, written = sum(sizes[:-1]), sum(sizes[-1:])
    vector = np.zeros(WIDTH, np.float32)
    matches = [i for i, name in enumerate(_CLASSES) if name in task.op]
    # "depthwise_conv2d" is depthwise, "conv2d_transpose" transposed: the later class is the narrower one
    vector[matches[-1] if matches else len(_CLASSES)] = 1.0
    vector[12:] = np.log2(np.array([task.flops, read, written, task.flops / max(read + written, 1.0)]) + 1.0)
    return vector
