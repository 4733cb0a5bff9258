"""Tells project files of this and earlier versions from other files and from those of later versions."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from pruner_engine.errors import UserError

APPLICATION_ID = 0x50524E52  # "PRNR", in the SQLite header
KNOWN_VERSIONS = ("v1_first_schema", "v2_baselines_by_type", "v3_verified_candidates", "v4_caches_of_runs")


def refuse_foreign(db: sqlite3.Connection, path: Path) -> None:
    """Raise UserError unless the open database is a project whose every migration is known here."""
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UserError(f"{path} is not a project of Pruner Studio.", "Choose a .pruner file.")
    # a view is a query, which need not end, and a trigger one that runs when something is written
    kinds = "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
    if (foreign := db.execute(kinds).fetchone()) is not None:
        raise UserError(
            f"{path.name} holds a {foreign[0]}, {foreign[1]}, which no project has.",
            "Remove it with a program for SQLite, or ask whoever gave you this project.",
        )
    applied = [row[0] for row in db.execute("SELECT name FROM _sqlite_migrations ORDER BY rowid").fetchall()]
    unknown = [name for name in applied if name not in KNOWN_VERSIONS]
    if unknown:
        raise UserError(
            f"{path.name} was written by a newer version of Pruner Studio (its schema has {unknown[-1]}).",
            "Update Pruner Studio to open it; the file was left as it is.",
        )
