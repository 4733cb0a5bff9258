"""Figures of a task that differ between the runs that share its row: its untuned latency and its weight.

All runs of a model on a target share one row of `tasks`. Where a run has another figure than the row, it is kept in the
table `meta`. The SQL here gives the figure that holds in a run, of a row `r` of runs, `k` of tasks, and `j` of
run_tasks that joins them.
"""

CACHES = "coalesce(json_extract(settings, '$.caches'), 'warm')"  # with which a run measured
COLD_UNTUNED = "untuned {task} cold"  # of all runs that measure with cold caches
CALLS = "calls {run} {task}"  # as another version prepares the model, or with other rules
ASKED_LAYOUT = "layout {run}"  # of convolutions, of a run whose settings have what was measured since

UNTUNED_S = (
    "CASE WHEN json_extract(r.settings, '$.caches') = 'cold'"
    " THEN (SELECT json_extract(value, '$.seconds') FROM meta WHERE key = 'untuned ' || k.id || ' cold')"
    " ELSE k.untuned_s END"
)
WEIGHT = (
    "coalesce((SELECT json_extract(value, '$.calls') FROM meta WHERE key = 'calls ' || j.run_id || ' ' || k.id),"
    " k.weight)"
)
ASKED = "(SELECT json_extract(value, '$.layout') FROM meta WHERE key = 'layout ' || r.id)"
