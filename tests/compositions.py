"""Random networks: operators that models use, in orders that none of them has.

A network is drawn from a seed. Its steps are chosen one after the other among those that the shape so far allows, and
each is run as it is drawn, so that what PyTorch refuses is never part of one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Step = Callable[[Tensor], Tensor]
Drawn = Callable[[random.Random, Sequence[int]], Step | None]

POINTWISE: dict[str, Step] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "silu": F.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "hardswish": F.hardswish,
    "leaky relu": lambda x: F.leaky_relu(x, 0.1),
    "clamp": lambda x: x.clamp(-0.5, 0.8),
    "where": lambda x: torch.where(x > 0.1, x, x * 0.3 - 0.1),
    "root": lambda x: torch.sqrt(x.abs() + 0.1),
    "halved twice": lambda x: (x / 2 + 0.5).square(),
}


def _divisor(rng: random.Random, number: int, most: int = 64) -> int:
    return rng.choice([n for n in range(1, min(number, most) + 1) if number % n == 0])


def _pointwise(rng: random.Random, shape: Sequence[int]) -> Step:
    return POINTWISE[rng.choice(list(POINTWISE))]


def _convolution(rng: random.Random, shape: Sequence[int]) -> Step | None:
    channels, kernel, dilation = shape[1], rng.choice([1, 1, 2, 3, 3, 5]), rng.choice([1, 1, 1, 2])
    groups = rng.choice([1, 1, channels, _divisor(rng, channels)])
    made = groups * rng.choice([1, 2, 3, 4])
    if min(shape[2:]) < 2 or made > 48:
        return None
    return nn.Conv2d(
        channels, made, kernel, rng.choice([1, 1, 2]), rng.randint(0, kernel), dilation, groups, rng.random() < 0.7
    )


def _transposed(rng: random.Random, shape: Sequence[int]) -> Step | None:
    groups = rng.choice([1, 1, _divisor(rng, shape[1])])
    if max(shape[2:]) > 16:
        return None
    stride = rng.choice([1, 2])
    return nn.ConvTranspose2d(
        shape[1], groups * rng.choice([2, 4]), rng.choice([2, 3, 4]), stride, rng.randint(0, 1), stride - 1, groups
    )


def _norm(rng: random.Random, shape: Sequence[int]) -> Step:
    channels = shape[1]
    norm = rng.choice(
        [
            nn.BatchNorm2d(channels),
            nn.GroupNorm(_divisor(rng, channels), channels),
            nn.InstanceNorm2d(channels, affine=True),
        ]
    )
    for numbers in (*norm.parameters(), *norm.buffers()):
        if numbers.is_floating_point():
            nn.init.uniform_(numbers, 0.5, 1.5)
    return norm


def _pooling(rng: random.Random, shape: Sequence[int]) -> Step | None:
    kernel, ceil = rng.choice([2, 3]), rng.random() < 0.4
    if min(shape[2:]) < kernel:
        return None
    return rng.choice(
        [
            nn.MaxPool2d(kernel, rng.choice([1, 2]), rng.randint(0, 1), ceil_mode=ceil),
            nn.AvgPool2d(kernel, rng.choice([1, 2]), rng.randint(0, 1), ceil, rng.random() < 0.5),
            nn.AdaptiveAvgPool2d((rng.randint(1, shape[2]), rng.randint(1, shape[3]))),
        ]
    )


def _padding(rng: random.Random, shape: Sequence[int]) -> Step | None:
    mode = rng.choice(["constant", "reflect", "replicate", "circular"])
    most = min(2, min(shape[2:]) - 1)
    sides = [rng.randint(0, most) for _ in range(4)]
    return lambda x: F.pad(x, sides, mode)


def _resized(rng: random.Random, shape: Sequence[int]) -> Step | None:
    if max(shape[2:]) > 14:
        return None
    mode = rng.choice(["nearest", "bilinear"])
    size = [n + rng.randint(-1, n) for n in shape[2:]]
    return (lambda x: F.interpolate(x, size=size, mode=mode)) if min(size) > 0 else None


def _moved(rng: random.Random, shape: Sequence[int]) -> Step | None:
    """Elements that only change their places, all of them or some."""
    axis = rng.randint(1, len(shape) - 1)
    length, by = shape[axis], rng.randint(1, 3)
    groups = _divisor(rng, shape[1])
    begin, step = rng.randint(0, length // 2), rng.choice([1, 1, 2])
    moves: list[Step] = [
        lambda x: x.flip(axis),
        lambda x: torch.roll(x, by, axis),
        lambda x: x.unflatten(1, (groups, -1)).transpose(1, 2).flatten(1, 2),
        lambda x: x[(slice(None),) * axis + (slice(begin, None, step),)],
        lambda x: torch.cat([x, x.narrow(axis, 0, length // 2 + 1)], axis),
        lambda x: x.transpose(-1, -2),
    ]
    if shape[1] > 24:
        moves.append(lambda x: x[:, :16])
    return rng.choice(moves)


def _shuffled(rng: random.Random, shape: Sequence[int]) -> Step | None:
    if shape[1] % 4 == 0 and rng.random() < 0.5:
        return nn.PixelShuffle(2) if max(shape[2:]) <= 12 else None
    return nn.PixelUnshuffle(2) if shape[2] % 2 == shape[3] % 2 == 0 and shape[1] <= 8 else None


def _reduced(rng: random.Random, shape: Sequence[int]) -> Step:
    """Weights of channels, rows or columns that sums of the others tell."""
    axes = rng.choice([(1,), (2, 3), (-1,), (1, 3)])
    reduce = rng.choice([torch.mean, torch.amax, torch.amin, torch.logsumexp])
    return lambda x: x * torch.sigmoid(reduce(x, axes, keepdim=True))


def _softmax(rng: random.Random, shape: Sequence[int]) -> Step:
    axis = rng.randint(1, len(shape) - 1)
    return lambda x: torch.softmax(x * 2, axis)


def _gated(rng: random.Random, shape: Sequence[int]) -> Step | None:
    axis = rng.choice([axis for axis, length in enumerate(shape) if axis and length % 2 == 0] or [0])
    return (lambda x: F.glu(x, axis)) if axis else None


class _Linear(nn.Module):
    """Of channels that come last, or of the last axis as it is."""

    def __init__(self, rng: random.Random, shape: Sequence[int]) -> None:
        super().__init__()
        self.last = len(shape) == 3 or rng.random() < 0.3
        self.linear = nn.Linear(shape[-1 if self.last else 1], rng.choice([4, 8, 12, 20]), rng.random() < 0.7)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) if self.last else self.linear(x.movedim(1, 3)).movedim(3, 1)


class _Normed(nn.Module):
    """A norm of the last axis, by its own operator or as it is written where there is none."""

    def __init__(self, rng: random.Random, shape: Sequence[int]) -> None:
        super().__init__()
        self.root = rng.random() < 0.4
        self.norm = (nn.RMSNorm if self.root else nn.LayerNorm)(shape[-1], eps=1e-3)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x)


class _Attention(nn.Module):
    """Of a sequence, or of an image's pixels."""

    def __init__(self, rng: random.Random, shape: Sequence[int]) -> None:
        super().__init__()
        width = shape[1] if len(shape) == 4 else shape[2]
        self.heads, self.masked = _divisor(rng, width, 4), rng.random() < 0.4
        self.fused = rng.random() < 0.5
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        sequence = x.flatten(2).transpose(1, 2) if x.ndim == 4 else x
        q, k, v = self.qkv(sequence).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if self.fused:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.masked)
        else:
            mixed = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1) @ v
        mixed = self.out(mixed.transpose(1, 2).flatten(2))
        return x + (mixed.transpose(1, 2).reshape(x.shape) if x.ndim == 4 else mixed)


