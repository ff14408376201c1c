"""User-defined gradients."""

from __future__ import annotations

import collections

import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


@tf.custom_gradient
def hundredfold(x):
    """The square of x, whose derivative is said to be 100 x."""
    return x * x, lambda upstream: upstream * 100.0 * x


def gradient_of(fn, *sources):
    """The gradients of `fn` at `sources`."""
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = fn(*sources)
    return values(tape.gradient(y, list(sources)))


def test_users_gradient_is_taken():
    assert gradient_of(hundredfold, tf.constant(3.0)) == [300.0]


def test_users_gradient_stands_in_a_chain():
    assert gradient_of(lambda x: 2.0 * hundredfold(x * 3.0), tf.constant(3.0)) == [5400.0]


def test_function_called_twice():
    assert gradient_of(lambda x: hundredfold(hundredfold(x)), tf.constant(2.0)) == [80000.0]


def test_value_without_a_tape():
    assert values(hundredfold(tf.constant(3.0))) == 9.0


def test_python_number_as_argument():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = hundredfold(3.0) * v
    assert values(tape.gradient(y, v)) == 9.0


def test_users_function_is_called_once_for_each_gradient():
    calls = []

    @tf.custom_gradient
    def fn(x):
        calls.append("forward")

        def grad(upstream):
            calls.append("backward")
            return upstream

        return x * x, grad

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = fn(x)
    assert calls == ["forward"]
    tape.gradient(y, x)
    tape.gradient(y, x)
    assert calls == ["forward", "backward", "backward"]


def test_gradient_for_several_arguments():
    @tf.custom_gradient
    def fn(x, y):
        return x * y, lambda upstream: (upstream * 10.0, upstream * 20.0)

    assert gradient_of(fn, tf.constant(2.0), tf.constant(3.0)) == [10.0, 20.0]


def test_argument_that_is_not_watched_has_no_gradient():
    @tf.custom_gradient
    def fn(x, y):
        return x * y, lambda upstream: (upstream * 10.0, upstream * 20.0)

    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = fn(x, y)
    assert values(tape.gradient(z, [x, y])) == [10.0, None]


def test_none_for_an_argument():
    @tf.custom_gradient
    def fn(x, y):
        return x * y, lambda upstream: (upstream * 10.0, None)

    assert gradient_of(fn, tf.constant(2.0), tf.constant(3.0)) == [10.0, None]


def test_too_few_gradients_are_a_value_error():
    @tf.custom_gradient
    def fn(x, y):
        return x * y, lambda upstream: upstream

    with pytest.raises(ValueError, match="custom_gradient function expected to return 2 gradients, but returned 1"):
        gradient_of(fn, tf.constant(2.0), tf.constant(3.0))


def test_several_results():
    @tf.custom_gradient
    def fn(x):
        return (x * 2.0, x * 3.0), lambda a, b: a * 10.0 + b * 100.0

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = fn(x)
        y = a * 5.0 + b
    assert values(tape.gradient(y, x)) == 150.0
    assert values(tape.gradient(a, x)) == 10.0
    assert values(tape.gradient(b, x)) == 100.0


def test_unused_result_has_a_zero_upstream():
    seen = []

    @tf.custom_gradient
    def fn(x):
        def grad(*upstream):
            seen.extend(values(u) for u in upstream)
            return upstream[0]

        return [x * 2.0, tf.stack([x, x])], grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)[0]
    tape.gradient(y, x)
    assert seen == [1.0, [0.0, 0.0]]


def test_structure_of_the_results_is_kept():
    @tf.custom_gradient
    def fn(x):
        return {"a": x * 2.0, "b": [x * 3.0]}, lambda a, b: a + b

    found = fn(tf.constant(2.0))
    assert values(found) == {"a": 4.0, "b": [6.0]}


def test_nested_arguments():
    Pair = collections.namedtuple("Pair", "a b")

    @tf.custom_gradient
    def fn(pair, others):
        y = pair.a * pair.b * others["c"]
        return y, lambda upstream: (Pair(upstream * 1.0, upstream * 2.0), {"c": upstream * 3.0})

    a, b, c = (tf.constant(v) for v in (2.0, 3.0, 5.0))
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        y = fn(Pair(a, b), {"c": c})
    assert values(y) == 30.0
    assert values(tape.gradient(y, [a, b, c])) == [1.0, 2.0, 3.0]


