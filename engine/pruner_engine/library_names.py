"""What the libraries that models are compared with are called; project files and JSON have shorter names for them."""

from __future__ import annotations

_CALLED = {"onnxruntime": "ONNX Runtime", "torch": "PyTorch", "litert": "LiteRT"}


def called(name: str) -> str:
    """A library as its makers call it; anything else by the name that it has."""
    return _CALLED.get(name, name)
