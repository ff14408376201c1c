"""Extension types whose tensors share a first axis: loops over their rows, and their specs."""

from __future__ import annotations

import typing

import pytest

import tfcompat as tf


class Pair(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    y: tf.Tensor


class Nested(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    n: int = 3
    sub: typing.Optional[Pair] = None  # noqa: UP045  # as users write it


class Ragged(tf.experimental.BatchableExtensionType):
    rows: tf.RaggedTensor


class Plain(tf.experimental.ExtensionType):
    x: tf.Tensor


BATCH = Pair([1.0, 2.0, 3.0], [[1, 2], [3, 4], [5, 6]])
ROW = Pair.Spec(tf.TensorSpec([], tf.float32), tf.TensorSpec([2], tf.float32))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tf.map_fn(lambda e: e.x + float(e.y[1]), BATCH, fn_output_signature=tf.float32), [3.0, 6.0, 9.0]),
        (lambda: tf.map_fn(lambda a: a[0].x + a[1], (BATCH, tf.ones([3])), fn_output_signature=tf.float32), [2, 3, 4]),
        (
            lambda: tf.map_fn(lambda e: e.x * e.n + e.sub.x, Nested(BATCH.x, 4, BATCH), fn_output_signature=tf.float32),
            [5, 10, 15],
        ),
        (
            lambda: tf.map_fn(
                lambda e: tf.reduce_sum(e.rows),
                Ragged(tf.ragged.constant([[1, 2], [3]])),
                fn_output_signature=tf.int32,
            ),
            [3, 3],
        ),
        (lambda: tf.map_fn(lambda e: e.x, Pair(tf.zeros([0]), tf.zeros([0, 2])), fn_output_signature=tf.float32), []),
        (
            lambda: tf.function(lambda a: tf.map_fn(lambda e: e.x + 1.0, a, fn_output_signature=tf.float32))(BATCH),
            [2, 3, 4],
        ),
        (lambda: tf.vectorized_map(lambda e: e.x + tf.cast(tf.reduce_sum(e.y), tf.float32), BATCH), [4, 9, 14]),
        (lambda: tf.vectorized_map(lambda e: e.x * e.n + e.sub.x, Nested(BATCH.x, 4, BATCH)), [5, 10, 15]),
        (lambda: tf.vectorized_map(lambda a: a[0].x + a[1], (Pair([1.0], [[1, 2]]), tf.ones([3]))), [2, 2, 2]),
    ],
)
def test_loops_take_rows(call, expected):
    assert call().numpy().tolist() == expected


