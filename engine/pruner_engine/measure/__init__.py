"""Measurement: candidates are built in forked workers and timed alone on the cores under test."""
