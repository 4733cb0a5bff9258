"""Tests that compile CUDA kernels, which takes a compiler, are skipped where there is none."""

from __future__ import annotations

import pytest

from pruner_engine.errors import UserError
from pruner_engine.targets.cuda_compiler import find_cuda_compiler


def _kind() -> str:
    try:
        return find_cuda_compiler().kind
    except UserError:
        return ""


KIND = _kind()  # "" for none
needs_cuda_compiler = pytest.mark.skipif(not KIND, reason="no compiler for CUDA is installed")
