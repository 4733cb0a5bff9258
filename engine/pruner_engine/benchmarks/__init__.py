"""Series of runs over workloads, strategies and seeds: comparisons, and data sets to train cost models from."""
