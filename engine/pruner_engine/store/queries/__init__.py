"""What is asked of a project that is open for reading."""
