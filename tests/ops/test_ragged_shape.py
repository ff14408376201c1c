"""The shape of a ragged tensor as a value, and functions with such an argument."""

from __future__ import annotations

import pytest

import tfcompat as tf

DynamicRaggedShape, RowPartition = tf.experimental.DynamicRaggedShape, tf.experimental.RowPartition
ROWS = tf.ragged.constant([[1, 2], [3], []])
SHAPE = tf.shape(ROWS)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (ROWS, "[3, (2, 1, 0)] num_row_partitions=1"),
        (tf.ragged.constant([[[1, 2], [3]], [], [[4]]]), "[3, (2, 0, 1), (2, 1, 1)] num_row_partitions=2"),
        (tf.RaggedTensor.from_tensor([[1, 2], [3, 4]]), "[2, 2] num_row_partitions=1"),
        (tf.ragged.constant([[[1, 2]], []], inner_shape=(2,)), "[2, (1, 0), 2] num_row_partitions=1"),
    ],
)
def test_shapes_are_written_as_tensorflow_writes_them(rows, text):
    assert repr(tf.shape(rows)) == f"<DynamicRaggedShape lengths={text}>"


def test_lengths_of_axes():
    assert (SHAPE[0].numpy(), SHAPE.rank, SHAPE.dtype) == (3, 2, tf.int32)
    assert tf.shape(ROWS, out_type=tf.int64).dtype == tf.int64
    assert repr(SHAPE[:1]) == "<DynamicRaggedShape lengths=[3] num_row_partitions=0>"
    assert (SHAPE.static_lengths(), SHAPE.static_lengths(ragged_lengths=False)) == ([3, (2, 1, 0)], [3, None])
    assert (SHAPE.is_uniform(0), SHAPE.is_uniform(1)) == (True, False)
    with pytest.raises(ValueError, match="not uniform"):
        SHAPE[1]


def test_shapes_are_equal_where_their_lengths_are():
    assert tf.shape(ROWS) == tf.shape(ROWS * 2)
    assert tf.shape(ROWS) != tf.shape(ROWS[1:])


@pytest.mark.parametrize(
    ("result", "rows"),
    [
        (lambda: tf.zeros(SHAPE), [[0.0, 0.0], [0.0], []]),
        (lambda: tf.ones(SHAPE, tf.int32), [[1, 1], [1], []]),
        (lambda: tf.fill(SHAPE, 7), [[7, 7], [7], []]),
        (lambda: tf.reshape(tf.range(3), SHAPE), [[0, 1], [2], []]),
        (lambda: tf.broadcast_to(1, SHAPE), [[1, 1], [1], []]),
        (lambda: tf.broadcast_to([[1], [2], [3]], SHAPE), [[1, 1], [2], []]),
    ],
)
def test_tensors_of_a_ragged_shape(result, rows):
    assert result().to_list() == rows


def test_sizes():
    assert (tf.size(ROWS).numpy(), tf.rank(ROWS).numpy()) == (3, 2)
    assert tf.size(ROWS, out_type=tf.int64).dtype == tf.int64


