"""From a scheduled module to a library."""
