"""Tensor arrays in loops of functions of elements, whose number of iterations is open."""

from __future__ import annotations

import pytest

import tfcompat as tf

TEXTS = ["a b", "c", "", "x yy zzz"]


def rows():
    """Rows of 3, 0, 1 and 2 numbers."""
    spec = tf.TensorSpec([None], tf.float32)
    return tf.data.Dataset.from_generator(lambda: (range(n) for n in (3, 0, 1, 2)), output_signature=spec)


def texts():
    return tf.data.Dataset.from_tensor_slices(TEXTS)


def counts():
    return tf.data.Dataset.range(4)


def found(dataset, function):
    return [tf.nest.map_structure(lambda x: x.numpy().tolist(), each) for each in dataset.map(function)]


def growing(dtype=tf.float32, **arguments):
    return tf.TensorArray(dtype, 0, dynamic_size=True, **arguments)


def appended(x):
    array = growing()
    for i in tf.range(tf.shape(x)[0]):
        array = array.write(i, x[i] * 2.0)
    return array.stack()


def chosen(x):
    array, i = growing(), tf.constant(0)
    while i < tf.shape(x)[0]:
        if x[i] > 0.5:
            array = array.write(array.size(), x[i])
        i += 1
    return array.stack()


def accumulated(x):
    array = growing(clear_after_read=False).write(0, 1.0)
    for value in x:
        array = array.write(array.size(), array.read(array.size() - 1) * 2.0 + value)
    return array.stack(), array.size()


def pairs(x):
    array = growing(element_shape=[2])
    for value in x:
        array = array.write(array.size(), tf.stack([value, value + 1.0]))
    return array.concat()


def until(x):
    array = growing()
    for value in x:
        if value > 0.5:
            break
        array = array.write(array.size(), value + 10.0)
    return array.stack()


def backwards(x):
    array = growing(clear_after_read=False)
    for value in x:
        array = array.write(array.size(), value * value)
    return array.gather(tf.range(array.size())[::-1])


def matrices_and_numbers(x):
    matrices, numbers = growing(), growing(tf.int32)
    for value in x:
        matrices = matrices.write(matrices.size(), tf.fill([1, 2], value))
        if value > 0.5:
            numbers = numbers.write(numbers.size(), tf.cast(value, tf.int32))
    return matrices.stack(), numbers.stack()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (appended, [[0.0, 2.0, 4.0], [], [0.0], [0.0, 2.0]]),
        (chosen, [[1.0, 2.0], [], [], [1.0]]),
        (accumulated, [([1.0, 2.0, 5.0, 12.0], 4), ([1.0], 1), ([1.0, 2.0], 2), ([1.0, 2.0, 5.0], 3)]),
        (pairs, [[0.0, 1.0, 1.0, 2.0, 2.0, 3.0], [], [0.0, 1.0], [0.0, 1.0, 1.0, 2.0]]),
        (until, [[10.0], [], [10.0], [10.0]]),
        (backwards, [[4.0, 1.0, 0.0], [], [0.0], [1.0, 0.0]]),
        (
            matrices_and_numbers,
            [
                ([[[0.0, 0.0]], [[1.0, 1.0]], [[2.0, 2.0]]], [1, 2]),
                ([], []),
                ([[[0.0, 0.0]]], []),
                ([[[0.0, 0.0]], [[1.0, 1.0]]], [1]),
            ],
        ),
    ],
)
def test_arrays_grow_with_the_rows(function, expected):
    assert found(rows(), function) == expected


def test_the_shape_of_a_grown_array_is_open():
    assert rows().map(appended).element_spec == tf.TensorSpec([None], tf.float32)


def test_arrays_of_strings_grow():
    def longer(x):
        array = growing(tf.string)
        for word in tf.strings.split(x):
            if tf.strings.length(word) > 1:
                array = array.write(array.size(), tf.strings.upper(word))
        return array.stack()

    assert found(texts(), longer) == [[], [], [], [b"YY", b"ZZZ"]]


def test_arrays_of_strings_of_an_open_size():
    def mirrored(x):
        words = tf.strings.split(x)
        count = tf.shape(words)[0]
        array = tf.TensorArray(tf.string, size=count)
        for i in tf.range(count):
            array = array.write(i, words[i] + words[count - 1 - i])
        return array.stack()

    assert found(texts(), mirrored) == [[b"ab", b"ba"], [b"cc"], [], [b"xzzz", b"yyyy", b"zzzx"]]


def test_arrays_grow_in_a_loop_of_a_loop():
    def lower(x):
        array = growing(tf.int64)
        for i in tf.range(x):
            for j in tf.range(i):
                array = array.write(array.size(), i * 10 + j)
        return array.stack()

    assert found(counts(), lower) == [[], [], [10], [10, 20, 21]]


def test_elements_that_no_iteration_writes_are_zeros():
    def spread(x):
        array = growing(tf.int64, element_shape=[])
        for i in tf.range(x):
            array = array.write(tf.cast(2 * i, tf.int32), i + 1)
        return array.stack()

    assert found(counts(), spread) == [[], [1], [1, 0, 2], [1, 0, 2, 0, 3]]


def test_rows_of_a_size_that_the_element_has():
    def products(x):
        array = growing()
        for value in x:
            array = array.write(array.size(), x * value)
        return array.stack()

    assert found(rows().skip(2), products) == [[[0.0]], [[0.0, 0.0], [0.0, 1.0]]]


def test_the_size_of_an_array_decides_in_a_filter():
    def has_several(x):
        array = growing()
        for value in x:
            array = array.write(array.size(), value)
        return array.size() > 1

    assert [x.numpy().tolist() for x in rows().filter(has_several)] == [[0.0, 1.0, 2.0], [0.0, 1.0]]


def test_a_write_beyond_the_end_of_a_fixed_array_of_strings():
    def too_many(x):
        array = tf.TensorArray(tf.string, 2)
        words = tf.strings.split(x)
        for i in tf.range(tf.size(words)):
            array = array.write(i, words[i])
        return array.stack()

    found = iter(texts().map(too_many))
    assert next(found).numpy().tolist() == [b"a", b"b"]
    assert next(found).numpy().tolist() == [b"c", b""]
    assert next(found).numpy().tolist() == [b"", b""]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(found)


def test_rows_of_different_sizes_are_refused_by_name():
    def triangle(x):
        array = growing(tf.int64, infer_shape=False, element_shape=[None])
        for i in tf.range(x):
            array = array.write(tf.cast(i, tf.int32), tf.range(i + 1))
        return array.concat()

    with pytest.raises(NotImplementedError, match=r"tf\.TensorArray: the elements .* must have one shape"):
        counts().map(triangle)