DEEP = DynamicRaggedShape.from_lengths([2, (1, 3), 4, 5])
DENSE = DynamicRaggedShape.from_tensor(tf.zeros([2, 3, 4]))
SPLITS = RowPartition.from_row_splits([0, 2, 2, 5])
UNIFORM = tf.RaggedTensor.from_uniform_row_length(ROWS[:2], 2)
MADE = {
    "from_tensor": (lambda: DynamicRaggedShape.from_tensor(ROWS), "[3, (2, 1, 0)] num_row_partitions=1", tf.int64),
    "from_tensor dense": (lambda: DENSE, "[2, 3, 4] num_row_partitions=0", tf.int32),
    "from_tensor dtype": (
        lambda: DynamicRaggedShape.from_tensor(ROWS, dtype=tf.int32),
        "[3, (2, 1, 0)] num_row_partitions=1",
        tf.int32,
    ),
    "from_tensor scalar": (lambda: DynamicRaggedShape.from_tensor(3), "[] num_row_partitions=0", tf.int32),
    "from_tensor uniform": (
        lambda: DynamicRaggedShape.from_tensor(UNIFORM),
        "[1, 2, (2, 1)] num_row_partitions=2",
        tf.int64,
    ),
    "from_lengths": (lambda: DEEP, "[2, (1, 3), 4, 5] num_row_partitions=1", tf.int64),
    "from_lengths uniform": (
        lambda: DynamicRaggedShape.from_lengths([2, 3], num_row_partitions=1),
        "[2, 3] num_row_partitions=1",
        tf.int64,
    ),
    "from_lengths twice ragged": (
        lambda: DynamicRaggedShape.from_lengths([2, (1, 2), (1, 0, 2)], dtype=tf.int32),
        "[2, (1, 2), (1, 0, 2)] num_row_partitions=2",
        tf.int32,
    ),
    "from_lengths of nothing": (lambda: DynamicRaggedShape.from_lengths([]), "[] num_row_partitions=0", tf.int64),
    "from_row_partitions": (
        lambda: DynamicRaggedShape.from_row_partitions([RowPartition.from_row_splits([0, 1, 3]), SPLITS]),
        "[2, (1, 2), (2, 0, 3)] num_row_partitions=2",
        tf.int64,
    ),
    "constructor": (lambda: DynamicRaggedShape([SPLITS], [5, 2]), "[3, (2, 0, 3), 2] num_row_partitions=1", tf.int64),
    "constructor dtype": (
        lambda: DynamicRaggedShape([SPLITS], [5], dtype=tf.int32, validate=True, static_inner_shape=[None]),
        "[3, (2, 0, 3)] num_row_partitions=1",
        tf.int32,
    ),
    "constructor dense": (
        lambda: DynamicRaggedShape([], tf.constant([2, 3])),
        "[2, 3] num_row_partitions=0",
        tf.int32,
    ),
    "with_dtype": (lambda: DEEP.with_dtype(tf.int32), "[2, (1, 3), 4, 5] num_row_partitions=1", tf.int32),
    "slice of nothing": (lambda: DEEP[1:1], "[] num_row_partitions=0", tf.int64),
    "slice of one axis": (lambda: DEEP[:1], "[2] num_row_partitions=0", tf.int64),
    "slice of ragged axes": (lambda: DEEP[:2], "[2, (1, 3)] num_row_partitions=1", tf.int64),
    "slice of all": (lambda: DEEP[:10], "[2, (1, 3), 4, 5] num_row_partitions=1", tf.int64),
    "slice of uniform axes": (
        lambda: DynamicRaggedShape.from_tensor(UNIFORM)[:2],
        "[1, 2] num_row_partitions=1",
        tf.int64,
    ),
    "slice of dense axes": (lambda: DENSE[1:], "[3, 4] num_row_partitions=0", tf.int32),
    "slice from the end": (lambda: DENSE[-1:], "[4] num_row_partitions=0", tf.int32),
}
REFUSED = {
    "ragged axis": (lambda: DEEP[1], ValueError),
    "axis beyond": (lambda: DEEP[4], IndexError),
    "no index": (lambda: DEEP["a"], TypeError),
    "slice behind a ragged axis": (lambda: DEEP[2:], ValueError),
    "slice with a step": (lambda: DENSE[::2], IndexError),
    "is_uniform beyond": (lambda: DEEP.is_uniform(4), IndexError),
    "is_uniform negative": (lambda: DEEP.is_uniform(-1), IndexError),
    "lengths that are not a list": (lambda: DynamicRaggedShape.from_lengths(2), ValueError),
    "lengths of the first axis": (lambda: DynamicRaggedShape.from_lengths([(1, 2)]), ValueError),
    "too many lengths": (lambda: DynamicRaggedShape.from_lengths([2, (1, 2, 3)]), ValueError),
    "too few partitions": (lambda: DynamicRaggedShape.from_lengths([2, (1, 3)], num_row_partitions=0), ValueError),
    "too many partitions": (lambda: DynamicRaggedShape.from_lengths([2, 3], num_row_partitions=2), ValueError),
    "no partitions": (lambda: DynamicRaggedShape.from_row_partitions([]), ValueError),
    "other values": (lambda: DynamicRaggedShape([SPLITS], [6], validate=True), tf.errors.InvalidArgumentError),
    "inner shape that is not a vector": (lambda: DynamicRaggedShape([SPLITS], 5), ValueError),
}


@pytest.mark.parametrize("name", MADE)
def test_shapes_are_made(name):
    make, text, dtype = MADE[name]
    shape = make()
    assert repr(shape) == f"<DynamicRaggedShape lengths={text}>"
    assert shape.dtype == dtype


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    make, error = REFUSED[name]
    with pytest.raises(error):
        make()


