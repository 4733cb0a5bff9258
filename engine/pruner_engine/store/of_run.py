"""What holds of a task in one run only; all runs of a model on a target share the task's row.

Such facts are kept where they differ from the row: SQL for them, of a row `r` of runs, its task `k`, and `j` that joins
them.
"""

COLD_UNTUNED = "untuned {task} cold"  # of all runs that measure with cold caches
CALLS = "calls {run} {task}"  # as another version prepares the model, or with other rules

UNTUNED_S = (
    "CASE WHEN json_extract(r.settings, '$.cold_cache')"
    " THEN (SELECT json_extract(value, '$.seconds') FROM meta WHERE key = 'untuned ' || k.id || ' cold')"
    " ELSE k.untuned_s END"
)
WEIGHT = (
    "coalesce((SELECT json_extract(value, '$.calls') FROM meta WHERE key = 'calls ' || j.run_id || ' ' || k.id),"
    " k.weight)"
)
