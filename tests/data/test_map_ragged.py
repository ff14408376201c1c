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
    dataset = D.from_tensor_slices(SENTENCES).map(lambda x: function(numbered(x)))
    for sentences, found in zip(SENTENCES, dataset, strict=True):
        wanted = function(numbered(tf.constant(sentences)))
        assert type(found) is type(wanted)
        assert _listed(found) == _listed(wanted)


def _listed(value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def test_types_of_results_leave_ragged_sizes_open():
    words = D.from_tensor_slices(["a b", "c"]).batch(2).map(tf.strings.split)
    assert words.map(lambda r: tf.concat([r, r], 1)).element_spec == tf.RaggedTensorSpec([None, None], tf.string)
    assert words.map(lambda r: tf.strings.length(r).to_sparse()).element_spec == tf.SparseTensorSpec(
        [None, None], tf.int32
    )
