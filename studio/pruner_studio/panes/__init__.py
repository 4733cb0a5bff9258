"""Views of one candidate on the Schedule page: each asks the engine for what it shows."""
