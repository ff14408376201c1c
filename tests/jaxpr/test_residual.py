"""The derivative of a loop keeps what takes long to compute, and computes the rest again."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._jaxpr.parameter import scan_counts
from tfcompat._jaxpr.primitive import Name, equations, inner, name_of, names
from tfcompat._jaxpr.residual import is_kept

ROWS = jnp.asarray(np.linspace(-2, 2, 24).reshape(6, 4), jnp.float32)
MATRIX = jnp.asarray(np.linspace(-1, 1, 16).reshape(4, 4), jnp.float32)


def scanned(step, policy):
    """The sum of the last state of a scan of `step`, as a function of the first state."""
    kept = step if policy is None else jax.checkpoint(step, prevent_cse=False, policy=policy)
    return lambda first: jax.lax.scan(lambda state, row: (kept(state, row), None), first, ROWS)[0].sum()


def loops(step, policy):
    """The scans forward and backward of the gradient."""
    jaxpr = jax.make_jaxpr(jax.grad(scanned(step, policy)))(ROWS[0])
    return [equation for equation in equations(jaxpr) if name_of(equation) == Name.SCAN]


def stacked(scan):
    return sorted(str(atom.aval.dtype) for atom in scan.outvars[scan_counts(scan).carried :])


def gated(state, row):
    return jax.nn.sigmoid(row @ MATRIX) * jnp.tanh(state @ MATRIX)


def masked(state, row):
    return jnp.where(row > 0, state * row, state) + jnp.maximum(state, 0.0)


def drawn(state, row):
    bits = jax.random.bits(jax.random.key(state.size), state.shape)
    return jnp.where(bits >> 31 == 0, state, 0.0) * row


def test_arithmetic_is_done_again():
    """Of a sigmoid and a hyperbolic tangent the derivatives are not kept, of maxima and choices only the choices."""
    assert stacked(loops(gated, is_kept)[0]) == ["float32"] * 2
    assert "float32" in stacked(loops(masked, None)[0])
    assert set(stacked(loops(masked, is_kept)[0])) == {"bool"}


@pytest.mark.parametrize("step", [gated, masked, drawn])
def test_gradient_is_the_same(step):
    wanted = jax.jit(jax.grad(scanned(step, None)))(ROWS[0])
    np.testing.assert_allclose(jax.jit(jax.grad(scanned(step, is_kept)))(ROWS[0]), wanted, rtol=1e-6, atol=1e-7)


def test_products_and_exponentials_are_not():
    _, backward = loops(gated, is_kept)
    (body,) = inner(backward)
    assert {Name.DOT_GENERAL, Name.MUL} <= names(body)
    assert not {"tanh", "logistic", "exp"} & names(body)


def test_random_numbers_are_not_drawn_again():
    _, backward = loops(drawn, is_kept)
    (body,) = inner(backward)
    assert not {"threefry2x32", "random_bits", "shift_right_logical"} & names(body)


def test_loops_of_functions_keep_so():
    @tf.function(jit_compile=True)
    def gradient(first):
        with tf.GradientTape() as tape:
            tape.watch(first)
            state = first
            for row in tf.constant(np.asarray(ROWS)):
                state = tf.sigmoid(row * 0.5) * tf.tanh(state)
            loss = tf.reduce_sum(state)
        return tape.gradient(loss, first)

    text = gradient.experimental_get_compiler_ir(tf.constant(np.asarray(ROWS[0])))(stage="hlo")
    forward, _ = [line.split(" while(")[0] for line in text.splitlines() if " while(" in line]
    # The sigmoids, which it reads, and the hyperbolic tangents.
    assert forward.count("f32[6,4]") == 2


def turned(state, angle):
    """A complex state: a product, and an exponential that both factors of the derivative read."""
    return state * tf.exp(tf.complex(tf.zeros_like(angle), angle)) + tf.exp(state * 0.1)


def filtered(state, angle):
    """A real state, of complex values."""
    waves = tf.signal.rfft(state * angle)
    return tf.signal.irfft(waves * waves / 8, [4]) + tf.tanh(state)


# By TensorFlow 2.21: the gradients for the angles of the sums of squares of the last state.
COMPLEX_CASES = [
    (
        turned,
        tf.complex64,
        [
            [7.35399, 5.50299, 3.08536, 0.574499],
            [4.85257, 2.0635, -1.05906, -3.96691],
            [-0.733163, -3.27073, -5.7499, -7.69182],
        ],
    ),
    (
        filtered,
        tf.float32,
        [
            [-0.44629, -0.466314, -0.474121, -0.468949],
            [0.0365465, -0.0102359, -0.0270648, -0.0113291],
            [0.6971, 0.708776, 0.70113, 0.670211],
        ],
    ),
]


@pytest.mark.parametrize(("step", "dtype", "wanted"), COMPLEX_CASES, ids=["complex state", "real state"])
def test_complex_values_are_computed_again(step, dtype, wanted):
    @tf.function
    def gradient(angles):
        with tf.GradientTape() as tape:
            tape.watch(angles)
            state = tf.ones([4], dtype)
            for angle in angles:
                state = step(state, angle)
            loss = tf.reduce_sum(tf.abs(state) ** 2)
        return tape.gradient(loss, angles)

    found = gradient(tf.constant(np.linspace(-1, 1, 12).reshape(3, 4), tf.float32))
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)


def test_complex_results_of_python_functions_are_kept():
    calls = []

    def shifted(row):
        calls.append(row)
        return (row + 1j).astype(np.complex64)

    @tf.function
    def gradient(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            state = tf.ones([4])
            for row in rows:
                waves = tf.ensure_shape(tf.numpy_function(shifted, [tf.stop_gradient(row)], tf.complex64), [4])
                state = state * tf.math.real(tf.complex(row, state) * waves) + tf.abs(waves * waves) * 0.1
            loss = tf.reduce_sum(state)
        return tape.gradient(loss, rows)

    found = gradient(tf.constant(np.linspace(-1, 1, 12).reshape(3, 4), tf.float32))
    assert len(calls) == 3
    # By TensorFlow 2.21.
    wanted = [
        [0.0137, -0.0713, -0.5187, -1.1554],
        [-0.0023, 0.0039, -0.0367, -0.3285],
        [0.0374, 0.0463, -0.0896, -0.3952],
    ]
    np.testing.assert_allclose(found, wanted, atol=1e-4)
