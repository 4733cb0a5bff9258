"""Figures over the rows of a project: runs compared, scores, rooflines, what came out slower."""
