"""The process that measures a device: the request as JSON on standard input, the profile as JSON on standard output."""

from __future__ import annotations

import json
import sys

from pruner_engine.processes.lifetime import die_with_parent
from pruner_engine.tvm_import import import_tvm


def main() -> None:
    """Read {"target": …, "rough": …, "parent": …} and write the profile; nobody reads it where the parent has ended."""
    request = json.loads(sys.stdin.read())
    die_with_parent(request["parent"])
    import_tvm()
    from pruner_engine.targets.gpu_microbench import measure_gpu
    from pruner_engine.targets.microbench import measure
    from pruner_engine.targets.profile import DeviceProfile
    from pruner_engine.targets.target import resolve_target

    target = resolve_target(request["target"])
    rough = DeviceProfile.from_json(request["rough"])
    profile = measure_gpu(target, rough) if target.kind.name == "cuda" else measure(target, rough)
    sys.stdout.write(json.dumps(profile.as_json()))


if __name__ == "__main__":
    main()
