"""Formulas over the decisions of a row, and how they are evaluated for one row or for many."""
