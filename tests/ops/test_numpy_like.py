"""NumPy's type promotion, and special cases of its functions."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

tnp = tf.experimental.numpy

INT32, FLOAT32 = tf.constant([1, 2]), tf.constant([1.5, 2.5])


@pytest.mark.parametrize(
    ("x", "y", "dtype"),
    [
        (INT32, FLOAT32, "float64"),
        (FLOAT32, 1.5, "float32"),
        (INT32, 1.5, "float64"),
        (FLOAT32, np.float64(1), "float64"),
        (FLOAT32, [1.0, 2.0], "float32"),
        (FLOAT32, np.array([1.0, 2.0]), "float64"),
        (FLOAT32, 2j, "complex64"),
        (FLOAT32, True, "float32"),
        (INT32, 2**40, "int32"),
        (tf.constant([True, False]), tf.constant([True, True]), "bool"),
        (tf.cast(FLOAT32, tf.bfloat16), FLOAT32, "float32"),
        (tf.Variable(FLOAT32), INT32, "float64"),
        (1.0, 2, "float64"),
    ],
    ids=str,
)
def test_add_promotes_as_numpy(x, y, dtype):
    assert tnp.add(x, y).dtype == dtype


def test_bfloat16_and_int32_have_no_dtype_in_common():
    with pytest.raises(TypeError):
        tnp.add(tf.cast(FLOAT32, tf.bfloat16), INT32)


def test_result_type_takes_arrays_numbers_and_dtypes():
    assert tnp.result_type(INT32, FLOAT32) is tf.float64
    assert tnp.result_type(tf.float32, 1) is tf.float32
    assert tnp.result_type(1.0) is tf.float64
    assert tnp.result_type() is tf.float64


def test_promote_types_answers_numpys_dtype():
    assert tnp.promote_types(int, np.float32) == np.dtype("float64")
    assert tnp.promote_types(tf.int8, tf.float16) == np.dtype("float16")


def test_finfo_takes_dtypes_of_tensorflow():
    assert tnp.finfo(tf.float32).eps == np.finfo(np.float32).eps


def test_issubdtype_is_numpys():
    assert tnp.issubdtype(tnp.float32, tnp.inexact)


def test_shape_is_a_tensor_shape():
    assert isinstance(tnp.shape([[1, 2]]), tf.TensorShape)
    assert tnp.shape([[1, 2]]) == (1, 2)


@pytest.mark.parametrize("name", ["log", "sqrt", "exp", "sin", "floor", "sinc"])
def test_fractions_of_integers_are_float64(name):
    assert getattr(tnp, name)(INT32).dtype == tf.float64
    assert getattr(tnp, name)(FLOAT32).dtype == tf.float32


def test_log2_keeps_float32():
    answer = tnp.log2(FLOAT32)
    assert answer.dtype == tf.float32
    np.testing.assert_allclose(answer, [0.5849625, 1.3219281], rtol=1e-6)


def test_round_and_around_take_negative_decimals():
    np.testing.assert_array_equal(tnp.around([1.55, 2.45], 1).numpy().round(6), [1.6, 2.4])
    np.testing.assert_array_equal(tnp.round([2.5, -1.5]), [2.0, -2.0])
    # TensorFlow divides by 0.1 in float32: 19.9999997 is cut.
    assert tnp.around([15, 25], -1).numpy().tolist() == [19, 29]


def test_array_converts_what_tf_constant_refuses():
    found = tnp.array(5.5, int)
    assert (found.dtype, found.numpy()) == (tf.int64, 5)
    assert tnp.array([tf.constant(1), tf.constant(2.5)]).dtype == tf.float64
    assert tnp.array(["a", "b"]).dtype == tf.string
    assert tnp.asarray(FLOAT32) is FLOAT32
    assert tnp.array([1, 2j]).numpy().tolist() == [1, 2j]


def test_gradient_flows_through_promotion():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        loss = tnp.sum(tnp.multiply(tnp.square(x), tf.constant([3, 4])))
    assert loss.dtype == tf.float64
    gradient = tape.gradient(loss, x)
    assert gradient.dtype == tf.float32
    assert gradient.numpy().tolist() == [6.0, 16.0]


def test_maximum_with_zero_is_relu():
    x = tf.constant([0.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with_number, with_tensor = tnp.maximum(x, 0), tnp.maximum(x, tf.zeros(2))
    assert tape.gradient(with_number, x).numpy().tolist() == [0.0, 1.0]
    assert tape.gradient(with_tensor, x).numpy().tolist() == [1.0, 1.0]


def test_functions_agree_inside_tf_function():
    def norm(x):
        return tnp.sqrt(tnp.sum(tnp.square(x))) + tnp.log2(tnp.mean(x))

    assert tf.function(norm)(FLOAT32).numpy() == norm(FLOAT32).numpy()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tnp.var(FLOAT32, ddof=1), NotImplementedError),
        (lambda: tnp.size(FLOAT32, axis=0), NotImplementedError),
        (lambda: tnp.mean(FLOAT32, out=FLOAT32), ValueError),
        (lambda: tnp.sign(FLOAT32, where=True), ValueError),
        (lambda: tnp.full_like(FLOAT32, 1, order="C"), ValueError),
        (lambda: tnp.sort(FLOAT32, kind="stable"), ValueError),
        (lambda: tnp.take(FLOAT32, [0], mode="raise"), ValueError),
        (lambda: tnp.meshgrid([1], [2], sparse=True), ValueError),
        (lambda: tnp.einsum("i->", FLOAT32, order="C"), TypeError),
    ],
)
def test_arguments_that_are_not_honoured_are_refused(call, error):
    with pytest.raises(error, match=r"tf\.experimental\.numpy\."):
        call()


def test_diff_refuses_axes_out_of_range():
    for x, axis in ((1, -1), ([[1, 2]], -3)):
        with pytest.raises(IndexError, match="out of range"):
            tnp.diff(tf.constant(x), axis=axis)
    with pytest.raises(ValueError, match="axis 2"):
        tnp.diff(tf.constant([[1, 2]]), axis=2)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tnp.moveaxis(x, 5, 0),
        lambda x: tnp.moveaxis(x, 0, -4),
        lambda x: tnp.rot90(x[0], axes=(1, 0)),
        lambda x: tnp.take(x, [0], axis=3),
    ],
    ids=["moveaxis", "moveaxis_to", "rot90", "take"],
)
def test_axes_out_of_range_are_invalid_arguments(call):
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis must be in"):
        call(tf.constant([[1, 2], [3, 4]]))


def test_logaddexp_of_integers_is_float64():
    for dtype in ("int32", "bfloat16"):
        found = tnp.logaddexp(tf.constant([1, 2], dtype), tf.constant([1, 2], dtype))
        assert found.dtype == tf.float64
        assert np.allclose(found, [1.6931471805599454, 2.6931471805599454])


def test_logaddexp_of_unsigned_integers_does_not_wrap_around():
    found = tnp.logaddexp([2, 3], np.array([3, 4], np.uint8))
    assert np.allclose(found, [3.3132617, 4.3132617])


def test_hypot_takes_python_numbers_by_their_own_dtype():
    # Without NumPy's promotion TensorFlow refuses both.
    found = tnp.hypot(tf.constant([1.0, 2.0]), 2)
    assert found.dtype == tf.float64
    assert np.allclose(found, [2.23606797749979, 2.8284271247461903])


def test_take_along_axis_without_axis_takes_among_all_elements():
    np.testing.assert_array_equal(tnp.take_along_axis([[1, 2], [3, 4]], [0, -1], None), [1, 4])


def test_compress_tells_the_axis_that_is_not_there():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis must be in \[-1, 1\), got 3"):
        tnp.compress([True], [1.0], axis=3)


def test_average_of_integers_is_their_mean():
    np.testing.assert_array_equal(tnp.average([1, 2, 6]), 3.0)
