"""`tf.while_loop`: values and gradients as TensorFlow 2.21 gave them."""

# ruff: noqa: ARG005 - a function of a loop or of rows takes them all, whether it needs them or not

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import without
from tfcompat._function.control import checkpointed_while

EAGER = pytest.param(lambda f: f, id="eager")
DECORATED = pytest.param(lambda f: tf.function(f, autograph=False), id="decorated")
both = pytest.mark.parametrize("way", [EAGER, DECORATED])

Way = Callable[[Any], Any]


def _orders(f: Any, *values: float) -> list[float]:
    """The value, the gradients, and the gradients of the sum of their squares."""
    xs = [tf.constant(value) for value in values]
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
        first = tape.gradient(y, xs)
        total = sum(g * g for g in first)
    return [float(t) for t in (y, *first, *outer.gradient(total, xs))]


def _sines(x: Any, w: Any, n: Any) -> Any:
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y * w) + x * 0.1), (0, x))[1]


SINES = [0.87762, 0.72617, 1.20051, -8.88608, -11.28789]


@both
def test_a_loop_of_known_length_has_gradients_of_second_order(way: Way) -> None:
    np.testing.assert_allclose(_orders(way(lambda x, w: _sines(x, w, 4)), 0.5, 1.2), SINES, rtol=1e-4)


def test_a_loop_of_unknown_length_has_gradients_of_second_order() -> None:
    f = tf.function(_sines, autograph=False)
    found = _orders(lambda x, w: f(x, w, tf.constant(4)), 0.5, 1.2)
    np.testing.assert_allclose(found, SINES, rtol=1e-4)
    assert _orders(lambda x, w: f(x, w, tf.constant(0)), 0.5, 1.2) == [0.5, 1.0, 0.0, 0.0, 0.0]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 16, 17])
def test_gradients_do_not_depend_on_how_many_states_are_kept(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def gradients(f: Any) -> list[float]:
        xs = [tf.constant(0.5), tf.constant(1.2)]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs, tf.constant(count))
        return [float(y), *(float(g) for g in tape.gradient(y, xs))]

    monkeypatch.setattr(checkpointed_while, "_PLACES", 3)
    monkeypatch.setattr(checkpointed_while, "_PLACES_WITHIN", 2)
    found = gradients(tf.function(_sines, autograph=False))
    np.testing.assert_allclose(found, gradients(_sines), rtol=1e-5)


@both
def test_a_loop_that_ends_by_its_values_has_gradients(way: Way) -> None:
    f = way(lambda x: tf.while_loop(lambda i, y: y < 50.0, lambda i, y: (i + 1, y * y + x), (0, x))[1])
    np.testing.assert_allclose(_orders(f, 1.3), [106.15963, 462.37784, 1656062.875], rtol=1e-5)


def _inner(h: Any) -> Any:
    return tf.while_loop(lambda j, _: j < 2, lambda j, g: (j + 1, g * 2.0), (0, h))[1]


LINEAR = {
    "sum": (lambda i, h, x, w: h + x, [None, None]),
    "mean": (lambda i, h, x, w: h - tf.reduce_mean(x), [None, None]),
    "row": (lambda i, h, x, w: h + x[i], [None, None]),
    "factor": (lambda i, h, x, w: h * 2.0 + x, [0.0, None]),
    "relu": (lambda i, h, x, w: h + tf.nn.relu(x), [0.0, None]),
    "row_factor": (lambda i, h, x, w: h + x[i] * 2.0, [0.0, None]),
    "matvec": (lambda i, h, x, w: h + tf.linalg.matvec(tf.eye(3), x), [0.0, None]),
    "both": (lambda i, h, x, w: h * 2.0 + x + w, [0.0, 0.0]),
    "inner": (lambda i, h, x, w: _inner(h) + x, [0.0, None]),
}
LENGTHS = {"known": 3, "unknown": None}
EACH = list(itertools.product(LENGTHS, LINEAR))
# The daily run has two of unknown length.
VARIANTS = [each for each in EACH if each[0] == "unknown" and each[1] not in ("row", "factor")]


