"""Loop nests of scheduled functions, with formulas for extents and accesses: read, made by replaying, and asked."""
