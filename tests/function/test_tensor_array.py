"""`tf.TensorArray`: as TensorFlow 2.21 does it, where values are known and in functions."""

# ruff: noqa: ARG005 - a function of a loop or of rows takes them all, whether it needs them or not

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcompat as tf

EAGER = pytest.param(lambda f: f, id="eager")
DECORATED = pytest.param(lambda f: tf.function(f, autograph=False), id="decorated")
both = pytest.mark.parametrize("way", [EAGER, DECORATED])

Way = Callable[[Any], Any]
X = [1.0, 2.0, 3.0]


def _array(size: int = 3, **options: Any) -> tf.TensorArray:
    return tf.TensorArray(tf.float32, size, **options)


@both
@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (lambda x: _array().write(0, x).write(2, x * 2).stack(), [[1, 2, 3], [0, 0, 0], [2, 4, 6]]),
        (lambda x: _array(1).write(0, x).write(0, x * 2).stack(), [[2, 4, 6]]),
        (lambda x: _array(0, dynamic_size=True).write(2, x[0]).stack(), [0, 0, 1]),
        (lambda x: _array(2, element_shape=[]).stack(), [0, 0]),
        (lambda x: _array().unstack(x).read(2), 3),
        (lambda x: _array().unstack(x).gather([2, 0]), [3, 1]),
        (lambda x: _array(2, infer_shape=False).write(0, x).write(1, x[:1]).concat(), [1, 2, 3, 1]),
        (lambda x: _array(2, infer_shape=False).split(x, [1, 2]).read(1), [2, 3]),
        (lambda x: _array().scatter([2, 0], x[:2]).stack(), [2, 0, 1]),
        (lambda x: _array().unstack(x).identity().stack(), [1, 2, 3]),
        (lambda x: _array().write(tf.constant(1), x[0]).stack(), [0, 1, 0]),
        (lambda x: _array(4).size(), 4),
    ],
    ids=[
        *("gap", "twice", "grown", "unwritten", "read", "gather", "concat", "split", "scatter", "identity", "tensor"),
        "size",
    ],
)
def test_elements_are_written_and_read(way: Way, use: Any, expected: Any) -> None:
    assert way(use)(tf.constant(X)).numpy().tolist() == expected


@both
def test_gradients_go_to_what_was_written_and_unstacked(way: Way) -> None:
    def f(x: Any) -> Any:
        array = _array(clear_after_read=False).unstack(x)
        return _array().write(0, array.read(0) * array.read(1)).write(2, x[2] * 2.0).stack() * 3.0

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = way(f)(x)
    assert tape.gradient(y, x).numpy().tolist() == [6.0, 3.0, 6.0]


def test_an_element_is_cleared_as_it_is_read() -> None:
    array = _array().unstack(tf.constant(X))
    array.read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        array.read(0)


