"""Models to load: the light ones that come with the onnx package, and our own samples."""

from pathlib import Path

import onnx
import pytest

from pruner_engine.resources import resource_dir


@pytest.fixture(scope="session")
def light_model():
    """Path of a light model by its short name."""
    folder = Path(onnx.__file__).parent / "backend/test/data/light"
    return lambda name: str(folder / f"light_{name}.onnx")


@pytest.fixture(scope="session")
def cnn() -> Path:
    return resource_dir() / "models" / "small-cnn.onnx"


@pytest.fixture(scope="session")
def transformer() -> Path:
    return resource_dir() / "models" / "small-transformer.pt2"