def test_keyword_arguments_are_passed_through():
    @tf.custom_gradient
    def fn(x, *, factor):
        return x * factor, lambda upstream: upstream * 7.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x, factor=3.0)
    assert values(y) == 6.0
    assert values(tape.gradient(y, x)) == 7.0


def test_variable_as_argument():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = hundredfold(v)
    assert values(tape.gradient(y, v)) == 300.0


def test_variable_that_is_read_needs_variables():
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def fn(x):
        return x * v, lambda upstream: upstream

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(
            TypeError,
            match=r"@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses",
        ):
            fn(x)


def test_variables_get_their_gradients():
    v, w = tf.Variable(3.0), tf.Variable(5.0)

    @tf.custom_gradient
    def fn(x):
        def grad(upstream, variables=None):
            assert len(variables) == 2
            return upstream * 10.0, [upstream * 20.0, upstream * 30.0]

        return x * v * w, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    assert values(tape.gradient(y, [x, v, w])) == [10.0, 20.0, 30.0]


def test_variables_by_keyword_dictionary():
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def fn(x):
        def grad(upstream, **kwargs):
            return upstream * 10.0, [upstream * 20.0 for _ in kwargs["variables"]]

        return x * v, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    assert values(tape.gradient(y, [x, v])) == [10.0, 20.0]


def test_variable_that_is_not_trainable_needs_nothing():
    v = tf.Variable(3.0, trainable=False)

    @tf.custom_gradient
    def fn(x):
        return x * v, lambda upstream: upstream * 10.0

    assert gradient_of(fn, tf.constant(2.0)) == [10.0]


def test_wrong_number_of_gradients_for_variables():
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def fn(x):
        def grad(upstream, variables=None):
            return upstream, variables[1:]

        return x * v, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    with pytest.raises(ValueError, match="Must return gradient for each variable from @custom_gradient grad_fn"):
        tape.gradient(y, x)


def test_second_order_differentiates_the_users_function():
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = hundredfold(x)
        g = inner.gradient(y, x)
    assert values(g) == 300.0
    assert values(outer.gradient(g, x)) == 100.0


def test_second_order_of_a_constant_gradient_is_none():
    @tf.custom_gradient
    def fn(x):
        return x * x, lambda upstream: upstream * 100.0

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x)
        g = inner.gradient(y, x)
    assert values(g) == 100.0
    assert outer.gradient(g, x) is None


def test_third_order():
    @tf.custom_gradient
    def fn(x):
        return x * x, lambda upstream: upstream * x * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as c:
                c.watch(x)
                y = fn(x)
            first = c.gradient(y, x)
        second = b.gradient(first, x)
    assert [values(first), values(second), values(a.gradient(second, x))] == [8.0, 12.0, 12.0]


def test_nested_custom_gradients():
    @tf.custom_gradient
    def inner(upstream, x):
        return upstream * 10.0 * x, lambda above: (above * 1000.0, above * 7.0)

    @tf.custom_gradient
    def fn(x):
        return x * x, lambda upstream: inner(upstream, x)

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        g = tape.gradient(y, x)
    assert values(g) == 30.0
    assert values(outer.gradient(g, x)) == 7.0


def test_custom_gradient_inside_another():
    @tf.custom_gradient
    def fn(x):
        return hundredfold(x) * 2.0, lambda upstream: upstream * 5.0

    assert gradient_of(fn, tf.constant(3.0)) == [5.0]


def test_closure_over_a_result():
    @tf.custom_gradient
    def sigmoid(x):
        y = 1.0 / (1.0 + tf.exp(-x))
        return y, lambda upstream: upstream * y * (1.0 - y)

    assert gradient_of(sigmoid, tf.constant(0.0)) == [0.25]


def test_closure_over_a_result_at_second_order():
    @tf.custom_gradient
    def square(x):
        y = x * x
        return y, lambda upstream: upstream * y

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = square(x)
        g = inner.gradient(y, x)
    assert values(g) == 9.0
    assert values(outer.gradient(g, x)) == 6.0


def test_tape_inside_the_function():
    @tf.custom_gradient
    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        slope = tape.gradient(y, x)
        return y, lambda upstream: upstream * slope * 10.0

    assert gradient_of(fn, tf.constant(2.0)) == [120.0]


def test_watched_intermediate_after_a_custom_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = hundredfold(x)
        y = m * m
    assert values(tape.gradient(y, [m, x])) == [18.0, 5400.0]


