"""`tf.cond`, `tf.case`, `tf.switch_case`: values and gradients as TensorFlow 2.21 gave them."""

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


def test_branches_that_are_traced_give_zeros_where_the_other_depends() -> None:
    found = _orders(tf.function(lambda x, y: tf.cond(x > y, lambda: x * x * y, lambda: tf.sin(y))), 1.0, 1.5)
    np.testing.assert_allclose(found, [0.9974950, 0.0, 0.0707372, 0.0, -0.1411200], rtol=1e-5)


@both
def test_cond_has_gradients_of_second_order(way: Way) -> None:
    found = _orders(way(lambda x, y: tf.cond(x > y, lambda: x * x * y, lambda: tf.sin(y))), 2.0, 1.5)
    np.testing.assert_allclose(found, [6.0, 6.0, 4.0, 68.0, 48.0], rtol=1e-6)


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


@both
def test_cond_assigns_in_the_branch_taken_only(way: Way) -> None:
    v = tf.Variable(2.0)

    def f(x: Any) -> Any:
        tf.cond(x > 0, lambda: v.assign_add(x), lambda: v.assign(7.0))
        return v * x

    g = way(f)
    with tf.GradientTape() as tape:
        y = g(tf.constant(3.0))
    assert (float(y), float(v), float(tape.gradient(y, v))) == (15.0, 5.0, 3.0)
    assert (float(g(tf.constant(-1.0))), float(v)) == (-7.0, 7.0)


def test_a_constant_that_was_assigned_is_what_is_read() -> None:
    v = tf.Variable(5.0)
    f = tf.function(lambda x: (v.assign(7.0), v * x)[1], autograph=False)
    assert float(f(tf.constant(2.0))) == 14.0
    assert float(v) == 7.0


@both
def test_cond_does_not_lead_through_stopped_gradients(way: Way) -> None:
    f = way(lambda x: tf.cond(x > 0, lambda: tf.stop_gradient(x) * 1.0, lambda: tf.floor(x)))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x) is None


@both
def test_cond_of_linear_branches_has_no_second_derivative(way: Way) -> None:
    f = way(lambda x: tf.cond(x > 0, lambda: 2.0 * x, lambda: 3.0 * x))
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        first = tape.gradient(y, x)
    assert float(first) == 2.0
    assert outer.gradient(first, x) is None


@both
def test_cond_follows_a_gradient_of_the_users(way: Way) -> None:
    @tf.custom_gradient
    def tenfold(x: Any) -> Any:
        y = tf.exp(x)
        return y, lambda upstream: upstream * y * 10.0

    def f(x: Any) -> Any:
        return tf.cond(x > -5.0, lambda: tenfold(tenfold(x)), lambda: x)

    found = _orders(way(f), 0.3)
    np.testing.assert_allclose(found, [3.856881, 520.6245, 7859682.0], rtol=1e-5)


def test_cond_in_a_function_complains_of_a_bad_value_in_the_branch_taken_only() -> None:
    f = tf.function(lambda i, x: tf.cond(i >= 0, lambda: tf.gather(x, i), lambda: x[0]), autograph=False)
    x = tf.constant([1.0, 2.0])
    assert float(f(tf.constant(1), x)) == 2.0
    assert float(f(tf.constant(-9), x)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
        f(tf.constant(9), x).numpy()


def test_cond_in_a_function_prints_in_the_branch_taken_only(capfd: pytest.CaptureFixture[str]) -> None:
    f = tf.function(lambda x: tf.cond(x > 0, lambda: (tf.print("up", x), x)[1], lambda: -x), autograph=False)
    f(tf.constant(2)).numpy()
    f(tf.constant(-2)).numpy()
    assert capfd.readouterr().err == "up 2\n"


def test_cond_in_a_function_draws_anew_at_each_call() -> None:
    f = tf.function(lambda x: tf.cond(x > 0, lambda: tf.random.uniform([]), lambda: x), autograph=False)
    assert float(f(tf.constant(1.0))) != float(f(tf.constant(1.0)))


@pytest.mark.parametrize(
    ("error", "words", "other"),
    [
        (TypeError, "must have the same number, type, and overall structure", lambda x: (x, x)),
        (TypeError, "have different types", lambda x: tf.constant(1)),
    ],
    ids=["structure", "dtype"],
)
def test_cond_refuses_branches_that_are_not_alike(error: Any, words: str, other: Any) -> None:
    f = tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: other(x)), autograph=False)
    with pytest.raises(error, match=words):
        f(tf.constant(1.0))


