"""Functions that find sizes: their programs compute the sizes, so Python runs once."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough

# Some of 12 places; all of them; one; the largest of all numbers of distinct elements.
IDS = ([3, 1, 3, 7, 1, 1, 3, 9, 0, 0, 3, 5], [4] * 12, [*range(12)], [-1, 5, -1, 2, 2, 2, 2, 2, 2, 2, 2, -7])
VALUES = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)


def positions(ids):
    return tf.unique(ids).idx


def sums(ids):
    elements, places = tf.unique(ids)
    return tf.reduce_sum(tf.math.unsorted_segment_sum(VALUES, places, tf.shape(elements)[0]) ** 2.0)


def statistics(ids):
    elements, _, counts = tf.unique_with_counts(ids, out_idx=tf.int64)
    floats = tf.cast(elements, tf.float32)
    return [
        *(tf.shape(elements)[0], tf.size(elements, tf.int64), tf.shape(elements[:, tf.newaxis] * [1, 2])),
        *(tf.reduce_max(elements), tf.reduce_min(elements), tf.reduce_prod(elements), tf.reduce_mean(counts)),
        *(tf.argmax(counts), tf.reduce_max(elements * 2 + 1), tf.math.reduce_std(floats)),
        tf.reduce_sum(tf.reverse(floats, [0]) * tf.range(tf.cast(tf.size(elements), tf.float32))),
    ]


def reshaped(ids):
    elements = tf.unique(ids).y
    rows = tf.reshape(tf.repeat(elements, 4), [-1, 4])
    return tf.linalg.matmul(rows, rows, transpose_a=True), tf.gather(tf.range(100), tf.abs(elements) + 1)[0]


def of_matrix(ids):
    return tf.reduce_sum(tf.unique(tf.reshape(tf.reshape(ids, [3, 4]) // 2, [-1])).y)


def two_sizes(ids):
    return tf.shape(tf.unique(ids).y)[0], tf.reduce_sum(tf.unique(ids // 2).y)


def returned(ids):
    return tf.unique(ids).y, tf.unique(ids).y[:, tf.newaxis] * [1, 2]


def looped(ids):
    total = 0
    for each in tf.unique(ids).y:
        total = 2 * total + each
    return total


def differentiated(ids):
    weights = tf.range(12.0)
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = tf.reduce_sum(tf.gather(weights, tf.abs(tf.unique(ids).y)) ** 2.0)
    return tf.convert_to_tensor(tape.gradient(loss, weights))


def met(ids):
    return tf.concat([tf.unique(ids).y, tf.unique(ids // 2).y], 0)


def shorter(ids):
    elements = tf.unique(ids).y
    ends = elements[1:], elements[:-1], elements[-2:], elements[:3], elements[1:4], elements[-4:-1], elements[2:-9]
    return *ends, elements[1:] - elements[:-1], elements[0], elements[-1]


@pytest.mark.parametrize(
    "code",
    [
        *(positions, reshaped, two_sizes, looped, differentiated, met, shorter),
        # They have the parts of another function.
        *map(thorough, (sums, statistics, of_matrix, returned)),
    ],
)
def test_result_is_that_of_eager_code(code):
    function = tf.function(code)
    for ids in (*IDS, IDS[0]):
        given = tf.constant(ids, "int64" if code is positions else "int32")
        for found, wanted in zip(tf.nest.flatten(function(given)), tf.nest.flatten(code(given)), strict=True):
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_code_runs_once_in_one_program():
    runs = []

    @tf.function
    def function(ids):
        runs.append(tf.unique(ids).y.shape)
        return sums(ids)

    for ids in IDS[:2]:
        function(tf.constant(ids))
    with tf.counted() as counts:
        for ids in IDS:
            function(tf.constant(ids))
    assert [shape.as_list() for shape in runs] == [[None]]
    assert (counts.compiles, counts.flushes) == (0, len(IDS))
    assert function.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    "code",
    [
        tf.where,
        lambda mask: tf.boolean_mask([[3.0, 4.0]], mask),
        lambda mask: tf.reduce_sum(tf.boolean_mask(tf.repeat([2.0], 3), tf.repeat(mask, 3))),
        lambda mask: tf.shape(tf.where(mask[:, tf.newaxis]))[0],
    ],
    ids=["where", "rows", "repeated", "number"],
)
def test_one_element_is_true_or_false(code):
    calls = []

    @tf.function
    def decorated(mask):
        calls.append(1)
        return code(mask)

    for value in (True, False, True, False, True):
        mask = tf.constant([value])
        np.testing.assert_array_equal(decorated(mask), code(mask))
    assert len(calls) == 1


def test_loop_over_the_places_of_one_element():
    total, calls = tf.Variable(0.0), []

    @tf.function
    def count(mask):
        calls.append(1)
        for place in tf.squeeze(tf.where(mask), axis=-1):
            total.assign_add(2.0 + tf.cast(place, tf.float32))
        return total + 0

    assert [count(tf.constant([value])).numpy() for value in (True, False, True, True, False)] == [2, 2, 4, 6, 6]
    assert len(calls) == 1


def test_updates_of_rows():
    table = tf.Variable(tf.ones([12, 3]))

    @tf.function
    def step(ids):
        elements, places = tf.unique(ids)
        rows = tf.math.unsorted_segment_sum(VALUES, places, tf.shape(elements)[0])
        table.scatter_add(tf.IndexedSlices(rows * tf.gather(table, elements), elements))
        return tf.reduce_sum(rows)

    wanted = np.ones([12, 3], np.float32)
    for ids in IDS[:3]:
        rows = {k: VALUES[np.array(ids) == k].sum(0) for k in ids}
        for k, row in rows.items():
            wanted[k] += row * wanted[k]
        np.testing.assert_allclose(step(tf.constant(ids)), VALUES.sum(), rtol=1e-4)
        np.testing.assert_allclose(table, wanted, rtol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError):
        step(tf.constant(IDS[0]) + 100).numpy()
    np.testing.assert_allclose(table, wanted, rtol=1e-5)


def test_gradients_beside_a_found_size():
    table = tf.Variable(tf.ones([12, 3]))

    @tf.function
    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2.0 * VALUES)
        slices = tape.gradient(loss, table)
        elements, places = tf.unique(slices.indices)
        rows = tf.math.unsorted_segment_sum(slices.values, places, tf.shape(elements)[0])
        table.scatter_sub(tf.IndexedSlices(0.1 * rows, elements))
        return loss

    plain = tf.Variable(tf.ones([12, 3]))
    for ids in IDS[:3]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(plain, ids) ** 2.0 * VALUES)
        np.testing.assert_allclose(step(tf.constant(ids)), loss, rtol=1e-5)
        plain.assign_sub(0.1 * tf.convert_to_tensor(tape.gradient(loss, plain)))
        np.testing.assert_allclose(table, plain, rtol=1e-5)


def squeezed(ids):
    return tf.rank(tf.squeeze(tf.unique(ids).y))


def extreme(ids):
    return tf.argmax(tf.unique(ids).y)


def broadcast(ids):
    return tf.reduce_sum(tf.unique(ids).y + tf.range(12))


@pytest.mark.parametrize("code", [squeezed, extreme])
def test_code_that_no_program_holds(code):
    function = tf.function(code)
    for ids in IDS[:3]:
        given = tf.constant(ids)
        np.testing.assert_array_equal(function(given), code(given))


def test_error_of_some_sizes():
    function = tf.function(broadcast)
    assert function(tf.constant(IDS[1])).numpy() == 12 * 4 + 66
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.constant(IDS[0]))
    assert function(tf.constant(IDS[2])).numpy() == 132


def test_call_under_a_tape_and_in_another_function():
    function = tf.function(lambda x, ids: sums(ids) * x)
    x, ids = tf.Variable(2.0), tf.constant(IDS[0])
    alone = function(x, ids)
    with tf.GradientTape() as tape:
        loss = function(x, ids)
    outer = tf.function(lambda ids: function(x, ids) + 1.0)
    np.testing.assert_allclose([loss, outer(ids) - 1.0, outer(ids) - 1.0], [alone] * 3, rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(loss, x) * 2.0, alone, rtol=1e-6)
    np.testing.assert_allclose(function(x, ids), alone, rtol=1e-6)


def test_concrete_function():
    function = tf.function(sums)
    ids = tf.constant(IDS[0])
    wanted = function(ids)
    concrete = function.get_concrete_function(tf.TensorSpec([12], tf.int32))
    np.testing.assert_allclose(concrete(ids), wanted, rtol=1e-6)


def test_module_with_a_called_function_is_saved(tmp_path):
    module = tf.Module()
    module.sums = tf.function(sums)
    wanted = module.sums(tf.constant(IDS[0]))
    tf.saved_model.save(module, str(tmp_path))
    np.testing.assert_allclose(tf.saved_model.load(str(tmp_path)).sums(tf.constant(IDS[0])), wanted, rtol=1e-6)
