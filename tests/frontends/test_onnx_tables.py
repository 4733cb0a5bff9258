"""Operators on tables, as scikit-learn's converters write them: computed as ONNX Runtime does, or refused."""

import numpy as np
import onnx
import pytest
import tvm

from exact_runtime import session_of
from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model

ROWS = np.array([[0.5, -2, 3, 0], [0, 0, 0, 0], [np.nan, 1, 4, -1], [-3, -1, -2, -5]], "f")
WHOLE = np.arange(-6, 6).reshape(3, 4)
WEIGHTS = "coefficients = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.25, 0.0, 2.0, 2.0, -2.0, 1.0]"
OF_NUMBERS = "y = ai.onnx.ml.Scaler<offset = [1.0, 2.0, 3.0, 4.0], scale = [2.0, 0.5, 1.0, -1.0]>(x)"
CASES = {
    "a scaler": (ROWS, "float[4,4] y", OF_NUMBERS),
    "a scaler of whole numbers": (WHOLE, "float[3,4] y", OF_NUMBERS),
    "a scaler of one number": (ROWS, "float[4,4] y", "y = ai.onnx.ml.Scaler<offset = [1.0], scale = [2.0]>(x)"),
    **{
        f"norms {norm}": (ROWS[[0, 1]], "float[2,4] y", f'y = ai.onnx.ml.Normalizer<norm = "{norm}">(x)')
        for norm in ("L1", "L2", "MAX")
    },
    "a threshold": (ROWS[:2], "float[2,4] y", "y = ai.onnx.ml.Binarizer<threshold = 0.5>(x)"),
    "missing numbers": (
        ROWS,
        "float[4,4] y",
        "y = ai.onnx.ml.Imputer<imputed_value_floats = [7.0, 8.0, 9.0, 10.0], replaced_value_float = nan>(x)",
    ),
    "columns": (
        ROWS,
        "float[4,2] y",
        "places = Constant<value_ints = [2, 0]>()\n y = ai.onnx.ml.ArrayFeatureExtractor(x, places)",
    ),
    "labels of classes": (
        ROWS[:1],
        "int64[1,1] y",
        "best = ArgMax<axis = 1>(x)\n names = Constant<value_ints = [5, 7, 9, 11]>()\n"
        "y = ai.onnx.ml.ArrayFeatureExtractor(names, best)",
    ),
    "a regression": (
        WHOLE.astype("f"),
        "float[3,3] y",
        f"y = ai.onnx.ml.LinearRegressor<{WEIGHTS}, intercepts = [1.0, 2.0, 3.0], targets = 3>(x)",
    ),
    **{
        f"classes {ending}": (
            WHOLE.astype("f") / 4,
            "int64[3] y, float[3,3] z",
            f"y, z = ai.onnx.ml.LinearClassifier<{WEIGHTS}, intercepts = [0.0, 0.1, 0.2], classlabels_ints = [3, 1, 8],"
            f' post_transform = "{ending}">(x)',
        )
        for ending in ("NONE", "LOGISTIC", "SOFTMAX")
    },
}


def saved(folder, x, outputs, body):
    kind = "int64" if x.dtype == np.int64 else "float"
    given = f"{kind}[{','.join(map(str, x.shape))}] x"
    domains = '"": 17, "ai.onnx.ml": 3'
    text = f"<ir_version: 8, opset_import: [{domains}]> g ({given}) => ({outputs}) {{ {body} }}"
    onnx.save(onnx.parser.parse_model(text), folder / "model.onnx")
    return str(folder / "model.onnx")


@pytest.mark.parametrize(("x", "outputs", "body"), CASES.values(), ids=CASES)
def test_of_rows(tmp_path, x, outputs, body):
    path = saved(tmp_path, x, outputs, body)
    found = machine_of(load_model(path).mod)["main"](tvm.runtime.tensor(x))
    expected = session_of(path).run(None, {"x": x})
    for one, meant in zip([found] if hasattr(found, "numpy") else found, expected, strict=True):
        assert one.numpy().dtype == meant.dtype
        np.testing.assert_allclose(one.numpy(), meant, 1e-6, 1e-6)


REFUSED = {
    "classes by text": (
        f'y, z = ai.onnx.ml.LinearClassifier<{WEIGHTS}, classlabels_strings = ["a", "b", "c"]>(x)',
        "names classes by text",
    ),
    "another ending": (
        f'y, z = ai.onnx.ml.LinearClassifier<{WEIGHTS}, classlabels_ints = [0, 1, 2], post_transform = "PROBIT">(x)',
        "ends in PROBIT",
    ),
    "support vectors": ("y, z = ai.onnx.ml.SVMClassifier<classlabels_ints = [0, 1]>(x)", "is not known"),
}


@pytest.mark.parametrize(("body", "said"), REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path, body, said):
    path = saved(tmp_path, WHOLE.astype("f"), "float[3,3] z", body)
    with pytest.raises(UserError, match=said):
        load_model(path)
