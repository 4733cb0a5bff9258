"""A wall clock that jumps by up to a day, forth and back, at every look.

Python imports this at the start of every process that has the folder in PYTHONPATH: no tool that changes the time of
the system is needed, and the engine's children see such a clock as well.
"""

import os
import random
import time

_real, _rng = time.time, random.Random(os.environ["JUMPS"])
time.time = lambda: _real() + _rng.uniform(-86400.0, 86400.0)
