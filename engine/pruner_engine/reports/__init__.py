"""Self-contained HTML pages about runs and comparisons, made from project files alone."""
