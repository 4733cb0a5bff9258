"""A bundle to look at, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from models import write_onnx
from on_the_way import Work, work_on


@pytest.fixture(scope="session")
def work(tmp_path_factory) -> Work:
    return work_on(write_onnx(tmp_path_factory.mktemp("model") / "classifier.onnx"))


@pytest.fixture(scope="session")
def bundle(work, tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """A folder and its metadata; not to be written to."""
    out = tmp_path_factory.mktemp("out") / "bundle"
    return out, work.export(out)


@pytest.fixture(scope="session")
def image() -> np.ndarray:
    """An input of the model."""
    return np.random.default_rng(5).standard_normal((1, 3, 16, 16)).astype(np.float32)


@pytest.fixture(scope="session")
def expected(work, image) -> list[np.ndarray]:
    """What ONNX Runtime makes of it."""
    return onnxruntime.InferenceSession(work.model.content).run(None, {"image": image})