@pytest.mark.parametrize(("length", "name"), without(VARIANTS, EACH))
def test_a_linear_loop_has_second_derivatives_where_its_gradient_reads_values(length: str, name: str) -> None:
    (body, expected), count = LINEAR[name], LENGTHS[length]

    @tf.function(autograph=False)
    def f(x: Any, w: Any, n: Any) -> Any:
        return tf.while_loop(lambda i, _: i < (count or n), lambda i, h: (i + 1, body(i, h, x, w)), (0, tf.ones([3])))[
            1
        ]

    sources = [tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)]
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = f(*sources, tf.constant(3))
        total = tf.add_n([tf.reduce_sum(g * g) for g in tape.gradient(y, sources) if g is not None])
    found = outer.gradient(total, sources)
    assert [None if g is None else float(tf.reduce_sum(g)) for g in found] == expected


@both
def test_cond_in_a_loop_has_gradients_of_second_order(way: Way) -> None:
    def body(x: Any, y: Any, a: Any) -> Any:
        return tf.cond(a > 2.0, lambda: a * y, lambda: a * a + x)

    f = way(lambda x, y: tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, body(x, y, a)), (0, x))[1])
    np.testing.assert_allclose(_orders(f, 1.1, 0.7), [2.60028, 5.77091, 8.94407, 524.2985, 663.27637], rtol=1e-5)


def test_a_loop_of_unknown_length_in_a_loop_has_gradients() -> None:
    def inner(i: Any, a: Any, w: Any) -> Any:
        return tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, tf.sin(b * w)), (0, a))[1]

    def f(x: Any, w: Any, n: Any) -> Any:
        return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, inner(i, a, w) + x), (0, x))[1]

    def gradients(f: Any) -> list[float]:
        xs = [tf.constant(0.5), tf.constant(1.2)]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs, tf.constant(4))
        return [float(y), *(float(g) for g in tape.gradient(y, xs))]

    np.testing.assert_allclose(gradients(tf.function(f, autograph=False)), gradients(f), rtol=1e-5)


@both
def test_a_loop_reads_rows_at_its_position(way: Way) -> None:
    def f(x: Any) -> Any:
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x[i] + x[2 - i]), (0, x[0]))[1]

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = way(f)(x)
    assert float(y) == 31.0
    np.testing.assert_allclose(tape.gradient(y, x), [13.0, 15.0, 16.0])


@both
def test_maximum_iterations_end_a_loop(way: Way) -> None:
    f = way(
        lambda x, y: tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x), (0, y), maximum_iterations=2)[1]
    )
    np.testing.assert_allclose(_orders(f, 1.1, 0.7), [0.847, 1.54, 1.21, 9.636, 6.776], rtol=1e-5)


@both
def test_a_tape_in_a_body_works(way: Way) -> None:
    def body(i: Any, a: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(a)
            loss = a * a * a
        return i + 1, a - 0.1 * tape.gradient(loss, a)

    found = _orders(way(lambda x: tf.while_loop(lambda i, a: i < 3, body, (0, x))[1]), 1.1)
    np.testing.assert_allclose(found, [0.47519, 0.12433, -0.07123], rtol=1e-4)


@both
def test_a_body_assigns_variables(way: Way) -> None:
    v = tf.Variable(1.0)

    def f(n: Any) -> Any:
        def body(i: Any) -> Any:
            v.assign(v * 2.0)
            return [i + 1]

        tf.while_loop(lambda i: i < n, body, [tf.constant(0)])
        return v.read_value()

    assert float(way(f)(tf.constant(5))) == 32.0
    assert float(v) == 32.0


@both
def test_jacobian_goes_through_a_loop(way: Way) -> None:
    m = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(m)
        y = way(lambda m: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * a + m), (0, m))[1])(m)
    np.testing.assert_allclose(tape.jacobian(y, m), [[131.0, 0.0], [0.0, 4637.0]])


