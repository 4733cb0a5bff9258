"""Outputs are equal up to rounding, or they are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from pruner_engine.measure.running.correctness import difference, make_array


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("reduction", [1, 64, 4096])
def test_another_order_of_summing_is_no_difference(dtype, reduction):
    a = make_array((32, reduction), dtype, seed=1)
    forward, backward = (np.zeros(32, a.dtype) for _ in range(2))
    for k in range(reduction):
        forward += a[:, k]
        backward += a[:, reduction - 1 - k]
    assert difference(forward, backward, reduction) == ""


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_one_wrong_element_is_found(dtype, seed):
    rng = np.random.default_rng(seed)
    reference = rng.integers(1, 100, (7, 5)).astype(dtype)
    out = reference.copy()
    at = (int(rng.integers(7)), int(rng.integers(5)))
    out[at] += 40
    sentence = difference(out, reference, reduction=64)
    assert sentence.startswith("1 of 35 output elements")
    assert str(list(at)) in sentence


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        (np.nan, np.nan, True),
        (np.inf, np.inf, True),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (-np.inf, np.inf, False),
        (3e38, np.inf, False),
        (0.0, -0.0, True),
    ],
)
def test_special_values_have_their_places(got, want, same):
    out, reference = np.ones((2, 4), np.float32), np.ones((2, 4), np.float32)
    out[1, 2], reference[1, 2] = got, want
    assert (difference(out, reference, 1) == "") == same


def test_an_empty_output_is_right():
    assert difference(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32), 1) == ""


@pytest.mark.parametrize("kind", ["random", "zeros", "large", "nan"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8", "uint8", "int64", "bool"])
def test_inputs_are_the_same_for_the_same_seed(dtype, kind):
    first, second = (make_array((8, 8), dtype, seed=3, kind=kind, reduction=64) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert str(first.dtype) == dtype


def test_kinds_of_inputs():
    def make(kind, dtype="float32"):
        return make_array((64,), dtype, seed=0, kind=kind, reduction=512).astype(np.float64)

    assert not make("zeros").any()
    assert 1 <= np.isnan(make("nan")).sum() <= 3
    assert np.abs(make("large")).max() > 1000
    half = make("large", "float16")
    assert 512 * np.abs(half).max() ** 2 < np.finfo(np.float16).max, "sums of products stay finite"
    assert set(make("large", "int64")) <= {0.0, 1.0}, "an index stays inside its table"


def test_indices_reach_all_that_they_may():
    made = make_array((1000,), "int64", seed=0, below=7)
    assert set(made.tolist()) == set(range(7))
    assert (make_array((8,), "int32", seed=0, kind="large", below=1) == 0).all()


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_a_rare_step_is_no_difference_where_numbers_are_rounded_to_bytes(dtype):
    reference = np.arange(256, dtype=dtype).repeat(10)
    out = reference.copy()
    out[::300] = 255 - np.abs(out[::300].astype("float32") - 254)  # one step off
    assert (out != reference).sum() == 9
    assert difference(out, reference, 1) and not difference(out, reference, 1, rounds=True)
    many, far = reference.copy(), reference.copy()
    many[:500] += many.dtype.type(1)
    far[7] = 90
    assert difference(many, reference, 1, rounds=True) and difference(far, reference, 1, rounds=True)


@pytest.mark.parametrize("numbers", ["uint8", "int16"])
def test_words_hold_small_bytes_and_a_few_of_any_value(numbers):
    made = make_array((512, 1024), "int32", seed=0, words=numbers).view(numbers.removeprefix("u"))
    large = ((made != 0) & (made != 1)).mean()
    assert 0 < large < 0.001 and 0.4 < (made == 1).mean() < 0.6
    assert made.min() < -100 and made.max() > 100 and np.abs(made).max() <= 128


@pytest.mark.parametrize("kind", ["random", "zeros", "large", "nan"])
def test_a_large_array_repeats_its_values_and_no_two_rows_are_alike(kind):
    array = make_array((3, 1_048_576), "float32", 0, kind)
    assert int(np.isnan(array).sum()) == (3 if kind == "nan" else 0)
    if kind != "zeros":
        assert not np.array_equal(array[0], array[1]) and np.unique(array).size > 500_000
