"""The latency of a GPU's kernel, in parts."""
