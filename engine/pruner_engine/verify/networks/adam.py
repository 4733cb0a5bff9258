"""Adam (Kingma and Ba, ICLR 2015): PyTorch's arithmetic without its optimiser class.

The class loads a compiler of 800 modules as soon as one is made, which takes two seconds of a run that may last
minutes.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn
from torch.optim.adam import adam


class Adam:
    """Moves parameters against their gradients; `decay` pulls them to zero as a part of the gradient."""

    def __init__(self, parameters: Iterable[nn.Parameter], decay: float) -> None:
        self._decay = decay
        self._states = [
            (parameter, torch.zeros_like(parameter), torch.zeros_like(parameter), torch.tensor(0.0))
            for parameter in parameters
        ]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter, *_ in self._states:
            parameter.grad = None

    def step(self, learning_rate: float) -> None:
        """One step; a parameter without a gradient stays as it is."""
        moved = [(state[0].grad, *state) for state in self._states if state[0].grad is not None]
        if not moved:
            return
        gradients, parameters, means, squares, steps = map(list, zip(*moved, strict=True))
        with torch.no_grad():
            adam(
                parameters,
                gradients,
                means,
                squares,
                max_exp_avg_sqs=[],
                state_steps=steps,
                fused=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=learning_rate,
                weight_decay=self._decay,
                eps=1e-8,
                maximize=False,
            )
