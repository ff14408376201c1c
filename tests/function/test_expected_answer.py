"""Results of Python functions whose shapes are those of earlier calls: the functions are not called again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import one_in, thorough


class Source:
    """A Python function that returns as many numbers as `sizes` says, one after the other, and notes its inputs."""

    def __init__(self, sizes):
        self.sizes = iter(sizes)
        self.inputs = []

    def __call__(self, x):
        self.inputs.append(float(np.sum(x)))
        size = next(self.sizes)
        if size is None:
            raise ValueError("no size")
        return np.arange(size, dtype=np.float32) + np.float32(np.sum(x))


def training_step(source, call=tf.numpy_function):
    """A step that calls `source` before and after it assigns a variable, and how often its Python code has run."""
    total, runs = tf.Variable(1.0), []

    @tf.function
    def step(x):
        runs.append(None)
        drawn = tf.random.uniform([])
        first = call(source, [x], tf.float32)
        total.assign_add(tf.reduce_sum(first) * 0.1)
        second = call(source, [x * 2 + total], tf.float32)
        return tf.reduce_sum(first) + tf.reduce_sum(second), drawn

    return step, total, runs


def outcomes(sizes, calls, call=tf.numpy_function):
    """The results of each call, and the values that it leaves behind."""
    tf.random.set_seed(3)
    source = Source(sizes)
    step, total, runs = training_step(source, call)
    found = []
    for k in range(calls):
        result, drawn = step(tf.constant(float(k % 3)))
        found.append((*np.round([result, drawn, total.numpy()], 4), len(source.inputs)))
    return found, runs, source


# The sums, random numbers, values of the variable and numbers of calls that TensorFlow has.
SAME = [
    (9.9, 0.1274, 1.3, 2),
    (20.7, 0.858, 1.9, 4),
    (32.4, 0.8899, 2.8, 6),
    (15.3, 0.5136, 3.1, 8),
    (26.1, 0.5656, 3.7, 10),
    (37.8, 0.7504, 4.6, 12),
]
# The actions that TensorFlow draws.
ACTIONS = "011011110110001110110000100000101101001100010101100010110010010110001001000000000000"


CALLS = pytest.mark.parametrize("call", [tf.numpy_function, tf.py_function], ids=["numpy", "py"])


@CALLS
def test_calls_with_results_of_the_same_shapes_run_one_program(call):
    found, runs, _ = outcomes([3] * 12, 6, call)
    np.testing.assert_allclose(found, SAME, rtol=1e-4)
    # Python has run while it was traced, untraced in the first call, and while it was traced in the second.
    assert len(runs) == 3


@pytest.mark.parametrize(
    ("place", "call"),
    one_in(3, [(place, call) for call in (tf.numpy_function, tf.py_function) for place in (4, 5, 6, 7)]),
    ids=lambda each: each if isinstance(each, int) else each.__name__.removesuffix("_function"),
)
def test_a_result_of_another_shape_is_asked_for_once(place, call):
    sizes = [3] * 12
    sizes[place] = 4
    found, runs, source = outcomes(sizes, 6, call)
    model, total, inputs = [], 1.0, []
    for k in range(6):
        x = float(k % 3)
        first = np.arange(sizes[2 * k]) + x
        total += first.sum() * 0.1
        second = np.arange(sizes[2 * k + 1]) + (2 * x + total)
        inputs += [x, 2 * x + total]
        model.append((first.sum() + second.sum(), SAME[k][1], total, 2 * k + 2))
    np.testing.assert_allclose(found, model, rtol=1e-3)
    np.testing.assert_allclose(source.inputs, inputs, rtol=1e-6)
    assert len(runs) == 4


def test_results_whose_shapes_vary_are_taken_as_they_come():
    found, runs, source = outcomes([3, 4, 5, 6] * 4, 8)
    assert [each[3] for each in found] == list(range(2, 17, 2))
    assert len(source.inputs) == 16
    # It is traced at the first two calls only.
    assert len(runs) == 10


def test_an_error_of_a_python_function_is_raised_and_the_next_call_works():
    source = Source([3] * 7 + [None] + [3] * 4)
    step, total, _ = training_step(source)
    for _ in range(3):
        step(tf.constant(0.0))
    before = total.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="no size"):
        step(tf.constant(0.0))
    assert total.numpy() == before
    step(tf.constant(0.0))
    np.testing.assert_allclose(total.numpy(), before + 0.3, rtol=1e-6)
    assert len(source.inputs) == 10


def test_an_error_of_the_first_call_is_raised():
    step, _, _ = training_step(Source([None, *[3] * 8]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="no size"):
        step(tf.constant(0.0))
    assert [float(step(tf.constant(0.0))[0]) for _ in range(2)] == pytest.approx([9.9, 10.8])


@pytest.mark.parametrize("late", [False, True])
def test_an_episode_draws_tensorflow_s_actions(late):
    tf.random.set_seed(3)
    states, actions = [0], []

    def step(action):
        states[0] += 1
        actions.append(int(action))
        size = 4 if late and states[0] == 40 else 3
        return np.full(size, float(action) + states[0] % 5, np.float32), np.int32(states[0] % 7 == 0)

    @tf.function
    def episode(state):
        rewards = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for t in tf.range(20):
            action = tf.random.categorical(tf.reshape(state[:2], [1, 2]), 1)[0, 0]
            reached, is_done = tf.numpy_function(step, [action], [tf.float32, tf.int32])
            rewards = rewards.write(t, tf.reduce_sum(reached))
            if tf.cast(is_done, tf.bool):
                break
        return rewards.stack()

    sums = [episode(tf.constant([0.1 * k, 0.2, 0.3])).numpy().tolist() for k in range(12)]
    assert [len(each) for each in sums] == [7] * 12
    assert "".join(map(str, actions)) == ACTIONS
    assert sums[5][4] == (4 if late else 3) * actions[39]


def test_a_python_function_gets_no_inputs_from_values_that_are_not_as_expected():
    source, total = Source([3] * 40), tf.Variable(0.0)

    @tf.function
    def step(x, lengths):
        first = tf.numpy_function(source, [x], tf.float32)
        mask = tf.sequence_mask(lengths, dtype=tf.float32)
        total.assign_add(tf.reduce_sum(mask))
        second = tf.numpy_function(source, [tf.reduce_sum(mask)], tf.float32)
        return tf.reduce_sum(first) + tf.reduce_sum(second)

    calls = [[2, 3]] * 3 + [[1, 5]] + [[2, 3]] * 2 + [[3, 1]] + [[7, 7]]
    found = [float(step(tf.constant(float(k)), tf.constant(lengths))) for k, lengths in enumerate(calls)]
    assert found == [6.0 + 3 * k + 3 * sum(lengths) for k, lengths in enumerate(calls)]
    assert source.inputs == [float(x) for k, lengths in enumerate(calls) for x in (k, sum(lengths))]
    assert total.numpy() == sum(map(sum, calls))


def test_a_loop_that_awaits_a_result_ends_after_one_of_another_shape():
    source, asked = Source([2, 2, 2, 3, 2, 2]), []

    def is_last(n):
        asked.append(float(n))
        return np.int32(n >= 3)

    @tf.function
    def total(x):
        found, n = tf.reduce_sum(tf.numpy_function(source, [x], tf.float32)), 0.0
        is_done = False
        while not is_done:
            n += 1.0
            found += n
            is_done = tf.cast(tf.numpy_function(is_last, [n], tf.int32), tf.bool)
        return found

    found = [float(total(tf.constant(float(k)))) for k in range(6)]
    assert found == [7.0, 9.0, 11.0, 18.0, 15.0, 17.0]
    assert asked == [1.0, 2.0, 3.0] * 6


def sum_of(function, x):
    return tf.reduce_sum(tf.numpy_function(function, [x], tf.float32)) * 0.1


def before_loop(first, second, x):
    y = sum_of(first, x)
    for _ in tf.range(3):
        y = sum_of(second, y)
    return y + x


def in_loop(first, second, x):
    for _ in tf.range(3):
        x = sum_of(second, sum_of(first, x))
    return x


def after_loop(first, second, x):
    for _ in tf.range(3):
        x = sum_of(second, x)
    return sum_of(first, x)


def in_branches(first, second, x):
    y = sum_of(first, x)
    if y > 0.5:
        y += sum_of(second, y)
    else:
        y += sum_of(first, y)
    return sum_of(first, y) + y


def until_large(first, second, x):
    y = sum_of(first, x)
    while y < 5.0:
        y += sum_of(second, y) + 1.0
    return y


# The places before and behind a loop are those in it; a loop until a value is large has the parts of the others.
@pytest.mark.parametrize("code", [in_loop, in_branches, *map(thorough, (before_loop, after_loop, until_large))])
def test_no_python_function_gets_what_derives_from_a_result_of_another_shape(code):
    """The calls, their inputs and results are those of the undecorated code, which are those of TensorFlow."""

    def outcome(decorate, late):
        inputs = []

        def returned(name, x, added):
            inputs.append((name, round(float(x), 4)))
            return np.full(3 if len(inputs) == late else 2, x + added, np.float32)

        step = decorate(code)

        def first(x):
            return returned("first", x, 1.0)

        def second(x):
            return returned("second", x, 2.0)

        found = [float(step(first, second, tf.constant(float(k)))) for k in range(5)]
        return np.round(found, 4).tolist(), inputs

    for late in range(12, 18):
        assert outcome(tf.function, late) == outcome(lambda code: code, late)


def test_threads_call_a_python_function_once_for_each_call():
    source, total = Source([3] * 9 + [4] * 3 + [3] * 100), tf.Variable(0.0)

    @tf.function
    def step(x):
        found = tf.numpy_function(source, [x], tf.float32)
        total.assign_add(found[0])
        return found[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: float(step(tf.constant(2.0))), range(60)))
    assert found == [2.0] * 60
    assert total.numpy() == 120.0
    assert source.inputs == [2.0] * 60


def test_threads_draw_different_numbers_in_loops():
    """Some calls run Python code while programs of other threads draw."""

    def numbers(threads):
        tf.random.set_seed(4)
        source = Source([4 if k % 11 == 10 else 3 for k in range(80)])

        @tf.function
        def step(x):
            total = tf.reduce_sum(tf.numpy_function(source, [x], tf.float32)) * 0.0
            for _ in tf.range(3):
                total += tf.cast(tf.random.uniform([], 0, 1 << 20, tf.int32), tf.float32)
            return total

        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda _: float(step(tf.constant(1.0))), range(80)))

    assert len(set(numbers(1))) == 80
    for _ in range(3):
        assert len(set(numbers(4))) == 80


def test_gradients_of_a_step_with_awaited_results():
    source, weights = Source([4] * 8), tf.Variable([1.0, 2.0, 3.0, 4.0])

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.numpy_function(source, [x], tf.float32) * weights**2)
        gradient = tape.gradient(loss, weights)
        weights.assign_sub(0.01 * gradient)
        return loss

    values = np.array([1.0, 2.0, 3.0, 4.0])
    for k in range(5):
        row = np.arange(4.0) + k
        np.testing.assert_allclose(step(tf.constant(float(k))), (row * values**2).sum(), rtol=1e-5)
        values -= 0.02 * row * values
    np.testing.assert_allclose(weights, values, rtol=1e-5)


def test_gradients_through_a_py_function_whose_result_gets_another_shape():
    sizes, inputs, runs = iter([3, 3, 3, 4, 3, 0, 3]), [], []
    weight = tf.Variable(1.0)

    def source(x):
        inputs.append(float(tf.reduce_sum(x)))
        return tf.range(next(sizes), dtype=tf.float32) * tf.reduce_sum(x)

    @tf.function
    def step(x):
        runs.append(None)
        with tf.GradientTape() as tape:
            found = tf.py_function(source, [x * weight], tf.float32)
            loss = tf.reduce_sum(found) + weight
        weight.assign_sub(0.01 * tape.gradient(loss, weight))
        return tf.size(found)

    found = [int(step(tf.constant([1.0, 2.0]))) for _ in range(7)]
    assert found == [3, 3, 3, 4, 3, 0, 3]
    value, seen = 1.0, []
    for size in found:
        seen.append(3.0 * value)
        value -= 0.01 * (3.0 * sum(range(size)) + 1.0)
    np.testing.assert_allclose(inputs, seen, rtol=1e-5)
    np.testing.assert_allclose(weight, value, rtol=1e-5)
    assert len(runs) == 5  # as above, and twice for results of other shapes


def test_code_that_calls_both_kinds_of_python_functions_is_one_program():
    seen, runs, source = [], [], Source([3] * 8)

    @tf.function
    def step(x):
        runs.append(None)
        doubled = tf.py_function(lambda y: seen.append(float(y)) or y * 2, [x], tf.float32)
        return tf.reduce_sum(doubled) + tf.reduce_sum(tf.numpy_function(source, [x], tf.float32))

    assert [float(step(tf.constant(float(k)))) for k in range(6)] == [3.0, 8.0, 13.0, 18.0, 23.0, 28.0]
    assert seen == source.inputs == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert len(runs) == 3


@pytest.mark.parametrize("earlier", [0, 3], ids=["new", "called_before"])
def test_a_function_that_calls_another_is_traced_once_more(earlier):
    source, runs = Source([3] * 16), []

    @tf.function
    def inner(x):
        return tf.reduce_sum(tf.numpy_function(source, [x], tf.float32)) * 2.0

    @tf.function
    def outer(x):
        runs.append(None)
        return inner(x) + 1.0

    for k in range(earlier):
        inner(tf.constant(float(k)))
    assert [float(outer(tf.constant(float(k)))) for k in range(8)] == [7.0 + 6 * k for k in range(8)]
    assert len(runs) == 3
    assert len(source.inputs) == 8 + earlier


def test_results_of_unknown_shape_decide_shapes_and_end_loops():
    counts, known = iter([2, 2, 2, 3, 2]), []

    @tf.function
    def step(x):
        count = tf.numpy_function(lambda: np.int32(next(counts)), [], tf.int32)
        known.append(tf.get_static_value(count, partial=True))
        for i in tf.range(count):
            x += tf.cast(i, tf.float32)
        return tf.ones([count]) * x, tf.range(4)[:count]

    for k, count in enumerate([2, 2, 2, 3, 2]):
        filled, first = step(tf.constant(float(k)))
        assert filled.numpy().tolist() == [float(k + sum(range(count)))] * count
        assert first.numpy().tolist() == list(range(count))
    assert known[0] is None


def test_untraced_code_gets_the_dtypes_of_tout():
    @tf.function
    def step(x):
        return tf.reduce_sum(tf.numpy_function(lambda y: y.astype(np.float64), [x], tf.float32))

    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
            step(tf.constant([1.0, 2.0]))


def test_a_loop_over_a_dataset_calls_python_functions_at_each_run():
    kind = tf.TensorSpec([], tf.float32)
    numbers = tf.data.Dataset.range(6)

    @tf.function
    def total():
        found = 0.0
        for number in numbers:
            found += tf.numpy_function(lambda x: np.float32(x + 1), [number], kind)
        return found

    assert [float(total()) for _ in range(3)] == [21.0] * 3


def test_python_functions_that_use_variables_see_what_the_code_has_assigned():
    total = tf.Variable(0.0)

    @tf.function
    def step(x):
        total.assign_add(1.0)
        return tf.numpy_function(lambda y: total.numpy() + y, [x], tf.float32) * 2.0

    assert [float(step(tf.constant(0.5))) for _ in range(5)] == [3.0, 5.0, 7.0, 9.0, 11.0]


@pytest.mark.parametrize("is_read", [True, False])
def test_a_python_function_that_begins_to_use_an_assigned_variable_is_refused_once(is_read):
    total, calls = tf.Variable(0.0), []

    def use(x):
        calls.append(None)
        if len(calls) >= 4:
            total.numpy() if is_read else total.assign_add(0.0)
        return x

    @tf.function
    def step(x):
        total.assign_add(1.0)
        return tf.numpy_function(use, [x], tf.float32) * 2.0

    assert [float(step(tf.constant(1.0))) for _ in range(3)] == [2.0] * 3
    with pytest.raises(tf.errors.UnknownError, match="pass their values in `inp`"):
        step(tf.constant(1.0))
    assert total.numpy() == 3.0
    assert [float(step(tf.constant(1.0))) for _ in range(3)] == [2.0] * 3
    assert total.numpy() == 6.0
    assert len(calls) == 7


def test_copies_of_answers_may_get_their_shape():
    calls, traces = [], []

    @tf.function
    def copied(x):
        traces.append(1)
        y = tf.numpy_function(lambda a: calls.append(1) or a * 2, [x], tf.float32)
        z, w = tf.identity(y), tf.identity(tf.identity(y))
        z.set_shape([2])
        return z + 1, tf.ensure_shape(w, [2]) * 3, tf.identity(y)

    for x in ([1.0, 2.0], [3.0, 4.0]):
        z, w, y = (each.numpy().tolist() for each in copied(tf.constant(x)))
        assert (z, w, y) == ([2 * v + 1 for v in x], [6 * v for v in x], [2 * v for v in x])
    assert (len(calls), len(traces)) == (2, 1)
