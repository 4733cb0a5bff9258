"""Our own kernels of operators, in place of those that TVM makes."""
