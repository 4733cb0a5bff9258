"""From a Relax module to the distinct kernels worth tuning."""