def test_read_in_the_middle_with_a_custom_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = hundredfold(x * 1.0)
        assert values(m) == 9.0
        y = m * 2.0
    assert values(tape.gradient(y, x)) == 600.0


def test_integer_argument_has_no_gradient():
    @tf.custom_gradient
    def fn(x, n):
        return x * tf.cast(n, tf.float32), lambda upstream: (upstream * 10.0, None)

    x, n = tf.constant(2.0), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x, n)
    assert values(tape.gradient(y, [x, n])) == [10.0, None]


def test_gradient_of_another_shape_is_given_on():
    @tf.custom_gradient
    def fn(x):
        return tf.reduce_sum(x), lambda upstream: tf.ones([2]) * upstream * 4.0

    assert gradient_of(fn, tf.constant([1.0, 2.0])) == [[4.0, 4.0]]


def test_custom_gradient_without_a_function_is_a_decorator():
    @tf.custom_gradient
    def fn(x):
        """Describes the function."""
        return x, lambda upstream: upstream

    assert fn.__name__ == "fn"
    assert fn.__doc__ == "Describes the function."


def test_custom_gradient_of_a_method():
    class Layer:
        def __init__(self):
            self.factor = 3.0

        @tf.custom_gradient
        def scale(self, x):
            return x * self.factor, lambda upstream: upstream * self.factor * 10.0

    layer = Layer()
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer.scale(x)
    assert values(tape.gradient(y, x)) == 30.0


def test_log_one_plus_exp():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1.0 + e), lambda upstream: upstream * (1.0 - 1.0 / (1.0 + e))

    assert gradient_of(log1pexp, tf.constant(100.0)) == [1.0]


def test_users_error_in_the_gradient_leaves_the_tape_usable():
    fails = [True]

    @tf.custom_gradient
    def fn(x):
        def grad(upstream):
            if fails:
                raise KeyError("mine")
            return upstream * 3.0

        return x * x, grad

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = fn(x) * 2.0
    with pytest.raises(KeyError):
        tape.gradient(y, x)
    fails.clear()
    assert values(tape.gradient(y, x)) == 6.0


def test_users_error_in_the_function_leaves_the_tape_usable():
    @tf.custom_gradient
    def fn(x):
        raise KeyError(x)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError):
            fn(x)
        y = x * x
    assert values(tape.gradient(y, x)) == 4.0


def test_loop_of_steps_with_a_custom_gradient():
    v = tf.Variable(2.0)
    for _ in range(4):
        with tf.GradientTape() as tape:
            y = hundredfold(v)
        v.assign_sub(tape.gradient(y, v) * 0.001)
    assert values(v.value()) == 1.3122


def test_grad_pass_through():
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(tf.floor)(x) * 3.0
    assert values(y) == 6.0
    assert values(tape.gradient(y, x)) == 3.0


def test_grad_pass_through_a_variable():
    v = tf.Variable(4.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(lambda t: t * v)(x) * 3.0
    assert values(y) == 24.0
    assert values(tape.gradient(y, [x, v])) == [3.0, None]


def test_stop_gradient_inside_a_custom_gradient():
    @tf.custom_gradient
    def fn(x):
        return x * tf.stop_gradient(x), lambda upstream: upstream * tf.stop_gradient(x)

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x)
        g = inner.gradient(y, x)
    assert values(g) == 3.0
    assert outer.gradient(g, x) is None


def test_ragged_tensors_have_ragged_gradients():
    rows, factor = tf.ragged.constant([[1.0, 2.0], [3.0], []]), tf.constant(2.0)

    @tf.custom_gradient
    def scaled(rows, factor):
        def grad(of_rows, of_total):
            return of_rows * 5.0 + of_total, tf.reduce_sum(of_rows)

        return (rows * factor, tf.reduce_sum(rows)), grad

    with tf.GradientTape() as tape:
        tape.watch([rows.flat_values, factor])
        y, _ = scaled(rows, factor)
    of_values, of_factor = tape.gradient(y, [rows.flat_values, factor])
    assert y.to_list() == [[2.0, 4.0], [6.0], []]
    assert (of_values.numpy().tolist(), of_factor.numpy()) == ([5.0, 5.0, 5.0], 3.0)
    with tf.GradientTape() as tape:
        tape.watch(rows.flat_values)
        y = tf.function(lambda x: scaled(x, factor)[1])(rows)
    assert tape.gradient(y, rows.flat_values).numpy().tolist() == [1.0, 1.0, 1.0]
