"""Functions whose shapes depend on values that recur: Python does not run again while these are the same."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import one_in
from tfcompat._core.system.config import immediate

X = np.random.default_rng(0).normal(size=(3, 5, 4)).astype(np.float32)
RECURRING = ([3, 5, 2], [5, 1, 1], [2, 2, 5], [5, 5, 5], [1, 2, 5], [5, 0, 3])
# The greatest length changes after three calls, and again.
CHANGING = (*RECURRING[:3], [1, 2, 3], [5, 4, 3], [3, 1, 2], [9, 3, 3], [3, 2, 3], [1, 3, 1])


def masked(lengths):
    return tf.reduce_sum(tf.where(tf.sequence_mask(lengths, 5)[..., tf.newaxis], X, 0.0)), tf.sequence_mask(lengths)


def numbered(lengths):
    longest = tf.reduce_max(lengths)
    columns = tf.range(longest)
    return columns * 2, tf.range(longest, 0, -2), tf.meshgrid(columns, [1, 2]), tf.one_hot(lengths, longest + 1)


def made(lengths):
    longest = tf.reduce_max(lengths)
    return tf.zeros([longest, 3]) + 1.0, tf.fill([2, longest], longest), tf.eye(longest), tf.shape(tf.ones([longest]))


def arranged(lengths):
    longest = tf.reduce_max(lengths)
    rows = tf.tile(X, [1, longest, 1])
    return tf.reshape(rows, [3, longest, -1]), tf.pad(X[0], [[0, longest], [0, 0]]), tf.repeat(X[0], longest, axis=1)


def counted(lengths):
    return (
        tf.math.bincount(lengths),
        tf.math.confusion_matrix(lengths, lengths),
        tf.math.segment_sum(X, tf.sort(lengths)),
        tf.math.unsorted_segment_max(X, lengths, tf.reduce_max(lengths) + 1),
    )


def repeated_rows(lengths):
    return tf.repeat(X, tf.stack([tf.reduce_max(lengths), 0, 2]), axis=0)


def looped(lengths):
    longest = tf.reduce_max(lengths)
    total = tf.zeros([longest])
    for place in tf.range(longest):
        total += tf.one_hot(place, longest) * tf.cast(place, tf.float32)
    return total


def branched(lengths):
    longest = tf.reduce_max(lengths)
    rows = tf.ones([longest]) if longest > 3 else tf.zeros([longest]) + 7.0
    return tf.reduce_sum(rows)


def arrayed(lengths):
    longest = tf.reduce_max(lengths)
    array = tf.TensorArray(tf.float32, size=longest, element_shape=[])
    for place in tf.range(longest):
        array = array.write(place, tf.cast(place, tf.float32) ** 2.0)
    return array.stack()


def chosen_too(lengths):
    return tf.boolean_mask(X, lengths > 2) * tf.reduce_sum(tf.ones([tf.reduce_max(lengths)]))


inner = tf.function(lambda lengths: tf.sequence_mask(lengths, dtype=tf.float32))


def nested(lengths):
    return tf.reduce_sum(inner(lengths), 1) * 2.0


def differentiated(lengths):
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        mask = tf.sequence_mask(lengths, dtype=tf.float32)
        loss = tf.reduce_sum(tf.tanh(x[:, : tf.reduce_max(lengths), 0]) * mask) / tf.reduce_sum(mask)
    return loss, tape.gradient(loss, x)


FUNCTIONS = (masked, numbered, made, arranged, counted, repeated_rows, looped, branched, arrayed, chosen_too, nested)


def values(result):
    return [np.asarray(each) for each in tf.nest.flatten(result)]


def same(found, expected):
    for one, other in zip(values(found), values(expected), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def counting(function):
    """The decorated `function`, and the list of its traces and runs."""
    runs = []

    @tf.function
    def counted(lengths):
        runs.append(lengths)
        return function(lengths)

    return counted, runs


@pytest.mark.parametrize("function", one_in(2, [differentiated, *FUNCTIONS]))
def test_recurring_values_need_no_python(function):
    decorated, runs = counting(function)
    for number, lengths in enumerate(RECURRING):
        same(decorated(tf.constant(lengths)), function(tf.constant(lengths)))
        if number == 1:
            before = len(runs)
    assert len(runs) == before


@pytest.mark.parametrize("function", one_in(2, FUNCTIONS))
def test_other_values_give_their_results(function):
    decorated, _ = counting(function)
    for lengths in CHANGING:
        same(decorated(tf.constant(lengths)), function(tf.constant(lengths)))


def test_one_program_serves_the_calls():
    decorated, _ = counting(made)
    for lengths in RECURRING[:3]:
        decorated(tf.constant(lengths))
    before = tf.counters()
    for lengths in RECURRING:
        decorated(tf.constant(lengths))
    after = tf.counters()
    assert (after.compiles - before.compiles, after.flushes - before.flushes) == (0, len(RECURRING))


class Counts(tf.Module):
    def __init__(self):
        super().__init__()
        self.calls, self.rows = tf.Variable(0), tf.Variable(tf.zeros([2]))

    @tf.function
    def __call__(self, lengths, labels):
        longest = tf.reduce_max(lengths)
        self.calls.assign_add(1)
        self.rows.assign_add(tf.reduce_mean(tf.ones([longest, 2]), 0))
        chosen = tf.gather(tf.range(longest), labels)
        return self.calls + tf.reduce_sum(chosen), self.rows.value()


def test_variables_are_assigned_once_a_call():
    counts = Counts()
    for number, lengths in enumerate(CHANGING, 1):
        calls, rows = counts(tf.constant(lengths), tf.constant([0]))
        assert (int(calls), rows.numpy().tolist()) == (number, [number] * 2)
    assert (int(counts.calls), counts.rows.numpy().tolist()) == (9, [9.0] * 2)


def test_errors_of_the_call_come_first():
    counts = Counts()
    for lengths in RECURRING[:3]:
        counts(tf.constant(lengths), tf.constant([4]))
    for lengths, labels in (([3, 5, 2], [5]), ([3, 1, 2], [3])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            counts(tf.constant(lengths), tf.constant(labels))
        assert counts(tf.constant([5, 1, 1]), tf.constant([0]))[0] >= 4
    # Label 4 fits the length that calls are expected to have, and not the one that this call has.
    with pytest.raises(tf.errors.InvalidArgumentError):
        counts(tf.constant([3, 1, 2]), tf.constant([4]))
    assert int(counts(tf.constant([3, 1, 2]), tf.constant([2]))[0]) == int(counts.calls) + 2


def test_errors_of_earlier_programs_are_raised():
    decorated, _ = counting(made)
    for lengths in RECURRING[:3]:
        decorated(tf.constant(lengths))
    table = tf.constant([1, 4, 3])
    with pytest.raises(tf.errors.InvalidArgumentError):
        decorated(tf.gather(table, [0, 1, 7]))
    assert decorated(tf.gather(table, [0, 1, 2]))[0].shape == [4, 3]


def test_traces_are_counted_as_in_tensorflow():
    decorated, _ = counting(numbered)
    for lengths in (*CHANGING, [1, 2], [2, 1], [1, 2], [3, 1]):
        decorated(tf.constant(lengths))
    assert decorated.experimental_get_tracing_count() == 2


def test_random_numbers_continue():
    tf.random.set_seed(1)
    weights = tf.Variable(tf.ones([4, 3]))

    @tf.function
    def step(x, lengths):
        with tf.GradientTape() as tape:
            mask = tf.sequence_mask(lengths, dtype=tf.float32)
            hidden = tf.nn.dropout(tf.tanh(x @ weights), 0.2, seed=3)
            loss = tf.reduce_sum(tf.reduce_sum(hidden, -1) * mask) / tf.reduce_sum(mask)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    x = tf.random.stateless_normal([3, 5, 4], [1, 2])
    losses = []
    for lengths in ([3, 5, 2], [5, 1, 1], [2, 2, 5], [5, 5, 5], [1, 2, 3], [5, 4, 3]):
        try:
            losses.append(float(step(x, tf.constant(lengths))))
        except tf.errors.InvalidArgumentError:  # the mask of [1, 2, 3] does not fit
            losses.append(None)
    expected = [1.2001123, 0.7426487, -0.7285977, 0.2390012, None, 0.7137828]
    assert losses == [None if loss is None else pytest.approx(loss, rel=1e-5) for loss in expected]


def test_values_that_depend_on_variables():
    size = tf.Variable(3)
    ones = tf.function(lambda: tf.ones([size]))
    for number in (3, 3, 3, 5, 3, 3, 2, 2, 0):
        size.assign(number)
        assert ones().shape.as_list() == [number]


def test_calls_under_a_tape_and_in_a_trace():
    decorated, _ = counting(lambda lengths: tf.reduce_sum(tf.sequence_mask(lengths, dtype=tf.float32)))

    def scaled(lengths):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = decorated(lengths) * x
        return tape.gradient(y, x)

    outer = tf.function(scaled)
    for lengths in CHANGING:
        for each in (decorated, scaled, outer):
            assert float(each(tf.constant(lengths))) == sum(lengths)
    lengths = tf.data.Dataset.from_tensor_slices([[1, 2, 3], [1, 1, 2]])
    assert [float(each) for each in lengths.map(decorated)] == [6.0, 4.0]


def test_arrays_that_a_loop_enlarges_until_data_end_it():
    kernel = tf.Variable([[0.5, -0.3], [0.2, 0.9]])
    x = tf.constant([[1.0, 2.0], [0.5, -1.0], [0.3, 0.4]])
    runs = []

    @tf.function
    def decode(lengths):
        runs.append(lengths)

        def goes_on(*variables):
            return tf.logical_not(tf.reduce_all(variables[-1]))

        def step(place, state, states, places, _):
            state = tf.tanh(x @ kernel + state)
            return place + 1, state, states.write(place, state), places.write(place, place), place + 1 >= lengths

        states = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        places = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
        with tf.GradientTape() as tape:
            begin = [tf.constant(0), tf.zeros([3, 2]), states, places, lengths <= 0]
            count, _, states, places, _ = tf.while_loop(goes_on, step, begin)
            mask = tf.sequence_mask(lengths, dtype=tf.float32)
            squares = tf.reduce_sum(tf.transpose(states.stack(), [1, 0, 2]) ** 2.0, -1) * mask
            loss = tf.reduce_sum(squares) / tf.reduce_sum(mask)
        kernel.assign_sub(0.1 * tape.gradient(loss, kernel))
        return loss, places.stack(), count

    losses = []
    lengths = ([3, 5, 2], [5, 1, 1], [2, 2, 5], [5, 4, 3], [1, 2, 3], [3, 3, 1], [5, 5, 5], [7, 1, 1], [5, 2, 1])
    for each in lengths:
        loss, places, count = decode(tf.constant(each))
        losses.append(float(loss))
        assert (places.numpy().tolist(), int(count)) == ([*range(max(each))], max(each))
        if each == lengths[2]:
            before = len(runs)
        if each == lengths[3]:
            assert len(runs) == before
    expected = [1.00056, 1.34753, 0.80638, 1.01065, 0.49002, 0.84900, 0.73262, 0.67592, 0.86198]
    np.testing.assert_allclose(losses, expected, rtol=2e-5)


def test_assertions_hold_in_each_call():
    @tf.function
    def checked(lengths):
        tf.debugging.assert_greater(tf.reduce_min(lengths), 0)
        return tf.ones([tf.reduce_max(lengths)])

    for lengths in RECURRING[:3]:
        assert checked(tf.constant(lengths)).shape == [5]
    for bad in ([5, 0, 3], [2, -1, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            checked(tf.constant(bad))
        assert checked(tf.constant([5, 1, 1])).shape == [5]
    assert checked(tf.constant([2, 1, 1])).shape == [2]


def test_code_that_prints_does_so_once_a_call(capfd):
    @tf.function
    def printing(lengths):
        tf.print("length", tf.reduce_max(lengths))
        return tf.ones([tf.reduce_max(lengths)])

    for lengths in CHANGING[:5]:
        printing(tf.constant(lengths))
    assert capfd.readouterr().err.splitlines() == ["length 5", "length 5", "length 5", "length 3", "length 5"]


def drawing(lengths):
    return tf.random.uniform([]), tf.sequence_mask(lengths), tf.random.normal([], seed=4)


# The first numbers that TensorFlow draws with the seed 7.
STREAM = [0.7537, 0.5876, 0.3971, 0.7915, 0.1782, 0.8680, 0.1553, 0.4040, 0.4533, 0.5941]
PAIRS_AND_TRIPLES = ([3, 5], [5, 3], [1, 5], [1, 2, 5], [5, 1, 1], [2, 5, 5], [5, 2], [2, 1, 5], [3, 3], [3, 1, 2])


def first_draws(function, calls):
    tf.random.set_seed(7)
    return [pytest.approx(float(function(tf.constant(lengths))[0]), abs=1e-4) for lengths in calls]


def test_random_numbers_continue_for_each_trace_of_tensorflow():
    open_sizes = tf.function(drawing, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert first_draws(open_sizes, PAIRS_AND_TRIPLES) == STREAM
    # The calls with two lengths and those with three have streams of their own.
    expected = [STREAM[place] for place in (0, 1, 2, 0, 1, 2, 3, 3, 4, 4)]
    assert first_draws(tf.function(drawing), PAIRS_AND_TRIPLES) == expected
    assert first_draws(tf.function(drawing, reduce_retracing=True), PAIRS_AND_TRIPLES) == expected


def test_random_numbers_of_called_functions_continue():
    called = tf.function(lambda: tf.random.uniform([]))
    outer = tf.function(lambda lengths: (called(), tf.sequence_mask(lengths)))
    assert first_draws(outer, RECURRING) == STREAM[:6]


def test_threads_draw_different_numbers():
    tf.random.set_seed(7)
    drawn = []
    function = tf.function(lambda lengths: (tf.random.uniform([], seed=1), tf.sequence_mask(lengths)))

    def draw(number):
        for place in range(60):
            longest = (5, 5, 5, 5, 3, 4)[(place + number) % 6]
            drawn.append(float(function(tf.constant([1, longest]))[0]))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(draw, range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert len(set(drawn)) == len(drawn)


def test_loops_end_whatever_the_value_is():
    @tf.function
    def filled(lengths):
        longest, place = tf.reduce_max(lengths), tf.constant(0)
        buffer = tf.zeros([longest])
        while tf.reduce_sum(buffer) < tf.cast(longest, tf.float32):
            buffer = tf.tensor_scatter_nd_update(buffer, [[place]], [1.0])
            place += 1
        return buffer

    @tf.function
    def fill(buffer, count):
        place = tf.constant(0)
        while tf.reduce_sum(buffer) < count:
            buffer = tf.tensor_scatter_nd_update(buffer, [[place]], [1.0])
            place += 1
        return buffer

    @tf.function
    def filled_by_another(lengths):
        longest = tf.reduce_max(lengths)
        return fill(tf.zeros([longest]), tf.cast(longest, tf.float32))

    fill(tf.zeros([5]), 5.0)
    for lengths in (*RECURRING[:3], [1, 7, 2], [5, 2, 1]):
        for each in (filled, filled_by_another):
            assert each(tf.constant(lengths)).numpy().tolist() == [1.0] * max(lengths)


def test_checks_of_ops_that_run_at_once():
    function = tf.function(lambda lengths, place: tf.gather(tf.range(tf.reduce_max(lengths)), place))
    with immediate():
        for lengths in RECURRING[:3]:
            function(tf.constant(lengths), tf.constant(4))
        # Place 6 does not fit the length that calls are expected to have.
        assert int(function(tf.constant([1, 7, 2]), tf.constant(6))) == 6
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(tf.constant([1, 5, 2]), tf.constant(6))


def test_a_branch_that_finds_sizes_is_left_to_python():
    total, runs = tf.Variable(0), []

    @tf.function
    def step(x):
        runs.append(None)
        noise = tf.random.uniform([])

        def negative():
            total.assign_add(100)
            return tf.reduce_sum(tf.where(x < 0))

        def others():
            total.assign_add(1)
            return tf.reduce_sum(tf.cast(x, tf.int64))

        return tf.cond(tf.reduce_any(x < 0), negative, others), noise

    tf.random.set_seed(3)
    found = []
    for x in ([1, 2], [3, 4], [5, 6], [-1, -2], [-1, 2], [7, 8], [9, 1]):
        result, noise = step(tf.constant(x))
        found.append((int(result), round(float(noise), 4), int(total)))
    assert found == [
        *[(3, 0.1274, 1), (7, 0.858, 2), (11, 0.8899, 3)],
        *[(1, 0.5136, 103), (0, 0.5656, 203), (15, 0.7504, 204), (10, 0.3554, 205)],
    ]
    assert len(runs) <= 5


@pytest.mark.parametrize(
    ("name", "want"),
    [("Adagrad", [14.0, 97.022, 82.0, 83.233, 49.863]), ("RMSprop", [14.0, 95.038, 82.0, 77.446, 41.608])],
)
def test_optimizers_that_divide_rows_of_a_gradient_are_traced(name, want):
    # Keras divides by rows that are zero in a branch of its own, which finds their number.
    table, runs = tf.Variable(tf.reshape(tf.range(8.0), [4, 2])), []
    optimizer = getattr(tf.keras.optimizers, name)(0.1)

    @tf.function
    def step(rows):
        runs.append(None)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        return loss

    losses = [float(step(tf.constant(rows))) for rows in ([0, 1], [1, 3], [2, 2], [0, 3], [1, 2])]
    np.testing.assert_allclose(losses, want, rtol=1e-4)
    assert len(runs) <= 3
