"""`tf.map_fn`, `tf.vectorized_map`, `tf.scan`, `tf.foldl`, `tf.foldr`: as TensorFlow 2.21 gave them."""

# ruff: noqa: ARG005 - a function of a loop or of rows takes them all, whether it needs them or not

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcompat as tf

EAGER = pytest.param(lambda f: f, id="eager")
DECORATED = pytest.param(lambda f: tf.function(f, autograph=False), id="decorated")
both = pytest.mark.parametrize("way", [EAGER, DECORATED])

Way = Callable[[Any], Any]
ROWS = [1.0, 2.0, 3.0]
PAIRS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def _orders(f: Any, v: Any) -> list[Any]:
    """The gradients for the rows and for `v`, and the gradients of the first of them."""
    x = tf.constant(ROWS)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        first = tape.gradient(y, [x, v])
    found = [*first, *outer.gradient(first[0], [x, v])]
    return [None if g is None else g.numpy().tolist() for g in found]


@both
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda v: lambda x: tf.map_fn(lambda a: a * a * a * v, x), [[6, 24, 54], 36, [12, 24, 36], 42]),
        (lambda v: lambda x: tf.vectorized_map(lambda a: a * a * a * v, x), [[6, 24, 54], 36, [12, 24, 36], 42]),
        (lambda v: lambda x: tf.scan(lambda a, b: a * b * v, x), [[29, 14, 8], 26, [22, 18, 12], 47]),
        (
            lambda v: lambda x: tf.scan(lambda a, b: a * b * v + a, x, reverse=True, initializer=1.0),
            [[70, 56, 42], 154, [48, 44, 36], 206],
        ),
        (lambda v: lambda x: tf.foldl(lambda a, b: a * b * v, x), [[24, 12, 8], 24, [20, 16, 12], 44]),
        (lambda v: lambda x: tf.foldl(lambda a, b: a + b, x), [[1, 1, 1], None, None, None]),
        (lambda v: lambda x: tf.foldl(lambda a, b: a + tf.floor(b), x), [[1, 0, 0], None, None, None]),
    ],
    ids=["map_fn", "vectorized_map", "scan", "scan_reverse", "foldl", "foldl_linear", "foldl_floor"],
)
def test_gradients_of_second_order(way: Way, function: Any, expected: Any) -> None:
    v = tf.Variable(2.0)
    assert _orders(way(function(v)), v) == expected


@both
def test_map_fn_takes_and_answers_structures(way: Way) -> None:
    def f(x: Any, m: Any) -> Any:
        return tf.map_fn(
            lambda row: (tf.cast(row[0], tf.int32), row[0] + tf.reduce_sum(row[1])),
            (x, m),
            fn_output_signature=(tf.int32, tf.TensorSpec([], tf.float32)),
        )

    whole, sums = way(f)(tf.constant(ROWS), tf.constant(PAIRS))
    assert whole.dtype is tf.int32
    assert whole.numpy().tolist() == [1, 2, 3]
    assert sums.numpy().tolist() == [4.0, 9.0, 14.0]


@both
@pytest.mark.parametrize(
    ("elems", "words"),
    [
        (tf.constant(1.0), "must be 1\\+ dimensional Tensors, not scalars"),
        ((), "does not contain any Tensors"),
        ((tf.constant(ROWS), tf.constant(PAIRS[:2])), "Dimensions 3 and 2 are not compatible"),
        ((tf.constant(ROWS), tf.constant(ROWS)), "same nested structure"),
    ],
    ids=["scalar", "empty", "lengths", "structure"],
)
def test_map_fn_refuses(way: Way, elems: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        way(lambda: tf.map_fn(lambda row: tf.constant(1.0), elems))()


def test_map_fn_refuses_another_dtype() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="is float32 but Op is trying to write dtype int32"):
        tf.map_fn(lambda row: tf.cast(row, tf.int32), tf.constant(ROWS))


def test_map_fn_refuses_another_shape_than_the_first() -> None:
    with pytest.raises(ValueError, match=r"Incompatible shape for value \(\(2,\)\), expected \(\(1,\)\)"):
        tf.map_fn(tf.range, tf.constant([1, 2]))


FLOATS = tf.RaggedTensorSpec([None], tf.float32)
RAGGED = tf.ragged.constant([[1, 2], [3]])


