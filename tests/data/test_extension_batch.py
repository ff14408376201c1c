"""Batches of extension types in datasets."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import tfcompat as tf

D = tf.data.Dataset


class Shaped(tf.experimental.BatchableExtensionType):
    shape: tf.TensorShape
    x: tf.Tensor
    others: Mapping[str, tuple[tf.TensorShape, ...]]

    def __init__(self, x):
        self.x = tf.convert_to_tensor(x)
        self.shape = self.x.shape[:-1]
        self.others = {"x": (self.x.shape,)}


class Plain(tf.experimental.ExtensionType):
    x: tf.Tensor


class Pair(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    y: tf.Tensor
    name: str = "pair"


class Rows(tf.experimental.BatchableExtensionType):
    rows: tf.RaggedTensor
    pair: Pair
    table: Mapping[str, tf.Tensor]


class Doubling(tf.experimental.ExtensionTypeBatchEncoder):
    pass


class Encoded(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    __batch_encoder__ = Doubling()


class Empty(tf.experimental.ExtensionType):
    n: int


PAIR = Pair([1, 2, 3], [[1.0], [2.0], [3.0]])
PAIRS = D.from_tensor_slices(PAIR)


def parts(pair):
    assert (type(pair), pair.name) == (Pair, "pair")
    return pair.x.numpy().tolist(), pair.y.numpy().tolist()


def spec(x, y):
    return Pair.Spec(tf.TensorSpec(x, tf.int32), tf.TensorSpec(y), "pair")


def test_rows_and_batches():
    assert [parts(pair) for pair in PAIRS] == [(1, [1.0]), (2, [2.0]), (3, [3.0])]
    assert [parts(pair) for pair in PAIRS.batch(2)] == [([1, 2], [[1.0], [2.0]]), ([3], [[3.0]])]
    assert [parts(pair) for pair in D.from_tensors(PAIR).unbatch()] == [parts(pair) for pair in PAIRS]
    assert [parts(pair)[0] for pair in PAIRS.batch(2).rebatch(1)] == [[1], [2], [3]]
    assert (PAIRS.element_spec, PAIRS.batch(2).element_spec) == (spec([], [1]), spec([None], [None, 1]))
    assert PAIRS.batch(2, drop_remainder=True).element_spec == spec([2], [2, 1])


def test_ragged_and_nested_fields():
    ragged = tf.ragged.constant([[1], [2, 3]])
    rows = Rows(ragged, Pair([1, 2], [3.0, 4.0]), {"b": [5, 6], "a": [7, 8]})
    found = next(iter(D.from_tensor_slices(rows).batch(2)))
    assert (found.rows.to_list(), parts(found.pair)) == ([[1], [2, 3]], ([1, 2], [3.0, 4.0]))
    assert (found.table["a"].numpy().tolist(), found.table["b"].numpy().tolist()) == ([7, 8], [5, 6])


def test_functions_take_and_return_them():
    swapped = PAIRS.map(lambda pair: Pair(pair.x * 2, pair.y)).filter(lambda pair: pair.x > 2)
    assert [parts(pair) for pair in swapped] == [(4, [2.0]), (6, [3.0])]
    assert PAIRS.reduce(0, lambda total, pair: total + pair.x).numpy() == 6
    assert [x.numpy() for x in D.zip((PAIRS, D.range(3))).map(lambda pair, _: pair.x)] == [1, 2, 3]
    assert [parts(pair)[0] for pair in D.range(2).map(lambda k: Pair(k, k)).batch(2)] == [[0, 1]]
    doubled = D.from_tensors(Plain([1.0])).map(lambda plain: Plain(plain.x * 2.0))
    assert [(type(plain), plain.x.numpy().tolist()) for plain in doubled] == [(Plain, [2.0])]


@tf.function
def total_of(pairs):
    total = 0
    for pair in pairs:
        total += pair.x
    return total


def test_iterators_optionals_and_loops():
    assert parts(tf.function(lambda iterator: next(iterator))(iter(PAIRS))) == (1, [1.0])
    assert parts(iter(PAIRS).get_next_as_optional().get_value()) == (1, [1.0])
    assert total_of(PAIRS).numpy() == 6


def test_generators():
    made = D.from_generator(lambda: iter([PAIR]), output_signature=tf.type_spec_from_value(PAIR))
    assert [parts(pair)[0] for pair in made] == [[1, 2, 3]]
    wrong = D.from_generator(lambda: iter([Plain([1])]), output_signature=tf.type_spec_from_value(PAIR))
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(wrong)


def test_types_that_differ_in_other_fields_are_different():
    other = D.from_tensors(Pair(1, [1.0], "other"))
    with pytest.raises(TypeError):
        D.from_tensors(Pair(1, [1.0])).concatenate(other)
    longer = D.from_tensors(Pair([1], [1.0])).concatenate(D.from_tensors(Pair([1, 2], [1.0])))
    assert longer.element_spec == spec([None], [1])


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda: D.from_tensor_slices(Plain([1])), AttributeError),
        (lambda: D.from_tensors(Plain([1])).batch(1), AttributeError),
        (lambda: D.from_tensors(Plain([1])).unbatch(), AttributeError),
        (lambda: D.from_tensors(Plain([1])).rebatch(1), AttributeError),
        (lambda: D.from_tensor_slices(Pair(1, 2)), ValueError),
        (lambda: PAIRS.padded_batch(2), NotImplementedError),
        (lambda: PAIRS.as_numpy_iterator(), TypeError),
        # TensorFlow accepts these.
        (lambda: D.from_tensors(Encoded([1])).unbatch(), NotImplementedError),
        (lambda: D.range(2).map(lambda k: (Empty(3), k)), NotImplementedError),
    ],
)
def test_refused(made, error):
    with pytest.raises(error):
        made()


def test_shapes_have_the_axis_of_batches():
    def shapes(value):
        return value.shape.as_list(), value.others["x"][0].as_list()

    batch = Shaped([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    rows = D.from_tensor_slices(batch)
    assert shapes(rows.element_spec) == ([], [2])
    assert [shapes(row) for row in rows] == [([], [2])] * 3
    assert [shapes(row) for row in rows.batch(2)] == [([None], [None, 2])] * 2
    assert [shapes(row) for row in rows.batch(3, drop_remainder=True)] == [([3], [3, 2])]
    doubled = tf.map_fn(lambda row: Shaped(row.x * 2.0), batch)
    assert (shapes(doubled), doubled.x.numpy().tolist()) == (([3], [3, 2]), [[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]])
