"""The profile that the draft reckons with on a target's device: measured here, or where the figures come from instead.

    python bench/gpu_profile.py TARGET

Prints {"profile", "warnings"}; `source` in the profile is "measured", "preset" or "estimated", and warnings tell why a
device that is at hand could not be measured.
"""

from __future__ import annotations

import json
import sys

from pruner_engine.tvm_import import import_tvm


def main() -> None:
    import_tvm()
    from pruner_engine.targets.profiling import profile_for
    from pruner_engine.targets.target import resolve_target

    told: list[str] = []
    profile = profile_for(resolve_target(sys.argv[1]), lambda _, text, hint: told.append(f"{text} {hint}"))
    print(json.dumps({"profile": profile.as_json(), "warnings": told}))


if __name__ == "__main__":
    main()
