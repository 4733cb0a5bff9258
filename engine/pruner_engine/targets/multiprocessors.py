"""What a multiprocessor of each generation of NVIDIA's GPUs has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Multiprocessor:
    """Limits as the CUDA programming guide's table of compute capabilities gives them; arithmetic as data sheets do.

    Attributes:
        lanes: float32 multiply-adds in a cycle.
        threads, blocks: resident at a time.
        shared_memory: bytes.
        reserved: bytes of it that each block takes besides its own.
        halves: multiply-adds of float16 into float32 in a cycle, by Tensor Cores.
    """

    lanes: int = 128
    threads: int = 1536
    blocks: int = 24
    shared_memory: int = 100 << 10
    reserved: int = 1 << 10
    halves: int = 256


_CONSUMER = Multiprocessor()
_AMPERE = Multiprocessor(blocks=16)
_BLACKWELL = Multiprocessor(threads=2048, blocks=32, shared_memory=228 << 10, halves=4096)
_OF_GENERATION = {
    70: Multiprocessor(64, 2048, 32, 96 << 10, 0, 512),
    72: Multiprocessor(64, 2048, 32, 96 << 10, 0, 512),
    75: Multiprocessor(64, 1024, 16, 64 << 10, 0, 512),
    80: Multiprocessor(64, 2048, 32, 164 << 10, halves=1024),
    86: _AMPERE,
    87: Multiprocessor(blocks=16, shared_memory=164 << 10, halves=1024),
    88: _AMPERE,
    89: _CONSUMER,
    90: Multiprocessor(threads=2048, blocks=32, shared_memory=228 << 10, halves=2048),
    100: _BLACKWELL,
    103: _BLACKWELL,
    110: Multiprocessor(shared_memory=228 << 10, halves=4096),
    120: _CONSUMER,
    121: _CONSUMER,
}


def multiprocessor(number: int) -> Multiprocessor:
    """Of a generation by its number, such as 90; of one that is not known here the most modest of today's."""
    return _OF_GENERATION.get(number, _CONSUMER)
