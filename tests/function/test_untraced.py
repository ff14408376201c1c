"""Functions in which a value that they compute determines a shape."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import without

X = tf.constant([1.0, 2.0, 3.0, 4.0])
MASK = tf.constant([True, False, True, True])
IDS = tf.constant([1, 1, 2])
BOXES = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.1], [2.0, 2.0, 3.0, 3.0]])


def squares(n):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        array = array.write(i, tf.cast(i, tf.float32) ** 2.0)
    return array.stack()


def positive_ones(x):
    """The positive elements of a vector, in a way that no trace can hold: `tf.unique` of floats finds their number."""
    places = tf.unique(tf.cast(tf.where(x > 0.0)[:, 0], tf.float32)).y
    return tf.gather(x, tf.cast(places, tf.int32))


def grown(n):
    def advance(i, row):
        return i + 1, tf.concat([row, [i]], axis=0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    return tf.while_loop(lambda i, _: i < n, advance, [0, tf.zeros([1], tf.int32)], shape_invariants=shapes)[1]


CASES = {
    "boolean_mask": (tf.boolean_mask, [X, MASK]),
    "where": (tf.where, [MASK]),
    "unique": (lambda x: tf.unique(x), [IDS]),
    "unique_with_counts": (lambda x: tf.unique_with_counts(x), [IDS]),
    "range": (lambda n: tf.range(n), [3]),
    "range_in_arithmetic": (lambda n: tf.range(n) * 2, [3]),
    "zeros": (lambda n: tf.zeros([n, 2]), [3]),
    "fill": (lambda n: tf.fill([n], 1.0), [3]),
    "eye": (lambda n: tf.eye(n), [3]),
    "linspace": (lambda n: tf.linspace(0.0, 1.0, n), [3]),
    "one_hot": (lambda n: tf.one_hot([1, 2], n), [3]),
    "reshape": (tf.reshape, [X, tf.constant([2, 2])]),
    "broadcast_to": (lambda n: tf.broadcast_to(X, [n, 4]), [2]),
    "repeat": (tf.repeat, [X, tf.constant([1, 0, 2, 1])]),
    "tile": (lambda n: tf.tile(X, [n]), [3]),
    "pad": (lambda n: tf.pad(X, [[0, n]]), [3]),
    "slice": (lambda n: tf.slice(X, [0], [n]), [3]),
    "index": (lambda n: X[:n], [3]),
    "steps": (lambda n: X[::n], [-1]),
    "frame": (lambda n: tf.signal.frame(X, n, 1), [2]),
    "window": (lambda n: tf.signal.hann_window(n), [4]),
    "diagonal": (lambda n: tf.linalg.diag([1.0, 2.0], num_rows=n), [3]),
    "categorical": (lambda n: tf.shape(tf.random.categorical([[0.0, 1.0]], n)), [3]),
    "ragged_segment_sum": (lambda n: tf.math.unsorted_segment_sum(tf.ragged.stack([X, X]), [0, 0], n).values, [3]),
    "sparse_segment_sum": (lambda n: tf.sparse.segment_sum(tf.ones([3, 2]), [0, 1], [0, 1], num_segments=n), [3]),
    "sparse_eye": (lambda n: tf.sparse.to_dense(tf.sparse.eye(n)), [3]),
    "array_split": (lambda n: tf.TensorArray(tf.float32, 2, infer_shape=False).split(X, n).read(1), [[1, 3]]),
    "split": (lambda sizes: tf.split(X, sizes), [tf.constant([1, 3])]),
    "top_k": (lambda n: tf.math.top_k(X, n), [3]),
    "sequence_mask": (lambda lengths: tf.sequence_mask(lengths), [tf.constant([1, 3])]),
    "dynamic_partition": (lambda x, parts: tf.dynamic_partition(x, parts, 2), [X, tf.constant([0, 1, 0, 0])]),
    "bincount": (lambda x: tf.math.bincount(x), [IDS]),
    "segment_sum": (tf.math.segment_sum, [X, tf.constant([0, 0, 1, 1])]),
    "unsorted_segment_sum": (lambda n: tf.math.unsorted_segment_sum(X, [0, 0, 1, 1], n), [2]),
    "scatter_nd": (lambda n: tf.scatter_nd([[0], [1]], [1.0, 2.0], [n]), [4]),
    "sparse_values": (lambda x: tf.sparse.from_dense(x).values, [tf.constant([1.0, 0.0, 2.0])]),
    "sets": (lambda a, b: tf.sets.difference(a, b).values, [tf.constant([[1, 2, 3]]), tf.constant([[1]])]),
    "ragged": (lambda n: tf.RaggedTensor.from_row_lengths(X, n).to_tensor(), [tf.constant([1, 3])]),
    "suppression": (tf.image.non_max_suppression, [BOXES, tf.constant([0.9, 0.8, 0.7]), 3]),
    "resize": (lambda size: tf.image.resize(tf.ones([1, 4, 4, 1]), size), [tf.constant([2, 3])]),
    "branches": (lambda c: tf.cond(c, lambda: tf.zeros([2]), lambda: tf.zeros([3])), [True]),
    "mask_in_a_branch": (lambda c: tf.cond(c, lambda: tf.reduce_sum(X[X > 1.0]), lambda: 0.0), [True]),
    "mask_in_a_map": (lambda n: tf.map_fn(lambda i: tf.reduce_sum(X[:i]), n, fn_output_signature=tf.float32), [IDS]),
}


# They take the way of another case.
VARIANTS = {"unique_with_counts", "ragged_segment_sum", "sparse_segment_sum", "sparse_eye", "mask_in_a_branch"}
VARIANTS |= {"suppression", "sparse_values", "segment_sum", "dynamic_partition", "repeat", "diagonal", "tile"}
VARIANTS |= {"one_hot", "zeros", "broadcast_to", "eye", "linspace", "window"}


@pytest.mark.parametrize("name", without(VARIANTS, CASES))
def test_result_is_that_of_eager_code(name):
    function, args = CASES[name]
    args = [tf.constant(arg) if isinstance(arg, (bool, int, list)) and name != "suppression" else arg for arg in args]
    decorated = tf.function(function)
    for _ in range(3):
        tf.nest.map_structure(np.testing.assert_array_equal, decorated(*args), function(*args))


def test_function_with_jit_compile():
    positive = tf.function(lambda x: positive_ones(x), jit_compile=True)
    assert positive(X - 2.0).numpy().tolist() == [1.0, 2.0]


def test_autograph_rewrites_the_code():
    @tf.function
    def signed_sum(x):
        total = 0.0
        for each in positive_ones(x):
            if each > 2.0:
                total += each
            else:
                total -= each
        return total

    for _ in range(2):
        assert signed_sum(tf.constant([1.0, -2.0, 4.0])).numpy() == 3.0
    assert tf.function(squares)(tf.constant(4)).numpy().tolist() == [0.0, 1.0, 4.0, 9.0]
    assert tf.function(grown)(tf.constant(3)).numpy().tolist() == [0, 0, 1, 2]


def test_variables_that_are_created_after_the_refused_step():
    made = {}

    @tf.function
    def total(x):
        if "first" not in made:
            made["first"] = tf.Variable(1.0)
        found = tf.reduce_sum(tf.boolean_mask(x, x > made["first"]))
        if "second" not in made:
            made["second"] = tf.Variable(2.0)
        return found * made["second"]

    @tf.function
    def careless(x):
        return tf.boolean_mask(x, x > tf.Variable(2.0))

    assert [total(X).numpy() for _ in range(3)] == [18.0] * 3
    with pytest.raises(ValueError, match="singleton"):
        careless(X)


def test_training_step():
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.boolean_mask(v, x > 0.0) ** 2.0)
        v.assign_sub(0.25 * tf.convert_to_tensor(tape.gradient(loss, v)))
        return loss

    x = tf.constant([1.0, -1.0, 2.0])
    assert [step(x).numpy() for _ in range(3)] == [10.0, 2.5, 0.625]
    assert v.numpy().tolist() == [0.125, 2.0, 0.375]


def test_gradient_by_a_tape_around_the_call():
    v = tf.Variable([1.0, 2.0, 3.0])
    masked = tf.function(lambda mask: tf.reduce_sum(tf.boolean_mask(v, mask) ** 2.0))
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = masked(tf.constant([True, False, True]))
        assert tf.convert_to_tensor(tape.gradient(loss, v)).numpy().tolist() == [2.0, 0.0, 6.0]


def test_random_draws_continue_from_call_to_call():
    @tf.function
    def drawn(x):
        first = tf.random.uniform([2])
        kept = positive_ones(x)
        return first, tf.random.normal(tf.shape(kept)), tf.random.uniform([2], seed=5)

    tf.random.set_seed(3)
    expected = [
        ([0.12736, 0.81469], [-0.02354, -0.70804], [0.39767, 0.84257]),
        ([0.88987, 0.66276], [-0.78645, -0.63909], [0.94873, 0.52278]),
        ([0.56561, 0.53984], [-0.23855, 1.30135], [0.73546, 0.68470]),
    ]
    found = [drawn(tf.constant([1.0, -1.0, 2.0])) for _ in expected]
    tf.random.set_seed(None)
    np.testing.assert_allclose(found, expected, atol=1e-5)


class Layer(tf.Module):
    """A layer that makes its variable at the first call, before or after the mask."""

    def __init__(self, is_early):
        self.is_early = is_early
        self.w = None

    def make(self):
        if self.w is None:
            time.sleep(0.005)  # for other threads
            self.w = tf.Variable([3.0, 4.0])

    @tf.function
    def __call__(self, x):
        if self.is_early:
            self.make()
        total = tf.reduce_sum(positive_ones(x))
        self.make()
        return total * self.w


@pytest.mark.parametrize("is_early", [True, False], ids=["before_the_mask", "after_the_mask"])
def test_variable_is_made_once(is_early):
    layer = Layer(is_early)
    for _ in range(3):
        assert layer(tf.constant([1.0, -1.0, 2.0])).numpy().tolist() == [9.0, 12.0]
    layer.w.assign([1.0, 1.0])
    assert layer(tf.constant([1.0, -1.0, 2.0])).numpy().tolist() == [3.0, 3.0]


def test_threads_that_call_first_make_the_variable_once():
    for _ in range(5):
        layer = Layer(is_early=False)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(layer, [tf.constant([1.0, -1.0, 2.0])] * 4))
        assert [result.numpy().tolist() for result in found] == [[9.0, 12.0]] * 4


def test_call_that_was_interrupted_can_be_made_again():
    layer = Layer(is_early=False)
    made = layer.make
    layer.make = lambda: signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        layer(tf.constant([1.0, -1.0]))
    assert tf.executing_eagerly()
    layer.make = made
    for _ in range(2):
        assert layer(tf.constant([1.0, -1.0, 2.0])).numpy().tolist() == [9.0, 12.0]


def test_variable_made_at_each_call_is_refused():
    @tf.function
    def shifted(x):
        return positive_ones(x) + tf.Variable(1.0)

    with pytest.raises(ValueError, match="only supports singleton"):  # noqa: PT012  # at either call
        shifted(tf.constant([1.0, 2.0]))
        shifted(tf.constant([1.0, 2.0]))


def test_functions_inside_functions():
    runs = []

    @tf.function
    def doubled(x):
        runs.append("doubled")
        return x * 2.0

    @tf.function
    def positive(x):
        return positive_ones(x)

    @tf.function
    def total(x):
        return tf.reduce_sum(doubled(positive(x)))

    for _ in range(3):
        assert total(tf.constant([1.0, -2.0, 4.0])).numpy() == 10.0
    assert len(runs) == 1
    assert total(tf.constant([1.0, 2.0, 4.0, 1.0])).numpy() == 16.0


def test_code_runs_in_a_function():
    @tf.function
    def places(x):
        return tf.where(x > 0.0), tf.executing_eagerly(), tf.inside_function()

    for _ in range(2):
        _, eagerly, inside = places(tf.constant([1.0]))
        assert (bool(eagerly), bool(inside)) == (False, True)
    assert tf.executing_eagerly()


def test_error_is_that_of_a_running_function():
    far = tf.function(lambda x: tf.gather(positive_ones(x), [5]))
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            far(tf.constant([1.0, -1.0]))


@pytest.mark.parametrize("read", [lambda x: x.numpy(), lambda x: np.asarray(x), lambda x: int(x[0])])
def test_code_that_reads_a_value_is_refused(read):
    with pytest.raises((AttributeError, NotImplementedError, TypeError)):
        tf.function(lambda x: tf.constant(read(x)), autograph=False)(tf.constant([1.0]))


def test_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def positive(x):
        return positive_ones(x)

    assert positive([1.0, -1.0]).numpy().tolist() == [1.0]
    assert positive([1.0, 2.0, -1.0]).numpy().tolist() == [1.0, 2.0]


def test_random_numbers_go_on_between_strings_that_are_traced_and_those_that_are_not():
    tf.random.set_seed(5)

    @tf.function
    def drawn(texts):
        return tf.random.uniform(tf.shape(tf.strings.length(texts)), 0, 1000, tf.int32)

    found = [drawn(tf.constant([text])).numpy().tolist() for text in "abcd"]
    found += [drawn(tf.constant([text, text])).numpy().tolist() for text in "xyxxyzx"]
    # Those of TensorFlow.
    assert found[:4] == [[317], [456], [233], [149]]
    assert found[4:] == [[317, 332], [233, 807], [104, 152], [914, 409], [75, 211], [250, 198], [47, 103]]


def test_new_strings_at_each_call():
    @tf.function
    def lengths(text, x):
        return tf.strings.length(text), x * 2.0

    for k in range(20):
        length, doubled = lengths(tf.constant("a" * k), tf.constant(float(k)))
        assert (length.numpy(), doubled.numpy()) == (k, 2.0 * k)
    assert lengths.experimental_get_tracing_count() <= 8


def test_new_row_lengths_at_each_call():
    sums = tf.function(lambda rows: tf.reduce_sum(rows, axis=1))
    for k in range(20):
        assert sums(tf.RaggedTensor.from_row_lengths(tf.ones([k + 2]), [k, 2])).numpy().tolist() == [k, 2.0]
    assert sums.experimental_get_tracing_count() <= 8


def test_results_of_any_structure():
    @tf.function
    def several(x):
        return {"where": tf.where(x > 0.0)[:, 0], "none": None, "number": 3}, "text"

    found, text = several(tf.constant([1.0, -1.0]))
    assert found["where"].numpy().tolist() == [0]
    assert (found["none"], found["number"].numpy(), text.numpy()) == (None, 3, b"text")


def test_python_functions_and_init_scope_run_eagerly():
    @tf.function
    def f(x):
        kept = positive_ones(x)
        with tf.init_scope():
            in_scope = tf.executing_eagerly()
        of_tensors = tf.py_function(lambda a: tf.Variable(a) + float(tf.executing_eagerly()), [kept], tf.float32)
        of_arrays = tf.numpy_function(
            lambda a: (tf.Variable(a) + float(not tf.inside_function())).numpy(), [kept], tf.float32
        )
        return of_tensors, of_arrays, tf.constant(in_scope), tf.constant(tf.executing_eagerly())

    for x in ([1.0, -1.0], [2.0, 3.0]):
        *found, in_scope, outside = f(tf.constant(x))
        expected = [value + 1.0 for value in x if value > 0.0]
        assert [each.numpy().tolist() for each in found] == [expected, expected]
        assert in_scope.numpy()
        assert not outside.numpy()


def test_gradient_goes_through_py_function():
    @tf.function
    def f(x):
        return tf.reduce_sum(tf.py_function(lambda a: a * a, [positive_ones(x)], tf.float32))

    x = tf.constant([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tf.convert_to_tensor(tape.gradient(y, x)).numpy().tolist() == [2.0, 0.0, 6.0]


def growing():
    return tf.TensorArray(tf.float32, 0, dynamic_size=True)


def drawn_in_branches():
    array, first = growing(), tf.random.uniform([])
    for i in tf.range(9):
        if i % 2 == 0:
            x = tf.random.uniform([])
        else:
            x = tf.random.uniform([])
            x += 10.0
        array = array.write(array.size(), x)
        if i > 3:
            break
    return array.write(array.size(), first).write(array.size() + 1, tf.random.uniform([])).stack()


def drawn_in_nested_loops():
    array, total = growing(), tf.constant(0.0)
    for i in tf.range(3):
        for _ in tf.range(i + 1):
            x = tf.random.uniform([])
            total += x
            array = array.write(array.size(), x)
        array = array.write(array.size(), tf.random.uniform([]))
        if total > 5.0:
            break
    return array.stack()


def drawn_in_loops_of_python():
    array, total = growing(), tf.constant(0.0)
    for _ in range(2):
        for _ in tf.range(2):
            x = tf.random.uniform([])
            total += x
            array = array.write(array.size(), x)
            if total > 9.0:
                break
    return array.stack()


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (
            drawn_in_branches,
            [
                [0.75373, 10.75373, 0.5876, 10.5876, 0.3971, 0.75373, 0.46037],
                [0.7915, 10.3971, 0.17816, 10.7915, 0.86801, 0.5876, 0.51897],
            ],
        ),
        (
            drawn_in_nested_loops,
            [
                [0.75373, 0.75373, 0.5876, 0.3971, 0.5876, 0.7915, 0.17816, 0.86801, 0.3971],
                [0.15526, 0.7915, 0.40405, 0.45332, 0.17816, 0.59414, 0.38252, 0.425, 0.86801],
            ],
        ),
        (drawn_in_loops_of_python, [[0.75373, 0.5876, 0.75373, 0.5876], [0.3971, 0.7915, 0.3971, 0.7915]]),
    ],
)
def test_loops_and_branches_have_random_streams_of_their_own(function, found):
    tf.random.set_seed(7)
    decorated = tf.function(function)
    assert [[round(float(x), 5) for x in decorated()] for _ in range(2)] == found
    tf.random.set_seed(None)


def test_branches_and_loops_choose_strings():
    @tf.function
    def counted(n):
        words = tf.TensorArray(tf.string, size=0, dynamic_size=True)
        for i in tf.range(1, n + 1):
            if i % 15 == 0:
                word = tf.constant("FizzBuzz")
            elif i % 3 == 0:
                word = tf.constant("Fizz")
            elif i % 5 == 0:
                word = tf.constant("Buzz")
            else:
                word = tf.strings.as_string(i)
            words = words.write(i - 1, word)
        return words.stack()

    expected = [b"1", b"2", b"Fizz", b"4", b"Buzz", b"Fizz", b"7", b"8", b"Fizz", b"Buzz", b"11", b"Fizz", b"13", b"14"]
    assert counted(tf.constant(15)).numpy().tolist() == [*expected, b"FizzBuzz"]
    assert counted(tf.constant(2)).numpy().tolist() == expected[:2]


def test_files_are_read_in_each_call(tmp_path):
    path = tmp_path / "numbers.txt"

    @tf.function
    def read(name):
        return tf.strings.to_number(tf.strings.split(tf.io.read_file(name), ","))

    @tf.function
    def decoded(name):
        image = tf.io.decode_png(tf.io.read_file(name))
        return tf.image.resize(tf.cast(image, tf.float32), [2, 2]) / 255.0

    for numbers in ([1.0, 2.0], [3.0], [4.0, 5.0, 6.0]):
        path.write_text(",".join(map(str, numbers)))
        for name in (str(path), tf.constant(str(path))):
            assert read(name).numpy().tolist() == numbers
    for shade in (0, 255):
        path.write_bytes(tf.io.encode_png(tf.fill([4, 3, 1], tf.cast(shade, tf.uint8))).numpy())
        assert decoded(str(path)).numpy().ravel().tolist() == [shade / 255.0] * 4
    with pytest.raises(tf.errors.NotFoundError):
        decoded(str(tmp_path / "missing.png"))


def encoded(shade):
    return tf.io.encode_png(tf.fill([2, 3, 1], tf.cast(shade, tf.uint8)))


def test_concrete_functions_of_strings():
    @tf.function
    def mean(image, scale=1.0):
        return tf.reduce_mean(tf.cast(tf.io.decode_png(image), tf.float32)) * scale

    concrete = mean.get_concrete_function(tf.TensorSpec([], tf.string, "image"))
    assert concrete.structured_input_signature == ((tf.TensorSpec([], tf.string, "image"), 1.0), {})
    assert concrete is mean.get_concrete_function(tf.TensorSpec([], tf.string, "image"))
    for shade in (3, 8, 8):
        assert concrete(encoded(shade)).numpy() == concrete(image=encoded(shade)).numpy() == shade
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.constant("no image"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a string tensor"):
        concrete(tf.constant(1.0))
    with pytest.raises(NotImplementedError, match="can only be called and saved"):
        concrete.jaxpr()


def test_concrete_functions_of_ragged_and_sparse_specs():
    @tf.function
    def totals(rows, factor):
        return tf.reduce_sum(rows, 1) * factor

    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    concrete = totals.get_concrete_function(spec, tf.TensorSpec([], tf.int32))
    for rows in ([[1, 2], [3]], [[], [4, 5, 6], [7]]):
        found = concrete(tf.ragged.constant(rows, tf.int32), tf.constant(2))
        assert found.numpy().tolist() == [2 * sum(row) for row in rows]
    dense = tf.function(lambda x: tf.sparse.to_dense(x)).get_concrete_function(
        tf.SparseTensorSpec([None, 3], tf.float32)
    )
    for height in (2, 4):
        assert dense(tf.sparse.eye(height, 3)).numpy().tolist() == np.eye(height, 3).tolist()


def test_errors_of_the_user_are_not_those_of_a_trace():
    @tf.function
    def function(text):
        raise ValueError(f"mine: {text.dtype}")

    with pytest.raises(ValueError, match="mine"):
        function.get_concrete_function(tf.TensorSpec([], tf.string))


@pytest.mark.parametrize(
    "spec", [tf.TensorSpec([], tf.string, "image"), tf.TensorSpec([None], tf.string, "image")], ids=["one", "many"]
)
def test_concrete_functions_without_a_trace_are_saved(spec, tmp_path):
    class Reader(tf.Module):
        @tf.function
        def mean(self, image):
            return {"mean": tf.reduce_mean(tf.cast(tf.io.decode_png(tf.reshape(image, [])), tf.float32))}

    reader = Reader()
    concrete = reader.mean.get_concrete_function(spec)
    tf.saved_model.save(reader, str(tmp_path), signatures=concrete)
    loaded = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    image = tf.reshape(encoded(5), [1] * len(spec.shape))
    assert loaded(image=image)["mean"].numpy() == concrete(image)["mean"].numpy() == 5.0


@pytest.mark.parametrize("is_compiled", [None, True])
def test_results_of_concrete_functions_are_known_where_a_function_is_traced(is_compiled):
    filled = tf.function(lambda shape: tf.ones(shape), autograph=False)

    @tf.function(jit_compile=is_compiled)
    def function(x):
        inner = tf.function(lambda: filled(np.array([2, 3], np.int32)))
        return x * inner.get_concrete_function().structured_outputs.shape[1]

    assert function(tf.constant(2.0)).numpy() == 6.0
    assert function(tf.constant(3.0)).numpy() == 9.0
