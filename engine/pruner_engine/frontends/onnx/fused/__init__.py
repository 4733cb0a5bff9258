"""Operators that ONNX Runtime has of its own (com.microsoft), which its optimisers fuse others into."""
