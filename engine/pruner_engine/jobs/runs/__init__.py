"""What a run needs, beside its search: a model prepared, a device, libraries to compare with."""