def test_parts_of_a_shape():
    assert (DEEP.rank, DEEP.inner_rank, DEEP.num_row_partitions) == (4, 3, 1)
    assert DEEP.inner_shape.numpy().tolist() == [4, 4, 5]
    assert DEEP.inner_shape.dtype == tf.int64
    assert repr(DEEP.row_partitions) == "(tf.RowPartition(row_splits=[0 1 4]),)"
    assert [DEEP.is_uniform(axis) for axis in range(4)] == [True, False, True, True]
    assert (DEEP[2].numpy(), DEEP[-1].numpy()) == (4, 5)
    assert DEEP.with_dtype(tf.int64) is DEEP


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ([2, (1, 3)], [1, 1], "[2, (1, 3)] num_row_partitions=1"),
        ([2, 1], [2, (1, 3)], "[2, (1, 3)] num_row_partitions=1"),
        ([2, (1, 3), 4], [1], "[2, (1, 3), 4] num_row_partitions=1"),
        ([2, 3], [2, 1], "[2, 3] num_row_partitions=0"),
    ],
)
def test_shapes_broadcast(one, other, text):
    found = tf.broadcast_dynamic_shape(DynamicRaggedShape.from_lengths(one), DynamicRaggedShape.from_lengths(other))
    assert repr(found) == f"<DynamicRaggedShape lengths={text}>"


def test_shapes_broadcast_with_vectors():
    shape = DynamicRaggedShape.from_lengths([2, (1, 3)])
    assert tf.broadcast_dynamic_shape(shape, tf.constant([2, 1], tf.int64)).static_lengths() == [2, (1, 3)]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.broadcast_dynamic_shape(shape, DynamicRaggedShape.from_lengths([2, (2, 3)]))


def test_functions_take_and_return_shapes():
    @tf.function
    def function(shape):
        return shape, shape.inner_shape, shape[0], shape.row_partitions[0].row_lengths(), tf.zeros(shape[:2])

    shape, inner, first, lengths, zeros = function(DEEP)
    assert repr(shape) == repr(DEEP)
    assert (inner.numpy().tolist(), first.numpy(), lengths.numpy().tolist()) == ([4, 4, 5], 2, [1, 3])
    assert zeros.to_list() == [[0.0], [0.0, 0.0, 0.0]]
    assert repr(tf.function(lambda rows: tf.shape(rows))(ROWS)) == repr(SHAPE)


def test_the_inner_shape_is_the_first_component():
    parts = tf.nest.flatten(DynamicRaggedShape.from_lengths([2, (1, 2), 4]), expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [[3, 4], [0, 1, 3]]


def test_lengths_of_rows_are_not_negative():
    with pytest.raises(tf.errors.InvalidArgumentError):
        DynamicRaggedShape.from_lengths([2, (1, -2)])


def test_specs_of_shapes():
    spec = DynamicRaggedShape.Spec.from_value(DEEP)
    assert (spec.rank, spec.inner_rank, spec.num_row_partitions, spec.dtype) == (4, 3, 1, tf.int64)
    assert repr(spec) == (
        "DynamicRaggedShape.Spec(row_partitions=(RowPartitionSpec(nrows=2, nvals=4, uniform_row_length=None, "
        "dtype=tf.int64),), static_inner_shape=TensorShape([4, 4, 5]), dtype=tf.int64)"
    )
    assert spec.is_compatible_with(DEEP)
    assert not spec.is_compatible_with(DENSE)
    assert spec.value_type is DynamicRaggedShape
    assert spec.with_dtype(tf.int32).dtype == tf.int32
    assert spec == DynamicRaggedShape.Spec.from_value(DEEP)
    other = DynamicRaggedShape.Spec.from_value(DynamicRaggedShape.from_lengths([2, (1, 4), 4, 5]))
    common = spec.most_specific_common_supertype([other])
    assert spec.is_subtype_of(common)
    assert not common.is_subtype_of(spec)


def test_dense_tensor_of_an_unknown_shape_is_as_large_as_needed():
    rows = tf.ragged.constant([[1, 2], [3]])
    assert rows.to_tensor(shape=tf.TensorShape(None)).numpy().tolist() == [[1, 2], [3, 0]]
