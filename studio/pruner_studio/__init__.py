"""The window of Pruner Studio. It never imports TVM or torch: those live in the engine's processes."""
