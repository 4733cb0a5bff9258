"""The engine of Pruner Studio: draft, verify, measure and learn tensor-program schedules on Apache TVM.

Importing this package is cheap: TVM and torch load only with the modules that need them.
"""

__version__ = "0.1.0"
