"""Exported programs of PyTorch: read without trust, in the operators and types that TVM imports rightly."""
