"""The arithmetic of `tfcompat._jaxpr.lean`: NumPy's results, and traces without nested programs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._jaxpr import lean
from tfcompat._jaxpr.primitive import Name, names

SHAPES = [((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((), (2, 3)), ((2, 3), ())]
PAIRS = {lean.add: np.add, lean.subtract: np.subtract, lean.multiply: np.multiply, lean.divide: np.divide}
PAIRS[lean.maximum] = np.maximum


def numbers(shape, dtype=np.float32):
    return jnp.asarray(np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape) / 4, dtype)


@pytest.mark.parametrize("function", PAIRS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_arrays_broadcast(function, shapes):
    x, y = map(numbers, shapes)
    np.testing.assert_array_equal(function(x, y), PAIRS[function](np.asarray(x), np.asarray(y)))


@pytest.mark.parametrize("dtype", [jnp.bfloat16, np.float16, np.float64, np.complex64], ids=lambda d: np.dtype(d).name)
def test_numbers_take_the_dtype_of_the_array(dtype):
    with jax.enable_x64(True):
        x = numbers((2, 2), dtype)
        assert lean.multiply(2, x).dtype == lean.add(x, 0.5).dtype == lean.where(x == x, x, 0).dtype == x.dtype


@pytest.mark.parametrize("shapes", [((2, 3), (2, 3), ()), ((2, 1), (2, 3), (3,)), ((), (3,), (3,))], ids=str)
def test_where_broadcasts(shapes):
    condition, x, y = map(numbers, shapes)
    np.testing.assert_array_equal(lean.where(condition > 1, x, -y), np.where(condition > 1, x, -y))


@pytest.mark.parametrize(("axis", "keepdims"), [(0, True), (-1, False), ((0, -1), True), (None, False), (None, True)])
@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16, np.int8], ids=lambda d: np.dtype(d).name)
def test_totals(axis, keepdims, dtype):
    x = numbers((2, 3, 4), dtype)
    found = lean.total(x, axis, keepdims)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, jnp.sum(x, axis, keepdims=keepdims, dtype=x.dtype))


MATRIX, IMAGE = [[1.0, 2.0], [3.0, 4.0]], np.ones((1, 4, 4, 2), np.float32)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (tf.add, (MATRIX, MATRIX[0])),
        (tf.subtract, (MATRIX, MATRIX[0])),
        (tf.multiply, (MATRIX, MATRIX[0])),
        (tf.square, (MATRIX,)),
        (tf.matmul, (MATRIX, MATRIX)),
        (tf.reduce_sum, (MATRIX,)),
        (tf.reduce_mean, (MATRIX,)),
        (tf.math.rsqrt, (MATRIX,)),
        (tf.math.squared_difference, (MATRIX, MATRIX)),
        (tf.nn.relu, (MATRIX,)),
        (tf.nn.leaky_relu, (MATRIX,)),
        (tf.nn.softmax, (MATRIX,)),
        (tf.nn.log_softmax, (MATRIX,)),
        (tf.nn.bias_add, (MATRIX, MATRIX[0])),
        (lambda x: tf.nn.batch_normalization(x, *[[0.5, 1.0]] * 4, 1e-3), (MATRIX,)),
        (lambda image: tf.nn.max_pool2d(image, 2, 2, "VALID"), (IMAGE,)),
    ],
)
def test_gradients_of_common_ops_call_no_nested_program(function, values):
    def gradients(*tensors):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = function(*tensors)
        return tape.gradient(result, tensors)

    step = tf.function(gradients, autograph=False)
    jaxpr = step.get_concrete_function(*map(tf.constant, values)).jaxpr().jaxpr
    assert Name.JIT not in names(jaxpr)


@pytest.mark.parametrize("function", [tf.reduce_mean, tf.reduce_sum, lambda x: tf.nn.moments(x, [0])[1], tf.nn.softmax])
def test_reductions_are_traced_for_open_sizes(function):
    traced = tf.function(function, input_signature=[tf.TensorSpec([None, 2])]).get_concrete_function()
    assert "?x2" in traced.stablehlo()
