"""Trains a network to rank candidates within each task, with early stopping on held-out measurements."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pruner_engine.verify.batch import Batch, pack
from pruner_engine.verify.lambdarank import comparable, lambdarank_loss, pair_accuracy, relevance
from pruner_engine.verify.model import Group

_CHUNK = 128  # candidates of one task that are compared with each other in a step
_BATCH = 512
_HOLD_EVERY = 16
_HOLD_FROM = 256  # a task with fewer measurements needs them all, and too few say when to stop


@dataclass(frozen=True, eq=False)
class TaskData:
    """The measurements of one task, packed."""

    batch: Batch
    seconds: Tensor
    censored: Tensor

    def __len__(self) -> int:
        return len(self.seconds)


@dataclass(frozen=True, eq=False)
class Fit:
    """Outcome of a training: where it stopped, and how good that state is."""

    loss: float
    accuracy: float
    epochs: int


def pack_groups(groups: Mapping[str, Group]) -> list[TaskData]:
    """Tasks with at least two measurements, as tensors, ordered by task hash."""
    return [
        TaskData(
            pack(features),
            torch.from_numpy(np.asarray(seconds, np.float32)),
            torch.from_numpy(np.asarray(censored, bool)),
        )
        for _, (features, seconds, censored) in sorted(groups.items())
        if len(features) > 1
    ]


def held_out(count: int) -> Tensor:
    """Which of a task's measurements, in the order they were made, are never trained on, bool[count].

    The same ones at every update, so that a network that goes on from its weights has not seen them.
    """
    held = torch.zeros(count, dtype=torch.bool)
    if count >= _HOLD_FROM:
        held[_HOLD_EVERY - 1 :: _HOLD_EVERY] = True
    return held


def accuracy(network: nn.Module, data: list[TaskData], only_held: bool = True) -> float:
    """Pair accuracy averaged over tasks, on held-out measurements where a task has them; NaN without pairs."""
    found = []
    for task in data:
        held = held_out(len(task))
        chosen = held.nonzero().flatten() if only_held and bool(held.any()) else torch.arange(len(task))
        scores = predict(network, task.batch.select(chosen))
        found.append(pair_accuracy(scores, task.seconds[chosen], task.censored[chosen]))
    found = [value for value in found if not math.isnan(value)]
    return sum(found) / len(found) if found else float("nan")


def predict(network: nn.Module, batch: Batch, size: int = 1024) -> Tensor:
    """Scores, float[n], without gradients."""
    network.eval()
    with torch.inference_mode():
        parts = torch.arange(len(batch)).split(size)
        scores = [network(batch.select(part)) for part in parts]
    return torch.cat(scores) if scores else torch.zeros(0)


def fit(
    network: nn.Module,
    data: list[TaskData],
    *,
    seed: int,
    epochs: int,
    learning_rate: float,
    patience: int = 6,
    visits: int | None = None,
    on_epoch: Callable[[int, float, float], None] | None = None,
) -> Fit:
    """Train in place by LambdaRank and Adam; ends in the state of the best epoch.

    Args:
        network: takes a `Batch`, returns float[n].
        data: tasks; their held-out measurements decide when to stop, where there are any.
        seed: of the order in which samples are visited.
        epochs: at most so many passes.
        learning_rate: Adam's, decayed along a cosine.
        patience: passes without a better held-out accuracy before it stops.
        visits: samples of one pass, drawn anew each time; None: all of them.
        on_epoch: called with epoch, loss and accuracy.
    """
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=learning_rate, weight_decay=1e-5)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs, eta_min=learning_rate / 10)
    judged = [task for task in data if bool(held_out(len(task)).any())]
    best_accuracy, best_state, best_epoch, best_loss = -1.0, None, 0, float("nan")
    loss = float("nan")
    epoch = 0
    for epoch in range(1, epochs + 1):
        loss = _epoch(network, _chunks(data, rng, visits), optimizer)
        schedule.step()
        score = accuracy(network, judged) if judged else float("nan")
        if on_epoch is not None:
            on_epoch(epoch, loss, score)
        if judged and score > best_accuracy:
            best_accuracy, best_epoch, best_loss = score, epoch, loss
            best_state = copy.deepcopy(network.state_dict())
        elif judged and epoch - best_epoch >= patience:
            break
    if best_state is not None:
        network.load_state_dict(best_state)
        loss = best_loss
    return Fit(loss, accuracy(network, data), epoch)


def _chunks(data: list[TaskData], rng: np.random.Generator, visits: int | None) -> list[tuple[TaskData, Tensor]]:
    """Candidates of one task each, in random order."""
    chunks = []
    for task in data:
        order = torch.from_numpy(rng.permutation(len(task)))
        order = order[~held_out(len(task))[order]]
        pieces = max(1, -(-len(order) // _CHUNK))
        chunks += [(task, chunk) for chunk in order.tensor_split(pieces)]
    shuffled = [chunks[i] for i in rng.permutation(len(chunks))]
    if visits is None:
        return shuffled
    before = np.cumsum([0, *(len(chunk) for _, chunk in shuffled)])
    return [chunk for chunk, start in zip(shuffled, before, strict=False) if start < visits]


def _epoch(network: nn.Module, chunks: list[tuple[TaskData, Tensor]], optimizer: torch.optim.Optimizer) -> float:
    network.train()
    losses = []
    for batch in _batches(chunks):
        optimizer.zero_grad()
        loss = torch.stack([_chunk_loss(network, task, chunk) for task, chunk in batch]).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()
        losses.append(float(loss.detach()))
    return float(np.mean(losses)) if losses else float("nan")


def _batches(chunks: list[tuple[TaskData, Tensor]]) -> list[list[tuple[TaskData, Tensor]]]:
    """Chunks put together to about 512 candidates each."""
    batches: list[list[tuple[TaskData, Tensor]]] = [[]]
    size = 0
    for task, chunk in chunks:
        if batches[-1] and size + len(chunk) > _BATCH:
            batches.append([])
            size = 0
        batches[-1].append((task, chunk))
        size += len(chunk)
    return [batch for batch in batches if batch]


def _chunk_loss(network: nn.Module, task: TaskData, chunk: Tensor) -> Tensor:
    gains = relevance(task.seconds)[chunk]
    pairs = comparable(task.seconds[chunk], task.censored[chunk])
    scores: Tensor = network(task.batch.select(chunk))
    return lambdarank_loss(scores, gains, pairs)
