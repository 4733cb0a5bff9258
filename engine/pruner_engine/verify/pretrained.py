"""Pre-trained cost models: files of the user's, and what comes with the product for each kind and width of vectors."""

from __future__ import annotations

from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.resources import resource_dir
from pruner_engine.verify.factory import check_kind, create_model
from pruner_engine.verify.model import CostModel
from pruner_engine.whole_files import read_whole


def read_checkpoint_file(path: Path) -> bytes:
    """The bytes of a checkpoint file, which the model that takes them checks.

    Raises:
        UserError: it cannot be read.
    """
    try:
        return read_whole(path)
    except OSError as error:
        raise UserError(
            f"The checkpoint {path} cannot be read: {error.strerror}.", "`pruner train` writes checkpoints."
        ) from error


def take_checkpoint_file(model: CostModel, path: Path) -> None:
    """Have a model take over a checkpoint file.

    Raises:
        UserError: it cannot be read, or is none for this model.
    """
    data = read_checkpoint_file(path)
    try:
        model.from_bytes(data)
    except UserError as error:
        raise UserError(f"{path.name} cannot be taken as a pre-trained model: {error.message}", error.hint) from error


def check_model(kind: str, checkpoint: str) -> None:
    """Refuse a kind of model that there is not, and a checkpoint file, where one is named, that is none of that kind.

    Raises:
        UserError: either is so.
    """
    check_kind(kind)
    if checkpoint:  # only then: what most models learn with takes seconds to be loaded
        take_checkpoint_file(create_model(kind), Path(checkpoint))


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
