"""Pre-trained cost models that come with the product, each named by its kind and the vectors that it learned from."""

from __future__ import annotations

from pathlib import Path

from pruner_engine.resources import resource_dir


def shipped_checkpoint(kind: str, vector_bits: int) -> Path | None:
    """The checkpoint of a kind of model that suits a device best; None where none of that kind is installed.

    A tile that fills registers of one width spills or idles with another, so the device's own vectors matter most.

    Args:
        vector_bits: of the device's vector registers. The widest that are no wider are taken, else the narrowest.
    """
    paths = (resource_dir() / "checkpoints").glob(f"{kind}-[0-9]*.safetensors")
    found = {int(path.stem.rpartition("-")[2]): path for path in paths}
    if not found:
        return None
    return found[max((bits for bits in found if bits <= vector_bits), default=min(found))]
