"""On the path of a process: there is no PyTorch."""

raise ImportError("these processes have no PyTorch")