def _rows(rng: random.Random, shape: Sequence[int]) -> Step:
    """A convolution along a sequence."""
    kernel = rng.choice([1, 3, 4])
    convolution = nn.Conv1d(shape[2], rng.choice([4, 8, 12]), kernel, rng.choice([1, 1, 2]), kernel // 2)
    return nn.Sequential(_Turned(), convolution, _Turned())


class _Turned(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2)


def _among_themselves(rng: random.Random, shape: Sequence[int]) -> Step:
    return rng.choice(
        [
            lambda x: torch.einsum("bid,bjd->bij", x, x) @ x / x.shape[1],
            lambda x: x - x.mean(1, keepdim=True),
            lambda x: F.normalize(x, dim=-1),
            lambda x: torch.cat([x[:, 1:], x[:, :1]], 1) + x,
            lambda x: x * torch.cumsum(torch.ones_like(x), 1) / x.shape[1],
        ]
    )


IMAGES: list[Drawn] = [
    _convolution, _convolution, _convolution, _transposed, _norm, _pooling, _padding, _resized, _moved, _moved,
    _shuffled, _reduced, _softmax, _gated, _Linear, _Attention, _pointwise, _pointwise, _pointwise,
]  # fmt: skip
SEQUENCES: list[Drawn] = [
    _Linear, _Linear, _Normed, _Attention, _rows, _moved, _softmax, _gated, _among_themselves, _pointwise, _pointwise,
]  # fmt: skip


class Composition(nn.Module):
    """Steps one after the other; some add what an earlier one made, or stand beside it."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        rng = random.Random(seed)
        torch.manual_seed(seed)
        image = rng.random() < 0.65
        shape = [rng.choice([1, 1, 2]), rng.choice([4, 6, 8, 16]), rng.randint(5, 18), rng.randint(5, 18)]
        self.inputs = (torch.randn(shape if image else [shape[0], shape[2], shape[1] * 2]),)
        self.steps: list[Step] = []
        self.learned = nn.ModuleList()
        self.joins: list[tuple[int, str]] = []
        self.results = sorted({rng.randint(2, 5), 0})
        made = [self.inputs[0]]
        with torch.no_grad():
            while len(self.steps) < rng.randint(5, 9):
                drawn = rng.choice(IMAGES if image else SEQUENCES)(rng, made[-1].shape)
                x = None if drawn is None else self._tried(drawn, made[-1])
                if x is None or not 1 < x.numel() < 40_000 or x.shape[0] != shape[0]:
                    continue
                earlier = [i for i, one in enumerate(made) if one.shape == x.shape]
                joined = (rng.choice(earlier), rng.choice(["add", "beside", "times"])) if earlier else (-1, "")
                self.joins.append(joined if rng.random() < 0.5 else (-1, ""))
                self.steps.append(drawn)
                if isinstance(drawn, nn.Module):
                    self.learned.append(drawn)
                made.append(self._joined(x, made, len(self.steps) - 1))

    def _tried(self, step: Step, x: Tensor) -> Tensor | None:
        if isinstance(step, nn.Module):
            step.eval()
        try:
            return step(x)
        except (RuntimeError, ValueError):  # an extent that this step does not take
            return None

    def _joined(self, x: Tensor, made: Sequence[Tensor], step: int) -> Tensor:
        earlier, how = self.joins[step]
        if not how:
            return x
        other = made[earlier]
        return {"add": x + other, "times": x * other, "beside": torch.cat([x, other], 1)}[how]

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        made = [x]
        for index, step in enumerate(self.steps):
            made.append(self._joined(step(made[-1]), made, index))
        return tuple(made[-1 - back] for back in self.results if back < len(self.steps))
