"""The job that exports a tuned model from the project file."""

from __future__ import annotations

import json
from typing import Any

from pruner_engine.errors import UserError
from pruner_engine.export import export_bundle
from pruner_engine.frontends import LoadedModel, load_model
from pruner_engine.jobs.job import JobContext
from pruner_engine.jobs.messages import Export, Exported, Notice, Phase
from pruner_engine.store.project import Project
from pruner_engine.store.tuning_database import ProjectDatabase
from pruner_engine.store.work import task_of
from pruner_engine.targets.target import resolve_target, threads_of
from pruner_engine.tasks.prepare import prepare


def stored_model(project: Project, model_id: int) -> LoadedModel:
    """The model as it was when it was tuned, from the project's own copy of its file."""
    row = project.work.model(model_id)
    inputs = {spec["name"]: spec["shape"] for spec in json.loads(row["inputs"])}
    # Consent to run a TVMScript file was given when the run was made; the copy is that very file.
    consent = row["kind"] == "tvmscript"
    model = load_model(row["source"], inputs, content=row["content"], allow_code=consent)
    if model.sha256 != row["sha256"]:
        raise UserError(
            f"{row['source']} is not the file that was tuned, and the project holds no copy of it.",
            "Put the original file back, or tune the new one.",
        )
    return model


def export(command: Export, job: JobContext) -> None:
    """Compile with the best schedules of a run, or of all runs on the newest run's target."""
    with Project(command.project) as project:
        run_id = command.run_id if command.run_id is not None else project.runs.newest()
        if run_id is None or not project.query("SELECT 1 FROM runs WHERE id = ?", (run_id,)):
            raise UserError("The project holds no such run.", "`pruner status` lists its runs.")
        run, rows = project.runs.get(run_id), project.runs.tasks(run_id)
        if run["target_id"] is None or not rows:
            raise UserError("This run has not come to tuning yet.", "Resume it first.")
        stored = project.work.target(run["target_id"])
        target = resolve_target(stored["text"])
        job.emit(Phase(name="load", detail=command.project))
        model = stored_model(project, run["model_id"])
        job.emit(Phase(name="prepare", detail=model.name))
        summary = export_bundle(
            model,
            prepare(model.mod, target),
            target,
            [task_of(row) for row in rows],
            ProjectDatabase(project, run["target_id"], target, command.run_id),
            command.out,
            {
                "model": model.name,
                "sha256": model.sha256,
                "run": run_id,
                "strategy": run["strategy"],
                "seed": run["seed"],
                "device": stored["device"],
                "fingerprint": stored["fingerprint"],
            },
            lambda name, detail: job.emit(Phase(name=name, detail=detail)),
            untuned={row["hash"]: row["untuned_s"] for row in rows if row["untuned_s"]},
            threads=threads_of(target),
        )
        _keep(project, run, summary)
        export_id = project.runs.add_export(run_id, summary["out"], True, summary)
        if summary["slower_than"]:
            others = " and ".join(summary["slower_than"])
            job.emit(
                Notice(level="warning", text=f"The tuned library is slower than {others}.", hint="Tune it longer.")
            )
        for check in summary["checks"]:
            if not check["ok"]:
                text = f"The outputs are not those of {check['against']}: {check['message']}."
                job.emit(Notice(level="warning", text=text, hint="Compare on inputs of your own before using it."))
        job.emit(Exported(export_id=export_id, out=summary["out"], summary=summary))


def _keep(project: Project, run: dict[str, Any], summary: dict[str, Any]) -> None:
    """What an export timed is a baseline of the model on this device."""
    for name, timing in summary["latency"].items():
        project.work.add_baseline(
            run["model_id"],
            run["target_id"],
            name,
            timing["seconds"],
            repeats=json.dumps(timing["repeats"]),
            threads=timing["threads"],
            note=timing["note"],
        )
