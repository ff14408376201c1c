"""`reduce` and `scan`."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed, outcomes, plain, refuses

D = tf.data.Dataset
FIVE = D.range(5)
ZERO = np.int64(0)


def test_states():
    assert plain(FIVE.reduce(ZERO, lambda s, x: s + x)) == 10
    assert plain(FIVE.reduce({"a": 0, "b": (1.0,)}, lambda s, _: {"a": s["a"] + 1, "b": (s["b"][0] * 2,)})) == {
        "a": 5,
        "b": (32.0,),
    }
    assert plain(D.range(0).reduce(7, lambda s, _: s)) == 7
    assert plain(D.from_tensor_slices([[1, 2], [3, 4]]).reduce([0, 0], lambda s, x: s + x)) == [4, 6]
    assert plain(FIVE.batch(2).reduce(ZERO, lambda s, x: s + tf.reduce_sum(x))) == 10


def test_elements_are_one_argument():
    pairs = D.from_tensor_slices(([1, 2], [3, 4]))
    assert plain(pairs.reduce(0, lambda s, e: s + e[0] * e[1])) == 11
    refuses(
        lambda: pairs.reduce(0, lambda s, a, b: s + a + b), TypeError, "missing 1 required positional argument: 'b'"
    )


def test_states_may_grow():
    assert plain(FIVE.reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))) == [0, 1, 2, 3, 4]


def test_python_runs_once():
    runs = []
    FIVE.reduce(ZERO, lambda s, x: runs.append(tf.executing_eagerly()) or s + x)
    assert runs == [False]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda s, x: s + x, "int64"),
        (lambda _, x: tf.cast(x, tf.float32), "element types for the new state must match the initial state"),
    ],
    ids=["operands", "state"],
)
def test_other_dtypes_are_refused(function, message):
    refuses(lambda: FIVE.reduce(0, function), TypeError, message)


def test_scan():
    scanned = FIVE.scan(ZERO, lambda s, x: (s + x, s * 10))
    assert listed(scanned) == listed(scanned) == [0, 0, 10, 30, 60]
    assert count_of(scanned) == 5
    assert listed(FIVE.scan(ZERO, lambda s, x: (s + 1, (x, s)))) == [(k, k) for k in range(5)]
    assert repr(scanned) == "<_ScanDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"


def test_scan_checks_its_function():
    refuses(lambda: FIVE.scan(ZERO, lambda s, x: s + x), TypeError, "should return a pair consisting of new state and")
    refuses(lambda: FIVE.scan(ZERO, lambda _, x: (0.5, x)), TypeError, "element types for the new state must match")


def test_errors_leave_the_state():
    scanned = D.range(4).scan(ZERO, lambda s, x: (s + 1, 6 // (x - 2) + s))
    assert outcomes(scanned, 5) == [-3, -5, "InvalidArgumentError", 8, "end"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        D.range(4).reduce(ZERO, lambda s, x: s + 6 // (x - 2))


def test_a_state_whose_size_grows_has_an_open_size_from_the_first_element():
    """The function also computes a size that depends on data."""
    rows = D.from_tensor_slices([1, 2, 3]).map(lambda x: tf.repeat(x, x))
    state = tf.zeros([0], tf.int32)

    def joined(state, row):
        return tf.unique(tf.concat([state, row], 0)).y

    scanned = rows.scan(state, lambda state, row: (tf.concat([state, row], 0), joined(state, row)))
    assert listed(scanned) == [[1], [1, 2], [1, 2, 3]]
    assert rows.reduce(state, joined).numpy().tolist() == [1, 2, 3]
    reduced = D.range(1).map(lambda _: rows.reduce(state, joined))
    assert reduced.element_spec == tf.TensorSpec([None], tf.int32)
    assert listed(reduced) == [[1, 2, 3]]
