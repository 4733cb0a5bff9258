"""Schema of the project file, one migration a version.

Conventions: times of day are seconds since the epoch, durations and latencies seconds (REAL), structured values JSON
text, TVM modules gzip-compressed JSON of `tvm.ir.save_json`. A column that ends in `_id` is a foreign key.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("pruner-studio")

_V1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,              -- file stem, or the workload's text
  kind TEXT NOT NULL,              -- onnx | pt2 | tflite | tvmscript | workload
  source TEXT NOT NULL,            -- where it was loaded from
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content BLOB,                    -- the model file itself, so that the project can be moved; NULL when too large
  inputs TEXT NOT NULL,            -- [{"name","shape","dtype"}], as tuned
  outputs TEXT NOT NULL,
  created REAL NOT NULL,
  UNIQUE (sha256, inputs)
);

CREATE TABLE targets (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,              -- TVM target as JSON
  device TEXT NOT NULL,            -- human name, e.g. the CPU's model
  fingerprint TEXT NOT NULL,       -- device identity: rows of another device are never mixed up
  profile TEXT NOT NULL,           -- device profile as JSON (cores, vector width, caches, peak, bandwidths)
  UNIQUE (text, fingerprint)
);

CREATE TABLE tasks (
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  target_id INTEGER NOT NULL REFERENCES targets(id),
  name TEXT NOT NULL,              -- same at every run
  op TEXT NOT NULL,                -- operator class
  hash TEXT NOT NULL,              -- structural hash of the module
  shapes TEXT NOT NULL,            -- [{"name","shape","dtype"}] of the kernel's arguments
  flops REAL NOT NULL,             -- of one call
  weight INTEGER NOT NULL,         -- calls per inference
  mod BLOB NOT NULL,
  untuned_s REAL,                  -- one call of the untuned kernel
  UNIQUE (model_id, target_id, hash)
);

CREATE TABLE sketches (
  id INTEGER PRIMARY KEY,
  task_id INTEGER NOT NULL REFERENCES tasks(id),
  idx INTEGER NOT NULL,
  hash TEXT NOT NULL,
  trace TEXT NOT NULL,             -- JSON of the trace
  decisions TEXT NOT NULL,         -- [{"kind","name","domain"}] the free decisions, in order
  size REAL NOT NULL,              -- number of decision combinations
  UNIQUE (task_id, hash)
);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  target_id INTEGER REFERENCES targets(id),
  strategy TEXT NOT NULL,
  seed INTEGER NOT NULL,
  budget_trials INTEGER,
  budget_s REAL,
  settings TEXT NOT NULL,
  state TEXT NOT NULL,             -- preparing | tuning | paused | stopped | finished | failed
  reason TEXT NOT NULL DEFAULT '', -- why it stopped or failed
  versions TEXT NOT NULL,          -- JSON: python, tvm, ffi, torch, engine
  host TEXT NOT NULL,
  created REAL NOT NULL,
  updated REAL NOT NULL,           -- heartbeat of the engine that works on it
  phase TEXT NOT NULL DEFAULT '',
  pid INTEGER,
  elapsed_s REAL NOT NULL DEFAULT 0, -- working time over all sessions
  socket TEXT NOT NULL DEFAULT ''  -- where the engine that works on it can be reached
);

CREATE TABLE run_tasks (
  run_id INTEGER NOT NULL REFERENCES runs(id),
  task_id INTEGER NOT NULL REFERENCES tasks(id),
  steer TEXT NOT NULL DEFAULT 'normal', -- normal | pin | boost | freeze
  quarantined TEXT NOT NULL DEFAULT '', -- why the task is no longer tuned
  PRIMARY KEY (run_id, task_id)
);

CREATE TABLE rounds (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  task_id INTEGER NOT NULL REFERENCES tasks(id),
  idx INTEGER NOT NULL,            -- number of this round within the run
  started REAL NOT NULL,
  explored INTEGER NOT NULL DEFAULT 0,
  drafted INTEGER NOT NULL DEFAULT 0,
  verified INTEGER NOT NULL DEFAULT 0,
  measured INTEGER NOT NULL DEFAULT 0,
  valid INTEGER NOT NULL DEFAULT 0,
  draft_s REAL NOT NULL DEFAULT 0,
  verify_s REAL NOT NULL DEFAULT 0,
  build_s REAL NOT NULL DEFAULT 0,
  run_s REAL NOT NULL DEFAULT 0,
  learn_s REAL NOT NULL DEFAULT 0,
  stats TEXT NOT NULL DEFAULT '{}' -- JSON: score histograms, losses
);

CREATE TABLE candidates (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  task_id INTEGER NOT NULL REFERENCES tasks(id),
  round_id INTEGER NOT NULL REFERENCES rounds(id),
  sketch_id INTEGER REFERENCES sketches(id), -- NULL: a trace that is of none of the task's sketches
  hash TEXT NOT NULL,              -- of sketch and decisions
  decisions TEXT NOT NULL,         -- JSON, one value per free decision of the sketch
  trace TEXT,                      -- JSON; NULL where sketch and decisions say it all
  origin TEXT NOT NULL,            -- draft | random | evolved | user | known
  draft_score REAL,                -- higher is better: log2 of 1/predicted seconds
  verified_score REAL,             -- higher is better; comparable within one round only
  UNIQUE (run_id, task_id, hash)
);
CREATE INDEX candidates_by_round ON candidates(round_id);

CREATE TABLE measurements (
  id INTEGER PRIMARY KEY,
  candidate_id INTEGER NOT NULL UNIQUE REFERENCES candidates(id),
  run_id INTEGER NOT NULL REFERENCES runs(id),
  task_id INTEGER NOT NULL REFERENCES tasks(id),
  stage TEXT NOT NULL,             -- ok | build | load | run | check
  error TEXT NOT NULL DEFAULT '',  -- short kind: '' | error | crash | timeout | memory | wrong
  message TEXT NOT NULL DEFAULT '',
  log TEXT NOT NULL DEFAULT '',    -- tail of what the worker wrote on stderr
  seconds REAL,                    -- median of the repeats; NULL when it failed
  repeats TEXT NOT NULL DEFAULT '[]', -- all repeats, seconds a call
  censored INTEGER NOT NULL DEFAULT 0, -- 1: abandoned early, `seconds` is a call at the best look
  checked INTEGER NOT NULL DEFAULT 0, -- 1: outputs were compared with the untuned kernel's
  build_s REAL NOT NULL DEFAULT 0,
  run_s REAL NOT NULL DEFAULT 0,
  at REAL NOT NULL,
  elapsed_s REAL NOT NULL          -- working time of the run when it was committed
);
CREATE INDEX measurements_by_run ON measurements(run_id, task_id);
CREATE INDEX measurements_by_task ON measurements(task_id, seconds);

CREATE TABLE progress (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  elapsed_s REAL NOT NULL,
  trials INTEGER NOT NULL,
  valid INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  latency_s REAL,                  -- estimated end to end: sum of weight times the lesser of best and untuned
  left_s REAL                      -- the engine's estimate
);
CREATE INDEX progress_by_run ON progress(run_id);

CREATE TABLE baselines (
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  target_id INTEGER NOT NULL REFERENCES targets(id),
  name TEXT NOT NULL,              -- tuned | untuned | onnxruntime | torch | torch.compile | litert
  seconds REAL,
  repeats TEXT NOT NULL DEFAULT '[]',
  threads INTEGER NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  at REAL NOT NULL,
  UNIQUE (model_id, target_id, name)
);

CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  role TEXT NOT NULL,              -- model | siamese
  kind TEXT NOT NULL,              -- pacm-draft | pacm | tenset-mlp | tlp | xgb
  step INTEGER NOT NULL,
  data BLOB NOT NULL,              -- safetensors, or the model's own JSON
  recipe TEXT NOT NULL,
  UNIQUE (run_id, role)
);

CREATE TABLE adaptations (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  round_id INTEGER NOT NULL REFERENCES rounds(id),
  model TEXT NOT NULL,             -- adapted | scratch | siamese
  samples INTEGER NOT NULL,
  loss REAL,
  pair_accuracy REAL,
  top1 REAL,
  top5 REAL,
  distance REAL,                   -- between siamese and target weights
  seconds REAL NOT NULL DEFAULT 0
);

CREATE TABLE exports (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  out TEXT NOT NULL,
  at REAL NOT NULL,
  ok INTEGER NOT NULL,
  summary TEXT NOT NULL            -- JSON: coverage, check, latencies, files
);

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  run_id INTEGER REFERENCES runs(id),
  at REAL NOT NULL,
  level TEXT NOT NULL,             -- info | warning | error
  text TEXT NOT NULL,
  hint TEXT NOT NULL DEFAULT ''
);
"""


