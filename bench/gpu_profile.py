"""The profile that the draft reckons with on a target's device: measured here, or where the figures come from instead.

    python bench/gpu_profile.py TARGET

Prints {"profile", "warnings"}; `source` in the profile is "measured", "preset" or "estimated", and warnings tell why a
device that is at hand could not be measured.
"""

from __future__ import annotations

import json
import logging
import sys

from pruner_engine.tvm_import import import_tvm


class Kept(logging.Handler):
    """Keeps what is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


def main() -> None:
    kept = Kept()
    logging.getLogger("pruner_engine").addHandler(kept)
    import_tvm()
    from pruner_engine.targets.profiling import profile_for
    from pruner_engine.targets.target import resolve_target

    profile = profile_for(resolve_target(sys.argv[1]))
    print(json.dumps({"profile": profile.as_json(), "warnings": kept.told}))


if __name__ == "__main__":
    main()
