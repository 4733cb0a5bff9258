"""The process side of the engine: typed messages, the job loop, heartbeat."""
