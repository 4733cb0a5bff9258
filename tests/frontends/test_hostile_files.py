"""Broken, truncated, foreign and mutated files give one sentence; nothing else."""

import contextlib
import random

import pytest

from pruner_engine.errors import UserError
from pruner_engine.frontends import check_model, load_model
from seeds import seeded

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("suffix", [".onnx", ".pt2"])
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 64, b"PK\x05\x06" + bytes(18), b"\x7fELF" + bytes(60), b"<html>", b"{}"]
)
def test_foreign_content(tmp_path, suffix, content):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(content)
    for look in (load_model, check_model):
        with pytest.raises(UserError) as refused:
            look(str(path))
        assert "\n" not in str(refused.value)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        load_model(str(tmp_path / "none.onnx"))
    (tmp_path / "folder.onnx").mkdir()
    with pytest.raises(UserError, match="Is a directory"):
        load_model(str(tmp_path / "folder.onnx"))


def test_a_file_beyond_the_memory_is_refused_unread(tmp_path):
    path = tmp_path / "huge.onnx"
    with path.open("wb") as file:
        file.truncate(1 << 42)  # sparse: takes no space
    with pytest.raises(UserError, match="too large"):
        load_model(str(path))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_truncated_files(cnn, transformer, share):
    for path in (cnn, transformer):
        content = path.read_bytes()
        with pytest.raises(UserError):
            load_model(path.name, content=content[: int(len(content) * share)])


@seeded(10)
def test_mutated_files_load_or_are_refused(cnn, transformer, seed):
    """Our own samples; hundreds of smaller files are mutated in tests/faults/test_mutated_files.py."""
    rng = random.Random(seed)
    path = rng.choice([cnn, transformer])
    content = bytearray(path.read_bytes())
    # names, attributes and the graph are printable, weights mostly are not
    places = [i for i, byte in enumerate(content) if 32 <= byte < 127]
    for _ in range(rng.choice([1, 3, 30])):
        content[rng.choice(places)] = rng.randrange(256)
    with contextlib.suppress(UserError):
        load_model(path.name, content=bytes(content))