@pytest.mark.parametrize(
    ("fn", "spec"),
    [
        (lambda row: 5, None),
        (lambda row: tf.reduce_sum(row), tf.RaggedTensorSpec([None], tf.int32)),
        (lambda row: tf.constant([1, 2]), tf.RaggedTensorSpec([None], tf.int64)),
        (lambda row: tf.constant([[1, 2], [3, 4]]), tf.RaggedTensorSpec([None, None], tf.int32)),
        (lambda row: RAGGED, tf.RaggedTensorSpec([None], tf.int32)),
    ],
    ids=["number", "shape", "dtype", "dense", "ragged"],
)
def test_map_fn_refuses_rows_that_its_ragged_signature_does_not_allow(fn: Any, spec: Any) -> None:
    with pytest.raises(ValueError, match="fn must return a RaggedTensorSpec"):
        tf.map_fn(fn, RAGGED, fn_output_signature=spec)


@pytest.mark.parametrize("calls", [lambda function: function, tf.function], ids=["eager", "function"])
def test_map_fn_returns_ragged_tensors_of_rows_of_one_length(calls: Any) -> None:
    found = calls(lambda rows: tf.map_fn(lambda row: [1.0, 2.0] * row, rows, fn_output_signature=FLOATS))(
        tf.constant(ROWS)
    )
    assert isinstance(found, tf.RaggedTensor)
    assert found.to_list() == [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    empty = calls(lambda: tf.map_fn(tf.range, tf.zeros([0]), fn_output_signature=FLOATS))()
    assert (empty.to_list(), empty.shape.rank) == ([], 2)


def test_map_fn_takes_ranges_as_ragged_rows_in_functions() -> None:
    spec = tf.RaggedTensorSpec([None], tf.int32)
    ranges = tf.function(lambda counts: tf.map_fn(lambda n: tf.range(n), counts, fn_output_signature=spec))
    assert ranges(tf.constant([1, 0, 2])).to_list() == [[0], [], [0, 1]]


def test_map_fn_to_ragged_rows_refuses_scalars() -> None:
    with pytest.raises(ValueError, match=r"must be 1\+ dimensional"):
        tf.map_fn(tf.range, ROWS, fn_output_signature=FLOATS)


def test_map_fn_of_ragged_rows_checks_a_declared_shape() -> None:
    with pytest.raises(ValueError, match="shape"):
        tf.map_fn(tf.reduce_sum, RAGGED, fn_output_signature=tf.TensorSpec([3], tf.int32))


def test_map_fn_of_ragged_rows_refuses_scalars_without_a_signature() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Ragged values must have rank >= 1"):
        tf.map_fn(tf.reduce_sum, RAGGED)
    with pytest.raises(ValueError, match="rank"):
        tf.function(lambda rows: tf.map_fn(tf.reduce_sum, rows))(RAGGED)
    assert tf.map_fn(tf.reduce_sum, RAGGED, fn_output_signature=tf.int32).numpy().tolist() == [3, 3]


@both
def test_map_fn_of_no_rows_has_no_rows(way: Way) -> None:
    f = way(lambda x: tf.map_fn(lambda row: row * 2, x))
    assert f(tf.zeros([0])).shape == [0]


@pytest.mark.parametrize(
    "elems", [tf.zeros([0, 4]), tf.RaggedTensor.from_row_splits(tf.zeros([0]), [0])], ids=["dense", "ragged"]
)
def test_map_fn_of_no_rows_refuses_a_signature_with_open_sizes(elems: Any) -> None:
    with pytest.raises(ValueError, match="not compatible with supplied shape"):
        tf.map_fn(lambda row: tf.ones([2, 3]), elems, fn_output_signature=tf.TensorSpec([None, 3], tf.float32))


@both
def test_map_fn_assigns_in_order(way: Way) -> None:
    v = tf.Variable(2.0)
    found = way(lambda x: tf.map_fn(lambda row: v.assign_add(row) * 1.0, x))(tf.constant(ROWS))
    assert found.numpy().tolist() == [3.0, 5.0, 8.0]
    assert float(v) == 8.0


@both
@pytest.mark.parametrize("over", [tf.map_fn, tf.vectorized_map], ids=["map_fn", "vectorized_map"])
def test_each_row_draws_numbers_of_its_own(way: Way, over: Any) -> None:
    f = way(lambda x: over(lambda row: tf.random.uniform([]), x))
    numbers = [*f(tf.constant(ROWS)).numpy(), *f(tf.constant(ROWS)).numpy()]
    assert len(set(numbers)) == 6


@both
def test_vectorized_map_uses_a_single_row_for_all(way: Way) -> None:
    f = way(lambda x, m: tf.vectorized_map(lambda row: (row[0] * row[1], {"q": row[0]}), (x, m)))
    products, rest = f(tf.constant(ROWS), tf.constant([2.0]))
    assert products.numpy().tolist() == [2.0, 4.0, 6.0]
    assert rest["q"].numpy().tolist() == ROWS


@both
def test_vectorized_map_stacks_what_is_the_same_for_all(way: Way) -> None:
    assert (
        way(lambda x: tf.vectorized_map(lambda row: tf.constant(3.0), x))(tf.constant(ROWS)).numpy().tolist()
        == [3.0] * 3
    )


@both
def test_vectorized_map_goes_row_by_row_where_a_shape_depends_on_values(way: Way) -> None:
    """TensorFlow's falls back to a loop for such ops."""
    rows = tf.constant([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
    scale = tf.Variable(2.0)

    def positive_sum(pair: Any) -> Any:
        row, factor = pair
        return {
            "sum": tf.reduce_sum(tf.boolean_mask(row * scale * factor, row > 0)),
            "count": tf.size(tf.where(row > 0)),
        }

    f = way(lambda x: tf.vectorized_map(positive_sum, (x, tf.constant([10.0]))))
    with tf.GradientTape() as tape:
        tape.watch(rows)
        found = f(rows)
    assert found["sum"].numpy().tolist() == [80.0, 180.0]
    assert found["count"].numpy().tolist() == [2, 2]
    by_row, by_scale = tape.gradient(found["sum"], [rows, scale])
    assert by_row.numpy().tolist() == [[20.0, 0.0, 20.0], [20.0, 20.0, 0.0]]
    assert by_scale.numpy() == 130.0


def test_vectorized_map_without_fallback_refuses_shapes_that_depend_on_values() -> None:
    with pytest.raises(ValueError, match=r"vectorization|all rows at once"):
        tf.vectorized_map(lambda row: tf.boolean_mask(row, row > 1), tf.constant(PAIRS), fallback_to_while_loop=False)


def test_vectorized_map_of_no_rows_refuses_shapes_that_depend_on_values() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(lambda row: tf.reduce_sum(tf.boolean_mask(row, row > 1)), tf.zeros([0, 3]))


@both
@pytest.mark.parametrize(
    "function",
    [lambda i: tf.gather([5, 6], i), lambda i: tf.constant([5, 6])[i] + 1, lambda i: 5 // i],
    ids=["gather", "subscript", "division"],
)
def test_vectorized_map_reports_bad_values(way: Way, function: Any) -> None:
    found = way(lambda x: tf.vectorized_map(function, x))
    with pytest.raises(tf.errors.InvalidArgumentError):
        found(tf.range(3)).numpy()
    assert len(found(tf.range(1, 2)).numpy()) == 1


@both
def test_gradients_of_vectorized_map_without_rows_are_zeros(way: Way) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    x = tf.zeros([0, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = way(lambda x: tf.vectorized_map(lambda row: tf.linalg.matvec(v, row) ** 2, x))(x)
    by_x, by_v = tape.gradient(y, [x, v])
    assert by_x.shape == (0, 2)
    assert by_v.numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_results_derived_from_bad_values_of_vectorized_map_have_no_value() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda i: tf.gather(v, i) ** 2, tf.range(2))
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]
    bad = tf.vectorized_map(lambda i: tf.gather(v, i), tf.range(3)) * 2.0
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
            bad.numpy()


@both
def test_vectorized_map_returns_strings(way: Way) -> None:
    f = way(lambda x: tf.vectorized_map(lambda i: (tf.as_string(i), tf.constant("k")), x))
    texts, same = f(tf.range(2))
    assert texts.numpy().tolist() == [b"0", b"1"]
    assert same.numpy().tolist() == [b"k", b"k"]


@both
def test_vectorized_map_joins_sparse_rows(way: Way) -> None:
    def row(i: Any) -> Any:
        at = tf.reshape(tf.cast(i, tf.int64), [1])
        return {"one": tf.SparseTensor([at], [i], at + 1), "two": tf.SparseTensor([[0, 1], [1, 0]], [i, 2], [2, 3])}

    found = way(lambda x: tf.vectorized_map(row, x))(tf.range(2))
    assert found["one"].indices.numpy().tolist() == [[0, 0], [1, 1]]
    assert found["one"].values.numpy().tolist() == [0, 1]
    assert found["one"].dense_shape.numpy().tolist() == [2, 2]
    assert found["two"].indices.numpy().tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]]
    assert found["two"].values.numpy().tolist() == [0, 2, 1, 2]
    assert found["two"].dense_shape.numpy().tolist() == [2, 2, 3]


@both
def test_vectorized_map_returns_rows_of_tables_as_tensors(way: Way) -> None:
    f = way(lambda x: tf.vectorized_map(lambda i: tf.IndexedSlices(tf.reshape(i, [1]), i, [3, 1]), x))
    assert f(tf.range(2)).numpy().tolist() == [[[0], [0], [0]], [[0], [1], [0]]]


@both
def test_vectorized_map_takes_ragged_rows_of_one_shape(way: Way) -> None:
    rows = tf.ragged.constant([[[1, 2], [3]], [[4], [5, 6]]])
    f = way(lambda x, k: tf.vectorized_map(lambda p: p[0].to_tensor(shape=[2, 2]) * p[1], (x, k)))
    assert f(rows, tf.constant([1, 10])).numpy().tolist() == [[[1, 2], [3, 0]], [[40, 0], [50, 60]]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(lambda row: row, tf.ragged.constant([[1, 2], [3]]))


def test_errors_of_vectorized_map_are_those_of_functions() -> None:
    with pytest.raises(ValueError, match="shape"):
        tf.vectorized_map(lambda row: row @ tf.ones([5, 5]), tf.ones([2, 3, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(lambda i: tf.range(i), tf.range(3))
    with pytest.raises(ValueError, match=r"vectorization|ragged"):
        tf.vectorized_map(lambda i: tf.ragged.constant([[1]]), tf.range(3))


@both
def test_map_fn_checks_shapes_of_the_signature(way: Way) -> None:
    f = way(lambda x, spec: tf.map_fn(lambda row: row, x, fn_output_signature=spec))
    with pytest.raises(ValueError, match=r"Incompatible|Inconsistent|must return"):
        f(tf.constant(ROWS), tf.TensorSpec([2]))
    assert f(tf.constant(PAIRS), tf.TensorSpec([None])).numpy().tolist() == PAIRS


def test_functions_report_results_of_map_fn_that_do_not_fit_as_when_they_run() -> None:
    for row in (lambda x: tf.cast(x, tf.int32), lambda x: tf.range(x)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(lambda x, row=row: tf.map_fn(row, x))(tf.constant(ROWS))


def test_vectorized_map_is_compiled_once_whatever_its_numbers() -> None:
    def f(x: Any, rate: float) -> Any:
        return tf.vectorized_map(lambda row: row * rate + tf.reduce_sum(row), x)

    for rate in (0.1, 0.2, 0.3):
        f(tf.constant(PAIRS), rate).numpy()
    with tf.counted() as counts:
        found = f(tf.constant(PAIRS), 0.5).numpy()
    assert counts.compiles == counts.op_compiles == 0
    np.testing.assert_allclose(found[0], [3.5, 4.0])


def test_vectorized_map_refuses_other_numbers_of_rows_and_assignments() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="equally many rows"):
        tf.vectorized_map(lambda row: row[0], (tf.constant(ROWS), tf.constant(ROWS[:2])))
    v = tf.Variable(1.0)
    with pytest.raises(NotImplementedError, match="for all rows at once"):
        tf.vectorized_map(lambda row: v.assign_add(row) * 1.0, tf.constant(ROWS))


@both
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 3, 6]),
        ({"initializer": 10.0}, [11, 13, 16]),
        ({"reverse": True}, [6, 5, 3]),
        ({"reverse": True, "initializer": 10.0}, [16, 15, 13]),
    ],
    ids=["plain", "initializer", "reverse", "both"],
)
def test_scan_keeps_each_answer(way: Way, options: Any, expected: Any) -> None:
    f = way(lambda x: tf.scan(lambda a, b: a + b, x, **options))
    assert f(tf.constant(ROWS)).numpy().tolist() == expected


@both
def test_folds_from_either_side(way: Way) -> None:
    def f(x: Any) -> Any:
        return [
            tf.foldl(lambda a, b: a - b, x),
            tf.foldr(lambda a, b: a - b, x),
            tf.foldl(lambda a, b: a - b, x, initializer=10.0),
            tf.foldr(lambda a, b: a - b, x, initializer=10.0),
        ]

    assert [float(t) for t in way(f)(tf.constant(ROWS))] == [-4.0, 0.0, 4.0, 4.0]


@both
def test_scan_carries_structures(way: Way) -> None:
    f = way(lambda x: tf.scan(lambda a, b: (a[0] + b[0], a[1] * b[1]), (x, x), initializer=(0.0, 1.0)))
    sums, products = f(tf.constant(ROWS))
    assert sums.numpy().tolist() == [1.0, 3.0, 6.0]
    assert products.numpy().tolist() == [1.0, 2.0, 6.0]


def test_scan_refuses_another_shape_and_dtype() -> None:
    with pytest.raises(ValueError, match="Incompatible shape for value"):
        tf.scan(lambda a, b: tf.concat([a, [b]], 0), tf.constant(ROWS), initializer=tf.zeros([1]))
    with pytest.raises(ValueError, match="Inconsistent shapes"):
        tf.function(lambda x: tf.scan(lambda a, b: tf.concat([a, [b]], 0), x, initializer=tf.zeros([1])))(
            tf.constant(ROWS)
        )
    with pytest.raises(TypeError, match="type should remain constant"):
        tf.function(lambda x: tf.scan(lambda a, b: tf.cast(a, tf.int32), x, initializer=0.0))(tf.constant(ROWS))


def test_map_fn_of_sparse_rows() -> None:
    dense = [[[1.0, 0, 2], [0, 0, 3]], [[0, 0, 0], [4, 0, 0]]]
    sparse, others = tf.sparse.from_dense(dense), tf.reshape(tf.range(12.0), [2, 3, 2])
    product = tf.map_fn(
        lambda rows: tf.sparse.sparse_dense_matmul(*rows), (sparse, others), fn_output_signature=tf.float32
    )
    assert product.numpy().tolist() == [[[8, 11], [12, 15]], [[0, 0], [24, 28]]]
    spec = tf.SparseTensorSpec([2, 3], tf.float32)
    for signature in (None, spec):
        same = tf.map_fn(lambda row: row, sparse, fn_output_signature=signature)
        assert tf.sparse.to_dense(same).numpy().tolist() == dense
    made = tf.map_fn(lambda row: tf.sparse.from_dense(row), tf.constant(dense), fn_output_signature=spec)
    assert tf.sparse.to_dense(made).numpy().tolist() == dense


def test_map_fn_of_sparse_rows_refuses_other_results() -> None:
    sparse = tf.sparse.from_dense([[1.0, 0], [0, 2]])
    with pytest.raises(ValueError, match="SparseTensorSpec"):
        tf.map_fn(lambda row: tf.sparse.to_dense(row), sparse)
    with pytest.raises(ValueError, match=r"TensorSpec|SparseTensor"):
        tf.map_fn(lambda row: row, sparse, fn_output_signature=tf.float32)
    with pytest.raises(ValueError, match=r"not compatible|same number of rows"):
        tf.map_fn(lambda rows: rows[1], (sparse, tf.zeros([3])), fn_output_signature=tf.float32)


@pytest.mark.parametrize(
    ("function", "eager"),
    [
        (lambda x: tf.foldl(tf.add, x), "OutOfRangeError"),
        (lambda x: tf.foldr(tf.add, x), "OutOfRangeError"),
        (lambda x: tf.scan(tf.add, x), "OutOfRangeError"),
        (tf.argmax, "InvalidArgumentError"),
    ],
    ids=["foldl", "foldr", "scan", "argmax"],
)
def test_no_rows(function, eager):
    empty, kind = tf.zeros([0]), [tf.TensorSpec([None], tf.float32)]
    with pytest.raises(getattr(tf.errors, eager)):
        function(empty)
    for decorated in (tf.function(lambda x: function(x)), tf.function(lambda x: function(x), input_signature=kind)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            decorated(empty)


@pytest.mark.parametrize(
    "folded",
    [
        lambda f, x: tf.scan(f, x, initializer=tf.ones([2])),
        lambda f, x: tf.foldl(f, x, initializer=tf.ones([2])),
    ],
    ids=["scan", "foldl"],
)
def test_functions_give_zeros_for_folds_without_rows(folded: Any) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    x = tf.zeros([0, 2])
    f = tf.function(lambda x: folded(lambda a, row: tf.linalg.matvec(v, a) + row, x), autograph=False)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    by_x, by_v = tape.gradient(y, [x, v])
    assert by_x.shape == (0, 2)
    assert by_v.numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_foldl_outside_of_functions_may_change_the_dtype() -> None:
    found = tf.foldl(lambda a, x: tf.cast(a, tf.float64) + 1.0, tf.constant([1.0, 2.0]), initializer=1.0)
    assert found.dtype is tf.float64
    assert found.numpy() == 3.0
