"""How TVM lowers a kernel to instructions: what its own passes lack, do wrong, or take long for."""
