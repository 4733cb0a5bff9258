"""The profile of a device of this machine: what is known of it, or measured now."""

from __future__ import annotations

from pruner_engine.jobs.job import JobContext
from pruner_engine.protocol import Phase, Profile, Profiled
from pruner_engine.targets.profiling import known_profile, measure_profile
from pruner_engine.targets.target import resolve_target


def profile(command: Profile, job: JobContext) -> None:
    """Tell the figures of a device, as they are known or as they are measured now."""
    target = resolve_target(command.target)
    if command.measure:
        job.emit(Phase(name="profile", detail=command.target))
    known = measure_profile(target, job.control.stop.is_set, job.notice) if command.measure else known_profile(target)
    job.emit(
        Profiled(
            target=command.target,
            profile=known.profile.as_json(),
            measured_at=known.measured_at,
            quiet=known.quiet,
        )
    )
