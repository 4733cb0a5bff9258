"""A bundle to look at, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
