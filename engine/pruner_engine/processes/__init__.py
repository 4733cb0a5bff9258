"""Processes: modules run as one, calls tried in a forked one, and how one treats its memory."""
