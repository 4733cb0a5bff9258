"""What a multiprocessor of each generation of NVIDIA's GPUs has."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Multiprocessor:
    """Limits as the CUDA programming guide's table of compute capabilities gives them; the rest as data sheets do.

    Attributes:
        lanes: float32 multiply-adds in a cycle.
        threads, blocks: resident at a time.
        shared_memory: bytes.
        reserved: bytes of it that each block takes besides its own.
        halves: multiply-adds of float16 into float32 in a cycle, by Tensor Cores.
        cache: bytes of the second-level cache for each, as a large GPU of the generation has them.
    """

    lanes: int = 128
    threads: int = 1536
    blocks: int = 24
    shared_memory: int = 100 << 10
    reserved: int = 1 << 10
    halves: int = 512
    cache: int = 576 << 10


_ADA = Multiprocessor()
_AMPERE = Multiprocessor(blocks=16, cache=73 << 10)
_BLACKWELL = Multiprocessor(threads=2048, blocks=32, shared_memory=228 << 10, halves=4096, cache=875 << 10)
_UNKNOWN = Multiprocessor(halves=256)
_OF_GENERATION = {
    70: Multiprocessor(64, 2048, 32, 96 << 10, 0, 512, 58 << 10),
    72: Multiprocessor(64, 2048, 32, 96 << 10, 0, 512, 64 << 10),
    75: Multiprocessor(64, 1024, 16, 64 << 10, 0, 512, 102 << 10),
    80: Multiprocessor(64, 2048, 32, 164 << 10, halves=1024, cache=379 << 10),
    86: _AMPERE,
    87: Multiprocessor(blocks=16, shared_memory=164 << 10, halves=1024, cache=256 << 10),
    88: _AMPERE,
    89: _ADA,
    90: Multiprocessor(threads=2048, blocks=32, shared_memory=228 << 10, halves=2048, cache=388 << 10),
    100: _BLACKWELL,
    103: _BLACKWELL,
    110: Multiprocessor(shared_memory=228 << 10, halves=4096, cache=1638 << 10),
    120: _ADA,
    121: Multiprocessor(halves=256, cache=512 << 10),
}
_FOR_GAMES = "geforce"


def multiprocessor(number: int, name: str = "") -> Multiprocessor:
    """Of a generation by its number, such as 90; of one that is not known here the most modest of today's.

    Args:
        name: of the GPU; those that are sold for games add products of halves in float32 at half the rate of others.
    """
    found = _OF_GENERATION.get(number, _UNKNOWN)
    return replace(found, halves=found.halves // 2) if _FOR_GAMES in name.lower() else found
