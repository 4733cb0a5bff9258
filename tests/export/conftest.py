"""A bundle to look at, written once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from on_the_way import Work, work_on

from models import write_onnx
from pruner_engine.export import export_bundle


@pytest.fixture(scope="session")
def work(tmp_path_factory) -> Work:
    return work_on(write_onnx(tmp_path_factory.mktemp("model") / "classifier.onnx"))


@pytest.fixture(scope="session")
def bundle(work, tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """A folder and its metadata; not to be written to."""
    out = tmp_path_factory.mktemp("out") / "bundle"
    return out, work.export(out)


@pytest.fixture(scope="session")
def again(work, bundle, tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """A bundle in the place of an earlier one: weights beside the library, two tasks untuned; not to be written to."""
    out = tmp_path_factory.mktemp("again") / "bundle"
    shutil.copytree(bundle[0], out)
    (out / "cpp" / "run_model").write_text("compiled")
    (out / "__pycache__").mkdir(exist_ok=True)
    (out / "__pycache__" / "run.pyc").write_text("x")
    return out, export_bundle(work.partly_tuned(), out, {"run": 8}, weights_beside=True, repeats=2)


@pytest.fixture(scope="session")
def image() -> np.ndarray:
    """An input of the model."""
    return np.random.default_rng(5).standard_normal((1, 3, 16, 16)).astype(np.float32)


@pytest.fixture(scope="session")
def expected(work, image) -> list[np.ndarray]:
    """What ONNX Runtime makes of it."""
    return onnxruntime.InferenceSession(work.model.file.content()).run(None, {"image": image})
