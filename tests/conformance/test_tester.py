"""The conformance tests fail when they should: they find small deliberate errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests import evaluate, oracle
from tests.agreement import difference
from tests.cases.recipe import Example, arrays, case
from tests.conformance.table import ROWS, accepted, tf
from tests.evaluate import Gradient, Refusal, Value

NAMES = ("tanh", "matmul", "reduce_sum", "nn.softmax", "nn.top_k", "gather")


def answers(name: str, promise: str) -> list[Value | Gradient]:
    """TensorFlow's answers that hold at least one number other than 0 of 32 or 64 bits."""
    found = [each.wanted[promise] for each in accepted(name) if each.is_bound(promise)]
    return [want for want in found if not isinstance(want, Refusal) and any(map(is_telling, numbers(want)))]


def numbers(outcome: Value | Gradient) -> tuple[np.ndarray | None, ...]:
    return outcome.leaves if isinstance(outcome, Value) else outcome.entries


def is_telling(array: np.ndarray | None) -> bool:
    if array is None or array.dtype.name not in ("float32", "float64"):
        return False
    finite = array[np.isfinite(array)]
    return finite.size > 0 and np.abs(finite).max() > 0.05


def with_numbers(outcome: Value | Gradient, change: object) -> Value | Gradient:
    changed = tuple(change(array) if is_telling(array) else array for array in numbers(outcome))
    return replace(outcome, leaves=changed) if isinstance(outcome, Value) else replace(outcome, entries=changed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("promise", ["value", "gradient"])
def test_an_error_of_a_thousandth_fails(name: str, promise: str) -> None:
    found = answers(name, promise)
    assert found
    for want in found:
        wrong = with_numbers(want, lambda array: (array * 1.001).astype(array.dtype))
        assert "content" in (difference(wrong, want) or "")


@pytest.mark.parametrize("name", NAMES)
def test_the_last_bit_passes(name: str) -> None:
    for want in answers(name, "value"):
        near = with_numbers(want, lambda array: np.nextafter(array, np.inf, dtype=array.dtype))
        assert difference(near, want) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("promise", ["value", "gradient"])
def test_another_dtype_fails(name: str, promise: str) -> None:
    other = {"float32": np.float64, "float64": np.float32}
    for want in answers(name, promise):
        wrong = with_numbers(want, lambda array: array.astype(other[array.dtype.name]))
        assert "dtype" in (difference(wrong, want) or "")


def test_int32_in_place_of_int64_fails() -> None:
    want = Value("tensor", (np.array([1, 2]),))
    assert "dtype" in (difference(Value("tensor", (np.array([1, 2], np.int32),)), want) or "")


@pytest.mark.parametrize("name", NAMES)
def test_another_shape_fails(name: str) -> None:
    for want in answers(name, "value"):
        wrong = with_numbers(want, lambda array: array[np.newaxis])
        assert "shape" in (difference(wrong, want) or "")


def test_another_structure_fails() -> None:
    leaves = (np.array(1.0), np.array(2.0))
    assert difference(Value({"list": ["tensor"] * 2}, leaves), Value({"tuple": ["tensor"] * 2}, leaves))


@pytest.mark.parametrize("name", NAMES)
def test_zeros_in_place_of_none_fail(name: str) -> None:
    for want in answers(name, "gradient"):
        nothing = replace(want, entries=(None,) * len(want.entries))
        zeros = replace(want, entries=tuple(None if e is None else np.zeros_like(e) for e in want.entries))
        assert difference(zeros, nothing) == "None-ness"
        assert difference(nothing, zeros) == "None-ness"


def test_rows_in_place_of_a_dense_gradient_fail() -> None:
    want = answers("tanh", "gradient")[0]
    assert difference(replace(want, is_sliced=(True,)), want)


def test_nan_in_place_of_a_number_fails() -> None:
    want = answers("tanh", "gradient")[0]
    assert difference(with_numbers(want, lambda array: array * np.nan), want)


class Faulty:
    """`tf` with another `tanh`."""

    def __init__(self, tanh: object) -> None:
        self.tanh = tanh

    def __getattr__(self, name: str) -> object:
        return getattr(tf, name)


def scaled_gradient(factor: float) -> object:
    """Tanh with a gradient that is `factor` times the true one."""

    @tf.custom_gradient
    def tanh(x: object) -> tuple[object, object]:
        y = tf.tanh(x)
        return y, lambda upstream: upstream * (1 - y * y) * factor

    return tanh


def example_of_tanh() -> Example:
    return case("tanh", arrays((2, 3), ("float32",))).examples()[0]


@pytest.mark.parametrize(("factor", "is_right"), [(1.0, True), (1.001, False), (0.999, False)])
def test_a_wrong_derivative_in_the_library_is_found(factor: float, is_right: bool) -> None:
    example = example_of_tanh()
    want = oracle.answers("elementwise", example)["gradient"]
    got = evaluate.answer(Faulty(scaled_gradient(factor)), evaluate.GRADIENT, example)
    assert (difference(got, want) is None) == is_right


def test_every_name_here_has_cases() -> None:
    assert all(name in ROWS for name in NAMES)
