"""Figures of a task that differ between the runs that share its row: its untuned latency and its weight.

All runs of a model on a target share one row of `tasks`. Where a run has another figure than the row, it is kept in the
table `meta`. The SQL here gives the figure that holds in a run, of a row `r` of runs, `k` of tasks, and `j` of
run_tasks that joins them.
"""

# Keys of the table `meta`
COLD_UNTUNED = "untuned {task} cold"  # of all runs that measure with cold caches
CALLS = "calls {run} {task}"  # as another version prepares the model, or with other rules
ASKED_LAYOUT = "layout {run}"  # of convolutions, of a run whose settings have what was measured since
ASKED_TARGET = "target {run}"  # as the user named it


def _kept(field: str, key: str, **columns: str) -> str:
    """SQL of a field of the fact that is kept under a key, of which columns are parts."""
    text = key.format(**{part: f"' || {column} || '" for part, column in columns.items()})
    return f"(SELECT json_extract(value, '$.{field}') FROM meta WHERE key = '{text}')"


# with which a run measured; files that no later version has written yet call it otherwise
CACHES = (
    "coalesce(json_extract(settings, '$.caches'),"
    " CASE WHEN json_extract(settings, '$.cold_cache') THEN 'cold' ELSE 'warm' END)"
)
UNTUNED_S = (
    "CASE WHEN json_extract(r.settings, '$.caches') = 'cold'"
    f" THEN {_kept('seconds', COLD_UNTUNED, task='k.id')} ELSE k.untuned_s END"
)
WEIGHT = f"coalesce({_kept('calls', CALLS, run='j.run_id', task='k.id')}, k.weight)"
LAYOUT_ASKED = _kept("layout", ASKED_LAYOUT, run="r.id")
TARGET_ASKED = _kept("target", ASKED_TARGET, run="r.id")
