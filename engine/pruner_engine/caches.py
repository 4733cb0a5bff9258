"""What a timed call finds in the caches of this machine's CPU."""

from __future__ import annotations

from typing import Literal

#: All that the call before left there (warm); what the rest of the network leaves, which has passed through since
#: (network); neither weights nor outputs (cold).
Caches = Literal["network", "warm", "cold"]