def test_an_eager_array_refuses() -> None:
    x = tf.constant(X)
    with pytest.raises(tf.errors.OutOfRangeError, match="Tried to write to index 5 but array is not resizeable"):
        _array().write(5, x)
    with pytest.raises(tf.errors.OutOfRangeError, match="Tried to read from index 5 but array size is: 3"):
        _array().read(5)
    with pytest.raises(tf.errors.OutOfRangeError, match="Reading from negative indices"):
        _array().read(-1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is float32 but Op is trying to write dtype int32"):
        _array().write(0, tf.constant(1))
    with pytest.raises(ValueError, match="Incompatible shape for value"):
        _array().write(0, x).write(1, x[0])
    with pytest.raises(ValueError, match="Cannot unstack 3 tensors into a TensorArray of static size 1"):
        _array(1).unstack(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="sum of lengths is 2"):
        _array().split(x, [1, 1])
    with pytest.raises(ValueError, match="Size must be declared"):
        tf.TensorArray(tf.float32)


@both
@pytest.mark.parametrize("size", [4, None], ids=["fixed", "dynamic"])
def test_a_loop_carries_an_array(way: Way, size: int | None) -> None:
    def f(x: Any) -> Any:
        array = _array(size or 0, dynamic_size=size is None)
        return tf.while_loop(
            lambda i, t: i < 4, lambda i, t: (i + 1, t.write(i, x * tf.cast(i, tf.float32))), (0, array)
        )[1].stack()

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = way(f)(x)
    np.testing.assert_allclose(y, [[0, 0, 0], [1, 2, 3], [2, 4, 6], [3, 6, 9]])
    assert tape.gradient(y, x).numpy().tolist() == [6.0, 6.0, 6.0]


@both
def test_a_loop_of_unknown_length_carries_an_array(way: Way) -> None:
    def f(x: Any, n: Any) -> Any:
        def body(i: Any, t: Any, h: Any) -> Any:
            h = tf.tanh(h + x)
            return i + 1, t.write(i, h), h

        return tf.while_loop(lambda i, t, h: i < n, body, (0, _array(5), tf.zeros([3])))[1].stack()

    x, n = tf.constant(X), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = way(f)(x, n)
    expected = [[0.761594, 0.964028, 0.995055], [0.942681, 0.994687, 0.999323], [0.959746, 0.995002, 0.999328]]
    np.testing.assert_allclose(y[:3], expected, rtol=1e-5)
    np.testing.assert_allclose(tape.gradient(y, x), [0.669454, 0.092082, 0.012578], rtol=1e-4)


@both
def test_loops_in_loops_and_branches_write(way: Way) -> None:
    def f(x: Any) -> Any:
        def inner(i: Any, t: Any) -> Any:
            return tf.while_loop(lambda j, t: j < 2, lambda j, t: (j + 1, t.write(i * 2 + j, x * 2.0)), (0, t))[1]

        def body(i: Any, t: Any) -> Any:
            return i + 1, tf.cond(i > 0, lambda: t, lambda: inner(i, t))

        return tf.while_loop(lambda i, t: i < 2, body, (0, _array(4)))[1].stack()

    assert way(f)(tf.constant(1.0)).numpy().tolist() == [2.0, 2.0, 0.0, 0.0]


def test_a_function_complains_of_a_place_that_there_is_not() -> None:
    def f(x: Any, n: Any) -> Any:
        return tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, x)), (0, _array(2)))[1].stack()

    g = tf.function(f, autograph=False)
    assert g(tf.constant(1.0), tf.constant(2)).numpy().tolist() == [1.0, 1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the index must be in"):
        g(tf.constant(1.0), tf.constant(3)).numpy()


def test_a_loop_of_unknown_length_makes_an_array_grow() -> None:
    def f(x: Any, n: Any) -> Any:
        array = _array(0, dynamic_size=True)
        return tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, x)), (0, array))[1].stack()

    grown = tf.function(f, autograph=False)
    assert grown(tf.constant(2.0), tf.constant(0)).numpy().tolist() == []
    for n in (3, 1):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = grown(x, tf.constant(n))
        assert y.numpy().tolist() == [2.0] * n
        assert tape.gradient(y, x).numpy() == n


def test_a_function_returns_an_array() -> None:
    array = tf.function(lambda x: _array(2).write(0, x), autograph=False)(tf.constant(3.0))
    assert array.stack().numpy().tolist() == [3.0, 0.0]


def test_a_function_takes_an_array() -> None:
    stacked = tf.function(lambda array: array.stack())
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        array = tf.TensorArray(tf.float32, 2).unstack(rows)
        total = tf.reduce_sum(stacked(array) ** 2.0)
    assert tape.gradient(total, rows).numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    written = tf.function(lambda arrays: arrays[0].write(1, 5.0).stack())
    assert written([tf.TensorArray(tf.float32, 2).write(0, 1.0)]).numpy().tolist() == [1.0, 5.0]


def test_array_has_no_length_and_is_true() -> None:
    with pytest.raises(TypeError, match="has no len"):
        len(_array())
    assert bool(_array(0))


@both
def test_floating_size_is_refused(way: Way) -> None:
    with pytest.raises(TypeError):
        way(lambda: tf.TensorArray(tf.float32, 2.0).size())()


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (lambda: _array().unstack(1.0), ValueError),
        (lambda: _array().split(1.0, [1]), tf.errors.InvalidArgumentError),
        (lambda: _array(3, infer_shape=False).split([1.0, 2.0], [1, 1]), tf.errors.InvalidArgumentError),
        (lambda: _array(1, infer_shape=False).split([1.0, 2.0], [1, 1]), tf.errors.InvalidArgumentError),
    ],
    ids=["unstacked_scalar", "split_scalar", "too_few_pieces", "too_many_pieces"],
)
def test_value_that_does_not_fill_the_array_is_refused(use: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        use()


def test_split_sets_a_dynamic_size() -> None:
    array = _array(3, dynamic_size=True, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2])
    assert array.size().numpy() == 2


