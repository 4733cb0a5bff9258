"""Messages between the engine process and whoever drives it, one JSON object a line.

Two closed unions: `Command` towards the engine, `Event` from it. Unknown fields and unknown types are refused.
The project file is the truth; an event says that something in it changed, and carries just what a progress line shows.
"""

from pruner_engine.protocol.answers import *  # noqa: F403
from pruner_engine.protocol.commands import *  # noqa: F403
from pruner_engine.protocol.events import *  # noqa: F403
from pruner_engine.protocol.message import encode as encode

PROTOCOL = 1
