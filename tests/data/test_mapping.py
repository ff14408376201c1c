"""`map`: functions of elements, the moments at which they run, random numbers and errors in values."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import count_of, generated, listed, outcomes, refuses

D = tf.data.Dataset
THREE = D.range(3)
LENGTHS = generated([[1], [2, 3], [4, 5, 6], []], tf.TensorSpec([None], tf.int32))


@pytest.fixture(autouse=True)
def _seed():
    tf.random.set_seed(1)
    yield
    tf.random.set_seed(None)


def test_structures_of_arguments_and_results():
    pairs = D.from_tensor_slices(([1, 2], ["a", "b"]))
    assert listed(pairs.map(lambda x, s: (s, [x, x], {"k": x * 2}))) == [
        (b"a", [1, 1], {"k": 2}),
        (b"b", [2, 2], {"k": 4}),
    ]
    assert listed(D.from_tensor_slices({"x": [1, 2]}).map(lambda e: e["x"] + 1)) == [2, 3]
    assert listed(THREE.map(lambda x: (x, None))) == [(0, None), (1, None), (2, None)]
    assert listed(THREE.map(lambda _: (7, "s"))) == [(7, b"s")] * 3
    nested = D.from_tensor_slices((([1], [2]),))
    assert listed(nested.map(lambda pair: pair[0] + pair[1])) == [3]


def test_a_list_at_the_top_is_a_tuple():
    assert THREE.map(lambda x: [x, x]).element_spec == (tf.TensorSpec([], tf.int64),) * 2
    assert THREE.map(lambda x: (x, [x, x])).element_spec == (tf.TensorSpec([], tf.int64), tf.TensorSpec([2], tf.int64))


def test_python_runs_once():
    runs = []
    scale = 5

    def function(x):
        runs.append(tf.executing_eagerly())
        return x * scale

    dataset = THREE.map(function)
    scale = 7
    assert runs == [False]
    assert listed(dataset) == listed(dataset) == [0, 5, 10]
    assert runs == [False]
    assert repr(dataset) == "<_MapDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    assert count_of(dataset) == 3


def test_rows_of_a_batch_have_an_open_size():
    shapes = []

    def function(x, y):
        shapes.append(x.shape.as_list())
        return x + y, tf.reduce_sum(x), tf.shape(x)[0]

    dataset = D.from_tensor_slices((np.arange(5), np.arange(5))).batch(2).map(function)
    assert listed(dataset) == [([0, 2], 1, 2), ([4, 6], 5, 2), ([8], 4, 1)]
    assert shapes == [[None]]
    assert [spec.shape.as_list() for spec in dataset.element_spec] == [[None], [], []]


def test_elements_of_other_shapes():
    assert listed(LENGTHS.map(lambda x: (x * 2, tf.reduce_sum(x)))) == [
        ([2], 1),
        ([4, 6], 5),
        ([8, 10, 12], 15),
        ([], 0),
    ]
    values = [([1.0], [2.0, 3.0]), ([4.0, 5.0, 6.0], []), ([1.0, 2.0], [3.0, 4.0])]
    pairs = generated(values, (tf.TensorSpec([None], tf.float32),) * 2)
    assert listed(pairs.map(lambda x, y: (x * 2, tf.reduce_sum(y)))) == [([2], 5), ([8, 10, 12], 0), ([2, 4], 7)]
    assert listed(LENGTHS.map(lambda x: x[:2]).padded_batch(4)) == [[[1, 0], [2, 3], [4, 5], [0, 0]]]


def test_control_flow_is_converted():
    assert listed(D.range(5).map(lambda x: x * 2 if x > 2 else -x)) == [0, -1, -2, 6, 8]

    def summed(x):
        total = tf.constant(0, tf.int64)
        for i in tf.range(x):
            total += i
        return total

    assert listed(D.range(5).map(summed)) == [0, 0, 1, 3, 6]


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (5, ValueError, "Argument `func` must be a callable"),
        (lambda _: object(), TypeError, r"Unsupported return value from function passed to Dataset\.map\(\)"),
        (lambda x: x.numpy(), AttributeError, "'SymbolicTensor' object has no attribute 'numpy'"),
        (lambda _: {}["inside"], KeyError, "inside"),
        (lambda x, y: x + y, TypeError, "missing 1 required positional argument: 'y'"),
        (lambda _: None, tf.errors.InvalidArgumentError, ""),
        (lambda _: {"a": None}, tf.errors.InvalidArgumentError, ""),
        (lambda _: (), tf.errors.InvalidArgumentError, ""),
        (lambda _: tf.Variable(1), ValueError, "singleton tf.Variables created on the first call"),
        (lambda x: tf.reshape(tf.zeros([3]) + tf.cast(x, tf.float32), [2]), ValueError, "reshape"),
    ],
    ids=["number", "object", "numpy", "key", "count", "none", "nones", "empty", "variable", "shape"],
)
def test_errors_of_the_function_are_raised_where_it_is_mapped(function, error, message):
    refuses(lambda: THREE.map(function), error, f"(?i){message}")


def test_numbers_of_parallel_calls():
    error = tf.errors.InvalidArgumentError
    for number in (0, -5):
        refuses(lambda number=number: THREE.map(abs, num_parallel_calls=number), error, "must be greater than zero")
    for number in (-1, 4):
        dataset = THREE.map(lambda x: x + 1, num_parallel_calls=number)
        assert listed(dataset) == [1, 2, 3]
        assert repr(dataset).startswith("<_ParallelMapDataset")
    refuses(lambda: THREE.map(abs, num_parallel_calls=2, synchronous=True), ValueError, "synchronous")


def test_errors_in_values_take_the_place_of_their_elements():
    divided = D.range(4).map(lambda x: 6 // (x - 1))
    assert outcomes(divided, 6) == [-6, "InvalidArgumentError", 6, 3, "end", "end"]
    assert outcomes(divided.batch(2), 3) == ["InvalidArgumentError", [6, 3], "end"]
    assert listed(divided.ignore_errors()) == [-6, 6, 3]
    bad = "InvalidArgumentError"
    assert outcomes(D.range(4).map(lambda x: tf.gather([1, 2], x)), 5) == [1, 2, bad, bad, "end"]
    odd = D.range(300).map(lambda x: (tf.debugging.assert_equal(x % 2, tf.constant(0, tf.int64)), x)[1])
    assert listed(odd.ignore_errors()) == [*range(0, 300, 2)]


def stopping(x):
    """`x`; for 1, a Python function ends with StopIteration."""

    def call(x):
        if x == 1:
            raise StopIteration
        return x

    return tf.ensure_shape(tf.numpy_function(call, [x], tf.int64), [])


@pytest.mark.parametrize(
    ("transform", "error"),
    [
        (lambda rows: rows.map(stopping), "InvalidArgumentError"),
        (lambda rows: rows.map(stopping, num_parallel_calls=2), "InvalidArgumentError"),
        (lambda rows: rows.scan(tf.constant(0), lambda state, x: (state, stopping(x))), "InvalidArgumentError"),
        (lambda rows: rows.filter(lambda x: stopping(x) >= 0), "InternalError"),
        (lambda rows: rows.take_while(lambda x: stopping(x) >= 0), "InternalError"),
        (lambda rows: rows.flat_map(lambda x: D.from_tensors(stopping(x))), "InternalError"),
    ],
    ids=["map", "parallel", "scan", "filter", "take_while", "flat_map"],
)
def test_functions_do_not_end_a_dataset(transform, error):
    assert outcomes(transform(D.range(3)), 4) == [0, error, 2, "end"]


def test_end_of_a_sequence_in_a_reduction():
    with pytest.raises(tf.errors.OutOfRangeError):
        D.range(3).reduce(tf.constant(0, tf.int64), lambda state, x: state + stopping(x))


def test_random_numbers_begin_again_in_each_iterator():
    drawn = D.range(4).map(lambda _: tf.random.uniform([]))
    expected = [0.81269646, 0.5272893, 0.8489425, 0.8928561]
    for _ in range(2):
        np.testing.assert_allclose(listed(drawn), expected, 1e-6)
    np.testing.assert_allclose(listed(D.range(4).map(lambda _: tf.random.uniform([]))), expected, 1e-6)
    later = [0.37806964, 0.9844202, 0.22804296, 0.28153515]
    np.testing.assert_allclose(listed(drawn.batch(2).unbatch().repeat(2)), expected + later, 1e-6)
    seeded = D.range(4).map(lambda _: tf.random.uniform([], seed=7))
    np.testing.assert_allclose(listed(seeded), [0.78784764, 0.8899392, 0.33803058, 0.4404043], 1e-6)


def test_random_numbers_of_batches_and_branches():
    batches = D.range(4).batch(2).map(lambda x: tf.random.uniform(tf.shape(x)))
    np.testing.assert_allclose(listed(batches), [[0.81269646, 0.07857466], [0.8489425, 0.09832478]], 1e-6)
    branches = D.range(4).map(lambda x: tf.cond(x % 2 == 0, lambda: tf.random.uniform([]), lambda: 0.0)).repeat(2)
    expected = [0.81269646, 0, 0.5272893, 0, 0.8489425, 0, 0.8928561, 0]
    np.testing.assert_allclose(listed(branches), expected, 1e-6)


def test_random_numbers_without_a_seed_differ():
    tf.random.set_seed(None)
    numbers = listed(D.range(100).map(lambda _: tf.random.uniform([])))
    assert len(set(numbers)) == 100


def test_generators_go_on():
    generator = tf.random.Generator.from_seed(3)
    drawn = THREE.map(lambda _: generator.uniform([]))
    wanted = tf.random.Generator.from_seed(3)
    assert listed(drawn) + listed(drawn) == [float(wanted.uniform([])) for _ in range(6)]


def test_variables_are_read_when_elements_are_computed():
    v = tf.Variable(3, dtype=tf.int64)
    scaled = THREE.map(lambda x: x * v)
    assert listed(scaled) == [0, 3, 6]
    v.assign_add(7)
    assert listed(scaled) == [0, 10, 20]


def test_variables_are_assigned_once_for_each_element_in_order():
    v = tf.Variable(0, dtype=tf.int64)
    summed = D.range(5).map(lambda x: v.assign_add(x) + 0)
    assert listed(summed) == [0, 1, 3, 6, 10]
    assert v.numpy() == 10
    assert listed(summed.prefetch(2)) == [10, 11, 13, 16, 20]


def test_functions_print_for_each_element(capfd):
    assert listed(THREE.map(lambda x: (tf.print("seen", x), x)[1])) == [0, 1, 2]
    assert capfd.readouterr().err.split("\n")[:3] == ["seen 0", "seen 1", "seen 2"]


def test_place_of_an_iterator_of_random_numbers():
    drawn = D.range(6).map(lambda x: (x, tf.random.uniform([])))
    numbers = listed(drawn)
    assert listed(drawn.skip(2)) == numbers[2:]
    assert listed(drawn.take(4).shuffle(1)) == numbers[:4]


def test_long_datasets():
    numbers = np.arange(10_000, dtype=np.float32)
    dataset = D.from_tensor_slices(numbers).map(lambda x: tf.sqrt(x) * 2 + 1)
    np.testing.assert_allclose(listed(dataset), np.sqrt(numbers) * 2 + 1, 1e-6)


def test_rows_of_strings_are_gathered_by_batches_of_open_size():
    words = tf.constant(["a", "b", "c"])
    dataset = tf.data.Dataset.range(3).batch(2).map(lambda i: (tf.gather(words, i), tf.gather(tf.range(3), i) * 2))
    found = [(text.numpy().tolist(), numbers.numpy().tolist()) for text, numbers in dataset]
    assert found == [([b"a", b"b"], [0, 2]), ([b"c"], [4])]


def test_shuffles():
    assert listed(D.range(2).map(lambda _: tf.random.shuffle(tf.range(9)))) == [
        [7, 5, 4, 2, 6, 0, 8, 3, 1],
        [3, 6, 4, 5, 8, 0, 1, 7, 2],
    ]
    seeded = D.range(2).map(lambda _: tf.random.shuffle(tf.range(9), seed=3))
    assert listed(seeded) == [[5, 7, 2, 3, 1, 8, 0, 6, 4], [2, 7, 1, 3, 5, 8, 4, 0, 6]]


class Scale:
    """A layer that makes its variable in its first call."""

    factor = None

    def __call__(self, x):
        if self.factor is None:
            self.factor = tf.Variable(lambda: tf.constant(3.0))
        return self.factor * x


def test_variables_that_the_first_call_creates():
    scale = Scale()
    dataset = D.from_tensor_slices([1.0, 2.0]).map(scale)
    assert listed(dataset) == [3.0, 6.0]
    scale.factor.assign(4.0)
    assert listed(dataset) == [4.0, 8.0]
    assert listed(LENGTHS.map(lambda x: tf.cast(x, tf.float32)).map(Scale())) == [[3], [6, 9], [12, 15, 18], []]
    above = Scale()
    assert listed(D.from_tensor_slices([1.0, 2.0]).filter(lambda x: above(x) > 4.0)) == [2.0]


def test_functions_set_shapes_of_their_arguments():
    def known(x, text):
        x.set_shape([])
        text.set_shape([None])
        return x, text

    elements = [(1, ["a"]), (2, ["b", "c"])]
    dataset = D.from_generator(lambda: elements, (tf.int32, tf.string)).map(known)
    assert dataset.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.string))
    assert listed(dataset.padded_batch(2)) == [([1, 2], [[b"a", b""], [b"b", b"c"]])]


def sizes_in_numbers(x):
    total = 0
    for k in range(len(x)):
        total += x[k] * k
    return tf.range(len(x)), len(x) + 1, tf.repeat(tf.range(len(x[1:])), x[1:]), tf.one_hot(x, len(x) + 1), total


def test_len_of_an_open_size_is_a_tensor():
    dataset = D.from_tensor_slices([1, 2, 3]).batch(2).map(sizes_in_numbers)
    specs = [spec.shape.as_list() for spec in dataset.element_spec]
    assert specs == [[None], [], [None], [None, None], []]
    assert [tuple(part.numpy().tolist() for part in element) for element in dataset] == [
        ([0, 1], 3, [0, 0], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 2),
        ([0], 2, [], [[0.0, 0.0]], 0),
    ]


def crop(image):
    size = tf.convert_to_tensor((2, 3))
    margins = tf.shape(image)[:2] - size
    y = tf.random.uniform((), maxval=margins[0], dtype=tf.int32, seed=1)
    x = tf.random.uniform((), maxval=margins[1], dtype=tf.int32, seed=2)
    return image[y : y + size[0], x : x + size[1]]


def test_windows_at_random_places():
    tf.random.set_seed(0)
    images = [np.arange(20.0).reshape(4, 5), np.arange(12.0).reshape(3, 4)]
    found = D.from_generator(lambda: iter(images), output_signature=tf.TensorSpec([None, None])).map(crop)
    assert listed(found) == [[[6.0, 7.0, 8.0], [11.0, 12.0, 13.0]], [[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]]]


def sums(x, more=0):
    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0], dynamic_size=True)
    for k in range(tf.shape(x)[0] + more):
        array = array.write(k, tf.reduce_sum(x[k - more]))
    return array.stack(), array.size()


def test_arrays_of_open_and_dynamic_size():
    rows = D.from_generator(
        lambda: iter([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]), output_signature=tf.TensorSpec([None, 2])
    )
    assert listed(rows.map(sums)) == [([3.0, 7.0], 2), ([11.0], 1)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="index must be in"):
        list(rows.map(lambda x: sums(x, 1)))
