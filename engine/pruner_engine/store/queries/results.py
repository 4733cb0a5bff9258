"""The queries of what came of a run: baselines, exports, adaptations of its cost model, notices."""

from __future__ import annotations

from pruner_engine.store.file.read_only import ReadOnlyProject, Row
from pruner_engine.store.file.reading import makes_sense

OWN = ("tuned", "untuned")  # what TVM compiled, among what a run is held against
_UNKNOWN = object()
DISTURBED = "timed beside other programs"  # end of a baseline's note: its latency may be too long


def is_disturbed(baseline: Row) -> bool:
    """Whether other programs worked while it was timed."""
    return str(baseline["note"]).endswith(DISTURBED)


@makes_sense
class ResultReader(ReadOnlyProject):
    """What a run is held against, what was exported of it, and what was told on the way."""

    def baselines(self, run_id: int) -> list[Row]:
        """Measured latencies of the untuned model and of libraries, on the run's device in the run's float type."""
        rows = self.rows(
            "SELECT b.*, r.settings FROM baselines b"
            " JOIN runs r ON r.model_id = b.model_id AND r.target_id = b.target_id WHERE r.id = ? ORDER BY b.id",
            (run_id,),
        )
        wanted = [row.pop("settings").get("dtype", "float32") for row in rows]
        # the first schema does not tell types apart
        return [row for row, dtype in zip(rows, wanted, strict=True) if row.get("dtype", dtype) == dtype]

    def libraries(self, run_id: int) -> list[Row]:
        """Those of the baselines that are of libraries; without seconds where one could not run the model."""
        return [row for row in self.baselines(run_id) if row["name"] not in OWN]

    def adaptations(self, run_id: int) -> list[Row]:
        """How the cost model adapted in each round that did, with the round's number and task, oldest first."""
        return self.rows(
            "SELECT a.*, r.idx AS round, r.task_id FROM adaptations a JOIN rounds r ON r.id = a.round_id"
            " WHERE a.run_id = ? ORDER BY a.id",
            (run_id,),
        )

    def exports(self, run_id: int | None = None) -> list[Row]:
        """Exports of a run, or of all runs, oldest first."""
        where, args = ("", ()) if run_id is None else (" WHERE run_id = ?", (run_id,))
        return self.rows(f"SELECT * FROM exports{where} ORDER BY id", args)

    def exported(self, run_id: int) -> Row | None:
        """How fast the library of a run's last export was on the run's own device; None where that was not measured.

        `seconds` of one inference, those of what was timed in turns with it (`beside`, by name), when (`at`), and
        whether the run was `tuned_since`.
        """
        row = self.one("SELECT at, summary FROM exports WHERE run_id = ? ORDER BY id DESC LIMIT 1", (run_id,))
        if row is None:
            return None
        summary, at = row["summary"], row["at"]
        seconds = summary["latency"].get("tuned", {}).get("seconds")  # none where nothing could run the library
        # an older summary does not tell where it was measured, but only what was on the run's device is a baseline too
        known = {line["seconds"] for line in self.baselines(run_id) if line["name"] == "tuned"}
        if not seconds or not summary.get("on_device", seconds in known):
            return None
        newest = self.one("SELECT id, started FROM rounds WHERE run_id = ? ORDER BY id DESC LIMIT 1", (run_id,))
        beside = {name: line["seconds"] for name, line in summary["latency"].items() if name != "tuned"}
        # clocks are put back: only an older summary leaves no better way to tell
        last = summary.get("last_round", _UNKNOWN)
        tuned_since = newest is not None and (newest["started"] > at if last is _UNKNOWN else newest["id"] != last)
        return {"seconds": seconds, "beside": beside, "at": at, "tuned_since": tuned_since}

    def exported_to(self, out: str) -> Row | None:
        """The newest export to a folder: its `run_id`, when (`at`), and `seconds` of an inference, if measured."""
        row = self.one("SELECT run_id, at, summary FROM exports WHERE out = ? ORDER BY id DESC LIMIT 1", (out,))
        if row is None:
            return None
        seconds = row["summary"]["latency"].get("tuned", {}).get("seconds")
        return {"run_id": int(row["run_id"]), "at": float(row["at"]), "seconds": float(seconds) if seconds else None}

    def events(self, run_id: int) -> list[Row]:
        """Notices of a run, oldest first: at (seconds since the epoch), level, text, hint."""
        return self.rows("SELECT * FROM events WHERE run_id = ? ORDER BY id", (run_id,))
