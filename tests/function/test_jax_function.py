"""`from_jax`: JAX functions on tapes and in decorated functions."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import tfcompat as tf

RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(16, 3)).astype(np.float32)
TARGETS = RNG.normal(size=(16, 2)).astype(np.float32)
FIRST = [RNG.normal(size=(3, 2)).astype(np.float32), np.zeros(2, np.float32)]
STEPS = 6


@functools.partial(jax.tree_util.register_dataclass, data_fields=["weights", "activation"], meta_fields=["name"])
@dataclass
class Dense:
    """A model as JAX's libraries have them: a pytree whose leaves are arrays, and functions."""

    weights: Any
    activation: Any
    name: str

    def __call__(self, x):
        return self.activation(x @ self.weights)


def loss_of(weights, bias):
    return tf.reduce_mean(tf.square(tf.matmul(INPUTS, weights) + bias - TARGETS))


def trained_in_jax(optimizer):
    params = [jnp.asarray(value) for value in FIRST]
    state = optimizer.init(params)

    def loss(params):
        return jnp.mean(jnp.square(INPUTS @ params[0] + params[1] - TARGETS))

    for _ in range(STEPS):
        updates, state = optimizer.update(jax.grad(loss)(params), state, params)
        params = optax.apply_updates(params, updates)
    return params


def close(found, wanted):
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=2e-5, atol=1e-6), found, wanted)


@pytest.fixture(params=["adam", "chain"])
def optimizer(request):
    if request.param == "adam":
        return optax.adam(optax.exponential_decay(0.1, 2, 0.5))
    return optax.chain(optax.clip_by_global_norm(0.5), optax.adamw(0.1, weight_decay=0.1))


def test_optax_update_in_a_loop(optimizer):
    variables = [tf.Variable(value) for value in FIRST]
    update = tf.from_jax(optimizer.update)
    state = tf.from_jax(optimizer.init)(variables)

    def step():
        nonlocal state
        with tf.GradientTape() as tape:
            loss = loss_of(*variables)
        updates, state = update(tape.gradient(loss, variables), state, variables)
        for variable, change in zip(variables, updates):
            variable.assign_add(change)

    for _ in range(3):
        step()
    tf.sync()
    with tf.counted() as happened:
        for _ in range(STEPS - 3):
            step()
        tf.sync()
    assert (happened.compiles, happened.op_compiles) == (0, 0)
    close([variable.numpy() for variable in variables], trained_in_jax(optimizer))


def test_optax_update_in_a_decorated_function(optimizer):
    variables = [tf.Variable(value) for value in FIRST]
    update = tf.from_jax(optimizer.update)
    state = jax.tree.map(tf.Variable, tf.from_jax(optimizer.init)(variables))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(*variables)
        updates, new_state = update(tape.gradient(loss, variables), state, variables)
        for variable, change in zip(variables, updates):
            variable.assign_add(change)
        jax.tree.map(lambda held, new: held.assign(new), state, new_state)

    tf.sync()
    with tf.counted() as happened:
        for _ in range(STEPS):
            step()
    assert happened.compiles == 1
    assert step.experimental_get_tracing_count() == 1
    close([variable.numpy() for variable in variables], trained_in_jax(optimizer))


def test_jax_model_with_a_loss_here():
    model = Dense(tf.Variable(FIRST[0]), jnp.tanh, "dense")
    apply = tf.from_jax(lambda model, x: model(x))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(apply(model, INPUTS) - TARGETS))
    found = tape.gradient(loss, model.weights)
    close(found.numpy(), jax.grad(lambda w: jnp.mean(jnp.square(jnp.tanh(INPUTS @ w) - TARGETS)))(FIRST[0]))


def test_function_is_traced_once_for_each_structure():
    traced = []

    @tf.from_jax
    def power(x, order, rate):
        traced.append(order)
        return rate * x**order

    x = tf.Variable([1.0, 2.0])
    for k in range(4):
        for order in (2, 3):
            with tf.GradientTape() as tape:
                y = power(x, order, 0.5 * k)
            assert tape.gradient(y, x).numpy().tolist() == [0.5 * k * order, 0.5 * k * order * 2.0 ** (order - 1)]
    assert traced == [2, 3]
    power(tf.constant([1.0]), 2, 0.5)
    power(tf.constant([1.0]), True, 0.5)
    assert traced == [2, 3, 2, True]


def test_numbers_that_change_compile_nothing():
    scale = tf.from_jax(lambda x, rate: x * rate)
    x = tf.constant([1.0, 2.0])
    for rate in (0.25, 0.5, 0.75):
        scale(x, rate).numpy()
    with tf.counted() as happened:
        found = [scale(x, rate).numpy().tolist() for rate in (0.5, 1.0, -3.0)]
    assert found == [[0.5, 1.0], [1.0, 2.0], [-3.0, -6.0]]
    assert (happened.compiles, happened.op_compiles) == (0, 0)


