"""Trains a network to rank candidates within each task, with early stopping on held-out measurements."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from pruner_engine.verify.model import HELD_EVERY, Group
from pruner_engine.verify.networks.adam import Adam
from pruner_engine.verify.networks.batch import Batch, pack
from pruner_engine.verify.networks.lambdarank import lambdarank_loss
from pruner_engine.verify.pairs import comparable, mean_accuracy, pair_accuracy, relevance

_CHUNK = 128  # candidates of one task that are compared with each other in a step
_BATCH = 512
_PATIENCE = 6  # passes without a better held-out accuracy before it stops
_AT_ONCE = 1024  # candidates that are scored at a time
_JUDGED = 4096  # candidates that an accuracy is told from: of all that a long run has measured it would cost a round


@dataclass(frozen=True)
class Holding:
    """Which of a task's measurements are never trained on: every so many, from so many measurements on."""

    every: int
    least: int

    def of(self, count: int) -> Tensor:
        """Those of a task with `count` measurements, in the order they were made, bool[count].

        The same ones at every update, so that a network that goes on from its weights has not seen them.
        """
        held = torch.zeros(count, dtype=torch.bool)
        if count >= self.least:
            held[self.every - 1 :: self.every] = True
        return held


ONLINE = Holding(every=HELD_EVERY, least=256)  # a task with fewer needs them all while it is tuned
OFFLINE = Holding(every=8, least=32)  # of many tasks together a few of each say when to stop


@dataclass(frozen=True, eq=False)
class Measured:
    """Measurements of several tasks, packed side by side: a step of training runs the network once for all of them.

    Attributes:
        batch: the candidates.
        seconds, censored: what was measured, float[n] and bool[n].
        gains: `relevance` within the candidate's task, float[n].
        tasks: the candidates of each task, in the order they were measured.
        holding: which of them are never trained on.
    """

    batch: Batch
    seconds: Tensor
    censored: Tensor
    gains: Tensor
    tasks: tuple[range, ...]
    holding: Holding = ONLINE

    def __len__(self) -> int:
        return len(self.seconds)

    @property
    def held(self) -> list[Tensor]:
        """Candidates of each task that are never trained on, int64[m]; of most tasks none."""
        return [task.start + self.holding.of(len(task)).nonzero().flatten() for task in self.tasks]


@dataclass(frozen=True, eq=False)
class Fit:
    """Outcome of a training: where it stopped, and how good that state is."""

    loss: float
    accuracy: float
    epochs: int


def pack_groups(groups: Mapping[str, Group], holding: Holding = ONLINE) -> Measured | None:
    """Tasks with at least two measurements, as tensors, ordered by task hash; None without any."""
    kept = [group for _, group in sorted(groups.items()) if len(group[0]) > 1]
    if not kept:
        return None
    ends = list(accumulate(len(features) for features, _, _ in kept))
    timed = [torch.from_numpy(np.asarray(seconds, np.float32)) for _, seconds, _ in kept]
    return Measured(
        pack([of_one for features, _, _ in kept for of_one in features]),
        torch.cat(timed),
        torch.from_numpy(np.concatenate([np.asarray(censored, bool) for _, _, censored in kept])),
        torch.cat([relevance(seconds) for seconds in timed]),
        tuple(range(start, end) for start, end in zip([0, *ends], ends, strict=False)),
        holding,
    )