@pytest.mark.parametrize(
    ("call", "x", "y"),
    [
        (lambda: tf.map_fn(lambda e: e, BATCH), [1, 2, 3], [[1, 2], [3, 4], [5, 6]]),
        (
            lambda: tf.map_fn(lambda e: Pair(e, [e, e]), tf.constant([1.0, 2.0]), fn_output_signature=ROW),
            [1, 2],
            [[1, 1], [2, 2]],
        ),
        (lambda: tf.vectorized_map(lambda e: Pair(e.x * 2.0, e.y), BATCH), [2, 4, 6], [[1, 2], [3, 4], [5, 6]]),
        (lambda: tf.vectorized_map(lambda e: Pair(e * 2.0, e), tf.constant([1.0, 2.0])), [2, 4], [1, 2]),
        (lambda: tf.map_fn(lambda e: e, Pair(tf.zeros([0]), tf.zeros([0, 2]))), [], []),
    ],
)
def test_loops_make_batches(call, x, y):
    found = call()
    assert isinstance(found, Pair)
    assert (found.x.numpy().tolist(), found.y.numpy().tolist()) == (x, y)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: tf.map_fn(lambda e: e.x, Plain([1.0]), fn_output_signature=tf.float32),
            TypeError,
            "map_fn can not consume",
        ),
        (
            lambda: tf.map_fn(
                lambda e: Plain(e), tf.ones([2]), fn_output_signature=Plain.Spec(tf.TensorSpec([], tf.float32))
            ),
            TypeError,
            "map_fn can not generate",
        ),
        (lambda: tf.map_fn(lambda e: Pair(e, [1, 1]), tf.ones([2]), fn_output_signature=ROW), ValueError, "Expected"),
        (lambda: tf.map_fn(lambda e: e, tf.ones([2]), fn_output_signature=ROW), ValueError, "Expected"),
        (lambda: tf.map_fn(lambda e: e.x, Pair(1.0, 2.0), fn_output_signature=tf.float32), ValueError, "rank >= 1"),
        (
            lambda: tf.map_fn(lambda e: e.x, Pair([1.0], [1.0, 2.0]), fn_output_signature=tf.float32),
            ValueError,
            "Dimensions 1 and 2 are not compatible",
        ),
        (lambda: tf.vectorized_map(lambda e: e.x, Plain([1.0])), ValueError, "must provide a `BatchableTypeSpec`"),
        (lambda: tf.scan(lambda a, e: a + e.x, BATCH, 0.0), ValueError, "Attempt to convert"),
    ],
)
def test_what_has_no_rows(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_gradients_go_through_batches():
    v = tf.Variable([1.0, 2.0, 3.0])
    row = Pair.Spec(tf.TensorSpec([]), tf.TensorSpec([]))
    with tf.GradientTape() as tape:
        mapped = tf.map_fn(lambda e: Pair(e.x**2.0, e.y), Pair(v, v * 0.0), fn_output_signature=row)
        y = tf.reduce_sum(mapped.x)
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0, 6.0]


def test_specs_are_batched_and_unbatched():
    encoder = tf.experimental.ExtensionTypeBatchEncoder()
    spec = tf.type_spec_from_value(Nested(BATCH.x, 4, BATCH))
    more = encoder.batch(spec, None)
    assert (more.x.shape.as_list(), more.sub.y.shape.as_list(), more.n) == ([None, 3], [None, 3, 2], 4)
    one = encoder.unbatch(spec)
    assert (one.x.shape.as_list(), one.sub.y.shape.as_list()) == ([], [2])
    with pytest.raises(ValueError, match="rank >= 1"):
        encoder.unbatch(one)
    rows = tf.type_spec_from_value(Ragged(tf.ragged.constant([[1, 2], [3]])))
    assert encoder.batch(rows, 4).rows == tf.RaggedTensorSpec([4, 2, None], tf.int32, 2)
    assert encoder.unbatch(rows).rows == tf.RaggedTensorSpec([None], tf.int32, 0)
    assert encoder.encoding_specs(rows) == (rows.rows,)
    with pytest.raises(TypeError, match="can't be batched"):
        encoder.batch(tf.type_spec_from_value(Carrier(BATCH.x, Plain(BATCH.x))), 2)


class Carrier(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    plain: Plain


def test_encoders_go_there_and_back():
    encoder, value = tf.experimental.ExtensionTypeBatchEncoder(), Nested(BATCH.x, 4, BATCH)
    spec = tf.type_spec_from_value(value)
    encoded = encoder.encode(spec, value)
    assert [part.shape.as_list() for part in encoded] == [[3], [3], [3, 2]]
    assert tf.type_spec_from_value(encoder.decode(spec, encoded)) == spec


def test_classes_may_have_an_encoder_of_their_own():
    class Doubling(tf.experimental.ExtensionTypeBatchEncoder):
        def encode(self, spec, value, minimum_rank=0):
            seen.append((spec.a.shape.as_list(), minimum_rank))
            return [value.a * 2.0]

        def decode(self, spec, encoded_value):
            seen.append(spec.a.shape.as_list())
            return Halved(encoded_value[0] / 4.0)

    class Halved(tf.experimental.BatchableExtensionType):
        a: tf.Tensor
        __batch_encoder__ = Doubling()

    seen = []
    found = tf.map_fn(lambda e: e, Halved([4.0, 8.0]))
    assert found.a.numpy().tolist() == [1.0, 2.0]
    assert seen == [([2], 1), [], ([], 0), [], ([], 0), [2]]