def test_cond_refuses_a_python_bool_in_a_function() -> None:
    with pytest.raises(TypeError, match="pred must not be a Python bool"):
        tf.function(lambda x: tf.cond(True, lambda: x, lambda: x), autograph=False)(tf.constant(1.0))


def test_cond_wants_functions() -> None:
    with pytest.raises(TypeError, match="'true_fn' must be callable"):
        tf.cond(True, 1, lambda: 2)  # pyright: ignore[reportArgumentType]


def test_cond_returns_python_values_as_they_are() -> None:
    assert tf.cond(True, lambda: [1], lambda: 2) == [1]


@both
@pytest.mark.parametrize(("index", "expected"), [(0, 2.0), (1, 4.0), (2, 6.0), (7, 6.0), (-1, 6.0)])
def test_switch_case_takes_the_last_branch_for_what_is_none(way: Way, index: int, expected: float) -> None:
    x = tf.constant(2.0)
    f = way(lambda i: tf.switch_case(i, [lambda: x, lambda: 2 * x, lambda: 3 * x]))
    assert float(f(tf.constant(index))) == expected


@both
def test_switch_case_takes_the_default_for_what_is_none(way: Way) -> None:
    f = way(lambda i: tf.switch_case(i, {1: lambda: tf.constant(1), 0: lambda: tf.constant(0)}, default=lambda: i * 2))
    assert [int(f(tf.constant(k))) for k in (0, 1, 2, -3)] == [0, 1, 4, -6]


@both
def test_switch_case_wants_a_scalar(way: Way) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        way(lambda: tf.switch_case(tf.constant([1]), [lambda: 1.0, lambda: 2.0]))()


def test_switch_case_wants_numbers_without_gaps() -> None:
    with pytest.raises(ValueError, match=r"contiguous range of \[0 to 2\) but found \{0,2\}"):
        tf.switch_case(tf.constant(0), {0: lambda: 1, 2: lambda: 2})


@both
def test_case_calls_the_first_whose_condition_is_true(way: Way) -> None:
    f = way(
        lambda x: tf.case(
            [(x < 1, lambda: tf.constant(17)), (x < 5, lambda: tf.constant(23))], default=lambda: tf.constant(-1)
        )
    )
    assert [int(f(tf.constant(x))) for x in (0.0, 2.0, 9.0)] == [17, 23, -1]


