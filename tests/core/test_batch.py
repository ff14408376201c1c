"""Batched ops agree with the op on each row."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.operation.batch import batched
from tfcompat._core.operation.op import GradientRule, Op, ValueCheck
from tfcompat._core.types.aval import aval_like

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
Y = np.array([10.0, 20.0], np.float32)
SIGNATURE = (aval_like(Y), aval_like(Y))


def product(**options):
    return Op("product", lambda x, y: (x * y, x.sum()), many=True, **options)


@pytest.mark.parametrize("has_rows", [(True, False), (False, True), (True, True)], ids=str)
def test_op_on_rows_answers_rows(has_rows):
    inputs = [X if rows else Y for rows in has_rows]
    op, signature = batched(product(), SIGNATURE, has_rows, 3)
    assert signature == tuple(map(aval_like, inputs))
    each = [[x[k] if rows else x for x, rows in zip(inputs, has_rows)] for k in range(3)]
    found = op.outputs(*inputs)
    assert op.infer(signature) == tuple(map(aval_like, found))
    np.testing.assert_array_equal(found[0], [x * y for x, y in each])
    np.testing.assert_array_equal(found[1], [x.sum() for x, _ in each])


def test_op_on_rows_is_made_once():
    op = product()
    assert batched(op, SIGNATURE, (True, False), 3)[0] is batched(op, SIGNATURE, (True, False), 5)[0]


def test_op_on_rows_treats_gradients_as_the_op_does():
    rule = GradientRule(blocked=frozenset((1,)), linked=(frozenset((0, 1)), frozenset((0,))), no_second="Product")
    found, _ = batched(product(gradient=rule), SIGNATURE, (True, True), 3)
    links = [[found.gradient.links(output, position) for position in range(2)] for output in range(2)]
    assert links == [[True, False], [True, False]]
    assert found.gradient.no_second == "Product"


def test_op_on_rows_checks_every_row():
    op, _ = batched(product(check=ValueCheck(lambda x, y: x > y, "x is large")), SIGNATURE, (True, False), 3)
    assert op.check is not None
    np.testing.assert_array_equal(op.check.flag(X * 3.0, Y), [[False, False], [False, False], [True, False]])
    assert op.check.message == "x is large"


@pytest.mark.parametrize("is_by_op", [False, True], ids=["one program", "op by op"])
def test_pullback_on_rows_shares_the_forward_step(monkeypatch, is_by_op):
    monkeypatch.setattr("tfcompat._core.tracing.flush.runs_op_by_op", lambda *_: is_by_op)
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.math.cumprod(x[0])
    found = [part.numpy() for part in (y, tape.jacobian(y, x), tape.gradient(y, x))]
    np.testing.assert_allclose(found[0], [1.0, 2.0])
    np.testing.assert_allclose(found[1][:, 0], [[1.0, 0.0], [2.0, 1.0]])
    np.testing.assert_allclose(found[2][0], [3.0, 1.0])
