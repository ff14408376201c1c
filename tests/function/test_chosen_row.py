"""Functions that choose rows: by masks, slices, scores. Their programs compute how many, so Python runs once."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough, without
from tfcompat._function.running import execution

VALUES = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)
# Some of 12 rows, all, none, one, the last two.
MASKS = ([1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0], [1] * 12, [0] * 12, [0] * 5 + [1] + [0] * 6, [0] * 10 + [1, 1])


def mean_of_some(x, mask):
    kept = tf.boolean_mask(x, mask)
    return tf.reduce_mean(kept), tf.shape(kept), kept


def along_columns(x, mask):
    return tf.boolean_mask(tf.transpose(x), mask, axis=1), tf.boolean_mask(x, x > 0.0)


def places_of_some(x, mask):
    places = tf.where(mask)
    doubled = tf.tensor_scatter_nd_update(x, places, 2.0 * tf.gather_nd(x, places))
    return places, tf.where(x > 0.5), doubled, tf.tensor_scatter_nd_update(x, places, tf.zeros([tf.size(places), 3]))


def equal_masks(x, mask):
    return tf.boolean_mask(x, ~mask) * tf.boolean_mask(x[:, 1:2], ~mask)


def sorted_and_summed(x, mask):
    kept = tf.boolean_mask(x[:, 0], mask)
    return tf.sort(kept), tf.cumsum(kept), kept[::-1], tf.nn.softmax(kept), tf.tile(kept, [2]), tf.pad(kept, [[1, 2]])


def pairs(x, mask):
    kept = tf.boolean_mask(x, mask)
    return tf.linalg.matmul(kept, kept, transpose_b=True), tf.reduce_sum((kept[:, None] - kept) ** 2.0, -1)


def branched(x, mask):
    kept = tf.boolean_mask(x, mask)
    if tf.size(kept) == 0:
        return tf.constant(-1.0)
    return tf.reduce_sum(kept) / tf.cast(tf.shape(kept)[0], tf.float32)


def counted_at_least_once(x, mask):
    kept = tf.boolean_mask(x, mask)
    return tf.reduce_sum(kept) / tf.cast(tf.maximum(tf.shape(kept)[0], 1), tf.float32)


def mapped(x, mask):
    kept = tf.boolean_mask(x, mask)
    return tf.map_fn(tf.reduce_sum, kept), tf.vectorized_map(lambda row: 2.0 * row, kept)


def partitioned(x, mask):
    return tf.dynamic_partition(x, tf.cast(mask, tf.int32) + tf.cast(x[:, 0] > 0.0, tf.int32), 3)


def suppressed(x, mask):
    boxes = tf.concat([x[:, :2], x[:, :2] + tf.abs(x[:, 1:])], 1)
    scores = tf.where(mask, x[:, 0], -9.0)
    chosen = tf.image.non_max_suppression(boxes, scores, 5, score_threshold=-8.0)
    return tf.gather(boxes, chosen), tf.image.non_max_suppression_overlaps(tf.matmul(x, x, transpose_b=True), scores, 3)


def sliced(x, mask):
    count = tf.reduce_sum(tf.cast(mask, tf.int32))
    return x[:count], x[count:], x[:-count], x[2:count], x[:, : count // 5], x[:count] * x[:count, :1]


def chosen_twice(x, mask):
    kept = tf.boolean_mask(x, mask)
    return tf.boolean_mask(kept, kept[:, 1] > 0.0), tf.gather(kept, tf.where(kept[:, 2] < 0.5)[:, 0])


def two_masks(x, mask):
    kept, others = tf.boolean_mask(x, mask), tf.boolean_mask(x, x[:, 0] > 0.0)
    return tf.linalg.matmul(kept, others, transpose_b=True), tf.concat([kept, others], 0)


def greatest(x, mask):
    count = tf.minimum(2 * tf.reduce_sum(tf.cast(mask, tf.int32)), 12)
    kept = tf.boolean_mask(x[:, 0], mask)
    some = tf.math.top_k(kept, tf.minimum(tf.size(kept), 3)).values
    return *tf.math.top_k(x[:, 0], count), tf.math.top_k(tf.transpose(x), count).values, some


def of_fixed_size(x, mask):
    kept = tf.boolean_mask(x, mask)
    return tf.pad(kept, [[0, 12 - tf.shape(kept)[0]], [0, 0]], constant_values=-1.0)


def sparse(x, mask):
    found = tf.sparse.from_dense(tf.where(mask[:, None], x, 0.0))
    return found.indices, found.values, tf.sparse.to_dense(found), tf.sparse.sparse_dense_matmul(found, x[:3])


def written_until(x, mask):
    rows, sums = (tf.TensorArray(tf.float32, 0, dynamic_size=True) for _ in range(2))
    for k in tf.range(12):
        rows, sums = rows.write(k, x[k] ** 2.0), sums.write(k, tf.reduce_sum(x[k]))
        if not mask[k]:
            break
    sums = sums.stack()
    count = tf.shape(sums)[0]
    discounted, total = tf.TensorArray(tf.float32, count), tf.constant(0.0)
    for k in tf.range(count):
        total = 0.5 * total + sums[k]
        discounted = discounted.write(k, total)
    return rows.stack() * sums[:, None], discounted.stack()


CODES = [
    *(mean_of_some, along_columns, places_of_some, equal_masks, sorted_and_summed, pairs, branched),
    *(
        counted_at_least_once,
        mapped,
        partitioned,
        suppressed,
        greatest,
        of_fixed_size,
        sliced,
        chosen_twice,
        two_masks,
        sparse,
        written_until,
    ),
]


def as_arrays(result):
    return [np.asarray(each) for each in tf.nest.flatten(result, expand_composites=True)]


# These have the parts of another function.
LATER = {suppressed, chosen_twice, greatest, of_fixed_size, sorted_and_summed, partitioned, pairs, along_columns}


@pytest.mark.parametrize("code", without(LATER, CODES))
def test_rows_that_a_mask_chooses(code):
    runs = []

    @tf.function
    def function(x, mask):
        runs.append(mask)
        return code(x, mask)

    for mask in (*MASKS, MASKS[0]):
        given = tf.constant(VALUES), tf.constant(np.array(mask, bool))
        wanted = as_arrays(tf.autograph.to_graph(code)(*given) if code is branched else code(*given))
        for found, each in zip(as_arrays(function(*given)), wanted, strict=True):
            assert (found.dtype, found.shape) == (each.dtype, each.shape)
            np.testing.assert_allclose(found, each, rtol=1e-5, atol=1e-6)
    assert len(runs) == 1


def loss_of(code, x, mask):
    results = tf.nest.flatten(code(x, mask))
    return tf.add_n([tf.reduce_sum(each**3.0) for each in results if each.dtype == tf.float32])


DIFFERENTIABLE = [
    *(mean_of_some, branched, sliced),
    *map(thorough, (places_of_some, equal_masks, two_masks, written_until)),
    *map(thorough, (along_columns, sorted_and_summed, pairs, counted_at_least_once, mapped, partitioned, chosen_twice)),
]


@pytest.mark.parametrize("code", DIFFERENTIABLE)
def test_gradients_of_rows_that_a_mask_chooses(code):
    runs = []

    def gradient(x, mask, code):
        runs.append(mask)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = loss_of(code, x, mask)
        return loss, tape.gradient(loss, x, unconnected_gradients="zero")

    code = tf.autograph.to_graph(code) if code is branched else code
    function = tf.function(functools.partial(gradient, code=code))
    for mask in MASKS:
        given = tf.constant(VALUES), tf.constant(np.array(mask, bool))
        for found, wanted in zip(function(*given), gradient(*given, code), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert len(runs) == len(MASKS) + 1


def test_second_derivatives_of_rows_that_a_mask_chooses():
    runs = []

    @tf.function
    def function(x, mask):
        runs.append(mask)
        return tf.hessians(tf.reduce_sum(tf.boolean_mask(x, mask) ** 3.0), x)[0]

    x = tf.constant([1.0, 2.0, 3.0])
    for mask in ([False, False, True], [False, False, False], [True, True, True]):
        np.testing.assert_allclose(function(x, tf.constant(mask)), np.diag(6.0 * x.numpy() * mask))
    assert len(runs) == 1


def test_mean_of_no_complex_numbers_is_0():
    function = tf.function(lambda x, mask: tf.reduce_mean(tf.boolean_mask(x, mask)))
    x = tf.constant([1j, 2.0, 3.0], tf.complex64)
    means = [function(x, x == first).numpy() for first in (2.0, 7.0, 1j)]
    assert means == [2.0, 0.0, 1j]


def test_weights_are_trained_on_chosen_rows():
    rng = np.random.default_rng(0)
    first = rng.normal(size=(3, 2)).astype(np.float32)
    runs = []

    def step(weights, x, labels):
        runs.append(labels)
        with tf.GradientTape() as tape:
            kept = labels >= 0
            logits = tf.boolean_mask(x @ weights, kept)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.boolean_mask(labels, kept), logits)
            loss = tf.math.divide_no_nan(tf.reduce_sum(loss), tf.cast(tf.size(loss), tf.float32))
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    plain, decorated = tf.Variable(first), tf.Variable(first)
    function = tf.function(functools.partial(step, decorated))
    for k in range(6):
        given = tf.constant(VALUES), tf.constant(rng.integers(-1, 2, 12) if k else [-1] * 12, tf.int32)
        np.testing.assert_allclose(function(*given), step(plain, *given), rtol=1e-5)
        np.testing.assert_allclose(decorated, plain, rtol=1e-5, atol=1e-6)
    assert len(runs) == 6 + 1


DRAWS = {
    "dropout": lambda x: tf.nn.dropout(tf.boolean_mask(x, x > 0.0), 0.5, seed=1),
    "normal": lambda x: tf.random.normal([tf.size(tf.boolean_mask(x, x > 0.0)), 3], seed=2),
    "uniform": lambda x: tf.random.uniform([tf.size(tf.where(x > 0.0))], 0, 100, tf.int32),
    "shuffle": lambda x: tf.random.shuffle(tf.where(x > 0.0), seed=3)[:3],
    "two": lambda x: tf.random.normal([1]) + tf.nn.dropout(tf.boolean_mask(x, x > 0.0), 0.5),
}


@pytest.mark.parametrize("name", [thorough(name) if name in ("uniform", "two") else name for name in DRAWS])
def test_random_numbers_continue_after_those_that_were_drawn(name):
    """As where Python runs at each call, which a loop variable that grows makes it do."""
    code = DRAWS[name]
    xs = [tf.constant(VALUES[:, 0] - shift) for shift in (0.0, 0.7, 9.0, -9.0, 0.0)]
    runs, found = [], []
    for grows in (False, True):
        tf.random.set_seed(7)

        @tf.function
        def draw(x, grows=grows):
            runs.append(x)
            if grows:
                shapes = [tf.TensorShape([None])]
                tf.while_loop(lambda rows: rows[0] > 99.0, lambda rows: [tf.tile(rows, [2])], [x], shapes)
            return code(x)

        found.append([draw(x).numpy() for x in xs])
        assert len(runs) == (len(xs) + 2 if grows else 1)
    tf.random.set_seed(None)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_checks_see_the_true_sizes():
    chosen = tf.function(lambda x, k: tf.gather(tf.boolean_mask(x, x > 0.0), k))
    x = tf.constant([1.0, -1.0, 3.0])
    assert chosen(x, 1).numpy() == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        chosen(x, 2).numpy()
    parts = tf.function(lambda numbers: tf.dynamic_partition([1.0, 2.0], numbers, 2))
    with pytest.raises(tf.errors.InvalidArgumentError):
        parts(tf.constant([0, 2]))


def test_first_call_waits_for_no_compiler():
    total = tf.Variable(0.0)

    @tf.function
    def noted(x):
        kept = tf.boolean_mask(x, x > 0.0)
        total.assign_add(tf.reduce_sum(kept))
        return kept

    x = tf.constant([1.0, -1.0, 3.0])
    for compiles in (0, 1, 0):
        with tf.counted() as counts:
            np.testing.assert_array_equal(noted(x), [1.0, 3.0])
        assert counts.compiles == compiles
    assert total.numpy() == 12.0


def test_first_call_takes_sizes_and_rows_from_the_same_values(monkeypatch):
    v = tf.Variable([1.0, -1.0, 3.0, -1.0])
    positive = tf.function(lambda: tf.boolean_mask(v, v > 0.0))

    def assigned_meanwhile(*args):
        found = for_found_sizes(*args)
        v.assign([1.0, 2.0, 3.0, 4.0])  # as another thread could
        return found

    for_found_sizes = execution.for_found_sizes
    monkeypatch.setattr(execution, "for_found_sizes", assigned_meanwhile)
    np.testing.assert_array_equal(positive(), [1.0, 2.0, 3.0, 4.0])


def test_results_can_be_used_further():
    positive = tf.function(lambda x: tf.boolean_mask(x, x > 0.0))
    x = tf.Variable([1.0, -1.0, 3.0, 4.0])
    for wanted in ([1.0, 3.0, 4.0], [2.0, 4.0, 5.0], [3.0, 1.0, 5.0, 6.0]):
        found = positive(x)
        assert found.shape == len(wanted)
        np.testing.assert_array_equal(found + 0.0, wanted)
        x.assign_add([1.0] * 4)
    with tf.GradientTape() as tape:
        tape.watch(found)
        loss = tf.reduce_sum(found**2.0)
    np.testing.assert_array_equal(tape.gradient(loss, found), 2.0 * found)


def test_python_is_called_once_for_each_step():
    steps = []

    def advanced(k):
        steps.append(int(k))
        return np.float32(k % 4)

    weight = tf.Variable(1.0)

    @tf.function
    def train(count):
        with tf.GradientTape() as tape:
            values = tf.TensorArray(tf.float32, 0, dynamic_size=True)
            for k in tf.range(9):
                (value,) = tf.numpy_function(advanced, [k], [tf.TensorSpec([], tf.float32)])
                values = values.write(k, weight * value)
                if k == count:
                    break
            stacked = values.stack()
            loss = tf.reduce_sum(stacked * stacked)
        if not created:
            created.append(tf.Variable(0.0))
        created[0].assign_add(loss)
        return stacked, tape.gradient(loss, weight)

    created = []
    for count in (5, 2, 0, 20):
        steps.clear()
        stacked, gradient = train(tf.constant(count))
        wanted = [k % 4 for k in range(min(count + 1, 9))]
        assert steps == [*range(len(wanted))]
        np.testing.assert_array_equal(stacked, np.array(wanted, np.float32))
        assert gradient.numpy() == 2.0 * sum(k * k for k in wanted)
    assert train.experimental_get_tracing_count() <= 2


def test_variables_of_a_trace_that_no_program_can_run_are_kept():
    lengths = []

    @tf.function
    def train(x):
        if not created:
            created.append(tf.Variable(tf.zeros_like(x)))
        created[0].assign_add(x)
        tf.numpy_function(lambda found: lengths.append(len(found)), [tf.boolean_mask(x, x > 1.0)], [])

    created = []
    for last in (0.0, 1.0, 2.0):
        train(tf.constant([1.0, 2.0, last]))
    np.testing.assert_array_equal(created[0], [3.0, 6.0, 3.0])
    assert lengths == [1, 1, 2]


@pytest.mark.parametrize(("count", "runs_again"), [(3, True), (300, False)])
def test_python_runs_again_if_far_fewer_rows_are_found_than_there_can_be(count, runs_again):
    runs = []
    weights = tf.Variable(tf.fill([256, 1000], 0.01))

    @tf.function
    def total(x, mask):
        runs.append(mask)
        weights.assign_add(tf.zeros([256, 1000]))
        kept = tf.boolean_mask(x, mask)
        return tf.reduce_sum(tf.nn.relu(kept @ weights) @ tf.transpose(weights))

    x, mask = tf.ones([600, 256]), tf.range(600) < count
    found = [total(x, mask).numpy() for _ in range(6)]
    np.testing.assert_allclose(found, [2.56 * 0.01 * 1000 * 256 * count] * 6, rtol=1e-4)
    assert len(runs) == (4 if runs_again else 1)


def test_pairs_of_many_rows_are_not_padded():
    runs = []

    @tf.function
    def pairs(x, mask):
        runs.append(mask)
        kept = tf.boolean_mask(x, mask)
        return kept - kept[:, 0]

    x = tf.reshape(tf.range(5000.0), [5000, 1])
    for count in (3, 2):
        assert pairs(x, tf.range(5000) < count).shape == [count, count]
    assert len(runs) == 3
