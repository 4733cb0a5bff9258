"""Adam (Kingma and Ba, ICLR 2015) in PyTorch's arithmetic.

PyTorch's own loads a compiler of 800 modules as soon as one is made, which takes two seconds of a run that may last
minutes.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

_MEAN, _SQUARE = 0.9, 0.999
_EPSILON = 1e-8


class Adam:
    """Moves parameters against their gradients; `decay` pulls them to zero as a part of the gradient."""

    def __init__(self, parameters: Iterable[nn.Parameter], decay: float) -> None:
        self._parameters = list(parameters)
        self._decay = decay
        self._means = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._steps = 0

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self._parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """One step; a parameter without a gradient stays as it is."""
        self._steps += 1
        step = learning_rate / (1 - _MEAN**self._steps)
        root = (1 - _SQUARE**self._steps) ** 0.5
        for parameter, mean, square in zip(self._parameters, self._means, self._squares, strict=True):
            if parameter.grad is None:
                continue
            gradient = parameter.grad.add(parameter, alpha=self._decay)
            mean.lerp_(gradient, 1 - _MEAN)
            square.mul_(_SQUARE).addcmul_(gradient, gradient, value=1 - _SQUARE)
            parameter.addcdiv_(mean, (square.sqrt() / root).add_(_EPSILON), value=-step)
