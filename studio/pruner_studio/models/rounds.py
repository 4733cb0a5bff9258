"""The rounds of a run as rows of a table: candidates of each step, quality of the scores, seconds of work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from pruner_engine import units
from pruner_studio.help import tip_of
from pruner_studio.models.rows import Column
from pruner_studio.translation import tr

#: what candidates go through, each with the key of its count in a row of the project file
STEPS = (
    (tr("explored"), "explored"),
    (tr("drafted"), "drafted"),
    (tr("verified"), "verified"),
    (tr("measured"), "measured"),
    (tr("valid"), "valid"),
)
_NOISY = 0.1  # spread of the probe from which on latencies of a round are not to be trusted to the last per cent


def _explored_tip(row: dict[str, Any]) -> str:
    return tr("The draft set of the round before was used again.") if row["reused"] else ""


def correlation(value: float) -> str:
    """A rank correlation as text: two digits and a sign."""
    return units.decimal(f"{value:+.2f}")


COLUMNS = (
    Column(tr("Round"), lambda row: row["idx"], right=True),
    Column(tr("Task"), lambda row: row["task"]),
    Column(
        STEPS[0][0].capitalize(),
        lambda row: row["explored"] or None,
        units.count,
        tip_of("figure.explored"),
        right=True,
        tip=_explored_tip,
        spare=1,
    ),
    Column(
        tr("Lowered"),
        lambda row: row["stats"].get("lowered") or None,
        units.count,
        tip_of("figure.lowered"),
        right=True,
        spare=1,
    ),
    *(
        Column(name.capitalize(), itemgetter(key), units.count, tip_of(f"figure.{key}"), right=True, spare=1)
        for name, key in STEPS[1:]
    ),
    *(
        Column(title, itemgetter(f"{figure}_{score}"), shown, tip_of(f"score.{figure}"), right=True)
        for title, figure, score, shown in (
            (tr("ρ draft"), "rank", "draft_score", correlation),
            (tr("ρ verified"), "rank", "verified_score", correlation),
            (tr("Top-5 draft"), "recall", "draft_score", units.percent),
            (tr("Top-5 verified"), "recall", "verified_score", units.percent),
        )
    ),
    Column(tr("Draft"), lambda row: row["draft_s"], units.duration, tip_of("figure.draft_s"), right=True, spare=2),
    Column(tr("Verify"), lambda row: row["verify_s"], units.duration, tip_of("figure.verify_s"), right=True, spare=2),
    Column(tr("Build"), lambda row: row["build_s"], units.duration, tip_of("figure.build_s"), right=True, spare=2),
    Column(tr("Run"), lambda row: row["run_s"], units.duration, tip_of("figure.run_s"), right=True, spare=2),
    Column(tr("Learn"), lambda row: row["learn_s"], units.duration, tip_of("figure.learn_s"), right=True, spare=2),
    Column(
        tr("Probe"),
        lambda row: row["stats"].get("probe_s"),
        units.latency,
        tip_of("figure.probe"),
        right=True,
        spare=2,
    ),
    Column(
        tr("Noise"),
        lambda row: row["stats"].get("probe_spread"),
        units.percent,
        tip_of("figure.noise"),
        right=True,
        spare=2,
        tone=lambda row: "warn" if (row["stats"].get("probe_spread") or 0) > _NOISY else "",
    ),
)


def round_rows(
    rounds: Iterable[dict[str, Any]], tasks: dict[int, str], quality: Callable[[int], dict[str, float | None]]
) -> list[dict[str, Any]]:
    """New rows for the table. Those of the reader are the same objects at the next refresh, and would look unchanged.

    Args:
        rounds: rows as the reader gives them.
        tasks: names by id.
        quality: of a round's scores, by the round's id.
    """
    rounds = list(rounds)
    exploring = {row["task_id"] for row in rounds if row["explored"]}
    return [
        {
            **row,
            "task": tasks.get(row["task_id"], ""),
            "reused": row["drafted"] and not row["explored"] and row["task_id"] in exploring,
            **quality(row["id"]),
        }
        for row in rounds
    ]


def drafting_round(rounds: Iterable[dict[str, Any]], chosen: int | None) -> dict[str, Any] | None:
    """The round whose exploration is shown: the chosen one, or that whose draft set it used again; else the newest.

    None where no round explored, as with a strategy that does not draft.
    """
    drafting = None
    rows = sorted(rounds, key=itemgetter("id"))
    task = next((row["task_id"] for row in rows if row["id"] == chosen), None)
    for row in rows:
        if row["stats"].get("draft_histogram", {}).get("edges") and task in (None, row["task_id"]):
            drafting = row
        if row["id"] == chosen:
            break
    return drafting
