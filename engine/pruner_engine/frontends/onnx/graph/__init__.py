"""An ONNX graph while it is rewritten: its nodes, and what is known of its values."""
