"""Loops and branches that find sizes: the trace of the function holds them, as steps whose sizes are known outside."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough

RNG = np.random.default_rng(0)
SHARES = (0.5, -1.0, 2.0, 0.3, 0.8)
# Rows of which some, none, or all begin with a positive number.
ROWS = np.stack([np.concatenate([share - RNG.random((12, 1)), RNG.normal(size=(12, 3))], 1) for share in SHARES])
BATCHES = [np.roll(ROWS, k, 1).astype(np.float32) * scale for k, scale in ((0, 1.0), (3, 0.5), (7, 2.0))]
WEIGHTS = tf.Variable(RNG.normal(size=(4, 4)).astype(np.float32))


def chosen(row):
    return tf.boolean_mask(row, row[:, 0] > 0.0)


def each(function, batch, dtype=tf.float32):
    return tf.map_fn(function, batch, fn_output_signature=dtype)


def reduced(batch):
    return each(lambda row: tf.reduce_max(chosen(row), 0), batch), each(lambda row: tf.reduce_mean(chosen(row)), batch)


def in_branch(batch):
    total = 0.0
    for row in batch:
        part = chosen(row)
        if tf.shape(part)[0] > 3:
            total += tf.reduce_mean(part)
        else:
            total -= tf.reduce_sum(part)
    return total


def in_branch_alone(batch):
    if tf.reduce_sum(batch) > 3.0:
        total = tf.reduce_sum(chosen(batch[0]))
    else:
        total = tf.reduce_sum(tf.where(batch[0] > 0.0))
        total = tf.cast(total, tf.float32)
    return total


def of_part(batch):
    total = 0.0
    for row in batch:
        part = chosen(row)
        of_it = tf.boolean_mask(part, part[:, 1] > 0.0)
        total += tf.reduce_sum(tf.concat([part, of_it], 0) + 1.0) + tf.reduce_sum(of_it)
    return total


def inner_loop(batch):
    total = 0.0
    for row in batch:
        part = chosen(row)
        for k in tf.range(tf.shape(part)[0]):
            total += part[k, 1] * tf.cast(k, tf.float32)
        for one in part:
            total += tf.reduce_max(one)
    return total


def in_inner_loop(batch):
    total = 0.0
    for row in batch:
        for k in tf.range(3):
            total += tf.reduce_sum(tf.boolean_mask(row, row[:, k] > 0.2))
    return total


def until(batch):
    def advance(total, k):
        return total + tf.reduce_sum(tf.abs(chosen(batch[k]))), k + 1

    return tf.while_loop(lambda total, _: total < 15.0, advance, (0.0, 0), maximum_iterations=5)


def assigning(batch):
    WEIGHTS.assign(tf.zeros_like(WEIGHTS))
    for row in batch:
        WEIGHTS.assign_add(tf.matmul(chosen(row), chosen(row), transpose_a=True))
    return WEIGHTS.read_value()


def scattered(batch):
    def one(row):
        places = tf.where(row[:, 0] > 0.0)
        return tf.tensor_scatter_nd_update(row, places, 2.0 * tf.gather_nd(row, places))

    return tf.map_fn(one, batch)


def padded_and_sorted(batch):
    def one(row):
        part = tf.sort(chosen(row)[:, 1])
        return tf.pad(part, [[0, 12 - tf.shape(part)[0]]])

    return each(one, batch)


def distinct(batch):
    return each(lambda row: tf.size(tf.unique(tf.cast(2.0 * row[:, 1], tf.int32))[0]), batch, tf.int32)


def suppressed(batch):
    def one(row):
        kept = tf.image.non_max_suppression(row, row[:, 1], 5)
        return tf.pad(tf.gather(row[:, 2], kept), [[0, 5 - tf.size(kept)]])

    return each(one, batch)


def attended(batch):
    def one(row):
        part = chosen(row)
        return tf.reduce_sum(tf.nn.softmax(tf.matmul(part, part, transpose_b=True)) @ part, 0)

    return each(one, batch)


def drawn(batch):
    return each(lambda row: tf.reduce_sum(tf.random.stateless_uniform(tf.shape(chosen(row)), [1, 2])), batch)


def scanned(batch):
    folded = tf.foldl(lambda total, row: total + tf.reduce_sum(chosen(row)), batch, tf.constant(0.0))
    return folded, tf.scan(lambda total, row: 0.5 * total + tf.reduce_sum(chosen(row)), batch, tf.constant(0.0))


def loss_of(batch):
    return each(lambda row: tf.reduce_sum(tf.square(tf.matmul(chosen(row), WEIGHTS))), batch)


def differentiated(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loss_of(batch))
    return tape.gradient(loss, WEIGHTS)


def by_padding(batch):
    """The derivatives of what lies in the padding are infinite or nan."""
    batch = tf.convert_to_tensor(batch)
    with tf.GradientTape() as tape:
        tape.watch(batch)
        loss = each(lambda row: tf.reduce_sum(tf.math.log(chosen(row)[:, 0]) / tf.sqrt(chosen(row)[:, 0])), batch)
    return loss, tape.gradient(loss, batch)


def inner_tape(batch):
    def one(row):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.matmul(chosen(row), WEIGHTS)))
        return tape.gradient(loss, WEIGHTS)

    return tf.map_fn(one, batch)


def twice(batch):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_of(batch) ** 2)
        gradient = tape.gradient(loss, WEIGHTS)
    return gradient, outer.gradient(gradient, WEIGHTS)


def twice_by_rows(batch):
    """Second derivatives by the rows from which a loop with a state chooses."""
    with tf.GradientTape() as outer:
        outer.watch(batch)
        with tf.GradientTape() as tape:
            tape.watch(batch)
            loss = 0.0
            for row in batch:
                loss = 0.9 * loss + tf.reduce_sum(chosen(row) ** 3)
        gradient = tape.gradient(loss, batch)
    return gradient, outer.gradient(gradient, batch)


def jacobian(batch):
    with tf.GradientTape() as tape:
        loss = loss_of(batch)
    return tape.jacobian(loss, WEIGHTS)


def forward(batch):
    with tf.autodiff.ForwardAccumulator(WEIGHTS, tf.ones_like(WEIGHTS)) as accumulator:
        loss = loss_of(batch)
    return accumulator.jvp(loss)


CODES = [reduced, in_branch, of_part, inner_loop, until, assigning, drawn, suppressed, differentiated, by_padding]
CODES += [twice_by_rows]
CODES += map(
    thorough,
    [
        in_branch_alone,
        in_inner_loop,
        scattered,
        padded_and_sorted,
        inner_tape,
        distinct,
        attended,
        scanned,
        twice,
        jacobian,
        forward,
    ],
)


@pytest.mark.parametrize("code", CODES)
def test_code_runs_once(code):
    runs = []

    @tf.function
    def function(batch):
        runs.append(batch)
        return code(batch)

    for batch in BATCHES:
        results = tf.nest.flatten(function(tf.constant(batch)))
        for found, wanted in zip(results, tf.nest.flatten(code(tf.constant(batch))), strict=True):
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-4)
    assert len(runs) == 1


def test_tapes_around_the_call():
    function = tf.function(lambda batch: tf.reduce_sum(loss_of(batch) ** 2))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            loss = function(tf.constant(BATCHES[0]))
        gradient = tape.gradient(loss, WEIGHTS)
    for found, wanted in zip((gradient, outer.gradient(gradient, WEIGHTS)), twice(BATCHES[0]), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-2)


def many_rows(batch):
    """Of arrays of 1,000 rows in pairs few are chosen: they run in a room for some."""
    with tf.GradientTape() as tape:
        tape.watch(batch)
        loss = 0.0
        for row in batch:
            part = chosen(row)
            loss += tf.reduce_sum(tf.tanh(tf.abs(row[:, tf.newaxis] - part)))
    return loss, tape.gradient(loss, batch)


@pytest.mark.parametrize("count", [0, 3, 8, 9, 64, 65, 1000])
def test_rooms_of_several_sizes_give_the_same(count):
    batch = np.abs(RNG.normal(size=(2, 1000, 1))).astype(np.float32)
    batch[0, count:] *= -1.0
    batch[1, 5:] *= -1.0
    for found, wanted in zip(MANY_ROWS(tf.constant(batch)), many_rows(tf.constant(batch)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-2)


MANY_ROWS = tf.function(many_rows)


@tf.function
def doubled(value):
    while value < 1.0:
        value *= 2.0
    return value


def doubled_in_branch(value):
    return tf.cond(value < 1.0, lambda: doubled(value), lambda: value)


@pytest.mark.parametrize("double", [doubled, doubled_in_branch])
def test_loops_on_what_is_found_end(double):
    """The largest one of the first 8 rows is 0, and twice that is 0."""

    @tf.function
    def function(batch):
        def one(row):
            part = tf.boolean_mask(row, row >= 0.0)
            pairs = tf.abs(row[:, tf.newaxis] - part)
            return double(tf.reduce_max(part) + 0.0 * tf.reduce_sum(tf.tanh(pairs)))

        return tf.map_fn(one, batch)

    row = np.repeat(np.array([-1.0, 0.0, 0.25], np.float32), [600, 70, 30])
    np.testing.assert_array_equal(function(tf.constant([row])), [1.0])


def test_failing_checks_of_what_is_found():
    @tf.function
    def function(batch):
        total = 0.0
        for row in batch:
            part = chosen(row)
            tf.debugging.assert_greater(tf.shape(part)[0], 0, message="none is positive")
            total += tf.reduce_sum(part)
        return total

    with pytest.raises(tf.errors.InvalidArgumentError, match="none is positive"):
        function(tf.constant(BATCHES[0]))
    some = tf.constant(np.delete(BATCHES[0], 1, 0))
    np.testing.assert_allclose(function(some), tf.reduce_sum(loop_sum(some)), rtol=1e-5)


def loop_sum(batch):
    return tf.stack([tf.reduce_sum(chosen(row)) for row in batch])


def test_python_runs_in_each_iteration():
    seen = []

    @tf.function
    def function(batch):
        total = 0.0
        for row in batch:
            part = chosen(row)
            found = tf.numpy_function(lambda rows: seen.append(len(rows)) or rows.sum(), [part], tf.float32)
            total += tf.ensure_shape(found, [])
        return total

    for _ in range(3):
        np.testing.assert_allclose(function(tf.constant(BATCHES[0])), tf.reduce_sum(loop_sum(BATCHES[0])), rtol=1e-5)
    assert seen == 3 * [int((row[:, 0] > 0.0).sum()) for row in BATCHES[0]]


@pytest.mark.parametrize("is_differentiated", [False, True], ids=["plain", "under a tape"])
def test_python_computes_what_a_loop_chooses_from(is_differentiated):
    """Steps without such sizes may call Python: the loop runs once, on arrays with room for all rows."""
    seen, traces, total = [], [], tf.Variable(0.0)

    def computed(row):
        found = tf.numpy_function(lambda values: seen.append(values.sum()) or values * 2.0, [row], tf.float32)
        return tf.ensure_shape(found, row.shape)

    @tf.function
    def function(batch, weight):
        traces.append(1)
        result = 0.0
        with tf.GradientTape() as tape:
            tape.watch(weight)
            for row in batch:
                part = chosen(computed(row))
                total.assign_add(tf.cast(tf.shape(part)[0], tf.float32))
                result += tf.reduce_sum(part * weight)
        return result, tape.gradient(result, weight) if is_differentiated else weight

    for batch in BATCHES:
        doubled = 2.0 * tf.constant(batch)
        seen.clear()
        total.assign(0.0)
        result, slope = function(tf.constant(batch), tf.constant(3.0))
        np.testing.assert_allclose(result, 3.0 * tf.reduce_sum(loop_sum(doubled)), rtol=1e-4)
        if is_differentiated:
            np.testing.assert_allclose(slope, tf.reduce_sum(loop_sum(doubled)), rtol=1e-4)
        np.testing.assert_allclose(seen, batch.sum((1, 2)), rtol=1e-5)
        assert total.numpy() == (doubled[:, :, 0] > 0.0).numpy().sum()
    assert len(traces) == 1


def test_branches_that_choose_rows_print_other_values(capfd):
    @tf.function
    def function(row):
        def positive():
            tf.print("sum", tf.reduce_sum(row))
            return tf.reduce_sum(chosen(row))

        return tf.cond(row[0, 0] > 0.0, positive, lambda: 0.0)

    rows = [np.array([[share, 1.0], [-1.0, 2.0]], np.float32) for share in (1.0, -1.0, 3.0)]
    assert [float(function(tf.constant(row))) for row in rows] == [2.0, 0.0, 4.0]
    assert capfd.readouterr().err.splitlines() == ["sum 3", "sum 5"]


def test_results_of_a_size_that_a_part_finds():
    """The shapes of branches differ, so Python runs at each call."""

    @tf.function
    def function(row):
        return tf.cond(tf.reduce_sum(row) > 0.0, lambda: chosen(row), lambda: row)

    for batch in BATCHES:
        for row in batch:
            np.testing.assert_array_equal(function(tf.constant(row)), row[row[:, 0] > 0] if row.sum() > 0 else row)


def test_the_shape_is_open_while_traced():
    shapes = []

    @tf.function
    def function(batch):
        def one(row):
            shapes.append(chosen(row).shape)
            return tf.size(chosen(row))

        return each(one, batch, tf.int32)

    function(tf.constant(BATCHES[0]))
    assert shapes[0].as_list() == [None, 4]


@pytest.mark.parametrize("shape", [[None, 12, 4], [None, None, 4]])
def test_other_open_sizes(shape):
    function = tf.function(
        lambda batch: each(lambda row: tf.reduce_sum(chosen(row)), batch), input_signature=[tf.TensorSpec(shape)]
    )
    for count in (5, 3, 1, 4, 5):
        batch = tf.constant(BATCHES[0][:count])
        np.testing.assert_allclose(function(batch), loop_sum(batch), rtol=1e-5)


def test_models_are_saved(tmp_path):
    module = tf.Module()
    module.call = tf.function(loss_of, input_signature=[tf.TensorSpec([5, 12, 4])])
    module.weights = WEIGHTS
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for batch in BATCHES:
        np.testing.assert_allclose(loaded.call(tf.constant(batch)), loss_of(batch), rtol=1e-5)


def mean_of_chosen(row):
    return tf.reduce_mean(tf.matmul(chosen(row), WEIGHTS) ** 2)


@pytest.mark.parametrize("is_called_before", [False, True])
def test_calls_under_tapes(is_called_before):
    runs = []

    @tf.function
    def function(row):
        runs.append(row)
        return mean_of_chosen(row)

    rows = [tf.constant(row) for row in BATCHES[0][[0, 3, 4]]]
    if is_called_before:
        for row in rows:
            np.testing.assert_allclose(function(row), mean_of_chosen(row), rtol=1e-5)
    for row in rows:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                loss = function(row)
            gradient = tape.gradient(loss, WEIGHTS)
        with tf.GradientTape() as wanted_outer:
            with tf.GradientTape() as tape:
                wanted = mean_of_chosen(row)
            wanted_gradient = tape.gradient(wanted, WEIGHTS)
        np.testing.assert_allclose(loss, wanted, rtol=1e-5)
        np.testing.assert_allclose(gradient, wanted_gradient, rtol=1e-4)
        second, wanted = outer.gradient(gradient, WEIGHTS), wanted_outer.gradient(wanted_gradient, WEIGHTS)
        np.testing.assert_allclose(second, wanted, rtol=1e-4)
        np.testing.assert_allclose(function(row), mean_of_chosen(row), rtol=1e-5)
    assert len(runs) <= 3


def test_calls_under_tapes_of_functions_with_results_of_such_sizes():
    function = tf.function(lambda row: tf.matmul(chosen(row), WEIGHTS))
    for row in BATCHES[0]:
        with tf.GradientTape() as tape:
            rows = function(tf.constant(row))
            loss = tf.reduce_sum(rows**2)
        assert rows.shape == chosen(row).shape
        with tf.GradientTape() as other:
            wanted = tf.reduce_sum(tf.matmul(chosen(row), WEIGHTS) ** 2)
        np.testing.assert_allclose(tape.gradient(loss, WEIGHTS), other.gradient(wanted, WEIGHTS), rtol=1e-4)


def test_functions_that_create_variables_and_find_sizes_under_a_tape():
    variables = []

    @tf.function
    def function(row):
        if not variables:
            variables.append(tf.Variable(2.0))
        return tf.reduce_sum(chosen(row)) * variables[0]

    for row in BATCHES[0]:
        with tf.GradientTape() as tape:
            total = function(tf.constant(row))
        np.testing.assert_allclose(total, 2.0 * tf.reduce_sum(chosen(row)), rtol=1e-5)
        np.testing.assert_allclose(tape.gradient(total, variables[0]), tf.reduce_sum(chosen(row)), rtol=1e-5)
    assert len(variables) == 1


def test_functions_called_in_loops():
    inner = tf.function(chosen)

    @tf.function
    def function(batch):
        return each(lambda row: tf.reduce_max(inner(row), 0), batch)

    for batch in BATCHES:
        np.testing.assert_allclose(function(tf.constant(batch)), reduced(batch)[0])


def test_checks_of_unused_results_have_found_sizes():
    def step(numbers):
        groups = tf.boolean_mask(numbers, numbers > 0.0)
        # Nothing reads these sums, but their check compares the groups' numbers with how many there are.
        tf.math.unsorted_segment_sum(numbers, tf.zeros_like(numbers, tf.int32), tf.size(groups))
        return tf.reduce_sum(numbers)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def branch(numbers):
        return tf.cond(numbers[0] > 0.0, lambda: step(numbers), lambda: 0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def loop(numbers):
        return tf.while_loop(lambda k, _: k < 2, lambda k, total: (k + 1, total + step(numbers)), [0, 0.0])[1]

    for size in (2, 5, 70):
        assert branch(tf.ones(size)) == float(size)
        assert loop(tf.ones(size)) == 2.0 * size


@pytest.mark.parametrize("is_concrete", [False, True])
def test_loops_up_to_a_size_that_their_condition_finds(is_concrete):
    @tf.function
    def total(x):
        k, found = 0, 0.0
        while k < tf.size(tf.where(x > 0.0)):
            found += x[k] ** 2
            k += 1
        return found

    function = total.get_concrete_function(tf.TensorSpec([3])) if is_concrete else total
    for values, expected in (([1.0, -2.0, 3.0], 5.0), ([-1.0, -1.0, -1.0], 0.0), ([1.0, 2.0, 3.0], 14.0)):
        x = tf.constant(values)
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = function(x)
        assert found.numpy() == expected
        count = sum(value > 0.0 for value in values)
        slope = tape.gradient(found, x, unconnected_gradients="zero")
        assert slope.numpy().tolist() == [2 * value if k < count else 0.0 for k, value in enumerate(values)]


def test_numbers_are_tensors_after_a_loop_without_iterations():
    @tf.function
    def slope(x):
        k, found = 0, 0.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            while k < tf.shape(tf.boolean_mask(x, x > 0.0))[0]:
                found += x[k] ** 2
                k += 1
        return tape.gradient(found, x, unconnected_gradients="zero"), found

    for values, total, expected in (([1.0, 2.0], 5.0, [2.0, 4.0]), ([-1.0, -1.0], 0.0, [0.0, 0.0])):
        gradient, found = slope(tf.constant(values))
        assert (found.numpy(), gradient.numpy().tolist()) == (total, expected)
