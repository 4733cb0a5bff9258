"""Changes of a model's graph before its operators become kernels: a module each."""
