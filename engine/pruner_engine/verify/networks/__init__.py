"""Cost models that are networks of PyTorch, and their training."""