def test_same_function_is_the_same_op():
    assert tf.from_jax(jnp.sin) is tf.from_jax(jnp.sin)
    model = Dense(FIRST[0], jnp.tanh, "dense")
    assert tf.from_jax(model)(INPUTS).shape == [16, 2]


def test_second_order():
    x = tf.Variable(0.7)
    wave = tf.from_jax(lambda x: jnp.sin(x) * x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = wave(x)
        first = inner.gradient(y, x)
    close(outer.gradient(first, x).numpy(), jax.grad(jax.grad(lambda x: jnp.sin(x) * x))(0.7))


def test_custom_vjp_is_respected_and_sees_its_types():
    @jax.custom_vjp
    def tripled(x):
        return 3.0 * x

    # `lax.mul` takes no mixed types: jnp.full would answer float64 if 64-bit types were enabled.
    tripled.defvjp(lambda x: (3.0 * x, x), lambda x, upstream: (jax.lax.mul(jnp.full((2,), 10.0), upstream) * x,))
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.from_jax(tripled)(x)
        first = inner.gradient(y, x)
    assert (first.numpy().tolist(), outer.gradient(first, x).numpy().tolist()) == ([10.0, 20.0], [10.0, 10.0])


def test_gradient_is_none_where_nothing_depends():
    x, k = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    split = tf.from_jax(lambda x, k: {"x": x * 2.0, "k": k * k, "place": jnp.argmax(x)})
    with tf.GradientTape(persistent=True) as tape:
        found = split(x, k)
    assert tape.gradient(found["x"], k) is None
    assert tape.gradient(found["k"], k).numpy() == 6.0
    assert tape.gradient(found["place"], x) is None


def test_jacobian_and_forward_mode():
    x = tf.Variable([0.5, 1.5])
    square = tf.from_jax(lambda x: x * x)
    with tf.GradientTape() as tape:
        y = square(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[1.0, 0.0], [0.0, 3.0]]
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
        y = square(x)
    assert accumulator.jvp(y).numpy().tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("given", "made"),
    [("float32", "float32"), ("int32", "float32"), ("float64", "float64"), ("int64", "float64")],
)
def test_wide_types_are_there_where_an_argument_has_one(given, made):
    found = tf.from_jax(lambda x: (jnp.zeros(2), x))(tf.ones([2], given))
    assert [part.dtype.name for part in found] == [made, given]


def test_users_setting_of_wide_types_holds():
    with jax.enable_x64(True):
        assert tf.from_jax(lambda x: jnp.zeros(2) + x)(tf.ones([2])).dtype is tf.float64


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_python_float_takes_the_type_of_what_it_meets(dtype):
    assert tf.from_jax(lambda x, rate: x * rate)(tf.ones([2], dtype), 0.5).dtype.name == dtype


def test_keys_go_in():
    key = jax.random.key(3)
    draw = tf.from_jax(lambda key, count: jax.random.normal(key, (count,)))
    close(draw(key, 4).numpy(), jax.random.normal(key, (4,)))
    with pytest.raises(NotImplementedError, match=r"return jax\.random\.key_data"):
        tf.from_jax(jax.random.split)(key)


def test_rows_of_a_gradient_come_as_what_they_stand_for():
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [2, 2])
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert tf.from_jax(lambda x: x * 2.0)(gradient).numpy().tolist() == [[0.0], [0.0], [4.0]]


def test_result_keeps_what_is_no_array():
    found = tf.from_jax(lambda x: {"x": x, "activation": jnp.tanh, "none": None, "count": 3})(tf.constant(1.0))
    assert (found["activation"], found["none"]) == (jnp.tanh, None)
    assert (found["x"].numpy(), found["count"].numpy()) == (1.0, 3)
    assert tf.from_jax(lambda: None)() is None


def test_errors_are_those_of_the_function():
    with pytest.raises(TypeError, match="dot_general requires contracting dimensions to have the same shape"):
        tf.from_jax(jnp.matmul)(tf.ones([2, 3]), tf.ones([2, 3]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.from_jax(3), "function must be callable, got 3"),
        (lambda: tf.from_jax(jnp.sin)({1.0}), "got a leaf of type set"),
        (lambda: tf.from_jax(jnp.sin)(tf.constant("text")), "JAX has no arrays of string"),
        (lambda: tf.from_jax(lambda: tf.constant(1.0))(), "must compute with JAX's functions, but it returned <tf"),
    ],
    ids=["callable", "leaf", "string", "tensor"],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_there_and_back():
    twice = tf.from_jax(jnp.sinh)
    pure = tf.function(lambda x: twice(x) * 2.0).get_concrete_function(tf.TensorSpec([])).to_jax()
    close(jax.grad(lambda x: pure((), x)[0])(0.5), 2.0 * np.cosh(0.5))
