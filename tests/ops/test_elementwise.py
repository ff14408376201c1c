"""Arithmetic: values, dtypes, and derivatives at ties and poles. Literals are TensorFlow's."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import tfcompat as tf


def gradient(function, *values):
    tensors = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        for tensor in tensors:
            tape.watch(tensor)
        answer = function(*tensors)
    found = tape.gradient(answer, tensors)
    return [None if entry is None else entry.numpy().tolist() for entry in found]


@pytest.mark.parametrize(
    ("dtype", "quotient"),
    [("int8", "float32"), ("uint16", "float32"), ("int32", "float64"), ("int64", "float64"), ("float16", "float16")],
)
def test_truediv_widens_integers(dtype, quotient):
    x = tf.constant([7, 1], dtype)
    assert tf.truediv(x, x).dtype.name == quotient


def test_divide_of_python_numbers_is_float64():
    assert tf.divide(7, 2).dtype == tf.float64
    assert tf.divide(7, 2).numpy() == 3.5


def test_quotient_of_integers_by_zero_is_infinite():
    assert np.array_equal(tf.divide(tf.constant([1, 0]), tf.constant([0, 0])), [np.inf, np.nan], equal_nan=True)


def test_add_takes_a_misfitting_number_for_another_dtype():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.add: x and y must have the same dtype, got int32"):
        tf.add(tf.constant([1]), 1.5)


@pytest.mark.parametrize("function", [tf.subtract, tf.multiply, tf.maximum, tf.pow, tf.truediv])
def test_others_cannot_convert_a_misfitting_number(function):
    with pytest.raises(TypeError):
        function(tf.constant([1]), 1.5)


@pytest.mark.parametrize("function", [tf.divide, tf.math.divide_no_nan])
def test_quotients_of_two_dtypes_raise_type_error(function):
    with pytest.raises(TypeError, match="must have the same dtype, got float32 != int32"):
        function(tf.constant([1.0]), tf.constant([1]))


def test_first_operand_decides():
    assert tf.add(1.0, 2).dtype == tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add(1, 2.0)


@pytest.mark.parametrize("function", [tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod])
def test_integer_division_by_zero_is_refused(function):
    known = tf.constant([4, 5])
    computed = known - known
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        function(known, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        function(known, tf.reduce_sum(computed)).numpy()


def test_floordiv_of_floats_by_zero_is_infinite():
    quotient = tf.math.floordiv(tf.constant([1.0, -1.0, 0.0]), 0.0)
    assert np.array_equal(quotient, [np.inf, -np.inf, np.nan], equal_nan=True)


def test_negative_integer_powers_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integers to negative integer powers"):
        tf.pow(tf.constant([2]), -1)


def test_powers_by_products_and_by_logarithms():
    x = tf.constant([1.5, 2.0])
    assert np.allclose(tf.pow(x, 3), [3.375, 8.0])
    assert np.allclose(tf.pow(x, -2.0), [1 / 2.25, 0.25])
    assert np.allclose(tf.pow(x, 0.5), np.sqrt([1.5, 2.0]))


def test_power_of_a_negative_base_has_no_slope_in_the_exponent():
    assert gradient(tf.pow, [-2.0], [3.0]) == [[12.0], [0.0]]


def test_maximum_gives_a_tie_to_the_first():
    assert gradient(tf.maximum, [1.0, 2.0], [1.0, 3.0]) == [[1.0, 0.0], [0.0, 1.0]]
    assert gradient(tf.minimum, [1.0, 2.0], [1.0, 3.0]) == [[1.0, 1.0], [0.0, 0.0]]


def test_abs_is_flat_at_zero():
    assert gradient(tf.abs, [0.0, -2.0]) == [[0.0, -1.0]]


@pytest.mark.parametrize("function", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal])
def test_a_pole_that_nothing_flows_to_gives_zero(function):
    (found,) = gradient(lambda x: tf.where(x > 0, function(x), 0.0), [0.0, 4.0])
    assert found[0] == 0
    assert np.isfinite(found[1])


def test_slope_of_sqrt_at_zero_is_infinite():
    assert gradient(tf.sqrt, [0.0]) == [[np.inf]]


def test_floormod_and_floor_have_slopes_one_and_none():
    assert gradient(tf.math.floormod, [5.5], [2.0]) == [[1.0], [-2.0]]
    assert gradient(tf.math.floordiv, [5.5], [2.0]) == [None, None]


def test_divide_no_nan_is_flat_at_zero_over_zero():
    assert gradient(tf.math.divide_no_nan, [0.0, 3.0], [0.0, 2.0]) == [[0.0, 0.5], [-0.0, -0.75]]


def test_multiply_no_nan_masks_by_its_second_operand_only():
    assert tf.math.multiply_no_nan(tf.constant(np.inf), 0.0).numpy() == 0
    assert np.isnan(tf.math.multiply_no_nan(0.0, tf.constant(np.inf)).numpy())


def test_add_n_does_not_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.add_n: inputs must have one shape"):
        tf.add_n([tf.ones([2, 3]), tf.ones([3])])


def test_zeta_and_polygamma_far_below_0():
    q = tf.constant([-100.3, -10.3, -9.001, -8.5, -5.2, -5.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(q)
        y = tf.math.digamma(q)
    slopes = [15.069493149244012, 14.98688706572264, 1000003.1847204488, 9.75860711262026, 28.391857993118368, np.inf]
    assert np.allclose(tape.gradient(y, q), slopes, rtol=1e-9)
    order = tf.constant([2.0, 3.0, 1.0, 0.5, 1.5], tf.float64)
    assert np.array_equal(tf.math.zeta(order[2:], q[:3]).numpy(), [np.inf, np.nan, np.nan], equal_nan=True)
    assert tf.math.zeta(order[:1], tf.constant([np.inf], tf.float64)).numpy() == 0


def test_multiply_no_nan_refuses_another_dtype_as_a_conversion():
    with pytest.raises(ValueError, match="same dtype"):
        tf.math.multiply_no_nan(tf.zeros([1], tf.float64), tf.zeros([1]))


@pytest.mark.parametrize("value", [1, 1.0, [1, 0], "a"], ids=str)
def test_logical_ops_refuse_python_values_that_are_not_boolean(value):
    for call in (tf.math.logical_not, tf.reduce_any, lambda x: tf.math.logical_and(x, True)):
        with pytest.raises(TypeError, match="EagerTensor of dtype bool"):
            call(value)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.logical_and(tf.constant(1), True)


def test_logical_ops_take_arrays_of_numbers():
    assert tf.math.logical_not(np.array([2, 0])).numpy().tolist() == [False, True]
    assert tf.math.logical_xor(np.array([2, 0]), True).numpy().tolist() == [False, True]


def test_incomplete_gamma_functions_at_their_ends():
    inf, nan = np.inf, np.nan
    a, x = tf.constant([-1.0, 0.0, nan, 0.0, inf, inf, 2.0]), tf.constant([0.0, 0.0, 0.0, 1.0, 1.0, inf, inf])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(a)
        lower, upper = tf.math.igamma(a, x), tf.math.igammac(a, x)
    assert np.array_equal(lower, [0.0, 0.0, 0.0, nan, 0.0, 0.0, 1.0], equal_nan=True)
    assert np.array_equal(upper, [nan, nan, nan, nan, 1.0, 0.0, 0.0], equal_nan=True)
    assert np.array_equal(tape.gradient(lower, a), [0.0, 0.0, 0.0, nan, 0.0, 0.0, 0.0], equal_nan=True)
    assert np.array_equal(tape.gradient(upper, a), [0.0, 0.0, 0.0, nan, 0.0, 0.0, 0.0], equal_nan=True)


def test_polygamma_of_order_0_is_digamma_at_infinity():
    assert tf.math.polygamma(0.0, np.float32(np.inf)).numpy() == np.inf


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_digamma_is_nan_at_its_poles(dtype):
    x = tf.constant([0.0, -0.0, -1.0, -2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        lgamma = tf.math.lgamma(x)
    assert np.isinf(lgamma).all()
    assert np.isnan(tf.math.digamma(x)).all()
    assert np.isnan(tape.gradient(lgamma, x)).all()
    if dtype != "float16":
        assert np.isnan(tf.math.polygamma(tf.zeros_like(x), x)).all()


def test_bessel_y1_at_0_depends_on_the_dtype():
    assert np.isnan(tf.math.special.bessel_y1(tf.constant(0.0)))
    assert tf.math.special.bessel_y1(tf.constant(0.0, tf.float64)).numpy() == -np.inf


@pytest.mark.parametrize(("wide", "narrow"), [("int32", "int8"), ("int64", "int32"), ("int64", "int16")])
def test_bits_of_narrowed_numbers(wide, narrow):
    # XLA's compiler for the CPU would end the process.
    x, y = tf.constant([1, -5, 300, 70], wide), tf.constant([3, 7, -1, 112], wide)
    both = tf.bitwise.bitwise_and(tf.cast(x, narrow), tf.cast(y, narrow))
    either = tf.cast(x, narrow) | tf.cast(y, narrow)
    assert both.dtype.name == either.dtype.name == narrow
    assert both.numpy().tolist() == [1, 3, 44 if narrow == "int8" else 300, 64]
    assert either.numpy().tolist() == [3, -1, -1, 118]
    found = tf.function(lambda x, y: tf.cast(x + 1, narrow) & tf.cast(y, narrow))(x, y)
    assert found.numpy().tolist() == [2, 4, 45 if narrow == "int8" else 301, 64]


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
def test_small_integers_that_are_known_are_compared_on_the_host(compare):
    count = tf.constant(2) + 1
    with tf.counted() as counts:
        found = [bool(compare(count, other)) for other in (2, 3, tf.constant(4))]
    assert found == [compare(3, other) for other in (2, 3, 4)]
    assert counts.flushes == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.less([1, 2], [1, 2, 3])


def test_sign_of_the_complex_number_0_has_no_slope():
    x = tf.constant(np.array([0.0, 3 + 4j], np.complex64))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.real(tf.sign(x))
    np.testing.assert_allclose(tape.gradient(y, x), [0.0, 0.128 - 0.096j], rtol=1e-6)


def test_exponential_integral_of_negative_numbers_is_nan():
    # Of these two, JAX's function never returns.
    np.testing.assert_allclose(tf.math.special.expint([-1e-30, -1.0, 1.0]), [np.nan, np.nan, 1.8951179], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_shifts_are_clipped_to_the_bits_that_there_are(dtype):
    x, far = tf.constant([7, 7, -5], dtype), tf.constant([-2, 100, 100], dtype)
    lowest = np.iinfo(dtype).min
    assert tf.bitwise.left_shift(x, far).numpy().tolist() == [7, lowest, lowest]
    assert tf.bitwise.right_shift(x, far).numpy().tolist() == [7, 0, -1]


def test_gradient_of_a_complex_factor_of_a_logarithm():
    x, y = tf.constant(np.array([1 + 2j])), tf.constant(np.array([2 - 1j]))
    for function, slope in (
        (tf.math.xlogy, [0.80471896 - 0.46364761j]),
        (tf.math.xlog1py, [1.15129255 - 0.32175055j]),
        (tf.math.xdivy, [0.4 + 0.2j]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = function(x, y)
        np.testing.assert_allclose(tape.gradient(z, x), slope, rtol=1e-6)


def test_size_of_a_complex_number_has_second_derivatives():
    x = tf.constant([0.5, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.abs(tf.complex(x, 1 + x))
        slope = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(slope, x), [0.2529822, 0.0213346], rtol=1e-5)


def test_incomplete_beta_function_needs_positive_finite_parameters():
    a, b = [0.0, -1.0, 1.0, 1.0, np.inf, 1.0, 1.0], [1.0, 1.0, 0.0, -1.0, 1.0, np.inf, 1.0]
    np.testing.assert_array_equal(tf.math.betainc(a, b, 7 * [0.5]), 6 * [np.nan] + [0.5])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_xdivy_divides_exactly(dtype):
    values = np.random.default_rng(0).random((2, 999)).astype(dtype)
    np.testing.assert_array_equal(tf.math.xdivy(*values), values[0] / values[1])
    zeros = tf.math.xdivy(tf.constant([0.0, -0.0], dtype), tf.constant([0.0, 2.0], dtype)).numpy()
    assert (zeros.tolist(), np.signbit(zeros).any()) == ([0.0, 0.0], False)
