"""ONNX files, and what of them is written anew before TVM imports it."""
