"""Loops that read all elements of an array which they enlarge, as decoders do, and tables longer than an argument."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

RNG = np.random.default_rng(0)
EMBEDDING = tf.constant(RNG.normal(size=(20, 8)).astype(np.float32))
TABLE = tf.Variable(RNG.normal(size=(64, 8)).astype(np.float32))
SOURCES = [RNG.normal(size=(1, length, 8)).astype(np.float32) for length in (3, 5, 4, 3, 5)]
END = 7


def attended(queries, keys):
    return tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True)) @ keys


def decoded(source, most=9):
    """The greedy decoder of TensorFlow's tutorial on transformers."""
    source = source + TABLE[tf.newaxis, : tf.shape(source)[1], :]
    chosen = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
    chosen = chosen.write(0, tf.constant([2], tf.int64))
    for i in tf.range(most):
        output = tf.transpose(chosen.stack())
        x = tf.gather(EMBEDDING, output) + TABLE[tf.newaxis, : tf.shape(output)[1], :]
        x = attended(attended(x, x), source)
        logits = tf.matmul(x, EMBEDDING, transpose_b=True)[:, -1:, :]
        best = tf.argmax(logits, axis=-1)
        chosen = chosen.write(i + 1, best[0])
        if best == END:
            break
    return tf.transpose(chosen.stack())


@pytest.mark.parametrize("specs", [None, [tf.TensorSpec([1, None, 8])]])
def test_decoder(specs):
    runs = []

    def run(source):
        runs.append(source)
        return decoded(source)

    function = tf.function(run, input_signature=specs)
    for source in 2 * SOURCES:
        found = function(tf.constant(source))
        np.testing.assert_array_equal(found, decoded(tf.constant(source)))
    before = len(runs)
    for source in SOURCES:
        function(tf.constant(source))
    assert len(runs) == before


def last_of_all(rows):
    kept = tf.TensorArray(tf.float32, size=1, dynamic_size=True, element_shape=[])
    kept = kept.write(0, rows[0])
    total = 0.0
    for k in tf.range(1, 5):
        so_far = kept.stack()
        total += so_far[-1] + so_far[-1:][0] * so_far[:1][0] + tf.reduce_sum(so_far[:-1]) + tf.reduce_mean(so_far[1:])
        kept = kept.write(k, rows[k])
        if rows[k] > 2.0:
            break
    return tf.where(tf.math.is_nan(total), 0.0, total), kept.size()


def test_parts_of_what_is_there():
    runs = []

    @tf.function
    def function(rows):
        runs.append(rows)
        return last_of_all(rows)

    for rows in ([1.0, 1.5, 0.5, 2.5, 1.0], [1.0, 2.5, 1.0, 1.0, 1.0], [0.5, 1.0, 1.5, 0.5, 1.0]):
        for found, wanted in zip(function(tf.constant(rows)), last_of_all(tf.constant(rows)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert len(runs) == 1


def with_positions(x):
    with tf.GradientTape() as tape:
        y = x + TABLE[tf.newaxis, : tf.shape(x)[1], :]
        loss = tf.reduce_sum(attended(y, y) ** 2)
    return loss, tf.convert_to_tensor(tape.gradient(loss, TABLE))


def test_tables_of_positions():
    runs = []

    @tf.function(input_signature=[tf.TensorSpec([None, None, 8])])
    def function(x):
        runs.append(x)
        return with_positions(x)

    for length in (5, 9, 31, 64, 2, 17):
        x = tf.constant(RNG.normal(size=(2, length, 8)).astype(np.float32))
        for found, wanted in zip(function(x), with_positions(x), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
    assert len(runs) == 1
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.zeros([2, 65, 8]))
    np.testing.assert_allclose(function(x)[0], with_positions(x)[0], rtol=1e-4)


def test_starts_of_arrays_that_may_be_shorter():
    function = tf.function(lambda x: TABLE[: tf.shape(x)[0]], input_signature=[tf.TensorSpec([None])])
    for count in (3, 64, 65, 100, 1, 0, 5):
        np.testing.assert_array_equal(function(tf.zeros([count])), TABLE[:count])


@pytest.mark.parametrize("read", ["stack", "concat"])
def test_loop_without_iterations_has_gradients_of_zero(read):
    count = tf.constant(0)

    @tf.function
    def function(x):
        rows = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
        for k in tf.range(count):
            rows = rows.write(k, x * 2.0)
        return tf.reduce_sum(getattr(rows, read)())

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = function(x)
    assert total.numpy() == 0.0
    assert tape.gradient(total, x).numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("read", ["stack", "concat"])
def test_loop_without_iterations_in_a_function_that_takes_their_number(read):
    @tf.function(input_signature=[tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)])
    def function(x, count):
        rows = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
        for k in tf.range(count):
            rows = rows.write(k, x * 2.0)
        return getattr(rows, read)()

    for count in (0, 2, 0):
        found = function(tf.constant([1.0, 2.0]), count).numpy()
        assert found.shape == ((count, 2) if read == "stack" else (2 * count,))
        assert found.ravel().tolist() == [2.0, 4.0] * count


def test_selections_of_nothing_in_functions():
    nothing = tf.zeros([0, 2])
    function = tf.function(lambda x: (tf.boolean_mask(x, x[:, 0] > 0.0), tf.where(x > 0.0)))
    assert [found.shape.as_list() for found in function(nothing)] == [[0, 2], [0, 2]]
    assert function.get_concrete_function(nothing) is not None


def written_by_for(n, x):
    found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(n):
        found = found.write(i, x[i])
        if i > 2:
            break
    return found.stack(), found.concat()


def written_by_while(n, x):
    found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    i = 0
    while i < n:
        found = found.write(i, x[i])
        i += 1
    return found.stack(), found.concat()


def written_by_loop(n, x):
    def body(i, found):
        return i + 1, found.write(i, x[i])

    found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    found = tf.while_loop(lambda i, _: i < n, body, (0, found))[1]
    return found.stack(), found.concat()


@pytest.mark.parametrize("write", [written_by_for, written_by_while, written_by_loop])
def test_elements_have_shapes_after_loops_without_iterations(write):
    function = tf.function(write, input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([None, 3])])
    for length in (0, 2, 0, 1):
        rows, joined = function(tf.constant(length), tf.ones([5, 3]))
        assert rows.shape == [length, 3]
        assert joined.shape == [3 * length]
    assert function(tf.constant(0), tf.ones([0, 3]))[0].shape == [0, 3]


def test_a_loop_without_iterations_has_no_effects():
    count, drawn = tf.Variable(0), []

    @tf.function
    def run(n):
        found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(n):
            count.assign_add(1)
            found = found.write(i, tf.random.uniform([5], seed=3))
        return found.stack()

    tf.random.set_seed(1)
    for length in (0, 1, 0, 2):
        drawn += run(tf.constant(length)).numpy().tolist()
    assert count == 3
    assert len({tuple(row) for row in drawn}) == 3
