"""What a timed call finds in the caches of this machine's CPU."""

from __future__ import annotations

from typing import Literal

#: All that the call before left there (warm); all but its weights, since those of the rest of the network have passed
#: through (network); neither weights nor outputs (cold).
Caches = Literal["network", "warm", "cold"]