def accuracy(network: nn.Module, data: Measured) -> float:
    """Pair accuracy averaged over tasks, on held-out measurements where a task has them; NaN without pairs.

    Of a task without, all are judged, or as many of them as its share allows, evenly over the time.
    """
    share = max(2, _JUDGED // len(data.tasks))
    every = [torch.tensor(task[:: -(-len(task) // share)]) for task in data.tasks]
    chosen = [held if len(held) else some for held, some in zip(data.held, every, strict=True)]
    return _accuracy(network, data, chosen)


def _accuracy(network: nn.Module, data: Measured, chosen: Sequence[Tensor]) -> float:
    """Pair accuracy averaged over tasks, on the candidates of each that are chosen."""
    scores = predict(network, data.batch.select(torch.cat(list(chosen)))).split([len(of_one) for of_one in chosen])
    return mean_accuracy(
        pair_accuracy(score, data.seconds[of_one], data.censored[of_one])
        for score, of_one in zip(scores, chosen, strict=True)
    )


def predict(network: nn.Module, batch: Batch) -> Tensor:
    """Scores, float[n], without gradients."""
    network.eval()
    with torch.inference_mode():
        parts = torch.arange(len(batch)).split(_AT_ONCE)
        scores = [network(batch.select(part)) for part in parts]
    return torch.cat(scores) if scores else torch.zeros(0)


def fit(
    network: nn.Module,
    data: Measured,
    *,
    seed: int,
    epochs: int,
    learning_rate: float,
    visits: int | None = None,
    averaged: bool = False,
    on_epoch: Callable[[int, float, float], None] | None = None,
) -> Fit:
    """Train in place by LambdaRank and Adam; ends in the state of the best epoch.

    Args:
        network: takes a `Batch`, returns float[n].
        data: its held-out measurements decide when to stop, where there are any.
        seed: of the order in which samples are visited.
        epochs: at most so many passes.
        learning_rate: Adam's, which falls along a cosine to a tenth.
        visits: samples of one pass, drawn anew each time; None: all of them.
        averaged: what is judged and kept is the mean of the weights after all passes so far (Izmailov et al., UAI
            2018), which ranks tasks that it never saw better than the last weights do.
        on_epoch: called with epoch, loss and accuracy.
    """
    rng = np.random.default_rng(seed)
    judged = copy.deepcopy(network) if averaged else network
    optimizer = Adam(network.parameters(), decay=1e-5)
    judges = [held for held in data.held if len(held)]
    best_accuracy, best_state, best_epoch, best_loss = -1.0, None, 0, float("nan")
    loss = float("nan")
    epoch = 0
    for epoch in range(1, epochs + 1):
        fallen = (0.55 + 0.45 * math.cos(math.pi * (epoch - 1) / epochs)) * learning_rate
        loss = _epoch(network, data, _chunks(data, rng, visits), optimizer, fallen)
        if averaged:
            _average(judged, network, epoch)
        score = _accuracy(judged, data, judges) if judges else float("nan")
        if on_epoch is not None:
            on_epoch(epoch, loss, score)
        if judges and score > best_accuracy:
            best_accuracy, best_epoch, best_loss = score, epoch, loss
            best_state = copy.deepcopy(judged.state_dict())
        elif judges and epoch - best_epoch >= _PATIENCE:
            break
    if best_state is not None:
        network.load_state_dict(best_state)
        loss = best_loss
    elif averaged:
        network.load_state_dict(judged.state_dict())
    return Fit(loss, accuracy(network, data), epoch)


def _average(mean: nn.Module, network: nn.Module, count: int) -> None:
    """Make the mean of `count` - 1 states that of `count`."""
    with torch.no_grad():
        for own, other in zip(mean.parameters(), network.parameters(), strict=True):
            own.lerp_(other, 1 / count)


def _chunks(data: Measured, rng: np.random.Generator, visits: int | None) -> list[Tensor]:
    """Candidates of one task each, int64[≤ 128], in random order."""
    chunks: list[Tensor] = []
    for task in data.tasks:
        order = torch.from_numpy(rng.permutation(len(task)))
        order = order[~data.holding.of(len(task))[order]]
        pieces = max(1, -(-len(order) // _CHUNK))
        chunks += (task.start + order).tensor_split(pieces)
    shuffled = [chunks[i] for i in rng.permutation(len(chunks))]
    if visits is None:
        return shuffled
    before = np.cumsum([0, *map(len, shuffled)])
    return [chunk for chunk, start in zip(shuffled, before, strict=False) if start < visits]


def _epoch(network: nn.Module, data: Measured, chunks: list[Tensor], optimizer: Adam, learning_rate: float) -> float:
    network.train()
    losses = []
    for batch in _batches(chunks):
        optimizer.zero_grad()
        loss = _loss(network, data, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5, foreach=True)
        optimizer.step(learning_rate)
        losses.append(float(loss.detach()))
    return float(np.mean(losses)) if losses else float("nan")


def _batches(chunks: list[Tensor]) -> list[list[Tensor]]:
    """Chunks put together to about 512 candidates each."""
    batches: list[list[Tensor]] = [[]]
    size = 0
    for chunk in chunks:
        if batches[-1] and size + len(chunk) > _BATCH:
            batches.append([])
            size = 0
        batches[-1].append(chunk)
        size += len(chunk)
    return [batch for batch in batches if batch]


def _loss(network: nn.Module, data: Measured, chunks: list[Tensor]) -> Tensor:
    """LambdaRank's, averaged over the chunks."""
    index = torch.cat(chunks)
    sizes = [len(chunk) for chunk in chunks]
    scores, gains, seconds = (
        pad_sequence(values.split(sizes), batch_first=True, padding_value=padding)
        for values, padding in (
            (network(data.batch.select(index)), 0.0),
            (data.gains[index], 0.0),
            (data.seconds[index], torch.nan),
        )
    )
    censored = pad_sequence(data.censored[index].split(sizes), batch_first=True)
    return lambdarank_loss(scores, gains, comparable(seconds, censored)).mean()
