"""Functions of elements with ragged tensors, whose rows the host computes."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.daily import one_in

D = tf.data.Dataset
SENTENCES = [["a b c", "d"], ["e f g h i j k l", "m n"], ["", "o"]]
ONE, TWO = tf.constant(-1, tf.int64), tf.constant(-2, tf.int64)


def numbered(sentences):
    """The code points of the letters of each sentence, ragged."""
    words = tf.strings.split(sentences)
    return tf.ragged.map_flat_values(
        lambda letters: tf.cast(tf.io.decode_raw(letters, tf.uint8)[:, 0], tf.int64), words
    )


def column(rows, value):
    return tf.fill([rows.nrows(), 1], value)


FUNCTIONS = {
    "a column before": lambda r: tf.concat([column(r, ONE), r], 1),
    "columns around": lambda r: tf.concat([column(r, ONE), r[:, :2], column(r, TWO)], 1),
    "rotated": lambda r: tf.concat([r[:, 1:], r[:, :1]], axis=1),
    "padded": lambda r: tf.concat([column(r, ONE), r], 1).to_tensor(shape=[None, 4]),
    "as many rows": lambda r: r.to_tensor(shape=[tf.shape(r)[0], 4])[:, 1:],
    "bounding shape": lambda r: r.to_tensor(shape=r.bounding_shape()),
    "beside a column": lambda r: r * tf.ones([tf.shape(r)[0], 1], tf.int64),
    "sums of columns": lambda r: tf.reduce_sum(r, 0),
    "sums of rows": lambda r: tf.reduce_sum(r, 1),
    "sparse": lambda r: tf.sparse.to_dense(r.to_sparse()),
    "number of rows": lambda r: tf.zeros([tf.shape(r)[0], 2]),
    "row": lambda r: r[1],
    "mask": lambda r: tf.ragged.boolean_mask(r, r > 101),
    "long rows": lambda r: tf.ragged.boolean_mask(r, r.row_lengths() > 1),
    "stacked": lambda r: tf.stack([r, r]),
    "two axes": lambda r: tf.expand_dims(r, 1),
}


@pytest.mark.parametrize("name", one_in(2, FUNCTIONS))
def test_results_are_those_of_eager_code(name):
    function = FUNCTIONS[name]
    rows = D.from_tensor_slices(SENTENCES).map(numbered)
    as_written = tf.autograph.experimental.do_not_convert(function)
    for sentences, found, same in zip(SENTENCES, rows.map(lambda r: function(r)), rows.map(as_written), strict=True):
        wanted = function(numbered(tf.constant(sentences)))
        assert type(found) is type(same) is type(wanted)
        assert _listed(found) == _listed(same) == _listed(wanted)


LENGTHS = tf.RaggedTensorSpec([None], tf.int64)
ROWS = {
    "lengths": lambda r: tf.map_fn(tf.size, r, fn_output_signature=tf.int32),
    "sums": lambda r: tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.TensorSpec([], tf.int64)),
    "doubled": lambda r: tf.map_fn(lambda row: row * 2, r),
    "with lengths": lambda r: tf.map_fn(
        lambda row: (row[:1], tf.size(row)), r, fn_output_signature=(LENGTHS, tf.int32)
    ),
    "ranges": lambda r: tf.map_fn(tf.range, r.row_lengths(), fn_output_signature=LENGTHS),
    "two axes": lambda r: tf.map_fn(
        lambda row: tf.ragged.range(row - 96), r, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int64)
    ),
    "inner rows": lambda r: tf.map_fn(
        lambda rows: rows.row_lengths(), tf.expand_dims(r, 1), fn_output_signature=LENGTHS
    ),
    "in two tensors": lambda r: tf.map_fn(
        lambda pair: tf.boolean_mask(pair[0], pair[0] > pair[1] + 98), (r, r.row_lengths()), fn_output_signature=LENGTHS
    ),
}


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("name", ROWS)
def test_functions_of_rows(name, is_open):
    sentences = D.from_tensor_slices(["a b c", "d", "e f g"])
    batches = sentences.batch(2, drop_remainder=not is_open)
    found = list(batches.map(numbered).map(ROWS[name]))
    wanted = [ROWS[name](numbered(batch)) for batch in batches]
    assert [list(map(_listed, tf.nest.flatten(rows))) for rows in found] == [
        list(map(_listed, tf.nest.flatten(rows))) for rows in wanted
    ]


def first(row):
    return row[0] if tf.size(row) > 0 else -1.0


def steps(row):
    return tf.cond(tf.size(row) > 1, lambda: row[1:] - row[:-1], lambda: row)


SHORT = {
    "first": (lambda r: tf.map_fn(lambda row: first(row), r, fn_output_signature=tf.float32), [1.0, 5.0, -1.0]),
    "steps": (lambda r: tf.map_fn(lambda row: steps(row), r), [[1.0, 2.0], [5.0], []]),
    "parts": (lambda r: tf.map_fn(lambda row: tf.sort(row)[::-1][:1], r), [[4.0], [5.0], []]),
    "rows of rows": (
        lambda r: tf.map_fn(lambda rows: rows[:1], tf.expand_dims(r, 1)),
        [[[1.0, 2.0, 4.0]], [[5.0]], [[]]],
    ),
}


@pytest.mark.parametrize("name", SHORT)
def test_functions_of_short_rows(name):
    function, expected = SHORT[name]
    texts = D.from_tensor_slices(["1 2 4", "5", ""]).batch(4)
    rows = texts.map(lambda text: tf.strings.to_number(tf.strings.split(text)))
    assert [_listed(found) for found in rows.map(function)] == [expected]
    assert [_listed(found) for found in rows.map(function, num_parallel_calls=2)] == [expected]


def test_rows_of_ragged_results_agree_in_their_inner_sizes():
    counts = D.from_tensors([1, 2])
    spec = tf.RaggedTensorSpec([None, None], tf.float32, ragged_rank=0)
    assert _listed(next(iter(counts.map(lambda c: tf.map_fn(lambda n: tf.ones([n, 1]), c, fn_output_signature=spec)))))
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(counts.map(lambda c: tf.map_fn(lambda n: tf.ones([1, n]), c, fn_output_signature=spec)))


def _listed(value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def test_types_of_results_leave_ragged_sizes_open():
    words = D.from_tensor_slices(["a b", "c"]).batch(2).map(tf.strings.split)
    assert words.map(lambda r: tf.concat([r, r], 1)).element_spec == tf.RaggedTensorSpec([None, None], tf.string)
    assert words.map(lambda r: tf.strings.length(r).to_sparse()).element_spec == tf.SparseTensorSpec(
        [None, None], tf.int32
    )


DENSE = {
    "of rows": (lambda r: [tf.shape(r)[0], 3], 3),
    "constant": (lambda _: tf.constant([-1, 3]), 3),
    "partly known": (lambda _: [3, None], None),
    "bounding": (lambda r: tf.cast(r.bounding_shape(), tf.int32), None),
}


@pytest.mark.parametrize("name", DENSE)
def test_a_dense_shape_gives_the_sizes_that_are_known(name):
    shape, width = DENSE[name]
    words = D.from_tensor_slices(["a b", "c"]).batch(2).map(tf.strings.split)
    dense = words.map(lambda r: r.to_tensor(shape=shape(r)))
    assert dense.element_spec.shape[1] == width
    assert [rows.shape[1] for rows in dense] == [width or 2]
