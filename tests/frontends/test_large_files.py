"""A large model's file is not kept beside its weights, but read again."""

from __future__ import annotations

import pytest

from models import write_pt2
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model, model_file


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A model's file, larger than what is kept."""
    monkeypatch.setattr(model_file, "_KEPT", 1 << 10)
    return write_pt2(tmp_path / "model.pt2")


def test_it_is_read_again(large):
    content = large.read_bytes()
    model = load_model(str(large))
    assert model.file.size == len(content) and model.file.content() == content
    large.unlink()
    with pytest.raises(UserError, match="cannot be read"):
        model.file.content()


def test_one_that_has_changed_is_refused(large):
    model = load_model(str(large))
    large.write_bytes(large.read_bytes()[:-1] + b"x")
    with pytest.raises(UserError, match="has changed"):
        model.file.content()


def test_what_gives_it_is_asked_again(large):
    asked = []

    def read() -> bytes:
        asked.append(1)
        return large.read_bytes()

    model = load_model("model.pt2", content=read)
    assert asked == [1]
    assert model.file.content() == large.read_bytes() and asked == [1, 1]


def test_a_small_one_is_kept(tmp_path):
    path = write_pt2(tmp_path / "model.pt2")
    content = path.read_bytes()
    model = load_model(str(path))
    path.unlink()
    assert model.file.content() == content
