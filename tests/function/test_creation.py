"""Variables that branches, loops and mapped functions create in the first call of the function around them."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


class Scale:
    """Multiplies by a variable that its first call makes."""

    def __init__(self):
        self.factor = None
        self.runs = 0

    def __call__(self, x):
        self.runs += 1
        if self.factor is None:
            self.factor = tf.Variable(2.0 * tf.ones(x.shape[-1:]))
        return x * self.factor


X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
PLACES = {
    "map_fn": lambda scale, x: tf.map_fn(scale, x),
    "vectorized_map": lambda scale, x: tf.vectorized_map(scale, x),
    "scan": lambda scale, x: tf.scan(lambda _, row: scale(row), x, tf.zeros([2])),
    "while_loop": lambda scale, x: tf.while_loop(lambda k, _: k < 1, lambda k, x: (k + 1, scale(x)), (0, x))[1],
    "cond": lambda scale, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: scale(x), lambda: x),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("is_decorated", [False, True], ids=["eager", "decorated"])
def test_parts_create_variables_in_the_first_call(place, is_decorated):
    scale = Scale()

    def function(x):
        return PLACES[place](scale, x)

    called = tf.function(function) if is_decorated else function
    for _ in range(3):
        np.testing.assert_array_equal(called(X), 2.0 * X.numpy())
    runs, first = scale.runs, scale.factor
    scale.factor.assign([3.0, 4.0])
    np.testing.assert_array_equal(called(X), X.numpy() * [3.0, 4.0])
    assert scale.factor is first
    if is_decorated:
        assert scale.runs == runs


def test_gradients_for_variables_made_in_mapped_functions():
    scale = Scale()

    def gradient(row):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(scale(row) ** 2)
        return tape.gradient(loss, scale.factor)

    for mapped in (tf.vectorized_map, tf.function(lambda fn, x: tf.vectorized_map(fn, x), autograph=False)):
        scale.factor = None
        np.testing.assert_array_equal(mapped(gradient, X), 2.0 * 2.0 * X.numpy() ** 2)


def test_variables_are_not_made_at_each_call():
    with pytest.raises(ValueError, match="singleton"):
        tf.vectorized_map(lambda row: row * tf.Variable(2.0), X)


def test_draws_continue_after_the_first_call():
    scale = Scale()

    @tf.function
    def function(x):
        return tf.random.uniform([]) + 0.0 * tf.reduce_sum(tf.map_fn(scale, x))

    tf.random.set_seed(1)
    drawn = [function(X).numpy() for _ in range(4)]
    np.testing.assert_allclose(drawn, [0.81269646, 0.5272893, 0.8489425, 0.8928561], 1e-6)
    tf.random.set_seed(None)


def test_draws_begin_again_after_a_call_that_makes_variables_from_its_arguments():
    class Model(tf.Module):
        scale = None

        @tf.function
        def __call__(self, x):
            if self.scale is None:
                self.scale = tf.Variable(x * 0.5)
            return tf.random.uniform([]) + 0.0 * self.scale

    model = Model()
    tf.random.set_seed(9)
    drawn = [model(tf.constant(1.0)).numpy() for _ in range(4)]
    np.testing.assert_allclose(drawn, [0.0801, 0.0801, 0.2126, 0.9734], atol=5e-5)
    tf.random.set_seed(None)


def test_branch_of_autograph_creates_a_variable():
    scale = Scale()

    @tf.function
    def function(x):
        if tf.reduce_sum(x) > 0.0:
            x = scale(x)
        return x

    assert function(-X).numpy().tolist() == (-X).numpy().tolist()
    np.testing.assert_array_equal(function(X), 2.0 * X.numpy())
    np.testing.assert_array_equal(function(-X), -X.numpy())


class Lifted:
    """Adds a variable that its first run makes in a `tf.init_scope`, as layers of Keras 2 do, and how often it ran."""

    def __init__(self):
        self.shift = None
        self.runs = 0

    def __call__(self, x):
        self.runs += 1
        if self.shift is None:
            with tf.init_scope():
                self.shift = tf.Variable(1.0)
        return self.shift + x + self.runs


@pytest.mark.parametrize(
    "decorated",
    [
        lambda lifted: tf.function(lifted),
        lambda lifted: tf.function(tf.function(lifted)),
        lambda lifted: tf.function(lifted, input_signature=[tf.TensorSpec([None])]),
        lambda lifted: tf.function(lifted, reduce_retracing=True),
        lambda lifted: tf.function(lambda x: tf.map_fn(lifted, x)),
        lambda lifted: tf.function(lifted).get_concrete_function(tf.TensorSpec([2])),
    ],
    ids=["one", "nested", "open", "reduced", "mapped", "concrete"],
)
def test_variables_made_outside_of_the_trace_cause_another(decorated):
    lifted = Lifted()
    function = decorated(lifted)
    for _ in range(3):
        assert function(tf.constant([0.0, 1.0])).numpy().tolist() == [3.0, 4.0]
    assert lifted.runs == 2


def test_function_around_one_that_makes_variables_outside_keeps_its_trace():
    lifted, traced = Lifted(), []
    inner = tf.function(lifted)

    @tf.function
    def outer(x):
        traced.append(x)
        return inner(x)

    assert outer(tf.constant(0.0)).numpy() == outer(tf.constant(0.0)).numpy() == 3.0
    assert len(traced) == 1
