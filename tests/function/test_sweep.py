"""Loops of known length: TensorFlow 2.21's results, by the scan that one would write by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from jax import lax

import tfcompat as tf
from tests.daily import thorough
from tests.function.loop_form import COLUMNS, FORMS, ROWS, Form, W, X, orders
from tfcompat._jaxpr.primitive import Name, equations, inner, name_of, names
from tfcompat._jaxpr.tracing import traced

forms = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.function.__name__)


def _name(function: Any, index: Any) -> str:
    """JAX's name of the last step of a function of a vector and an index."""
    return name_of(traced(function, [X[0], index]).eqns[-1])


READS = {_name(lambda x, i: lax.dynamic_slice(x, (i,), (1,)), 0), _name(lambda x, i: x[i], np.array([0, 1]))}
WRITES = {
    _name(lambda x, i: lax.dynamic_update_slice(x, x[:1], (i,)), 0),
    *(_name(lambda x, i: x.at[i].set(1.0), 0), _name(lambda x, i: x.at[i].add(1.0), 0)),
}
REVERSAL = _name(lambda x, _: lax.rev(x, (0,)), 0)


def _program(function: Any) -> Any:
    """The jaxpr of a function of `X` and `W`."""
    return tf.function(function).get_concrete_function(tf.constant(X), tf.constant(W)).jaxpr()


def _scans(function: Any) -> list[Any]:
    """The scans in a function of `X` and `W`."""
    return [equation for equation in equations(_program(function)) if name_of(equation) == Name.SCAN]


def _names(scan: Any) -> set[str]:
    (body,) = inner(scan)
    return names(body)


def _carried(scan: Any) -> list[Any]:
    """The state that an iteration passes on: of the outputs of its body those that the scan does not stack."""
    (body,) = inner(scan)
    pairs = zip(scan.outvars, body.outvars, strict=True)
    return [given.aval for given, made in pairs if given.aval.shape == made.aval.shape]


def _with_gradient(form: Form) -> Any:
    def function(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = form.function(x, w)
        return y, tape.gradient(y, [x, w])

    return function


@pytest.mark.parametrize(
    "form",
    [thorough((form,)) if k % 2 else form for k, form in enumerate(FORMS)],
    ids=lambda form: form.function.__name__,
)
def test_value_and_gradients_of_two_orders(form: Form) -> None:
    found = tf.function(lambda x, w: orders(form.function, x, w))(tf.constant(X), tf.constant(W))
    np.testing.assert_allclose([float(part) for part in found], form.gives, rtol=1e-7)


@pytest.mark.parametrize("form", FORMS[::4], ids=lambda form: form.function.__name__)
def test_value_and_gradients_of_two_orders_by_tapes_outside(form: Form) -> None:
    found = orders(tf.function(form.function), tf.constant(X), tf.constant(W))
    np.testing.assert_allclose([float(part) for part in found], form.gives, rtol=1e-7)


@forms
def test_what_is_at_known_places_is_read_and_written_outside_of_the_scan(form: Form) -> None:
    scans = _scans(_with_gradient(form))
    assert scans
    kept = READS | WRITES if "reads" in form.stays else set()
    assert all((READS | WRITES).isdisjoint(_names(scan) - kept) for scan in scans)


@forms
def test_a_scan_carries_no_counters_and_no_flags(form: Form) -> None:
    for scan in _scans(_with_gradient(form)):
        assert all(aval.dtype == np.float64 for aval in _carried(scan))


def test_what_a_scan_carries_is_found() -> None:
    (equation,) = traced(lambda x: lax.scan(lambda h, row: ((h[0] + row, ~h[1]), row * 2), (0.0, True), x), [X[0]]).eqns
    assert [aval.dtype.name for aval in _carried(equation)] == ["float64", "bool"]


def test_reads_stay_in_the_scan_where_they_are_said_to() -> None:
    found = [form for form in FORMS if "reads" in form.stays]
    assert all(any(READS & _names(scan) for scan in _scans(_with_gradient(form))) for form in found)
    assert len(found) == 3


def test_a_scan_from_the_last_row_on_turns_nothing_round() -> None:
    for form in FORMS:
        if form.function.__name__ in ("falling", "array_written_falling", "fold_from_the_right"):
            assert REVERSAL not in names(_program(form.function))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda x, i, _: x[i + 1, 0], "slice index out of bounds"),
        (lambda x, i, _: x[i - ROWS - 1, 0], "slice index out of bounds"),
        (lambda x, i, k: x[k + 4, 0] + x[i, 0], "slice index out of bounds"),
        (lambda x, i, k: x[i, k + 3], "slice index out of bounds"),
        (lambda x, i, _: tf.gather(x, i + 1)[0], "tf.gather"),
        (lambda x, i, _: tf.TensorArray(x.dtype, ROWS - 1).unstack(x[1:]).read(i)[0], r"TensorArray\.read"),
    ],
    ids=["row", "negative", "fixed_row", "column", "gather", "read"],
)
def test_places_outside_are_complained_of(body: Any, words: str) -> None:
    @tf.function(autograph=False)
    def f(x: Any, k: Any) -> Any:
        start = tf.zeros([], x.dtype)
        return tf.while_loop(lambda i, _: i < ROWS, lambda i, h: (i + 1, h + body(x, i, k)), (0, start))[1]

    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        f(tf.constant(X), tf.constant(0)).numpy()


def test_a_write_outside_is_complained_of() -> None:
    @tf.function(autograph=False)
    def f(x):
        rows = tf.TensorArray(x.dtype, ROWS - 1, element_shape=[COLUMNS])
        return tf.while_loop(lambda i, _: i < ROWS, lambda i, rows: (i + 1, rows.write(i, x[i])), (0, rows))[1].stack()

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"TensorArray\.write"):
        f(tf.constant(X)).numpy()


def test_a_loop_that_never_runs_reads_nothing() -> None:
    @tf.function(autograph=False)
    def f(x):
        return tf.while_loop(lambda i, _: i < 3, lambda i, h: (i + 1, h + x[i + 9]), (5, tf.ones([COLUMNS], x.dtype)))

    i, h = f(tf.constant(X))
    assert int(i) == 5
    assert h.numpy().tolist() == [1.0] * COLUMNS


def test_rows_written_twice_keep_the_last() -> None:
    @tf.function(autograph=False)
    def f(x):
        rows = tf.TensorArray(x.dtype, 2, element_shape=[COLUMNS])
        return tf.while_loop(lambda i, _: i < ROWS, lambda i, rows: (i + 1, rows.write(i // 2, x[i])), (0, rows))[
            1
        ].stack()

    np.testing.assert_allclose(f(tf.constant(X)), X[1::2])


def test_a_variable_decides_anew_at_each_call_how_often_a_loop_runs() -> None:
    n = tf.Variable(3)
    f = tf.function(
        lambda x: tf.while_loop(lambda i, _: i < n, lambda i, h: (i + 1, h * 2.0), (0, x))[1], autograph=False
    )
    assert float(f(tf.constant(1.0))) == 8.0
    n.assign(5)
    assert float(f(tf.constant(1.0))) == 32.0
    assert f.experimental_get_tracing_count() == 1


def test_a_counter_is_known_after_its_loop() -> None:
    @tf.function
    def f(x):
        i = tf.constant(0)
        while i * i < 10:
            i += 1
        for _ in range(int(i)):
            x = x * 2.0
        return x

    assert float(f(tf.constant(1.0))) == 16.0
