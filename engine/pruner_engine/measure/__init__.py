"""Build candidates in warm forked workers, run them alone on the device, check what they compute."""
