"""The best schedules of kernels in a project file, of whatever models and runs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from pruner_engine.store.reader import ProjectReader

# places are given on each device apart: latencies of two are not compared
_BEST = """
SELECT hash, trace FROM (
  SELECT k.hash, c.trace, min(x.seconds) AS seconds,
         row_number() OVER (PARTITION BY k.hash, k.target_id ORDER BY min(x.seconds)) AS place
  FROM measurements x JOIN candidates c ON c.id = x.candidate_id
       JOIN tasks k ON k.id = x.task_id JOIN targets t ON t.id = k.target_id
  WHERE k.hash IN (SELECT value FROM json_each(?)) AND json_extract(t.text, '$.kind') = ?
        AND x.stage = 'ok' AND x.censored = 0 AND c.trace IS NOT NULL
  GROUP BY k.hash, k.target_id, c.trace)
WHERE place <= ? ORDER BY place, seconds
"""


def best_traces(path: Path, kernels: Iterable[str], kind: str, most: int) -> dict[str, list[str]]:
    """The fastest schedules of some kernels, by kernel, fastest first.

    Args:
        path: a project file.
        kernels: their hashes.
        kind: of the target, such as llvm.
        most: schedules of a kernel on a device.

    Returns:
        JSON of traces, postprocessed; nobody has tried yet whether they can be applied.

    Raises:
        UserError: it is no project, or cannot be read.
    """
    found: dict[str, list[str]] = defaultdict(list)
    with ProjectReader(path) as reader:
        for row in reader.rows(_BEST, (json.dumps(sorted(kernels)), kind, most)):
            if row["trace"] not in found[row["hash"]]:
                found[row["hash"]].append(row["trace"])
    return dict(found)
