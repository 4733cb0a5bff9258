"""What vectors hold and compute: elements read at once or shuffled, functions in arithmetic."""
