"""What an engine writes into a project file: what there is to tune, runs, candidates and measurements."""