def test_random_numbers_differ_from_iteration_to_iteration_and_from_call_to_call() -> None:
    def rows(n: Any) -> Any:
        def row(t: Any, i: Any, j: Any) -> Any:
            return tf.while_loop(
                lambda j, t: j < 2, lambda j, t: (j + 1, t.write(i * 2 + j, tf.random.uniform([]))), (j, t)
            )[1]

        array = tf.TensorArray(tf.float32, 6)
        return tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, row(t, i, 0)), (0, array))[1].stack()

    f = tf.function(rows, autograph=False)
    numbers = [*f(tf.constant(3)).numpy(), *f(tf.constant(3)).numpy()]
    assert len(set(numbers)) == 12


def test_a_seeded_draw_is_the_same_with_and_without_a_loop_at_first() -> None:
    def once() -> Any:
        return tf.random.uniform([2], seed=4)

    def looped() -> Any:
        return tf.while_loop(
            lambda i, a: i < 1, lambda i, a: (i + 1, tf.random.uniform([2], seed=4)), (0, tf.zeros([2]))
        )[1]

    tf.random.set_seed(3)
    first = tf.function(once, autograph=False)().numpy()
    tf.random.set_seed(3)
    np.testing.assert_array_equal(tf.function(looped, autograph=False)().numpy(), first)


def test_what_a_body_prints_is_printed_once_an_iteration(capfd: pytest.CaptureFixture[str]) -> None:
    def body(i: Any, a: Any) -> Any:
        tf.print("turn", i)
        return i + 1, a * a

    f = tf.function(lambda a, n: tf.while_loop(lambda i, a: i < n, body, (0, a))[1], autograph=False)
    a = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = f(a, tf.constant(3))
    assert float(tape.gradient(y, a)) == 1024.0
    assert capfd.readouterr().err == "turn 0\nturn 1\nturn 2\n"


def test_a_body_complains_of_a_bad_value() -> None:
    f = tf.function(
        lambda x, n: tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a + tf.gather(x, i)), (0, 0.0))[1],
        autograph=False,
    )
    x = tf.constant([1.0, 2.0])
    assert float(f(x, tf.constant(2))) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
        f(x, tf.constant(3)).numpy()


def test_forward_derivatives_go_through_a_loop() -> None:
    f = tf.function(_sines, autograph=False)
    x, w = tf.constant(0.5), tf.constant(1.2)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = f(x, w, tf.constant(4))
    np.testing.assert_allclose(float(accumulator.jvp(y)), SINES[1], rtol=1e-4)


def test_forward_over_reverse_goes_through_a_loop() -> None:
    f = tf.function(_sines, autograph=False)
    x, w = tf.constant(0.5), tf.constant(1.2)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, w, tf.constant(4))
        first = tape.gradient(y, x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _sines(x, w, 4)
        again = tape.gradient(y, x)
    np.testing.assert_allclose(float(accumulator.jvp(first)), float(outer.gradient(again, x)), rtol=1e-4)


def test_a_loop_is_one_program() -> None:
    f = tf.function(_sines, autograph=False)
    x, w = tf.constant(0.5), tf.constant(1.2)
    with tf.counted() as counts:
        for steps in (3, 5, 4, 6):
            f(x, w, tf.constant(steps)).numpy()
    assert counts.compiles == 1


@pytest.mark.parametrize(
    ("error", "words", "body"),
    [
        (ValueError, r"enters the loop with shape \(1,\), but has shape \(2,\)", lambda i, y: (i + 1, tf.tile(y, [2]))),
        (TypeError, "type should remain constant", lambda i, y: (i + 1, tf.cast(y, tf.int32))),
        (ValueError, "same nested structure", lambda i, y: (i + 1, (y, y))),
        (ValueError, "same number of elements", lambda i, y: (i + 1,)),
    ],
    ids=["shape", "dtype", "structure", "length"],
)
def test_a_loop_refuses_what_changes(error: Any, words: str, body: Any) -> None:
    f = tf.function(lambda y: tf.while_loop(lambda i, y: i < 2, body, (0, y)), autograph=False)
    with pytest.raises(error, match=words):
        f(tf.constant([1.0]))


@both
def test_shape_invariants_let_a_shape_change(way: Way) -> None:
    shapes = (tf.TensorShape([]), tf.TensorShape([None]))

    def f(y: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, tf.tile(y, [2])), (0, y), shapes)[1]

    g = way(f)
    for size in (1, 3):
        x = tf.ones([size])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        assert y.numpy().tolist() == [1.0] * 4 * size
        assert tape.gradient(y, x).numpy().tolist() == [4.0] * size


