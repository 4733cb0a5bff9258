"""What to do about a failed trial, by stage and kind: for terminals, reports and, in its own words, the window."""

# By stage and kind of `MeasureResult`; "" stands for any stage. Limits are settings of a run: `pruner tune --set`.
ADVICE = {
    ("build", "error"): "The search goes on without it. If most fail, run `pruner doctor`: it tries the compiler.",
    ("build", "timeout"): (
        "Close other programs that keep the machine busy, or give a new run more time: --set build_timeout_s=120."
    ),
    ("build", "crash"): "The search goes on without it. If it happens often, send the log to the makers of TVM.",
    ("build", "memory"): (
        "Close other programs that need much memory. If most fail, tune on a machine that has more: a build may take"
        " half of it."
    ),
    ("load", "error"): (
        "What was compiled does not fit this machine: run `pruner doctor`, and compare the target with the device."
    ),
    ("run", "error"): (
        "The device refused the kernel; the search goes on without it. If most fail, run `pruner doctor`: it runs a"
        " kernel."
    ),
    ("run", "timeout"): (
        "Such a schedule is slow; the search goes on without it. If most fail, close other programs, or give a new run"
        " more time: --set run_timeout_s=30."
    ),
    ("run", "crash"): (
        "The search goes on without it. If most of a task fail, freeze the task and send the log to the makers."
    ),
    ("check", "wrong"): (
        "It is never taken for the best nor exported. Send the log and the trace to the makers: no schedule may change"
        " what is computed."
    ),
    ("check", "error"): "Its outputs could not be compared, so it does not count. If most fail, run `pruner doctor`.",
    ("", "memory"): (
        "Close other programs that need much memory, or import the model with smaller input shapes: a candidate may"
        " take half of the machine's."
    ),
}
OTHERWISE = "The search goes on without it. If most fail, run `pruner doctor` and send the log to the makers."


def advice(stage: str, error: str) -> str:
    """What to do about a trial that failed in `stage` with a kind of `error`; never empty."""
    return ADVICE.get((stage, error)) or ADVICE.get(("", error), OTHERWISE)