@both
def test_case_complains_if_no_condition_is_true(way: Way) -> None:
    f = way(lambda x: tf.case([(x < 1, lambda: tf.constant(17))]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions evaluated as True"):
        f(tf.constant(2.0)).numpy()


def test_shapes_decide_between_branches_of_different_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def at_most_two(x):
        if tf.rank(x) > 1 and tf.shape(x)[0] > 2:
            x = x[:2]
        return x * 2.0

    assert [at_most_two(tf.ones([n, 2])).shape.as_list() for n in (1, 3)] == [[1, 2], [2, 2]]

    @tf.function
    def doubled(x):
        branches = [lambda: tf.zeros([0]), lambda: x, lambda: x[:1] + x[1:], lambda: tf.concat([x, x], 0)]
        return tf.switch_case(tf.shape(x)[0], branches)

    found = [doubled(tf.range(1.0, n + 1.0)).numpy().tolist() for n in (1, 2, 3, 4)]
    assert found == [[1], [3], [1, 2, 3, 1, 2, 3], [1, 2, 3, 4, 1, 2, 3, 4]]


def test_gradient_of_the_branch_that_shapes_decide_for() -> None:
    @tf.function
    def with_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            if tf.equal(tf.shape(x)[0] % 2, 1):
                y = tf.pad(x * x, [[0, 1]])
            loss = tf.reduce_sum(y * y)
        return tape.gradient(loss, x)

    assert with_gradient(tf.range(1.0, 4.0)).numpy().tolist() == [4.0, 32.0, 108.0]
    assert with_gradient(tf.range(1.0, 3.0)).numpy().tolist() == [2.0, 4.0]


def test_shapes_of_the_function_around_decide_in_a_loop() -> None:
    count = tf.Variable(3)

    @tf.function
    def weighted(x, n):
        size = tf.shape(x)[0]
        total = 0.0
        for i in tf.range(n):
            y = x
            if size > 2:
                y = x[:2]
                count.assign_add(1)
            else:
                count.assign_sub(1)
            total += tf.reduce_sum(y) * tf.cast(i, tf.float32)
        return total

    found = [(weighted(tf.range(1.0, n + 1.0), tf.constant(3)).numpy(), count.numpy()) for n in (1, 3, 4)]
    assert found == [(3.0, 0), (9.0, 3), (9.0, 6)]


def test_values_of_variables_and_arguments_decide_between_shapes() -> None:
    held = tf.Variable(3)

    @tf.function
    def of_variable(x):
        return x[:1] if held > 2 else x

    @tf.function
    def of_argument(x, n):
        return x[:1] if n > 2 else x

    for number, size in ((3, 1), (2, 3), (4, 1)):
        held.assign(number)
        assert of_variable(tf.ones([3])).numpy().tolist() == [1.0] * size
        assert of_argument(tf.ones([3]), tf.constant(number)).numpy().tolist() == [1.0] * size


@both
def test_gradient_of_the_branch_whose_shape_a_value_decides(way: Way) -> None:
    f = way(lambda x: tf.cond(x > 0.0, lambda: x * x, lambda: tf.stack([x, 3.0 * x])))
    found = []
    for value in (3.0, -1.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found.append((y.numpy().tolist(), tape.gradient(y, x).numpy()))
    assert found == [(9.0, 6.0), ([-1.0, -3.0], 4.0)]


BAD_VALUES = {
    "assertion": lambda: tf.debugging.Assert(False, ["wrong"]),
    "numerics": lambda: tf.debugging.check_numerics(tf.constant(np.nan), "bad"),
    "number": lambda: tf.strings.to_number("a"),
    "substring": lambda: tf.strings.substr("abc", 5, 1),
    "pattern": lambda: tf.strings.regex_full_match("a", "("),
    "unicode": lambda: tf.strings.unicode_decode([b"\xff"], "UTF-8", errors="strict"),
    "record": lambda: tf.io.decode_csv(["1"], [[0], [0]]),
    "bytes": lambda: tf.io.decode_raw(["abc"], tf.int16),
    "image": lambda: tf.io.decode_bmp(b"abc"),
    "sound": lambda: tf.audio.decode_wav(b"abc"),
    "segments": lambda: tf.math.segment_sum([1, 2], [1, 0]),
    "rows": lambda: tf.RaggedTensor.from_row_splits([1, 2], [0, 5]),
    "multiples": lambda: tf.tile([1], [-1]),
}


@pytest.mark.parametrize("bad", BAD_VALUES.values(), ids=BAD_VALUES)
def test_bad_values_matter_in_the_branch_that_is_taken(bad: Any) -> None:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        def refused() -> Any:
            bad()
            return 2.0 * x

        return tf.cond(x > 0.0, lambda: x, refused)

    assert f(tf.constant(1.0)).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(-1.0)).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda: [bad(), tf.constant(1)][1], autograph=False)()


def test_missing_file_matters_in_the_branch_that_is_taken() -> None:
    f = tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: tf.strings.length(tf.io.read_file("/nonexistent"))))
    assert f(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.OpError):
        f(tf.constant(-1)).numpy()


def test_assertions_that_tracing_decides_fail_in_every_branch() -> None:
    f = tf.function(lambda x: tf.cond(x > 0, lambda: x, lambda: [tf.debugging.assert_equal(1, 2), x][1]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(1))


def test_steps_before_a_failed_assertion_run(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x > 0.0:
            return x
        tf.print("before")
        tf.debugging.Assert(False, [x])
        return -x

    assert f(tf.constant(1.0)).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(-1.0)).numpy()
    assert capfd.readouterr().err == "before\n"