@both
def test_a_loop_wants_functions_and_a_positive_number(way: Way) -> None:
    with pytest.raises(TypeError, match="'cond' must be callable"):
        way(lambda x: tf.while_loop(1, lambda i: i, [x]))(tf.constant(1))  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="'parallel_iterations' must be a positive integer"):
        way(lambda x: tf.while_loop(lambda i: i < 1, lambda i: i, [x], parallel_iterations=0))(tf.constant(1))


def test_an_eager_loop_wants_variables() -> None:
    with pytest.raises(ValueError, match="'loop_vars' must be provided"):
        tf.while_loop(lambda: True, lambda: (), ())


def test_the_values_that_a_loop_was_traced_with_are_not_kept():
    v = tf.Variable(tf.ones([64, 64]))

    @tf.function(autograph=False)
    def power(n):
        return tf.while_loop(lambda i, _: i < n, lambda i, x: (i + 1, x @ v), [0, tf.eye(64)])[1]

    first = weakref.ref(v._tensor)
    power(tf.constant(3))
    v.assign(v * 0.5)
    tf.sync()
    assert first() is None


@pytest.mark.parametrize("size", [0, 1, 3])
def test_body_may_slice_at_the_counter_whatever_the_length(size: int) -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([2, None, 3], tf.float32)])
    def summed(x: Any) -> Any:
        length = tf.shape(x)[1]
        return tf.while_loop(lambda i, _: i < length, lambda i, y: (i + 1, y + x[:, i]), (0, tf.zeros([2, 3])))[1]

    np.testing.assert_array_equal(summed(tf.ones([2, size, 3])), np.full([2, 3], size))


def test_slice_of_nothing_at_a_tensor_is_an_error() -> None:
    @tf.function(autograph=False)
    def sliced(x: Any, place: Any) -> Any:
        return x[:, place]

    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index"):
        sliced(tf.zeros([2, 0, 3]), tf.constant(0)).numpy()


def test_maximum_iterations_are_truncated_outside_of_functions() -> None:
    assert tf.while_loop(lambda i: True, lambda i: [i + 1], [0], maximum_iterations=2.5)[0].numpy() == 2


def test_bad_values_in_the_body_of_a_loop_without_iterations() -> None:
    def body(i: Any) -> Any:
        tf.debugging.Assert(False, ["wrong"])
        return i + tf.cast(tf.strings.to_number("a"), tf.int32)

    f = tf.function(lambda n: tf.while_loop(lambda i: i < n, body, [0])[0], autograph=False)
    assert f(tf.constant(0)).numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(1)).numpy()


def test_body_of_a_growing_loop_may_return_one_tensor() -> None:
    @tf.function
    def grown() -> Any:
        return tf.while_loop(
            lambda x: tf.size(x) < 4,
            lambda x: tf.concat([x, x], 0),
            [tf.ones([1])],
            shape_invariants=[tf.TensorShape([None])],
        )

    (found,) = grown()
    assert found.numpy().tolist() == [1.0] * 4
