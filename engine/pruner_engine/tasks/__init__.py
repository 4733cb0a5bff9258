"""Prepares a Relax module and extracts the distinct kernels that are worth tuning."""
