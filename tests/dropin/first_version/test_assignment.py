"""Functions change variables in the same way as methods."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat.compat import v1


@pytest.fixture
def y():
    return tf.Variable([1.0, 2.0, 3.0])


CHANGES = {
    "assign": (lambda y: v1.assign(y, [3.0, 2.0, 1.0]), [3.0, 2.0, 1.0]),
    "assign_add": (lambda y: v1.assign_add(y, [1.0, 1.0, 1.0]), [2.0, 3.0, 4.0]),
    "assign_sub": (lambda y: v1.assign_sub(y, [1.0, 1.0, 1.0]), [0.0, 1.0, 2.0]),
    "scatter_update": (lambda y: v1.scatter_update(y, [0], [5.0]), [5.0, 2.0, 3.0]),
    "scatter_update twice": (lambda y: v1.scatter_update(y, [0, 0], [1.0, 2.0]), [2.0, 2.0, 3.0]),
    "scatter_add": (lambda y: v1.scatter_add(y, [0, 0], [1.0, 1.0]), [3.0, 2.0, 3.0]),
    "scatter_sub": (lambda y: v1.scatter_sub(y, [1], [2.0]), [1.0, 0.0, 3.0]),
    "scatter_mul": (lambda y: v1.scatter_mul(y, 1, 2.0), [1.0, 4.0, 3.0]),
    "scatter_div": (lambda y: v1.scatter_div(y, [1], [2.0]), [1.0, 1.0, 3.0]),
    "scatter_max": (lambda y: v1.scatter_max(y, [0], [2.0]), [2.0, 2.0, 3.0]),
    "scatter_min": (lambda y: v1.scatter_min(y, [2], [2.0]), [1.0, 2.0, 2.0]),
    "scatter_nd_update": (lambda y: v1.scatter_nd_update(y, [[1]], [9.0]), [1.0, 9.0, 3.0]),
    "scatter_nd_add": (lambda y: v1.scatter_nd_add(y, [[1]], [9.0]), [1.0, 11.0, 3.0]),
    "scatter_nd_sub": (lambda y: v1.scatter_nd_sub(y, [[1]], [1.0]), [1.0, 1.0, 3.0]),
}


@pytest.mark.parametrize(("change", "want"), CHANGES.values(), ids=CHANGES.keys())
def test_change(y, change, want):
    answer = change(y)
    assert y.numpy().tolist() == answer.numpy().tolist() == want


def test_rows_of_batches():
    z = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert v1.batch_scatter_update(z, [[0], [1]], [[9.0], [8.0]]).numpy().tolist() == [[9.0, 2.0], [3.0, 8.0]]


def test_counting_up():
    count = tf.Variable(1)
    assert v1.count_up_to(count, 3).numpy() == 1
    assert count.numpy() == 2


def test_other_shape_is_refused_whatever_is_said(y):
    with pytest.raises(ValueError, match="Cannot assign value to variable"):
        v1.assign(y, [3.0], validate_shape=False)


def test_place_outside_is_an_error(y):
    with pytest.raises(tf.errors.InvalidArgumentError):
        v1.scatter_update(y, [7], [1.0])


def test_everything_is_initialised(y):
    assert v1.is_variable_initialized(y).numpy()
    assert v1.report_uninitialized_variables([y]).numpy().tolist() == []
    assert v1.report_uninitialized_variables().dtype is tf.string
    for initialise in (
        *(v1.global_variables_initializer, v1.local_variables_initializer, v1.tables_initializer),
        *(v1.initialize_all_variables, v1.initialize_all_tables, v1.initialize_local_variables),
    ):
        assert initialise() is None
    assert v1.variables_initializer([y]) is None
    assert v1.initialize_variables([y]) is None
