"""Messages between the engine and its measurement processes arrive whole and in order, however the pipe cuts them."""

from __future__ import annotations

import os
import random
import threading

import pytest

from pruner_engine.measure.workers import wire

MESSAGES = [
    wire.Ready(),
    wire.Build(id=1, mod="{" * 300_000, target="{}", library="/x/1.so"),
    wire.Built(id=1, seconds=0.1, kernel=wire.Kernel("/x/1.so", [wire.Tensor([1, 2], "float32")], {0: "map"})),
    wire.Ran(id=2, seconds=0.2, stage="run", error="crash", message="äöü", log="…"),
]


@pytest.mark.parametrize("seed", range(5))
def test_any_cut_of_the_stream(seed):
    rng = random.Random(seed)
    stream = b"".join(map(wire.frame, MESSAGES))
    inbox, found = wire.Inbox(), []
    while stream:
        size = rng.choice([1, 3, 4, 5, 100, 70_000])
        found += inbox.feed(stream[:size])
        stream = stream[size:]
    assert found == MESSAGES


def test_over_a_pipe():
    read, write = os.pipe()
    sender = threading.Thread(target=lambda: [wire.send(write, m) for m in MESSAGES] and os.close(write))
    sender.start()
    found = [wire.receive(read) for _ in range(len(MESSAGES) + 1)]
    sender.join()
    os.close(read)
    assert found == [*MESSAGES, None]
