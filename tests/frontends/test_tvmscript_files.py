"""TVMScript files are code: they need consent."""

import pytest

from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model

KERNEL = """
# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def double(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("double"):
            vi = T.axis.remap("S", [i])
            y[vi] = x[vi] * T.float32(2)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "double.py"
    path.write_text(KERNEL)
    return str(path)


def test_without_consent_nothing_is_run(tmp_path):
    marker = tmp_path / "was-here"
    path = tmp_path / "evil.py"
    path.write_text(f"open({str(marker)!r}, 'w')\n")
    with pytest.raises(UserError, match=r"runs the Python code in it.*--allow-code"):
        load_model(str(path))
    assert not marker.exists()


def test_a_kernel_becomes_a_model(script):
    model = load_model(script, allow_code=True)
    assert [i.shape for i in model.inputs] == [(16,)] and [o.shape for o in model.outputs] == [(16,)]
    again = load_model("double.py", content=model.file.content(), allow_code=True)
    assert again.file.sha256 == model.file.sha256


def test_a_script_may_import_what_it_is_written_with(script, tmp_path):
    path = tmp_path / "imports.py"
    imports = "from __future__ import annotations\nimport tvm\nfrom tvm.script import (\n    tirx as T,\n)\n"
    path.write_text(KERNEL.replace("# from tvm.script import tirx as T\n", imports))
    assert load_model(str(path), allow_code=True).outputs == load_model(script, allow_code=True).outputs
    path.write_text(path.read_text().replace("x[vi]", "x[vj]"))
    with pytest.raises(UserError, match=r"Undefined variable: vj \(line 12\)"):
        load_model(str(path), allow_code=True)


@pytest.mark.parametrize("parameters", ["", 'x: T.Buffer((16,), "float32"), n: T.int32', "x: T.handle"])
def test_parameters_that_are_no_buffers_are_a_sentence(tmp_path, parameters):
    path = tmp_path / "scalar.py"
    path.write_text(
        f"# from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef f({parameters}):\n    T.evaluate(0)\n"
    )
    with pytest.raises(UserError, match="parameters are not all buffers"):
        load_model(str(path), allow_code=True)


def test_what_is_wrong_in_a_script_is_told_with_its_line(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(KERNEL.replace("x[vi]", "x[vj]"))
    with pytest.raises(UserError, match=r"bad is not valid TVMScript: Undefined variable: vj \(line 8\)"):
        load_model(str(path), allow_code=True)


@pytest.mark.parametrize(
    "text", ["", "x = 1", "def f(:", "raise SystemError('no')", "import sys; sys.exit()", "\x00\xff"]
)
def test_scripts_that_are_none(tmp_path, text):
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(UserError):
        load_model(str(path), allow_code=True)