def growing(size=0):
    return tf.TensorArray(tf.float32, size, dynamic_size=True)


def written_after_the_loop(n):
    array = growing()
    for _ in tf.range(n):
        array = array.write(array.size(), 1.0)
    array = array.write(array.size(), 2.0)
    return array.write(array.size() + 1, 3.0).stack()


def written_after_a_break(n):
    array = growing()
    for i in tf.range(n + 6):
        array = array.write(array.size(), 1.0)
        if i > 1:
            break
    return array.write(array.size(), 2.0).stack()


def written_twice(n):
    array = growing()
    for i in tf.range(n):
        array = array.write(array.size(), 1.0)
        if i != 1:
            array = array.write(array.size(), 2.0)
    return array.stack()


def written_in_two_loops(n):
    array = growing()
    for i in tf.range(n):
        if i % 2 == 0:
            array = array.write(array.size(), tf.cast(i, tf.float32))
    for _ in tf.range(n):
        array = array.write(array.size(), 10.0)
    return array.stack()


def written_in_a_loop_of_a_loop(n):
    array = growing()
    for i in tf.range(n):
        for j in tf.range(i):
            array = array.write(array.size(), tf.cast(j, tf.float32))
    return array.stack()


def read_twice(n):
    array = growing().write(0, 1.0).write(1, 2.0)
    i = tf.constant(0)
    while i < n:
        array = array.write(array.size(), array.read(array.size() - 1) + array.read(array.size() - 2))
        i += 1
    return array.stack()


def last_read(n):
    array = growing()
    for i in tf.range(n + 6):
        array = array.write(array.size(), 1.0)
        array = array.write(array.size(), tf.cast(i, tf.float32))
        if i > 3:
            break
    return array.read(array.size() - 1)


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (written_after_the_loop, [1.0, 1.0, 1.0, 2.0, 0.0, 3.0]),
        (written_after_a_break, [1.0, 1.0, 1.0, 2.0]),
        (written_twice, [1.0, 2.0, 1.0, 1.0, 2.0]),
        (written_in_two_loops, [0.0, 2.0, 10.0, 10.0, 10.0]),
        (written_in_a_loop_of_a_loop, [0.0, 0.0, 1.0]),
        (read_twice, [1.0, 2.0, 3.0, 5.0, 8.0]),
        (last_read, 4.0),
    ],
)
@pytest.mark.parametrize("count", [3, "tensor"])
def test_arrays_that_grow_in_functions(function, found, count):
    decorated = tf.function(function)
    assert decorated(tf.constant(3) if count == "tensor" else count).numpy().tolist() == found


def test_arrays_are_arguments_of_functions() -> None:
    @tf.function
    def written(array: Any) -> Any:
        return array.write(0, 5.0).stack()

    assert written(tf.TensorArray(tf.float32, 2).write(1, 2.0)).numpy().tolist() == [5.0, 2.0]
    assert written(tf.TensorArray(tf.float32, 3).write(1, 2.0)).numpy().tolist() == [5.0, 2.0, 0.0]
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(written(tf.TensorArray(tf.float32, 2).unstack(x)) ** 2)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 4.0]


@pytest.mark.parametrize(
    "use",
    [
        lambda array: array.read(1),
        lambda array: array.stack(),
        lambda array: array.write(0, "a").stack(),
        lambda array: array.write(0, 1.0).write(1, 2.0).write(2, 3.0).concat(),
        lambda array: array.unstack(1.0).size(),
    ],
    ids=["read", "stack", "dtype", "concat", "unstack"],
)
def test_faults_in_functions_are_found_when_they_run(use: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda: use(tf.TensorArray(tf.float32, 3)), autograph=False)()


def test_shape_of_the_elements_is_checked_by_unstack_in_functions() -> None:
    with pytest.raises(ValueError, match="shape"):
        tf.function(lambda: tf.TensorArray(tf.float32, 3, element_shape=[2]).unstack(tf.ones([3, 3])).stack())()


def test_array_without_elements_is_written_in_a_loop_without_iterations() -> None:
    def copied(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 0, element_shape=[2])
        return tf.while_loop(lambda i, _: i < 0, lambda i, array: (i + 1, array.write(i, x)), [0, array])[1].stack()

    assert tf.function(copied)(tf.zeros([2])).shape == (0, 2)
