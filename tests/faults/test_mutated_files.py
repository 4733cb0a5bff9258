"""Some hundred mutations of real files: a sentence or a result, no crash, no code run, nothing written elsewhere."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import engines
import hostile
import pytest

from databases import connected
from pruner_engine.export.records import write_records
from pruner_engine.protocol import Export, Resume
from pruner_engine.verify import create_model
from schedules import database_with, task_of
from seeds import seeds

sys.path.append(str(Path(__file__).parents[1] / "export"))
from models import write_onnx, write_pt2


@pytest.fixture(scope="module")
def originals(tmp_path_factory) -> Path:
    """One real file of each kind."""
    folder = tmp_path_factory.mktemp("originals")
    write_onnx(folder / "model.onnx")
    write_pt2(folder / "model.pt2")
    task = task_of("matmul:32,32,32")
    write_records(database_with([task]), [task], folder / "records")
    (folder / "checkpoints").mkdir()
    for kind in ("pacm", "tenset-mlp", "tlp"):
        (folder / "checkpoints" / kind).write_bytes(create_model(kind, 0).to_bytes())
    shutil.copy(engines.EARLIER / "v1_first_schema.pruner", folder / "m.pruner")
    engines.say_of_this_machine(folder / "m.pruner")
    (folder / "checkpoints" / "xgb").write_bytes(_checkpoint(folder / "m.pruner"))
    return folder


def _checkpoint(project: Path) -> bytes:
    with connected(project) as db:
        (data,) = db.execute("SELECT data FROM checkpoints WHERE role = 'model'").fetchone()
    db.close()
    return data


def test_a_project_brings_no_code_along(originals, tmp_path):
    """Somebody has put a script in the place of the model: nobody on this machine has agreed to run it."""
    project, told, marker = Path(shutil.copy(originals / "m.pruner", tmp_path)), tmp_path / "told", tmp_path / "marker"
    script = f"open({str(marker)!r}, 'w').write('run')".encode()
    with connected(project) as db:
        db.execute("UPDATE models SET kind = 'tvmscript', source = 'm.py', content = ?", (script,))
    db.close()
    for command in (
        Export(project=str(project), out=str(tmp_path / "out")),
        Resume(project=str(project), trials=9),
    ):
        if isinstance(command, Resume):
            with connected(project) as db:
                db.execute("DELETE FROM run_tasks")  # so that the model has to be read again
            db.close()
        assert engines.engine(command, told) == engines.REFUSED
        assert "--allow-code" in told.read_text()
    assert not marker.exists()


def test_a_projects_schedules_bring_no_code_along(originals, tmp_path):
    """What they would have linked in ends the process that loads the kernel."""
    code = "@llvm.global_ctors = appending global [1 x {i32, ptr, ptr}] [{i32, ptr, ptr} {i32 1, ptr @abort, ptr null}]"
    project, told = Path(shutil.copy(originals / "m.pruner", tmp_path)), tmp_path / "told"
    text = json.dumps(code + " declare void @abort()")
    foreign = [
        ["GetSBlock", [], ["matmul", "main"], ["foreign"]],
        ["Annotate", ["foreign", text], ["pragma_import_llvm"], []],
    ]
    with connected(project) as db:
        for key, trace in db.execute("SELECT id, trace FROM candidates WHERE trace IS NOT NULL").fetchall():
            instructions, decisions = json.loads(trace)
            at = [name for name, *_ in (*instructions, ["EnterPostproc"])].index("EnterPostproc")
            with_code = json.dumps([instructions[:at] + foreign + instructions[at:], decisions])
            db.execute("UPDATE candidates SET trace = ? WHERE id = ?", (with_code, key))
    db.close()
    for command in (
        Export(project=str(project), out=str(tmp_path / "out")),
        Resume(project=str(project), trials=9),
    ):
        # a resume reads the traces of sketches that this processor's rules do not make
        code = engines.engine(command, told)
        refused = code == engines.REFUSED and isinstance(command, Resume) and "native code" in told.read_text()
        assert code == 0 or refused, told.read_text()


@pytest.mark.parametrize(
    ("look", "count"),
    [
        (hostile.look_at_onnx, 80),
        (hostile.look_at_pt2, 40),
        (hostile.look_at_records, 40),
        (hostile.look_at_checkpoint, 80),
        (hostile.look_at_project, 60),
        (hostile.look_at_project_in_the_terminal, 60),
        (hostile.look_at_schedules, 16),
        (hostile.look_at_project_and_resume, 8),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_mutated_file_is_a_sentence_or_a_result(look, count, originals):
    drawn = seeds(count)
    found = hostile.outcomes(look, originals, drawn)
    bad = {seed: said for seed, said in found.items() if said != "ok" and not said.startswith("refused: ")}
    assert not bad, f"{len(bad)} of {len(drawn)}: {bad}"
    assert len(found) == len(drawn)
    assert any(said != "ok" for said in found.values()), "some mutations do harm"
