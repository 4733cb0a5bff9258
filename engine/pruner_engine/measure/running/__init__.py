"""What a runner does: it loads a kernel, times it, and checks its outputs."""
