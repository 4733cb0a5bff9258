"""Built-in workloads as PyTorch computes them; reference.py uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional as F

Operator = Callable[..., Any]


def operator(text: str) -> Operator:
    """The function of a workload's text, such as "conv2d:1,64,56,56,64,3", of tensors that are `arranged`.

    Data comes and goes in the workload's layout.

    Raises:
        KeyError: this operator is not among them.
    """
    name, _, rest = text.partition(":")
    words = rest.split(",")
    sizes = [int(word) for word in words if word.isdigit()]
    return _OPERATORS[name](sizes, dict(word.split("=") for word in words if "=" in word))


def arranged(text: str, tensors: list[Any]) -> list[Any]:
    """A workload's inputs as a model keeps them: weights of convolutions in the order that PyTorch computes with."""
    if "layout=NHWC" not in text.split(","):
        return tensors
    data, weight = tensors
    return [data, weight.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)]


def _conv2d(sizes: list[int], options: dict[str, str]) -> Operator:
    kernel, dilation = sizes[-1], int(options.get("dilation", 1))
    settings = {
        "stride": int(options.get("stride", 1)),
        "padding": int(options.get("pad", (kernel - 1) * dilation // 2)),
        "dilation": dilation,
    }
    last = options.get("layout") == "NHWC"

    def call(data: Any, weight: Any) -> Any:
        if not last:
            return F.conv2d(data, weight, groups=data.shape[1] // weight.shape[1], **settings)
        # a view: the memory stays in the layout that PyTorch calls channels_last
        data = data.permute(0, 3, 1, 2)
        return F.conv2d(data, weight, groups=data.shape[1] // weight.shape[1], **settings).permute(0, 2, 3, 1)

    return call


def _pool(function: Operator) -> Callable[[list[int], dict[str, str]], Operator]:
    def make(sizes: list[int], options: dict[str, str]) -> Operator:
        stride, padding = int(options.get("stride", sizes[-1])), int(options.get("pad", 0))
        return lambda data: function(data, sizes[-1], stride, padding)

    return make


def _plain(function: Operator) -> Callable[[list[int], dict[str, str]], Operator]:
    return lambda _sizes, _options: function


_OPERATORS: dict[str, Callable[[list[int], dict[str, str]], Operator]] = {
    "matmul": _plain(torch.matmul),
    "bmm": _plain(torch.bmm),
    "dense": _plain(lambda x, weight, bias: torch.addmm(bias, x, weight)),
    "conv2d": _conv2d,
    "depthwise": _conv2d,
    "maxpool": _pool(F.max_pool2d),
    "avgpool": _pool(F.avg_pool2d),
    "softmax": _plain(lambda x: torch.softmax(x, -1)),
    "layernorm": _plain(lambda x, gamma, beta: F.layer_norm(x, x.shape[-1:], gamma, beta)),
    "sum": _plain(lambda x: x.sum(-1)),
    "relu": _plain(torch.relu),
    "gelu": _plain(F.gelu),
    "add": _plain(torch.add),
}
