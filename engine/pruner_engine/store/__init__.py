"""The project file: one SQLite database that holds everything about a model's tuning."""
