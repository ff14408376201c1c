"""Functions whose arguments have open sizes are traced once, and each call computes what undecorated code computes."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import without

RNG = np.random.default_rng(11)
SIZES = (4, 5, 8, 6)


def normal(*shape):
    return tf.constant(RNG.normal(size=shape).astype(np.float32))


def spec(*dims):
    return tf.TensorSpec(dims, tf.float32)


WEIGHTS = tf.Variable(normal(4, 6))
OUT = tf.Variable(normal(6, 2))
TABLE = tf.Variable(normal(10, 4))


def classified(x, labels):
    with tf.GradientTape() as tape:
        logits = tf.nn.relu(x @ WEIGHTS) @ OUT
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(labels > 0, tf.int32), logits)
        loss = tf.reduce_mean(losses)
    return [loss, *tape.gradient(loss, [WEIGHTS, OUT])]


def attended(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        query = x @ WEIGHTS
        score = tf.nn.softmax(tf.matmul(query, query, transpose_b=True))
        loss = tf.reduce_sum(tf.square(score @ query))
    return loss, tape.gradient(loss, x)


def convolved(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, tf.ones([3, 3, 2, 3]), 1, "SAME")), 2, 2, "SAME")
        y = tf.reduce_mean(tf.nn.conv2d(y, tf.ones([3, 3, 3, 2]), 2, "VALID"), [1, 2])
    return y, tape.gradient(y, x)


def unrolled(x):
    h, rows = tf.zeros([tf.shape(x)[0], 6]), tf.TensorArray(tf.float32, 5)
    for i in tf.range(5):
        h = tf.tanh(x[:, i] @ WEIGHTS + h)
        rows = rows.write(i, h)
    return tf.transpose(rows.stack(), [1, 0, 2])


def unrolled_with_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(unrolled(x) ** 2)
    return tape.gradient(loss, x)


def looked_up(indices):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(TABLE, tf.cast(indices, tf.int32)) ** 2)
    return loss, tf.convert_to_tensor(tape.gradient(loss, TABLE))


def chosen(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cond(
            tf.reduce_sum(x) > 0,
            lambda: tf.reshape(x, [tf.shape(x)[0] * 4]) * 2,
            lambda: tf.zeros([tf.size(x)]) + x[0, 0],
        )
    return y, tape.gradient(y, x)


def doubled_until_large(x):
    return tf.while_loop(
        lambda _, y: tf.reduce_sum(y) < 100.0, lambda i, y: (i + 1, y + tf.ones([tf.shape(x)[0], 4])), [0, x]
    )[1]


def curved(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3)
        slope = inner.gradient(y, x)
    return outer.gradient(slope, x)


def with_gradient(function):
    def differentiated(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(function(x) ** 2)
        return tape.gradient(loss, x)

    return differentiated


def recurrent(x):
    n = tf.shape(x)[1]
    h, outputs = tf.zeros([tf.shape(x)[0], 6]), tf.TensorArray(tf.float32, n)
    for i in tf.range(n):
        h = tf.tanh(x[:, i] @ WEIGHTS + h)
        outputs = outputs.write(i, h)
    return tf.transpose(outputs.stack(), [1, 0, 2])


def scanned(x):
    start = tf.zeros([tf.shape(x)[0], 6])
    return tf.scan(lambda h, row: tf.tanh(row @ WEIGHTS + h), tf.transpose(x, [1, 0, 2]), start)


def counted_up(x):
    start = (0, tf.zeros([4]))
    return tf.while_loop(lambda i, *_: i < tf.shape(x)[0], lambda i, y: (i + 1, tf.tanh(y + x[i])), start)[1]


def counted_from_one(x):
    n = tf.shape(x)[0]
    rows = tf.TensorArray(tf.float32, n).write(0, x[0])

    def body(i, y, rows, n):
        y = y * 0.5 + x[i]
        return i + 1, y, rows.write(i, y), n

    found = tf.while_loop(lambda i, *rest: i < rest[-1], body, (1, x[0], rows, n), maximum_iterations=n - 1)
    return found[2].stack()


def counted_by_two(x):
    i, total = 0, tf.zeros([4])
    while i < tf.shape(x)[0]:
        total, i = total * 0.5 + x[i], i + 2
    return total


def counted_up_to_less(x):
    return tf.while_loop(
        lambda i, n, _: i < n, lambda i, n, y: (i + 1, n - 1, y + x[i]), (0, tf.shape(x)[0], tf.zeros([4]))
    )[2]


def summed_rows(x):
    total = tf.zeros([4])
    for row in x:
        total = total * 0.5 + row
    return total


def reversed_rows(x):
    n = tf.shape(x)[0]
    outputs = tf.TensorArray(tf.float32, n, element_shape=[4])
    for i in tf.range(n - 1, -1, -1):
        outputs = outputs.write(n - 1 - i, x[i])
    return outputs.stack()


def every_other_row(x):
    total = tf.zeros([4])
    for i in tf.range(tf.shape(x)[0] // 2):
        total += x[2 * i]
    return total


def until_large(x):
    total = 0.0
    for i in tf.range(tf.shape(x)[0]):
        if total > 3.0:
            break
        total += tf.reduce_sum(tf.abs(x[i]))
    return total


def weighed(x):
    n = tf.shape(x)[0]
    return tf.while_loop(
        lambda i, _: i < n, lambda i, total: (i + 1, total + x[i] * tf.cast(i, tf.float32)), [0, tf.zeros([4])]
    )


def copied(x):
    given = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)
    outputs = tf.TensorArray(tf.float32, tf.shape(x)[0])
    for i in tf.range(tf.shape(x)[0]):
        outputs = outputs.write(i, given.read(i) * 2.0)
    return outputs.stack(), outputs.size()


def at_places_of_other_rules(x):
    total = tf.zeros([4])
    late, later, capped = tf.constant(0), tf.constant(0), tf.constant(0)
    for i in tf.range(tf.shape(x)[0]):
        total += x[i % 3] + 2.0 * x[tf.minimum(i, 7)] + tf.cast(capped, tf.float32)
        if i > 6:
            total *= 0.5
        total += tf.cast(later, tf.float32)
        later = late
        late = i
        capped = tf.minimum(capped + 1, 6)
    return total


ROWS = [spec(None, 4)]
BATCH = [spec(None, None, 4)]


def rows(n):
    return (normal(n, 4),)


def batch(n):
    return (normal(n, n + 3, 4),)


def batch_of_rows(n):
    return (normal(n, n + 3),)


PROGRAMS = {
    "classified": (classified, [spec(None, 4), spec(None)], lambda n: (normal(n, 4), normal(n))),
    "attended": (attended, BATCH, lambda n: (normal(2 * n + 1, n + 4, 4),)),
    "convolved": (convolved, [spec(None, None, None, 2)], lambda n: (normal(n, 12 + 2 * n, 11 + n, 2),)),
    "unrolled": (unrolled, [spec(None, 5, 4)], lambda n: (normal(2 * n, 5, 4),)),
    "unrolled_with_gradient": (unrolled_with_gradient, [spec(None, 5, 4)], lambda n: (normal(2 * n, 5, 4),)),
    "looked_up": (looked_up, [tf.TensorSpec([None, None], tf.int64)], lambda n: (tf.ones([n, n + 2], tf.int64),)),
    "chosen": (chosen, ROWS, rows),
    "doubled": (doubled_until_large, ROWS, rows),
    "curved": (curved, ROWS, rows),
    "normalized": (lambda x: tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), 0.0, 1.0, 1e-3), ROWS, rows),
    "scaled_by_size": (lambda x: tf.reduce_sum(x) / tf.cast(tf.size(x), tf.float32), ROWS, rows),
    "heads": (lambda x: tf.transpose(tf.reshape(x, [tf.shape(x)[0], -1, 2, 2]), [0, 2, 1, 3]), BATCH, batch),
    "unstacked_shape": (lambda x: tf.reshape(x, [tf.unstack(tf.shape(x))[0] * 2, 2]), ROWS, rows),
    "masked": (
        lambda x: tf.where(tf.sequence_mask(tf.fill([tf.shape(x)[0]], 2), tf.shape(x)[1])[..., None], x, 0.0)[:, :-1],
        BATCH,
        batch,
    ),
    "causal": (lambda x: tf.linalg.band_part(tf.ones([tf.shape(x)[0]] * 2), -1, 0) @ x, ROWS, rows),
    "positions": (lambda x: x + tf.range(tf.shape(x)[1], dtype=tf.float32)[None, :, None], BATCH, batch),
    "repeated": (lambda x: (tf.tile(x, [2, 1]), tf.repeat(x, 3, axis=0), tf.concat([x, x], 0)), ROWS, rows),
    "sorted": (lambda x: tf.math.top_k(x, 2)[0] + tf.sort(x, 0)[:, :2], ROWS, rows),
    "resized": (
        lambda x: tf.image.resize(x, [8, 8]),
        [spec(None, None, None, 3)],
        lambda n: (normal(n, 5 + n, 7, 3),),
    ),
    "contracted": (lambda x: tf.einsum("bij,bkj->bik", x, x), BATCH, batch),
    "drawn": (lambda x: x + tf.random.stateless_normal(tf.shape(x), [1, 2]), ROWS, rows),
    "one_hot": (lambda x: tf.one_hot(tf.argmax(x, 1), tf.shape(x)[0]), ROWS, rows),
    "spaced": (lambda x: tf.linspace(0.0, x[0], tf.shape(x)[0], axis=1), ROWS, rows),
    "scattered": (lambda x: tf.scatter_nd([[0], [1]], [1.0, 2.0], [tf.shape(x)[0]]), ROWS, rows),
    "recurrent": (recurrent, BATCH, batch),
    "recurrent_with_gradient": (with_gradient(recurrent), BATCH, batch),
    "scanned": (scanned, BATCH, batch),
    "scanned_with_gradient": (with_gradient(scanned), BATCH, batch),
    "counted": (counted_up, ROWS, rows),
    "counted_with_gradient": (with_gradient(counted_up), ROWS, rows),
    "counted_from_one": (with_gradient(counted_from_one), ROWS, rows),
    "counted_by_two": (with_gradient(counted_by_two), ROWS, rows),
    "counted_up_to_less": (counted_up_to_less, ROWS, rows),
    "mapped": (lambda x: tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), ROWS, rows),
    "mapped_with_gradient": (with_gradient(lambda x: tf.map_fn(lambda row: row**2, x)), ROWS, rows),
    "numbered": (
        lambda x: tf.map_fn(
            lambda each: tf.cast(each[1], tf.float32) * each[0],
            (x, tf.range(tf.shape(x)[0])),
            fn_output_signature=tf.float32,
        ),
        ROWS,
        rows,
    ),
    "nested": (lambda x: tf.map_fn(lambda row: tf.scan(lambda a, b: a + b, row), x), [spec(None, None)], batch_of_rows),
    "folded": (lambda x: tf.foldr(lambda total, row: total * 0.5 + row, x, tf.zeros([4])), ROWS, rows),
    "vectorized": (lambda x: tf.vectorized_map(lambda row: tf.reduce_sum(row) * row, x), ROWS, rows),
    "summed_rows": (summed_rows, ROWS, rows),
    "reversed_rows": (reversed_rows, ROWS, rows),
    "every_other_row": (every_other_row, ROWS, rows),
    "until_large": (until_large, ROWS, rows),
    "other_rules": (at_places_of_other_rules, ROWS, lambda n: (normal(3 * n, 4),)),
    "weighed": (weighed, ROWS, rows),
    "copied": (copied, ROWS, rows),
    "asserted": (lambda x: (tf.debugging.assert_greater(tf.shape(x)[0], 0), x * 2)[1], ROWS, rows),
}


# These have the parts of another program.
VARIANTS = {"convolved", "unrolled", "recurrent", "counted_by_two", "counted_with_gradient", "doubled", "spaced"}
VARIANTS |= {"classified", "looked_up", "every_other_row", "until_large", "chosen", "unrolled_with_gradient"}


@pytest.mark.parametrize("name", without(VARIANTS, PROGRAMS))
def test_one_trace_serves_all_sizes(name):
    function, signature, arguments = PROGRAMS[name]
    runs = []

    def counted(*args):
        runs.append(args)
        return function(*args)

    decorated = tf.function(counted, input_signature=signature)
    for size in SIZES:
        given = arguments(size)
        for got, want in zip(tf.nest.flatten(decorated(*given)), tf.nest.flatten(function(*given)), strict=True):
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, 2e-4, 2e-5)
    assert len(runs) == 1


def test_open_sizes_are_none_while_python_runs():
    seen = []

    @tf.function(input_signature=[spec(None, 4), spec(None, None)])
    def function(x, y):
        seen.append((x.shape.as_list(), y.shape.as_list(), tf.concat([x, x], 0).shape.as_list(), tf.shape(x).shape))
        seen.append((tf.get_static_value(tf.shape(x)), x.shape.rank, (x[1:] if x.shape[0] is None else x).shape[0]))
        return tf.matmul(y, x)

    assert function(tf.ones([3, 4]), tf.ones([2, 3])).shape == (2, 4)
    assert function(tf.ones([7, 4]), tf.ones([9, 7])).shape == (9, 4)
    assert seen == [([None, 4], [None, None], [None, 4], (2,)), (None, 2, None)]


def test_sizes_of_one_and_zero_are_exact():
    @tf.function(input_signature=[spec(None, 4), spec(None, 4)])
    def function(x, y):
        return x + y, tf.reduce_mean(x, 0), tf.concat([x, y], 0)

    for left, right in ((3, 3), (1, 3), (1, 1), (3, 1), (0, 0), (0, 1), (5, 5)):
        x, y = normal(left, 4), normal(right, 4)
        for got, want in zip(function(x, y), (x + y, tf.reduce_mean(x, 0), tf.concat([x, y], 0)), strict=True):
            np.testing.assert_allclose(got, want, 1e-6)


def test_sizes_that_do_not_fit_are_reported_by_the_call():
    @tf.function(input_signature=[spec(None), spec(None)])
    def function(x, y):
        return x + y

    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(tf.ones([3]), tf.ones([4]))
        assert function(tf.ones([3]), tf.ones([3])).shape == (3,)


def test_an_index_is_checked_for_each_size():
    @tf.function(input_signature=[spec(None, 4)])
    def function(x):
        return x[2, 1] + x[:, 3]

    for size in (3, 5):
        x = normal(size, 4)
        np.testing.assert_array_equal(function(x), x[2, 1] + x[:, 3])
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.ones([2, 4])).numpy()
    assert function(tf.ones([4, 4])).numpy().tolist() == [2.0] * 4


def test_errors_of_earlier_calls_are_not_lost_in_a_trace():
    first = tf.function(lambda x: x[2], input_signature=[spec(None)])
    assert first(tf.ones([3])).numpy() == 1
    second = tf.function(lambda x: x[1:], input_signature=[spec(None)])

    def both():
        first(tf.ones([2]))
        return second(tf.ones([3])).numpy()

    with pytest.raises(tf.errors.InvalidArgumentError):
        both()


def test_an_exception_of_the_function_is_raised_at_once():
    runs = []

    @tf.function(input_signature=[spec(None)])
    def function(x):
        runs.append(x)
        if len(runs) == 1:
            raise RuntimeError("not yet")
        return x * 2.0

    with pytest.raises(RuntimeError, match="not yet"):
        function(tf.ones([3]))
    assert function(tf.ones([3])).numpy().tolist() == [2.0] * 3
    assert function(tf.ones([4])).numpy().tolist() == [2.0] * 4
    assert len(runs) == 2


def test_variables_are_created_once():
    class Dense(tf.Module):
        def __init__(self):
            super().__init__()
            self.weights = None

        @tf.function(input_signature=[spec(None, None)])
        def __call__(self, x):
            if self.weights is None:
                self.weights = tf.Variable(tf.ones([4, 2]))
            return x @ self.weights

    layer = Dense()
    for size in (3, 5, 1):
        assert layer(tf.ones([size, 4])).numpy().tolist() == [[4.0, 4.0]] * size
    layer.weights.assign_add(tf.ones([4, 2]))
    assert layer(tf.ones([2, 4])).numpy().tolist() == [[8.0, 8.0]] * 2


def test_a_function_that_creates_variables_is_traced_twice():
    runs, made = [], []

    @tf.function(input_signature=[spec(None, 4)])
    def function(x):
        runs.append(x)
        if not made:
            made.append(tf.Variable(tf.ones([4, 2])))
        return x @ made[0]

    for size in SIZES:
        assert function(tf.ones([size, 4])).numpy().tolist() == [[4.0, 4.0]] * size
    assert len(runs) == 2


def test_variables_take_open_shapes():
    held = tf.Variable(tf.zeros([3]), shape=[None])

    @tf.function(input_signature=[spec(None)])
    def function(x):
        held.assign(x * 2)
        return tf.reduce_sum(held)

    for size in (3, 5, 4, 1):
        assert function(tf.ones([size])).numpy() == 2 * size
        assert held.numpy().tolist() == [2.0] * size


def test_a_variable_keeps_its_shape():
    held = tf.Variable(tf.zeros([3]))

    @tf.function(input_signature=[spec(None)])
    def function(x):
        held.assign(x)
        return tf.reduce_sum(held)

    assert function(tf.ones([3])).numpy() == 3
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        function(tf.ones([5]))
    assert held.numpy().tolist() == [1.0] * 3
    assert function(tf.zeros([3])).numpy() == 0


def test_random_numbers_go_on_over_sizes():
    tf.random.set_seed(3)
    function = tf.function(lambda x: x + tf.random.uniform(tf.shape(x)), input_signature=[spec(None)])
    try:
        numbers = np.concatenate([function(tf.zeros([size])).numpy() for size in (3, 5, 3)])
    finally:
        tf.random.set_seed(None)
    wanted = [0.127364, 0.814691, 0.897838, 0.513566, 0.001144, 0.153594, 0.159826, 0.819413, 0.465307]
    np.testing.assert_allclose(numbers, [*wanted, 0.241139, 0.756065], atol=1e-6)  # TensorFlow's


def test_reduce_retracing_opens_the_sizes_that_vary():
    seen = []

    @tf.function(reduce_retracing=True)
    def function(x):
        seen.append(x.shape.as_list())
        return tf.reduce_sum(x, 0) / tf.cast(tf.shape(x)[0], tf.float32)

    for size in (3, 5, 7, 6):
        assert function(tf.ones([size, 4])).numpy().tolist() == [1.0] * 4
    assert seen == [[3, 4], [None, 4]]


def test_functions_with_open_sizes_call_each_other():
    inner = tf.function(lambda x: x * tf.cast(tf.shape(x)[0], tf.float32), input_signature=[spec(None)])
    runs = []

    @tf.function(input_signature=[spec(None, 4)])
    def outer(x):
        runs.append(x)
        return inner(x[:, 0]) + tf.reduce_sum(inner(tf.reshape(x, [-1])))

    for size in SIZES:
        np.testing.assert_allclose(outer(tf.ones([size, 4])), np.full(size, size + 16.0 * size * size))
    assert len(runs) == 1


def test_a_tape_differentiates_through_the_call():
    function = tf.function(lambda x: tf.reduce_mean(x**2, 0), input_signature=[spec(None, 4)])
    for size in SIZES:
        x = normal(size, 4)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x))
        np.testing.assert_allclose(tape.gradient(y, x), 2 * x / size, 1e-5)


def test_custom_gradients_are_right_for_every_size():
    @tf.custom_gradient
    def tripled(x):
        return tf.square(x), lambda upstream: 3 * upstream * x

    @tf.function(input_signature=[spec(None)])
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tripled(x)
        return tape.gradient(y, x)

    for size in SIZES:
        x = normal(size)
        np.testing.assert_allclose(function(x), 3 * x, 1e-6)


def test_concrete_functions_serve_all_sizes():
    runs = []

    @tf.function
    def function(x):
        runs.append(x)
        return tf.reshape(x, [tf.shape(x)[0] * 2, 2]), tf.reduce_sum(x, 1)

    concrete = function.get_concrete_function(spec(None, 4))
    assert [shape.as_list() for shape in concrete.output_shapes] == [[None, 2], [None]]
    for size in SIZES:
        assert [x.shape.as_list() for x in concrete(tf.ones([size, 4]))] == [[2 * size, 2], [size]]
    assert len(runs) == 1


def test_python_is_called_for_each_size():
    for call in (tf.py_function, tf.numpy_function):
        function = tf.function(
            lambda x, call=call: call(lambda a: a * 2, [x], tf.float32), input_signature=[spec(None)]
        )
        for size in (3, 5, 1, 3):
            assert function(tf.ones([size])).numpy().tolist() == [2.0] * size


SIZES_CHECKED = {
    "ensure_shape": lambda x: tf.ensure_shape(tf.concat([x, x], 0), [8, 4]),
    "element_shape": lambda x: tf.TensorArray(tf.float32, 1, element_shape=[4, 4]).write(0, x).stack(),
    "row_lengths": lambda x: tf.RaggedTensor.from_row_lengths(x, [1, 3]).values,
    "limit": lambda x: tf.range(tf.shape(x)[0] - 4),
}
REFUSED = {"limit": (3, 2)}


@pytest.mark.parametrize("name", SIZES_CHECKED)
def test_sizes_are_checked_in_each_call(name):
    function = tf.function(SIZES_CHECKED[name], input_signature=[spec(None, 4)])
    for _ in range(2):
        for size in REFUSED.get(name, (3, 5)):
            with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
                tf.nest.flatten(function(tf.ones([size, 4])))[0].numpy()
        for got, want in zip(
            tf.nest.flatten(function(tf.ones([4, 4]))),
            tf.nest.flatten(SIZES_CHECKED[name](tf.ones([4, 4]))),
            strict=True,
        ):
            np.testing.assert_array_equal(got, want)


def test_strings_belong_to_their_call():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string), spec(None)])
    def function(texts, x):
        return tf.strings.length(texts), x * 2

    for texts in (["a", "bb", "ccc"], ["dd"] * 5, ["eee", "f", "g"]):
        lengths, doubled = function(tf.constant(texts), tf.ones([len(texts)]))
        assert lengths.numpy().tolist() == list(map(len, texts))
        assert doubled.shape == (len(texts),)


def test_a_variable_may_have_another_size_in_each_call():
    held = tf.Variable(tf.ones([2]), shape=[None])
    function = tf.function(lambda x: tf.concat([x, held], 0), input_signature=[spec(None)])
    for size in SIZES:
        held.assign(tf.fill([size + 1], float(size)))
        assert function(tf.ones([size])).numpy().tolist() == [1.0] * size + [float(size)] * (size + 1)


def test_an_open_size_that_must_be_that_of_a_matrix():
    concrete = tf.function(lambda x: x @ WEIGHTS).get_concrete_function(spec(None, None))
    assert concrete.output_shapes.as_list() == [None, 6]
    for rows in SIZES:
        assert concrete(tf.ones([rows, 4])).shape == (rows, 6)
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.ones([2, 5]))
