"""Quantised products in whole numbers; `rewrite` says how."""
