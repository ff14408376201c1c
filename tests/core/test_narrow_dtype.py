"""Dtypes of less than a byte, and 8-bit floating dtypes, support the same operations as in TensorFlow."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tfcompat as tf

FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
INT4 = ("int4", "uint4")
HELD = ("float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float4_e2m1fn", "int2", "uint2")
ALL = (*FLOAT8, *INT4, *HELD)
NUMBERS = [0.5, 7.5, 31.0, 100.0, 260.0, 1e5, -1e5, 1e-3, np.inf, -np.inf, np.nan]


def named(name: str) -> tf.DType:
    return getattr(tf.dtypes.experimental, name)


def held(name: str) -> tf.Tensor:
    return tf.constant(np.array([1, 0, 1, 0]).astype(getattr(ml_dtypes, name)))


@pytest.mark.parametrize(
    ("name", "number", "least", "most"),
    [
        ("float8_e5m2", 24, -57344, 57344),
        ("float8_e4m3fn", 25, -448, 448),
        ("float8_e4m3fnuz", 26, -240, 240),
        ("float8_e4m3b11fnuz", 27, -30, 30),
        ("float8_e5m2fnuz", 28, -57344, 57344),
        ("int4", 29, -8, 7),
        ("uint4", 30, 0, 15),
        ("int2", 31, -2, 1),
        ("uint2", 32, 0, 3),
        ("float4_e2m1fn", 33, -6, 6),
    ],
)
def test_names_numbers_and_limits(name: str, number: int, least: int, most: int) -> None:
    dtype = named(name)
    for same in (name, number, getattr(ml_dtypes, name), np.dtype(getattr(ml_dtypes, name))):
        assert tf.as_dtype(same) is dtype
    assert getattr(tf.experimental, name) is getattr(tf.compat.v1.dtypes.experimental, name) is dtype
    assert (repr(dtype), int(dtype), dtype.size) == (f"tf.{name}", number, 1)
    assert (float(dtype.min), float(dtype.max)) == (least, most)
    assert (dtype.is_floating, dtype.is_integer) == ("float" in name, "int" in name)
    assert dtype.is_unsigned == name.startswith("uint")
    with pytest.raises(ValueError, match="limits"):
        _ = dtype.limits


@pytest.mark.parametrize("name", ALL)
def test_tensors_are_made_of_arrays_and_take_another_shape(name: str) -> None:
    tensor = held(name)
    assert tensor.dtype is named(name)
    assert tf.constant(np.array([1.0, 0.0]), named(name)).numpy().dtype == getattr(ml_dtypes, name)
    table = tf.squeeze(tf.expand_dims(tf.reshape(tf.identity(tensor), [2, 2]), 0))
    assert table.numpy().astype(int).tolist() == [[1, 0], [1, 0]]


def test_constants_that_python_numbers_become() -> None:
    assert tf.constant([100, -100], tf.experimental.int4).numpy().astype(int).tolist() == [4, -4]
    assert tf.constant([1.0, 0.3], tf.experimental.float8_e5m2).numpy().astype(float).tolist() == [1.0, 0.3125]
    refused = [(1, name) for name in (*FLOAT8, *HELD)] + [(1.0, name) for name in (*INT4, *HELD)]
    for value, name in refused + [(True, name) for name in ALL]:
        with pytest.raises(TypeError):
            tf.constant(value, named(name))


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("float8_e4m3fn", [0.5, 7.5, 32.0, 96.0, 256.0, np.nan, np.nan, 0.001953125, np.nan, np.nan, np.nan]),
        ("float8_e5m2", [0.5, 8.0, 32.0, 96.0, 256.0, np.inf, -np.inf, 0.0009765625, np.inf, -np.inf, np.nan]),
    ],
)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_float8_is_cast_from_floating_numbers(name: str, want: list[float], source: str) -> None:
    found = tf.cast(tf.constant(NUMBERS, source), named(name))
    np.testing.assert_array_equal(found.numpy().astype(float), want)


@pytest.mark.parametrize("name", FLOAT8)
@pytest.mark.parametrize("target", ["float16", "float64", "int8", "int64", "uint32", "bool", "complex64"])
def test_float8_is_cast_to_numbers(name: str, target: str) -> None:
    found = tf.cast(held(name), target)
    assert found.dtype == target
    assert found.numpy().tolist() == [1, 0, 1, 0]


def test_float8_saturates() -> None:
    found = tf.saturate_cast([1.0, 1e9, -1e9], tf.experimental.float8_e4m3fn)
    assert found.numpy().astype(float).tolist() == [1.0, 448.0, -448.0]


def test_int4_is_cast_from_integers() -> None:
    numbers = tf.constant([7, 8, 15, 16, 100, -1, -9])
    assert tf.cast(numbers, tf.experimental.int4).numpy().astype(int).tolist() == [7, -8, -1, 0, 4, -1, 7]
    assert tf.cast(numbers, tf.experimental.uint4).numpy().astype(int).tolist() == [7, 8, 15, 0, 4, 15, 7]
    assert tf.cast(tf.cast(numbers, tf.experimental.int4), tf.experimental.uint4).numpy()[1] == 8


@pytest.mark.parametrize(
    ("source", "target"),
    [
        *((held_only, "float32") for held_only in HELD),
        *(("float32", held_only) for held_only in HELD),
        *((name, "int32") for name in INT4),
        *(("float32", name) for name in INT4),
        *(("int32", name) for name in FLOAT8),
        *((wide, name) for name in FLOAT8 for wide in ("bool", "complex64")),
        *((four, eight) for four in INT4 for eight in FLOAT8),
    ],
)
def test_conversions_that_there_are_not(source: str, target: str) -> None:
    tensor = held(source) if source in ALL else tf.constant(np.array([1, 0]).astype(source))
    with pytest.raises(tf.errors.UnimplementedError, match=f"{source} to {target}"):
        tf.cast(tensor, target)


@pytest.mark.parametrize("name", FLOAT8)
def test_parts_of_float8_are_copied(name: str) -> None:
    tensor = held(name)
    for found in (
        tf.concat([tensor, tensor], 0),
        tf.reshape(tf.stack([tensor, tensor]), [8]),
        tf.gather(tensor, [0, 1, 0, 1, 2, 3, 2, 3]),
        tf.reshape(tf.broadcast_to(tensor, [2, 4]), [8]),
        tf.concat(tf.split(tf.concat([tensor, tensor], 0), 2), 0),
        tf.reshape(tf.transpose(tf.stack([tensor[::2], tensor[1::2]] * 2)), [8]),
    ):
        assert found.dtype is named(name)
        assert found.numpy().astype(int).tolist() == [1, 0] * 4


@pytest.mark.parametrize("name", ALL)
def test_arithmetic_is_refused(name: str) -> None:
    tensor = held(name)
    for function in (lambda: tensor + tensor, lambda: -tensor, lambda: tf.reduce_sum(tensor), lambda: tf.floor(tensor)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function()
    for function in (lambda: tf.pad(tensor, [[1, 1]]), lambda: tf.tile(tensor, [2]), lambda: tensor == tensor):
        with pytest.raises((tf.errors.NotFoundError, tf.errors.UnimplementedError)):
            function()
    if name not in INT4:
        with pytest.raises(TypeError):
            tf.zeros([2], named(name))
        with pytest.raises(TypeError):
            tf.eye(2, dtype=named(name))


def test_conversions_to_float8_have_no_gradient() -> None:
    x = tf.constant([1.0, 0.3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.experimental.float8_e5m2), tf.float32)
    assert tape.gradient(y, x) is None


def test_float8_in_a_function_and_in_a_variable() -> None:
    scaled = tf.function(lambda stored, scale: tf.cast(stored, tf.float32) * scale)
    stored = tf.Variable(tf.cast([0.3, 5.5], tf.experimental.float8_e4m3fn))
    assert scaled(stored, tf.constant(2.0)).numpy().tolist() == [0.625, 11.0]
