"""TensorFlow Lite files, and what of them is imported otherwise than TVM does it."""
