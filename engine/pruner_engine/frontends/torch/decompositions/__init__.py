"""Operators of PyTorch in others of PyTorch's own, before TVM imports them."""
