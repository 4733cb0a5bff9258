"""A project file with made-up rows for tests of the window: seeded, shaped like a real tuning, never a result."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from pathlib import Path

from sqlite_utils import Database

from pruner_engine.store.file.versions import APPLICATION_ID
from pruner_engine.store.schema import migrations

NEWEST_RUN = 3  # of the project that make_project makes unless told otherwise

_OPS = (
    ("conv2d", [1, 56, 56, 64], [64, 64, 3, 3], 231e6, 4),
    ("conv2d", [1, 28, 28, 128], [128, 128, 3, 3], 231e6, 3),
    ("conv2d", [1, 14, 14, 256], [256, 256, 3, 3], 231e6, 2),
    ("conv2d", [1, 224, 224, 3], [64, 3, 7, 7], 236e6, 1),
    ("depthwise_conv2d", [1, 56, 56, 64], [64, 1, 3, 3], 3.6e6, 4),
    ("matmul", [1, 512], [512, 1000], 1.02e6, 1),
    ("max_pool2d", [1, 112, 112, 64], [1, 56, 56, 64], 1.8e6, 1),
    ("softmax", [1, 1000], [1, 1000], 4e3, 1),
    ("elementwise", [1, 28, 28, 128], [1, 28, 28, 128], 2e5, 6),
    ("reduce", [1, 7, 7, 512], [1, 512], 2.5e4, 1),
)
_TRACE = [
    [
        ["GetSBlock", [], ["C", "main"], ["b0"]],
        ["GetSBlock", [], ["root", "main"], ["b1"]],
        ["Annotate", ["b0", '"SSRSRS"'], ["meta_schedule.tiling_structure"], []],
        ["GetLoops", ["b0"], [], ["l2", "l3", "l4"]],
        ["SamplePerfectTile", ["l2"], [4, 64], ["v5", "v6", "v7", "v8"]],
        ["Split", ["l2", "v5", "v6", "v7", "v8"], [True, False], ["l9", "l10", "l11", "l12"]],
        ["SamplePerfectTile", ["l3"], [4, 64], ["v13", "v14", "v15", "v16"]],
        ["Split", ["l3", "v13", "v14", "v15", "v16"], [True, False], ["l17", "l18", "l19", "l20"]],
        ["SamplePerfectTile", ["l4"], [2, 64], ["v21", "v22"]],
        ["Split", ["l4", "v21", "v22"], [True, False], ["l23", "l24"]],
        ["Reorder", ["l9", "l17", "l10", "l18", "l23", "l11", "l19", "l24", "l12", "l20"], [], []],
        ["CacheWrite", ["b0", []], [0, "global"], ["b25"]],
        ["ReverseComputeAt", ["b25", "l18"], [1, -1], []],
        ["Annotate", ["b1", 32], ["meta_schedule.parallel"], []],
        ["Annotate", ["b1", 64], ["meta_schedule.vectorize"], []],
        ["SampleCategorical", [], [[0, 16, 64, 512], [0.25, 0.25, 0.25, 0.25]], ["v26"]],
        ["Annotate", ["b1", "v26"], ["meta_schedule.unroll_explicit"], []],
    ],
    [[4, [1, 1, 512, 1]], [6, [4, 32, 4, 1]], [8, [64, 8]], [15, 0]],
]
_DECISIONS = [
    {"kind": "tile", "name": "C.i", "domain": {"extent": 512, "n": 4, "max_innermost": 64, "partition": [0, 1]}},
    {"kind": "tile", "name": "C.j", "domain": {"extent": 512, "n": 4, "max_innermost": 64, "partition": [0, 1]}},
    {"kind": "tile", "name": "C.k", "domain": {"extent": 512, "n": 2, "max_innermost": 64, "partition": [0, 1]}},
    {"kind": "categorical", "name": "unroll", "domain": {"candidates": [0, 16, 64, 512], "probs": [0.25] * 4}},
]
_PROFILE = {
    "kind": "cpu",
    "name": "AMD EPYC 7B13",
    "fingerprint": "a1b2c3d4e5f60718",
    "source": "measured",
    "cores": 2,
    "peak_flops": 218e9,
    "peak_flops_core": 112e9,
    "vector_bits": 256,
    "vector_registers": 16,
    "caches": [
        {"level": 1, "bytes": 32 << 10, "bandwidth": 410e9, "line_bytes": 64, "shared_by": 1},
        {"level": 2, "bytes": 512 << 10, "bandwidth": 190e9, "line_bytes": 64, "shared_by": 1},
        {"level": 3, "bytes": 32 << 20, "bandwidth": 72e9, "line_bytes": 64, "shared_by": 2},
    ],
    "dram_bandwidth": 21e9,
    "dram_bandwidth_core": 14e9,
    "parallel_overhead_s": 4e-6,
    "calibration": {"compute": 1.21, "memory": 0.84},
}


def make_project(
    path: Path, *, runs: int = 3, rounds: int = 24, tasks: int = 10, state: str = "finished", seed: int = 7
) -> Path:
    """A project of `runs` runs (pruner, metaschedule, moa-pruner …) of `rounds` rounds each; the last has `state`.

    A round has 32 candidates, ten of them measured.
    """
    rng = random.Random(seed)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    migrations.apply(Database(connection))
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute("BEGIN")
    _Writer(connection, rng).write(runs, rounds, tasks, state)
    connection.execute("COMMIT")
    connection.close()
    return path


def _explored(index: int, strategy: str) -> dict:
    """Scores of what a round explored and drafted; every third round uses the draft set of the one before."""
    if strategy == "metaschedule" or index % 3 == 2:
        return {}
    explored = [round(25_000 * 2 ** (-abs(at - 18) / 4)) + index for at in range(40)]
    drafted = [0] * 30 + [2, 4, 6, 10, 14, 18, 20, 18, 12, 8]
    edges = [8 + at / 4 + index / 100 for at in range(41)]
    return {"draft_histogram": {"edges": edges, "explored": explored, "drafted": drafted}}


class _Writer:
    def __init__(self, db: sqlite3.Connection, rng: random.Random) -> None:
        self.db, self.rng = db, rng
        self.now = time.time() - 7200

    def insert(self, table: str, **row: object) -> int:
        values = [json.dumps(v) if isinstance(v, dict | list) else v for v in row.values()]
        marks = ", ".join("?" * len(row))
        return int(self.db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", values).lastrowid or 0)

    def write(self, runs: int, rounds: int, tasks: int, state: str) -> None:
        spec = {"name": "input", "shape": [1, 3, 224, 224], "dtype": "float32"}
        self.model = self.insert(
            "models",
            name="resnet18",
            kind="onnx",
            source="/models/resnet18.onnx",
            sha256="0" * 64,
            bytes=46_800_000,
            inputs=[spec],
            outputs=[{**spec, "name": "logits", "shape": [1, 1000]}],
            created=self.now,
        )
        text = json.dumps({"kind": "llvm", "mcpu": "znver3", "num-cores": 2})
        self.target = self.insert(
            "targets", text=text, device="AMD EPYC 7B13 (2 cores)", fingerprint="a1b2c3d4e5f60718", profile=_PROFILE
        )
        self.tasks = [self._task(index, *_OPS[index % len(_OPS)]) for index in range(tasks)]
        self._heavy = [self.tasks[at] for at in (0, 0, 1, 1, 2, 2, 3, 4)] + self.tasks[len(_OPS) :]
        untuned = sum(task["untuned"] * task["weight"] for task in self.tasks)
        for name, seconds in (("untuned", untuned * 1.02), ("onnxruntime", untuned / 9.5), ("torch", untuned / 7.1)):
            self.insert(
                "baselines",
                model_id=self.model,
                target_id=self.target,
                dtype="float32",
                name=name,
                seconds=seconds,
                repeats=[seconds] * 3,
                threads=2,
                at=self.now,
            )
        strategies = ("metaschedule", "pruner", "moa-pruner")
        for index in range(runs):
            last = index == runs - 1
            self._run(strategies[index % 3], index, rounds, state if last else "finished")

    def _task(self, index: int, op: str, shape: list[int], other: list[int], flops: float, weight: int) -> dict:
        untuned = max(flops / self.rng.uniform(2e9, 6e9), 2e-5)
        shapes = [
            {"name": f"p{at}", "shape": dims, "dtype": "float32"} for at, dims in enumerate((shape, other, shape))
        ]
        name = f"fused_{op}_add_relu" if op == "conv2d" else op
        task_id = self.insert(
            "tasks",
            model_id=self.model,
            target_id=self.target,
            name=f"{name}{index or ''}",
            op=op,
            hash=f"{index:016x}",
            shapes=shapes,
            flops=flops,
            weight=weight,
            mod=b"",
            untuned_s=untuned,
        )
        sketch = self.insert(
            "sketches", task_id=task_id, idx=0, hash=f"{index:08x}", trace=_TRACE, decisions=_DECISIONS, size=1e9
        )
        return {
            "id": task_id,
            "untuned": untuned,
            "weight": weight,
            "sketch": sketch,
            "floor": untuned / self.rng.uniform(6, 18),
        }

    def _run(self, strategy: str, seed: int, rounds: int, state: str) -> None:
        speed = {"metaschedule": 0.55, "pruner": 1.4, "moa-pruner": 2.4}[strategy]
        run = self.insert(
            "runs",
            model_id=self.model,
            target_id=self.target,
            strategy=strategy,
            seed=seed,
            budget_trials=rounds * 10,
            settings={"caches": "network"},
            state=state,
            reason="",
            versions={"python": "3.11.2", "tvm": "0.27.0", "torch": "2.9.0"},
            host={"name": "workstation"},
            created=self.now,
            updated=self.now,
        )
        for task in self.tasks:
            steer = "pin" if task is self.tasks[0] and strategy == "pruner" else "normal"
            self.insert("run_tasks", run_id=run, task_id=task["id"], steer=steer)
        best: dict[int, float] = {}
        elapsed, trials, valid = 0.0, 0, 0
        for index in range(rounds):
            task = self.tasks[index] if index < len(self.tasks) else self.rng.choice(self._heavy)
            visits = 1 + index // len(self.tasks)
            times = {
                "draft_s": self.rng.uniform(0.3, 0.6),
                "verify_s": self.rng.uniform(0.5, 1.2),
                "build_s": 2.4,
                "run_s": 1.7,
                "learn_s": 0.4,
            }
            round_id = self.insert(
                "rounds",
                run_id=run,
                task_id=task["id"],
                idx=index,
                started=self.now + elapsed,
                explored=self.rng.randint(900_000, 1_100_000),
                drafted=112,
                verified=112,
                measured=10,
                valid=9,
                stats={
                    "pair_accuracy": 0.8,
                    "probe_s": 2e-3 * (1 + index % 4 / 10),
                    "probe_spread": index % 4 / 10,
                    **_explored(index, strategy),
                },
                **times,
            )
            elapsed += sum(times.values())
            for trial in range(32):
                quality = self.rng.random() ** (speed * (1 + visits / 6))
                seconds = task["floor"] * (1 + 9 * quality**1.4)
                at = elapsed - 4 + trial * 0.4
                if self._candidate(run, task, round_id, seconds, trial, at):
                    valid += 1
                    best[task["id"]] = min(best.get(task["id"], 1e9), seconds)
                trials += trial < 10
            latency = sum(t["weight"] * min(best.get(t["id"], t["untuned"]), t["untuned"]) for t in self.tasks)
            self.insert(
                "progress",
                run_id=run,
                elapsed_s=elapsed,
                trials=trials,
                valid=valid,
                failed=trials - valid,
                latency_s=latency,
                left_s=(rounds - index - 1) * 6.0,
            )
            if strategy == "moa-pruner" and index % 4 == 3:
                self._adaptation(run, round_id, index)
        self.db.execute(
            "UPDATE runs SET elapsed_s = ?, phase = ? WHERE id = ?",
            (elapsed, "" if state == "finished" else "verify", run),
        )
        self.insert("events", run_id=run, at=self.now + 3, level="info", text=f"{len(self.tasks)} tasks found", hint="")
        if state == "finished":
            self._export(run, latency, self.now + elapsed + 30)
        self.now += elapsed + 60

    def _candidate(self, run: int, task: dict, round_id: int, seconds: float, trial: int, at: float) -> bool:
        import math

        noise = self.rng.gauss(0, 0.5)
        decisions = [[2, 4, 8, 8], [4, 4, self.rng.choice([2, 4, 8]), 8], [64, 8], self.rng.randrange(4)]
        candidate = self.insert(
            "candidates",
            run_id=run,
            task_id=task["id"],
            round_id=round_id,
            sketch_id=task["sketch"],
            hash=f"{self.rng.getrandbits(64):016x}",
            decisions=decisions,
            origin="random" if trial % 7 == 3 else "evolved" if trial % 7 == 5 else "draft",
            draft_score=-math.log2(seconds) + noise,
            verified_score=-math.log2(seconds) * 0.6 + self.rng.gauss(0, 0.25),
        )
        if trial >= 10:
            return False
        row = {
            "candidate_id": candidate,
            "run_id": run,
            "task_id": task["id"],
            "at": self.now + at,
            "elapsed_s": at,
            "build_s": 0.24,
            "run_s": 0.17,
        }
        if trial == 4:
            error, message = self.rng.choice(
                [
                    ("timeout", "The candidate ran longer than 10 s."),
                    ("crash", "The candidate ended by signal 11 (SIGSEGV)."),
                ]
            )
            self.insert("measurements", stage="run", error=error, message=message, **row)
            return False
        repeats = [seconds * self.rng.uniform(0.98, 1.02) for _ in range(3)]
        self.insert("measurements", stage="ok", seconds=seconds, repeats=repeats, checked=int(trial == 0), **row)
        return True

    def _adaptation(self, run: int, round_id: int, index: int) -> None:
        gain = 1 - 0.9 ** (index + 1)
        for model, start, end in (("adapted", 0.72, 0.9), ("scratch", 0.5, 0.84), ("siamese", 0.71, 0.78)):
            accuracy = start + (end - start) * gain + self.rng.gauss(0, 0.012)
            self.insert(
                "adaptations",
                run_id=run,
                round_id=round_id,
                model=model,
                samples=(index + 1) * 10,
                loss=1.2 - accuracy,
                pair_accuracy=accuracy,
                top1=accuracy - 0.05,
                top5=min(0.99, accuracy + 0.06),
                distance=0.02 * (index + 1) if model == "siamese" else None,
                seconds=0.4,
            )

    def _export(self, run: int, latency: float, at: float) -> None:
        entry = {"repeats": [], "threads": 2, "note": ""}
        functions = [
            {
                "name": f"fused_{op}",
                "task": f"{op}{at or ''}",
                "state": "fallback" if op == "reduce" else "applied",
                "calls": calls,
                "seconds": flops / 6e10,
                "share": flops * calls / 3.1e9,
            }
            for at, (op, _, _, flops, calls) in enumerate(_OPS)
        ]
        summary = {
            "on_device": True,
            "slower_than": [],
            "latency": {
                "tuned": {**entry, "seconds": latency * 1.15},
                "untuned": {**entry, "seconds": latency * 11},
                "onnxruntime": {**entry, "seconds": latency * 1.2},
                "torch": {**entry, "seconds": None, "note": "PyTorch reads .pt2 files only"},
            },
            "coverage": {
                "summary": {
                    "applied": {"functions": 9, "share": 0.995},
                    "fallback": {"functions": 1, "share": 0.005},
                    "not tunable": {"functions": 0, "share": 0.0},
                },
                "functions": functions,
            },
            "checks": [
                {"against": "untuned", "ok": True, "tolerance": 3e-4, "message": ""},
                {"against": "onnxruntime", "ok": True, "tolerance": 3e-4, "message": ""},
            ],
            "files": {
                "model.so": "",
                "records/workload.json": "",
                "records/tuning_record.json": "",
                "run.py": "",
                "LICENSES/tvm.txt": "",
                "runtime/libtvm_runtime.so": "",
            },
        }
        self.insert("exports", run_id=run, out="/home/ada/resnet18-export", at=at, ok=1, summary=summary)
