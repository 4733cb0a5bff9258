"""TVM imported the fast way is the TVM that its own import gives."""

import json
import subprocess
import sys

import pytest

_NAMES = r"""
import json, pathlib, re, tvm
peak = int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
ops = {name: tvm.ir.Op.get(name).get_attr("TScriptPrinterName") for name in tvm.ir.Op.list_op_names()}
try:
    tvm.ir.Op.get("there.is.none")
except Exception as error:
    print(json.dumps([ops, str(error).splitlines()[0], tvm.runtime.disco is None, peak]))
"""


def _what_is_there(start):
    # PyTorch, which only TVM's own import takes along, is of no matter
    code = f"import sys; sys.modules['torch'] = None\n{start}{_NAMES}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def imports():
    return _what_is_there(""), _what_is_there("from pruner_engine.tvm_import import import_tvm; import_tvm()")


def test_operators_of_tvm_have_the_same_names(imports):
    (plain, *_), (ours, *_) = imports
    assert {name: ours.get(name) for name in plain} == plain  # we have some more


def test_an_operator_that_is_none_is_told_in_the_same_words(imports):
    (_, plain, *_), (_, ours, *_) = imports
    assert ours == plain


def test_the_symbols_of_the_library_are_not_read(imports):
    """They take 40 MB, which the first error in C++ reads for its stack."""
    (_, _, plain_sessions, plain), (_, _, sessions, ours) = imports
    assert sessions == plain_sessions
    assert ours < plain - 20_000
