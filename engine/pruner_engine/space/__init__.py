"""The design space of a task: sketches, their free decisions as integer arrays, and candidates."""
