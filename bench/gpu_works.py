"""Whether the doctor ran a kernel on the GPU; what `bench/gpu.sh` asks before it spends minutes on anything else.

    python bench/gpu_works.py DOCTOR.json

Prints one sentence and ends with status 1 where it did not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

KERNEL = "One kernel on the GPU"


def why_not(path: Path) -> str:
    """What keeps the GPU from running a kernel, by the doctor's own words; empty where nothing does."""
    try:
        checks = {check["name"]: check for check in json.loads(path.read_text("utf-8"))["checks"]}
    except (OSError, ValueError, KeyError, TypeError):
        return "The doctor gave no answer; its log is doctor.log."
    if KERNEL in checks:
        check = checks[KERNEL]
        return "" if check["ok"] else f"{KERNEL}: {check['value']} {check['hint']}".strip()
    driver = checks.get("NVIDIA driver", {}).get("value", "the doctor did not look for one")
    return f"No GPU was found; NVIDIA driver: {driver}."


def main() -> int:
    told = why_not(Path(sys.argv[1]))
    if told:
        print(" ".join(told.split()))
    return int(bool(told))


if __name__ == "__main__":
    raise SystemExit(main())
