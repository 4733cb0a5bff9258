"""What each command does: `work` says which module it is of."""
