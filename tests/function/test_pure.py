"""A decorated function as a pure JAX function: values, new values of variables, and JAX's transformations of both."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf

POINTS = np.array([[1.0, 0.5], [0.3, -1.0]], np.float32)


def concrete(function, *specs, **named):
    return tf.function(function).get_concrete_function(*specs, **named)


def values(function):
    return tuple(variable.numpy() for variable in function.variables)


def close(found, wanted):
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-5), found, wanted)


@pytest.fixture
def layer():
    weights, bias = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([0.0, -1.0])

    def loss(x):
        y = tf.where(x @ weights > 2.5, x @ weights + bias, 0.0)
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits([[0.5, 0.5]] * 2, y))

    return weights, bias, loss


def test_result_and_new_values_of_variables():
    total, rate = tf.Variable(1.0), tf.Variable(2.0)

    def step(x):
        before = total.read_value()
        total.assign_add(rate * x)
        return {"before": before, "after": [total.value(), None]}

    function = concrete(step, tf.TensorSpec([]))
    result, renewed = function.to_jax()(values(function), 3.0)
    assert result == {"before": 1.0, "after": [7.0, None]}
    names = {id(variable): float(value) for variable, value in zip(function.variables, renewed)}
    assert names == {id(total): 7.0, id(rate): 2.0}
    assert total.numpy() == 1.0


def test_grad_is_that_of_a_tape(layer):
    weights, bias, loss = layer
    function = concrete(loss, tf.TensorSpec([2, 2]))
    with tf.GradientTape() as tape:
        wanted = loss(tf.constant(POINTS))
    pure = function.to_jax()
    found, slopes = jax.jit(jax.value_and_grad(lambda held, x: pure(held, x)[0]))(values(function), POINTS)
    close(found, wanted.numpy())
    close(slopes, tuple(g.numpy() for g in tape.gradient(wanted, list(function.variables))))
    assert {id(weights), id(bias)} == {id(variable) for variable in function.variables}


def test_hessian_is_that_of_nested_tapes(layer):
    weights, _, loss = layer
    function = concrete(loss, tf.TensorSpec([2, 2]))
    place = [variable is weights for variable in function.variables].index(True)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            found = loss(tf.constant(POINTS))
        slope = inner.gradient(found, weights)
    pure, held = function.to_jax(vjp_order=2), list(values(function))

    def of_weights(w):
        return pure([*held[:place], w, *held[place + 1 :]], POINTS)[0]

    close(jax.hessian(of_weights)(held[place]), outer.jacobian(slope, weights).numpy())


def test_vmap_maps_over_arguments(layer):
    function = concrete(layer[2], tf.TensorSpec([2, 2]))
    pure = function.to_jax()
    several = np.stack([POINTS, 2 * POINTS, -POINTS])
    found = jax.vmap(lambda x: pure(values(function), x)[0])(several)
    close(found, np.array([layer[2](x).numpy() for x in several]))


def test_custom_gradients_and_stops_hold_in_jax():
    @tf.custom_gradient
    def tenfold(x):
        return x * x, lambda upstream: 10.0 * upstream

    pure = concrete(lambda x: tenfold(x) * tf.stop_gradient(x), tf.TensorSpec([])).to_jax()
    close(jax.grad(lambda x: pure((), x)[0])(3.0), 30.0)


def test_assignment_ends_the_gradient():
    held = tf.Variable(2.0)
    pure = concrete(lambda x: held.assign(x * 3.0) * x, tf.TensorSpec([])).to_jax()
    with tf.GradientTape() as tape:
        x = tf.constant(5.0)
        tape.watch(x)
        y = held.assign(x * 3.0) * x
    assert jax.grad(lambda x: pure((0.0,), x)[0])(5.0) == tape.gradient(y, x).numpy() == 15.0


def test_loop_of_unknown_length_has_both_modes():
    def doubled(x):
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
        return tf.reduce_sum(x)

    function = concrete(doubled, tf.TensorSpec([2]))
    x = np.array([1.0, 3.0], np.float32)
    close(jax.grad(lambda x: function.to_jax()((), x)[0])(x), np.array([32.0, 32.0]))
    close(jax.jvp(lambda x: function.to_jax(vjp_order=0)((), x)[0], (x,), (x,)), (128.0, 128.0))


def test_structures_names_and_static_values():
    def function(pair, flag, *, scale):
        return pair["a"] * scale if flag else pair["a"]

    traced = concrete(function, {"a": tf.TensorSpec([2]), "note": "text"}, True, scale=tf.TensorSpec([]))
    pure = traced.to_jax()
    given = {"a": np.array([1.0, 2.0], np.float32), "note": None}
    close(jax.jit(pure)((), given, scale=2.0)[0], np.array([2.0, 4.0]))
    close(pure((), given | {"note": "text"}, scale=2.0)[0], np.array([2.0, 4.0]))
    with pytest.raises(TypeError, match=r"argument 0 holds 'text', which is part of the trace, or None; got 'other'"):
        pure((), given | {"note": "other"}, scale=2.0)
    with pytest.raises(TypeError, match=r"1 arguments and the keywords \['scale'\], got 2 and \[\]"):
        pure((), given, 2.0)


def test_variables_as_arguments_are_among_the_values():
    held = tf.Variable([1.0, 2.0])
    pure = concrete(lambda v, x: v * x, held, tf.TensorSpec([])).to_jax()
    close(pure((np.array([3.0, 4.0], np.float32),), 2.0)[0], np.array([6.0, 8.0]))


def test_what_does_not_fit_is_refused(layer):
    function = concrete(layer[2], tf.TensorSpec([2, 2]))
    pure = function.to_jax()
    with pytest.raises(TypeError, match=r"loss: the argument 0 must be float32\[2,2\], got float32\[3\]"):
        pure(values(function), np.zeros(3, np.float32))
    with pytest.raises(TypeError, match=r"the argument 0 must be float32\[2,2\], got int32\[2,2\]"):
        pure(values(function), np.zeros((2, 2), np.int32))
    with pytest.raises(TypeError, match=r"the values of 2 variables \(Variable:0, Variable:0\), got 0"):
        pure((), POINTS)


def test_wide_types_need_jax_to_have_them():
    pure = concrete(lambda x: tf.argmax(x), tf.TensorSpec([3])).to_jax()
    x = np.array([1.0, 3.0, 2.0], np.float32)
    assert int(pure((), x)[0]) == 1
    with pytest.raises(
        TypeError, match=r"computes with 64-bit types \(.*argmax, recorded at .*test_pure.py:\d+, is int64"
    ):
        jax.jit(pure)((), x)
    with jax.enable_x64(True):
        assert jax.jit(pure)((), x)[0] == 1
    counting = concrete(lambda x: x + 1, tf.TensorSpec([], tf.int64)).to_jax()
    with pytest.raises(TypeError, match=r"must be int64.*JAX makes 64-bit arrays only if jax_enable_x64 is set"):
        counting((), jnp.int32(1))


def test_random_state_is_refused_with_a_way_out():
    with pytest.raises(NotImplementedError, match=r"use tf\.random\.stateless_uniform"):
        concrete(lambda x: tf.nn.dropout(x, 0.5), tf.TensorSpec([4])).to_jax()
    seeded = concrete(lambda s: tf.random.stateless_uniform([3], s), tf.TensorSpec([2], tf.int32))
    close(seeded.to_jax()((), np.array([1, 2], np.int32))[0], tf.random.stateless_uniform([3], [1, 2]).numpy())


def test_generator_is_a_variable():
    generator = tf.random.Generator.from_seed(7)
    function = concrete(lambda: generator.uniform([3]))
    first, renewed = function.to_jax()(values(function))
    second, _ = function.to_jax()(renewed)
    close((first, second), (generator.uniform([3]).numpy(), generator.uniform([3]).numpy()))


def test_results_that_jax_does_not_know_are_refused():
    with pytest.raises(NotImplementedError, match="the result contains a IndexedSlices"):
        concrete(lambda x: tf.IndexedSlices(x, tf.constant([0])), tf.TensorSpec([1, 2])).to_jax()
    with pytest.raises(NotImplementedError, match="JAX has no arrays of string"):
        concrete(lambda x: (x, "text"), tf.TensorSpec([])).to_jax()


def test_prints_are_left_out(capfd):
    def told(x):
        tf.print("value", x)
        return x + 1.0

    assert concrete(told, tf.TensorSpec([])).to_jax()((), 1.0)[0] == 2.0
    jax.effects_barrier()
    assert capfd.readouterr().err == ""


def test_taking_it_changes_nothing_of_what_is_recorded():
    held = tf.Variable(2.0)
    function = concrete(lambda x: held.assign_add(x), tf.TensorSpec([]))
    with tf.GradientTape() as tape:
        y = held * 3.0
        function.to_jax()
    assert (tape.gradient(y, held).numpy(), held.numpy()) == (3.0, 2.0)
