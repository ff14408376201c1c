"""Calls with the same arguments as earlier ones: the cached path agrees with the full path."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

IMAGE = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 1, 8)


def normalized(bias, alpha, beta):
    """The definition of `tf.nn.local_response_normalization` with radius 1."""
    padded = np.pad(np.square(IMAGE.ravel()), 1)
    sums = padded[:-2] + padded[1:-1] + padded[2:]
    return IMAGE.ravel() / (bias + alpha * sums) ** beta


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"beta": 1.0, "alpha": 1.0}, {"beta": 0.5, "alpha": 2.0}),
        ({"beta": 1}, {"beta": 2}),
        ({"alpha": 1, "bias": 1}, {"alpha": 2, "bias": 3}),
        ({"beta": 0.5}, {"beta": 0.25}),
    ],
    ids=str,
)
def test_equal_numbers_are_not_mixed_up(first, second):
    for given in (first, second, first):
        answer = tf.nn.local_response_normalization(tf.constant(IMAGE), depth_radius=1, **given)
        expected = normalized(**({"bias": 1.0, "alpha": 1.0, "beta": 0.5} | given))
        np.testing.assert_allclose(answer.numpy().ravel(), expected, rtol=1e-5)


def test_integer_and_float_spellings_agree():
    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        assert tf.add(x, 1).numpy().tolist() == tf.add(x, 1.0).numpy().tolist() == [2.0, 3.0]
        assert tf.multiply(3, tf.constant([1, 2])).numpy().tolist() == [3, 6]


def test_same_tensor_twice_is_not_remembered_as_one():
    x, y = tf.constant([1.0, 2.0]), tf.constant([5.0, 5.0])
    assert tf.subtract(x, x).numpy().tolist() == [0.0, 0.0]
    assert tf.subtract(x, y).numpy().tolist() == [-4.0, -3.0]
    assert tf.subtract(y=x, x=y).numpy().tolist() == [4.0, 3.0]
    assert tf.stack([x, x]).numpy().tolist() == [[1.0, 2.0]] * 2
    assert tf.stack([x, y]).numpy().tolist() == [[1.0, 2.0], [5.0, 5.0]]


class Held(tf.__internal__.types.Tensor):
    """A variable of a library, which counts as a tensor."""

    def __init__(self, value):
        self.variable = tf.Variable(value)
        self.reads = 0

    def __tf_tensor__(self, dtype=None, name=None):
        self.reads += 1
        return tf.convert_to_tensor(self.variable, dtype=dtype, name=name)


def test_variable_of_a_library_is_read_once_by_each_call():
    held, x = Held([2.0, 3.0]), tf.constant([5.0, 7.0])
    for k in range(4):
        held.variable.assign([2.0 + k, 3.0])
        held.reads = 0
        with tf.GradientTape() as tape:
            answer = tf.multiply(held, x) + tf.subtract(x, held)
        assert answer.numpy().tolist() == [(2.0 + k) * 5 + 3 - k, 25.0]
        assert tape.gradient(answer, held.variable).numpy().tolist() == [4.0, 6.0]
        assert held.reads == 2


def test_first_call_with_a_variable_of_a_library_records_the_steps_of_later_ones():
    held, x = Held([2.0, 3.0]), tf.ones([1, 2])
    tf.sync()

    def steps():
        with tf.GradientTape() as tape:
            answer = tf.nn.bias_add(tf.nn.bias_add(x, held), bias=held)
            found = tape.listing().count("read")
        assert answer.numpy().tolist() == [[5.0, 7.0]]
        return found

    assert steps() == steps()


def test_refused_variable_of_a_library_raises_as_a_tensor_does():
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.subtract(Held(["a"]), Held(["b"]))


class Axes(list):
    """A list of a library's own class."""


def test_attributes_of_other_containers_are_not_mixed_up():
    x = tf.reshape(tf.range(8.0), [1, 2, 2, 2])
    for axes in (Axes([1, 2]), Axes([0, 3]), [1, 2], Axes([1, 2])):
        mean, _ = tf.nn.moments(x, axes)
        assert mean.numpy().tolist() == np.mean(x.numpy(), tuple(axes)).tolist()
    for padding, size in [([[0, 0], [1, 1], [1, 1], [0, 0]], 3), ([[0, 0], [1, 0], [0, 0], [0, 0]], 2)] * 2:
        assert tf.nn.max_pool(x, 2, 1, padding).shape[1] == size


@pytest.mark.parametrize("target", ["int8", "uint8", "int64"])
def test_constants_are_cast_as_other_integers(target):
    values = [300, -1, 7]
    cast = tf.cast(tf.constant(values), target)
    assert cast.dtype == target
    assert cast.numpy().tolist() == np.array(values).astype(target).tolist()


@pytest.mark.parametrize(("shape", "is_known"), [((64,), True), ((5, 2), True), ((65,), False), ((16, 4), False)])
def test_integers_that_may_decide_shapes_are_computed_at_once(shape, is_known):
    """Batches of integers are recorded alike, however few they are."""
    numbers = tf.constant(np.arange(np.prod(shape), dtype=np.int32).reshape(shape))
    assert ((numbers + 1)._array is not None) == is_known
