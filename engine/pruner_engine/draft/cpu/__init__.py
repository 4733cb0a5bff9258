"""The latency of a CPU's kernel, in parts."""