@migrations()  # type: ignore[untyped-decorator]
def v1_first_schema(db: Database) -> None:
    """Everything that the first product stores."""
    _execute(db, _V1)


_V2 = """
CREATE TABLE baselines_by_type (
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  target_id INTEGER NOT NULL REFERENCES targets(id),
  dtype TEXT NOT NULL,             -- of the run's products: float32 | float16 | bfloat16
  name TEXT NOT NULL,              -- tuned | untuned | onnxruntime | torch | torch.compile | litert
  seconds REAL,
  repeats TEXT NOT NULL DEFAULT '[]',
  threads INTEGER NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  at REAL NOT NULL,
  UNIQUE (model_id, target_id, dtype, name)
);
INSERT INTO baselines_by_type SELECT id, model_id, target_id, coalesce((
  SELECT json_extract(settings, '$.dtype') FROM runs r
  WHERE r.model_id = b.model_id AND r.target_id = b.target_id ORDER BY r.id LIMIT 1), 'float32'),
  name, seconds, repeats, threads, note, at FROM baselines b;
DROP TABLE baselines;
ALTER TABLE baselines_by_type RENAME TO baselines;
"""


@migrations()  # type: ignore[untyped-decorator]
def v2_baselines_by_type(db: Database) -> None:
    """Runs of one model in float32 and float16 are held against libraries that work in the same type."""
    _execute(db, _V2)


@migrations()  # type: ignore[untyped-decorator]
def v3_verified_candidates(db: Database) -> None:
    """How many candidates were verified is told without reading all that were drafted."""
    db.execute("CREATE INDEX candidates_verified ON candidates(run_id, task_id) WHERE verified_score IS NOT NULL")


@migrations()  # type: ignore[untyped-decorator]
def v4_caches_of_runs(db: Database) -> None:
    """Runs measured with warm or cold caches, before weights came as in the network."""
    db.execute(
        "UPDATE runs SET settings = json_remove(json_set(settings, '$.caches',"
        " CASE WHEN json_extract(settings, '$.cold_cache') THEN 'cold' ELSE 'warm' END), '$.cold_cache')"
        " WHERE json_valid(settings)"
    )


def _execute(db: Database, script: str) -> None:
    """Statement by statement, within the migration's transaction: `executescript` would commit it."""
    for statement in script.split(";\n"):
        if statement.strip():
            db.execute(statement)
