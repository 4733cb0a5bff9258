"""ONNX Runtime as the standard says, on every processor."""

from __future__ import annotations

import contextlib

import onnxruntime
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NotThere

_VERSION = tuple(map(int, onnxruntime.__version__.split(".")[:2]))
#: 1.23, the last of Python 3.10, refuses some operators and computes others unlike later ones
needs_newer_runtime = pytest.mark.skipif(_VERSION < (1, 24), reason="ONNX Runtime is older than 1.24")


def session_of(model: str | bytes) -> onnxruntime.InferenceSession:
    """A session whose sums of bytes do not saturate, as they do on processors without instructions for them.

    Some operators of signed bytes are not there in that mode; these do not saturate in the other.
    """
    providers, exact = ["CPUExecutionProvider"], onnxruntime.SessionOptions()
    exact.add_session_config_entry("session.x64quantprecision", "1")
    with contextlib.suppress(NotThere):
        return onnxruntime.InferenceSession(model, exact, providers=providers)
    return onnxruntime.InferenceSession(model, providers=providers)
