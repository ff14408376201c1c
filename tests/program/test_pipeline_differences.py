"""Known differences of functions in input pipelines; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import outcomes

D = tf.data.Dataset


def numbers(dataset):
    return [float(number) for number in dataset.as_numpy_iterator()]


def test_parallel_calls_draw_in_order():
    tf.random.set_seed(1)
    try:
        drawn = D.range(64).map(lambda _: tf.random.uniform([]), num_parallel_calls=4, deterministic=False)
        # TensorFlow: the same numbers, in an order that is left to chance.
        assert numbers(drawn) == numbers(drawn) == numbers(D.range(64).map(lambda _: tf.random.uniform([])))
    finally:
        tf.random.set_seed(None)


def test_functions_run_again_for_sizes_that_a_trace_does_not_serve():
    runs = []

    def shortened(x):
        runs.append(x.shape.as_list())
        return x[:2]

    rows = D.from_generator(lambda: iter([[1, 2, 3], [4], [5, 6]]), output_signature=tf.TensorSpec([None], tf.int32))
    found = [list(row) for row in rows.map(shortened).as_numpy_iterator()]
    assert found == [[1, 2], [4], [5, 6]]
    assert runs[0] == [None]
    # TensorFlow: Python ran once.
    assert runs[1:] == [[0], [1], [1]]


def test_functions_without_a_program_run_at_each_call():
    runs = []

    @tf.function
    def masked(x):
        runs.append(x.shape.as_list())
        return tf.boolean_mask(x, x > 1)

    found = D.from_tensor_slices([[1, 5], [4, 6]]).map(lambda x: (masked(x), masked(x + 1)))
    # TensorFlow: Python ran once.
    assert runs == [[2]] * 4
    assert [[list(part) for part in pair] for pair in found.as_numpy_iterator()] == [[[5], [2, 6]], [[4, 6], [5, 7]]]
    assert runs == [[2]] * 4


def test_elements_with_errors_assign_nothing():
    count = tf.Variable(0, dtype=tf.int64)

    def counted(x):
        count.assign_add(1)
        return 6 // (x - 1)

    found = D.range(3).map(counted).ignore_errors()
    assert [int(number) for number in found.as_numpy_iterator()] == [-6, 6]
    # TensorFlow: 3.
    assert count.numpy() == 2


def test_branches_that_the_host_runs_are_traced_twice():
    calls = []

    def changed(x):
        calls.append(1)
        return tf.strings.join([x, "!"])

    dataset = D.from_tensor_slices(["a", "bb"]).map(
        lambda x: tf.cond(tf.strings.length(x) > 1, lambda: changed(x), lambda: x)
    )
    assert list(dataset.as_numpy_iterator()) == [b"a", b"bb!"]
    assert len(calls) == 2
    count = tf.Variable(0)

    def counted(x):
        count.assign_add(1)
        return tf.strings.upper(x)

    with pytest.raises(NotImplementedError, match=r"tf\.cond: variables can't be assigned"):
        D.from_tensor_slices(["a"]).map(lambda x: tf.cond(x == "a", lambda: counted(x), lambda: x))


def test_types_of_results_of_python_functions_have_shapes():
    dataset = D.range(2).map(lambda x: tf.py_function(lambda v: v + 1, [x], tf.TensorSpec([], tf.int64)))
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    assert list(dataset.as_numpy_iterator()) == [1, 2]
    wrong = D.range(1).map(lambda x: tf.py_function(lambda v: tf.stack([v, v]), [x], tf.TensorSpec([], tf.int64)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="returned an array of shape"):
        list(wrong)


def test_gradients_of_random_parts_of_open_sizes_are_refused_in_functions_of_elements():
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(tf.image.random_crop(x, [3]) ** 2)
        return tape.gradient(total, x)

    rows = D.from_generator(lambda: iter([[1.0, 2.0, 3.0]]), output_signature=tf.TensorSpec([None]))
    with pytest.raises(NotImplementedError, match="compute the gradient outside"):
        rows.map(slope)  # TensorFlow: [2, 4, 6]

    def slope_of_loop(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, total = tf.while_loop(
                lambda k, _: k < tf.size(x),
                lambda k, total: (k + 1, total + tf.reduce_sum(tf.boolean_mask(x * x[k], x > 0.0))),
                [0, 0.0],
            )
        return tape.gradient(total, x)

    with pytest.raises(NotImplementedError, match="compute the gradient outside"):
        rows.map(slope_of_loop)  # TensorFlow: [12, 12, 12]


def test_errors_of_generators_and_groups_are_raised_once():
    def two():
        yield 1
        raise ValueError("no more")

    numbers = D.from_generator(two, output_signature=tf.TensorSpec([], tf.int32))
    assert outcomes(numbers, 4) == [1, "InvalidArgumentError", "end", "end"]

    keys = D.from_tensor_slices([1, 5, 2]).map(lambda x: tf.cast(x, tf.int64))
    groups = keys.group_by_window(lambda x: x, lambda _, group: group.map(lambda x: 5 // (x - 2)), 1)
    assert outcomes(groups, 4) == [-5, 1, "InvalidArgumentError", "end"]


def test_images_of_unknown_rank_are_resized():
    png = tf.io.encode_png(tf.zeros([4, 6, 3], tf.uint8))
    resized = D.from_tensors(png).map(lambda content: tf.image.resize(tf.io.decode_image(content), [2, 3]))
    assert [image.shape for image in resized] == [(2, 3, 3)]


def test_slices_beyond_the_end_are_errors():
    five = tf.range(5)
    found = iter(tf.data.Dataset.range(3, 5).map(lambda i: five[i : i + 2]))
    assert next(found).numpy().tolist() == [3, 4]
    for part in (lambda: next(found), lambda: tf.function(lambda i: five[i : i + 2])(tf.constant(4)).numpy()):
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
            part()
    bounded = tf.data.Dataset.range(3, 5).map(lambda i: five[i : tf.minimum(i + 2, 5)])
    assert [part.tolist() for part in bounded.as_numpy_iterator()] == [[3, 4], [4]]
