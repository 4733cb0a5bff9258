"""Where a file is to be read a pipe is refused at once: nothing might ever come from it."""

from __future__ import annotations

import os

import pytest
from onnx import TensorProto, helper

from chosen_runs import make_project
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from terminal import carried_out

TUNE = ["tune", "matmul:8,8,8", "--trials", "1"]


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["train", "pipe", "--out", "x.safetensors"], "The data set pipe cannot be read: it is no file."),
        ([*TUNE, "--checkpoint", "pipe"], "pipe cannot be read: it is no file."),
        ([*TUNE, "--project", "pipe"], "pipe is no file. Choose another place for the project."),
        (
            ["collect", "--workloads", "pipe", "--project", "c.pruner", "--out", "d"],
            "The list pipe cannot be read: it is no",
        ),
        (["bench", "draft", "--quality", "--keep", "pipe"], "pipe cannot be read: it is no file."),
        (["records", "import", "p.pruner", "records"], "database_workload.json cannot be read: it is no file."),
        (["status", "pipe"], "There is no project file pipe."),
    ],
    ids=lambda part: " ".join(part[:2]) if isinstance(part, list) else "",
)
def test_a_pipe_is_no_file(command, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_project(tmp_path / "p.pruner", {"a": (1, 1.0)})
    (tmp_path / "records").mkdir()
    for name in ("pipe", "records/database_workload.json", "records/database_tuning_record.json"):
        os.mkfifo(name)
    before = set(tmp_path.rglob("*"))
    done = carried_out(*command)
    assert done.returncode == 1 and said in done.stderr
    assert {path for path in set(tmp_path.rglob("*")) - before if not path.name.endswith(".lock")} == set()


def test_a_model_or_its_weights_in_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.onnx")
    with pytest.raises(UserError, match="cannot be read: it is no file"):
        load_model(str(tmp_path / "pipe.onnx"))
    weights = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[0], data_location=TensorProto.EXTERNAL)
    weights.external_data.add(key="location", value="pipe.onnx")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [0]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(UserError, match=r"keeps weights in pipe\.onnx, which cannot be read"):
        load_model(str(tmp_path / "m.onnx"))
