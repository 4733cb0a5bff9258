"""Project files with runs that were never run: every number is chosen, so that what follows can be told by hand."""

import json
import time

from pruner_engine.search.settings import settings_from
from pruner_engine.store.project import Project

TARGET = '{"kind":"llvm"}'


def make_project(path, tasks, *, model="m", device="a CPU"):
    """An empty project for a model with `tasks`: name → (weight, untuned seconds)."""
    with Project(path) as project, project.transaction() as db:
        db["models"].insert(
            {"id": 1, "name": model, "kind": "workload", "source": model, "sha256": "0", "bytes": 1, "inputs": "[]",
             "outputs": "[]", "created": 0.0}
        )  # fmt: skip
        db["targets"].insert({"id": 1, "text": TARGET, "device": device, "fingerprint": "f", "profile": "{}"})
        for index, (name, (weight, untuned)) in enumerate(tasks.items(), 1):
            db["tasks"].insert(
                {"id": index, "model_id": 1, "target_id": 1, "name": name, "op": "matmul", "hash": f"{index:016x}",
                 "shapes": "[]", "flops": 1e6, "weight": weight, "mod": b"", "untuned_s": untuned}
            )  # fmt: skip


def add_run(path, strategy, events, *, seed=0, state="finished", settings=None, trials=None):
    """A run of a comparison from what happened in it, in order.

    Events: ("begin", elapsed) a session's search begins; ("trial", task id, seconds or None, elapsed), a negative value
    for an abandoned one; ("end", elapsed) the round ends; ("kill",) the round's end never came.
    """
    with Project(path) as project, project.transaction() as db:
        count = sum(event[0] == "trial" for event in events)
        kept = settings_from({"calibrated": False, **(settings or {})}).as_json()
        run = {
            "model_id": 1, "target_id": 1, "strategy": strategy, "seed": seed, "budget_trials": trials or count,
            "settings": kept, "state": state, "versions": '{"tvm": "0"}',
            "host": "{}", "created": time.time(), "updated": time.time(), "elapsed_s": events[-1][-1],
        }  # fmt: skip
        run_id = db["runs"].insert(run).last_pk
        db["run_tasks"].insert_all({"run_id": run_id, "task_id": row["id"]} for row in db["tasks"].rows)
        done, in_round, round_id = 0, 0, None
        for event in events:
            if event[0] == "trial":
                if round_id is None:
                    round_id = _add_round(db, run_id, event[1])
                done, in_round = done + 1, in_round + 1
                add_trial(db, run_id, round_id, done, *event[1:])
                continue
            if round_id is not None:  # a trial counts in its round at once; a killed round has learned nothing
                db["rounds"].update(round_id, {"measured": in_round, "learn_s": float(event[0] == "end")})
            if event[0] != "kill":
                row = {"run_id": run_id, "elapsed_s": event[1], "trials": done, "valid": done, "failed": 0}
                db["progress"].insert({**row, "latency_s": 0.5})
            in_round, round_id = 0, None
    return run_id


def project_of_two(folder, events):
    """A project in a folder, of tasks "a" and "b" and one run."""
    path = folder / "p.pruner"
    make_project(path, {"a": (1, 1.0), "b": (1, 1.0)})
    add_run(path, "pruner", events)
    return path


def _add_round(db, run_id, task_id):
    idx = db.execute("SELECT count(*) FROM rounds WHERE run_id = ?", [run_id]).fetchone()[0]
    row = {"run_id": run_id, "task_id": task_id, "idx": idx, "started": 0.0, "draft_s": 1.0, "build_s": 2.0}
    return db["rounds"].insert(row).last_pk


def add_trial(db, run_id, round_id, number, task_id, seconds, elapsed):
    candidate = {"run_id": run_id, "task_id": task_id, "round_id": round_id, "hash": f"{number:x}", "decisions": "[]"}
    candidate_id = db["candidates"].insert({**candidate, "origin": "draft", "draft_score": float(number)}).last_pk
    row = {
        "candidate_id": candidate_id, "run_id": run_id, "task_id": task_id, "seconds": seconds and abs(seconds),
        "stage": "ok" if seconds else "run", "error": "" if seconds else "crash",
        "message": "" if seconds else "it crashed", "censored": int(bool(seconds and seconds < 0)),
        "repeats": json.dumps([]), "at": 0.0, "elapsed_s": elapsed,
    }  # fmt: skip
    db["measurements"].insert(row)


def add_adaptation(path, run_id, **accuracies):
    """A round of a run that only adapts: the pair accuracy of each model, or None."""
    with Project(path) as project, project.transaction() as db:
        round_id = _add_round(db, run_id, 1)
        db["adaptations"].insert_all(
            {"run_id": run_id, "round_id": round_id, "model": model, "samples": 10, "pair_accuracy": accuracy}
            for model, accuracy in accuracies.items()
        )
