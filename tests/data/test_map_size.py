"""Functions of elements whose results have sizes that depend on data."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import listed

D = tf.data.Dataset
NUMBERS = tf.range(4, dtype=tf.int64)

CASES = {
    "zeros": (lambda x: tf.zeros([x]), [[], [0.0], [0.0, 0.0], [0.0, 0.0, 0.0]]),
    "range": (lambda x: tf.range(x), [[], [0], [0, 1], [0, 1, 2]]),
    "boolean_mask": (lambda x: tf.boolean_mask(NUMBERS, x > NUMBERS), [[], [0], [0, 1], [0, 1, 2]]),
    "mask of a range": (lambda x: tf.boolean_mask(tf.range(x), tf.range(x) > 0), [[], [], [1], [1, 2]]),
    "repetitions of a range": (lambda x: tf.repeat(tf.range(x), tf.range(x)), [[], [], [1], [1, 2, 2]]),
    "partition of a range": (
        lambda x: tf.dynamic_partition(tf.range(x), tf.cast(tf.range(x) % 2, tf.int32), 2)[1],
        [[], [], [1], [1]],
    ),
    "length of a range": (lambda x: tf.zeros([len(tf.range(x))]), [[], [0.0], [0.0, 0.0], [0.0, 0.0, 0.0]]),
    "choice of a range": (lambda x: tf.range(x) if x > 1 else tf.range(2 * x), [[], [0, 1], [0, 1], [0, 1, 2]]),
    "where": (lambda x: tf.where(x <= NUMBERS), [[[0], [1], [2], [3]], [[1], [2], [3]], [[2], [3]], [[3]]]),
    "unique": (lambda x: tf.unique(NUMBERS // (x + 1)).y, [[0, 1, 2, 3], [0, 1], [0, 1], [0]]),
    "repeat": (lambda x: tf.repeat([1, 2], [x, x]), [[], [1, 2], [1, 1, 2, 2], [1, 1, 1, 2, 2, 2]]),
    "bincount": (lambda x: tf.math.bincount([x, 1]), [[1, 1], [0, 2], [0, 1, 1], [0, 1, 0, 1]]),
    "bincount of weights": (
        lambda x: tf.math.bincount([x, 0], weights=[0.5, 2.0], minlength=2),
        [[2.5, 0], [2, 0.5], [2, 0, 0.5], [2, 0, 0, 0.5]],
    ),
    "bincount of rows": (lambda x: tf.math.bincount([[x], [1]], axis=-1)[0], [[1, 0], [0, 1], [0, 0, 1], [0, 0, 0, 1]]),
    "slice": (lambda x: NUMBERS[:x], [[], [0], [0, 1], [0, 1, 2]]),
    "pad": (lambda x: tf.pad(tf.ones([1]), [[0, x]]), [[1], [1, 0], [1, 0, 0], [1, 0, 0, 0]]),
    "computed by fractions": (lambda x: tf.zeros([int(tf.cast(x, tf.float32) * 0.5)]), [[], [], [0], [0]]),
}


@pytest.mark.parametrize("is_padded", [False, True])
def test_frames_of_signals_of_any_length(is_padded):
    lengths = [1, 255, 256, 257, 900]
    signals = D.from_tensor_slices(lengths).map(lambda n: tf.cos(tf.cast(tf.range(n), tf.float32)))
    spectra = signals.map(lambda x: tf.signal.stft(x, 256, 160, 384, pad_end=is_padded))
    assert spectra.element_spec == tf.TensorSpec([None, 193], tf.complex64)
    for length, found in zip(lengths, spectra, strict=True):
        if is_padded or length >= 256:
            signal = tf.cos(tf.range(float(length)))
            np.testing.assert_allclose(found, tf.signal.stft(signal, 256, 160, 384, pad_end=is_padded), atol=1e-3)
        else:
            assert found.shape == [0, 193]


def test_ranges_that_branches_assign():
    def chosen(x):
        if x > 1:
            places, first = tf.range(x), x - x
        else:
            places, first = tf.range(2 * x), x
        return places + first

    assert listed(D.range(4).map(chosen)) == [[], [1, 2], [0, 1], [0, 1, 2]]


def test_short_parts_of_ranges_that_branches_choose():
    assert listed(D.range(4).map(lambda x: (tf.range(x) if x > 1 else tf.range(2 * x))[:1])) == [[], [0], [0], [0]]


@pytest.mark.parametrize("name", CASES)
def test_results_of_many_sizes(name):
    function, expected = CASES[name]
    dataset = D.range(4).map(function)
    assert dataset.element_spec.shape[0] is None
    assert [x.numpy().tolist() for x in dataset] == expected


def test_composite_tensors_as_arguments_and_results():
    rows = D.from_tensor_slices(tf.ragged.constant([[1, 2], [3]]))
    assert [x.numpy() for x in rows.map(tf.reduce_sum)] == [3, 3]
    assert [x.numpy().tolist() for x in rows.batch(2).map(lambda r: r.to_tensor())] == [[[1, 2], [3, 0]]]
    sparse = D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 3]]))
    assert [x.numpy().tolist() for x in sparse.map(tf.sparse.to_dense)] == [[1, 0], [0, 3]]
    made = D.range(1, 3).map(lambda x: tf.sparse.SparseTensor([[x]], [x], [3]))
    assert made.element_spec == tf.SparseTensorSpec([3], tf.int64)
    assert [tf.sparse.to_dense(x).numpy().tolist() for x in made] == [[0, 1, 0], [0, 0, 2]]


def test_shapes_that_are_set_are_checked_for_each_element():
    def function(text):
        numbers = tf.strings.to_number(tf.strings.split(text))
        numbers.set_shape([2])
        return numbers * 2

    dataset = D.from_tensor_slices(["1 2", "3", "4 5"]).map(function)
    assert dataset.element_spec == tf.TensorSpec([2], tf.float32)
    iterator = iter(dataset)
    assert next(iterator).numpy().tolist() == [2, 4]


def test_words_of_which_the_shape_is_set():
    def function(text):
        words = tf.strings.split(text)
        words.set_shape([2])
        return words

    dataset = D.from_tensor_slices(["a b", "c d"]).map(function)
    assert dataset.element_spec == tf.TensorSpec([2], tf.string)
    assert [x.numpy().tolist() for x in dataset.batch(2)] == [[[b"a", b"b"], [b"c", b"d"]]]


def test_rows_are_padded_by_what_they_lack():
    def function(text):
        numbers = tf.strings.to_number(tf.strings.split(text))[:2]
        return tf.pad(numbers, [[0, tf.maximum(0, 2 - tf.size(numbers))]])

    dataset = D.from_tensor_slices(["1 2 3", "4", ""]).map(function)
    assert [x.numpy().tolist() for x in dataset] == [[1, 2], [4, 0], [0, 0]]


def test_constant_indices_of_rows_of_open_size():
    rows = D.from_tensor_slices(["1 2", "3 4 5", "7"])
    numbers = rows.map(lambda text: tf.strings.to_number(tf.strings.split(text)))
    assert [x.numpy().tolist() for x in numbers.map(lambda x: tf.gather(x, [0, 0]))] == [[1, 1], [3, 3], [7, 7]]
    iterator = iter(numbers.map(lambda x: tf.gather(x, [1])))
    assert [next(iterator).numpy().tolist() for _ in range(2)] == [[2], [4]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)


def test_python_is_called_once_for_each_element_of_any_size():
    calls = []

    def noted(value):
        calls.append(value)
        return value

    def function(text):
        numbers = tf.strings.to_number(tf.strings.split(text))[:2]
        same = tf.numpy_function(noted, [text], tf.string)
        same.set_shape([])
        return tf.pad(numbers, [[0, 2 - tf.shape(numbers)[0]]]), same

    dataset = D.from_tensor_slices(["1 2 3", "4", ""]).map(function)
    assert [x.numpy().tolist() for x, _ in dataset] == [[1, 2], [4, 0], [0, 0]]
    assert calls == [b"1 2 3", b"4", b""]


def test_short_rows_of_ragged_tensors():
    rows = D.from_tensor_slices(tf.ragged.constant([[1, 2], [3], []]))
    kinds = []

    def first(row):
        kinds.append(type(row))
        return row[:1]

    beginnings = rows.map(first)
    assert not issubclass(kinds[0], tf.RaggedTensor)
    assert beginnings.element_spec == tf.TensorSpec([None], tf.int32)
    assert [x.numpy().tolist() for x in beginnings] == [[1], [3], []]
    assert [x.to_list() for x in beginnings.ragged_batch(3)] == [[[1], [3], []]]
    assert rows.map(lambda row: row).element_spec == tf.TensorSpec([None], tf.int32)
    assert [x.numpy().tolist() for x in rows.map(lambda row: row).padded_batch(3)] == [[[1, 2], [3, 0], [0, 0]]]
    assert [x.numpy() for x in rows.flat_map(D.from_tensor_slices)] == [1, 2, 3]


def test_rows_of_ragged_tensors():
    rows = tf.ragged.constant([[1, 2], [3], [], [4, 5, 6]])
    deep = tf.ragged.constant([[[1, 2], [3]], [], [[4], [5, 6]]])
    places = D.from_tensor_slices([[0, 3], [1, 1]])
    taken = D.zip((places, D.from_tensors(rows).repeat())).map(lambda i, x: tf.gather(x, i, axis=0))
    assert listed(taken) == [[[1, 2], [4, 5, 6]], [[3], [3]]]
    assert taken.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64)
    single = D.range(3).map(lambda i: tf.gather(deep, i))
    assert listed(single) == [[[1, 2], [3]], [], [[4], [5, 6]]]
    assert single.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64)
    assert listed(D.range(4).map(lambda i: tf.gather(rows, i))) == rows.to_list()
    several = D.from_tensors(rows).map(lambda x: tf.gather(x, [[0, 1], [3, 2]]))
    assert listed(several) == [[[[1, 2], [3]], [[4, 5, 6], []]]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        listed(D.from_tensors(rows).map(lambda x: tf.gather(x, [0, 9])))


def test_slices_of_open_sizes_have_open_types():
    rows = D.from_generator(lambda: iter([[1, 2, 3], [4], []]), output_signature=tf.TensorSpec([None], tf.int32))
    dataset = rows.map(lambda x: x[:2])
    assert dataset.element_spec == tf.TensorSpec([None], tf.int32)
    assert [x.tolist() for x in dataset.as_numpy_iterator()] == [[1, 2], [4], []]


def test_values_of_open_size_take_fixed_shapes():
    """The shape fits no size but that of the elements."""
    texts = D.from_tensor_slices(["abcd", "efgh"])
    found = texts.map(lambda x: tf.reshape(tf.io.decode_raw(x, tf.uint8), [2, 2]))
    assert found.element_spec == tf.TensorSpec([2, 2], tf.uint8)
    assert listed(found) == [[[97, 98], [99, 100]], [[101, 102], [103, 104]]]


def test_known_sizes_in_a_list_with_open_ones_are_kept():
    def tiled(x):
        return tf.tile(tf.ones([2, 2, 1, 1]), [1, 1, tf.shape(x)[-1], 1])

    dataset = D.from_tensor_slices(np.zeros((5, 4, 3), np.float32)).batch(2).map(tiled)
    assert dataset.element_spec.shape == (2, 2, 3, 1)
    assert [x.shape for x in dataset] == [(2, 2, 3, 1)] * 3


def test_kernel_whose_sizes_are_floats_of_the_element():
    def filtered(size):
        rows, columns = tf.range(size, dtype=tf.float32), tf.range(size + 1.0, dtype=tf.float32)
        kernel = tf.reshape(tf.tensordot(rows, columns, axes=0), (size, size + 1.0, 1, 1))
        return tf.nn.conv2d(tf.ones([1, 5, 5, 1]), kernel, 1, "SAME")[0, :, :, 0]

    sizes = [2.0, 3.0, 2.0]
    found = [x.numpy().tolist() for x in D.from_tensor_slices(sizes).map(filtered)]
    assert found == [filtered(tf.constant(size)).numpy().tolist() for size in sizes]
    assert found[0][0] == [3.0, 3.0, 3.0, 3.0, 1.0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.zeros([tf.maximum(1, 3 - tf.size(x))]),
        lambda x: tf.zeros([tf.minimum(3, 2 * tf.size(x))]),
        lambda x: tf.pad(x, [[0, tf.maximum(0, 4 - 2 * tf.size(x))]]),
        lambda x: tf.zeros([tf.reduce_max([1, 3 - tf.size(x)])]),
    ],
    ids=["maximum", "minimum", "pad", "reduce_max"],
)
def test_greater_of_two_sizes_for_short_rows(function):
    rows = [np.ones(n, np.float32) for n in (0, 1, 2, 5)]
    dataset = D.from_generator(lambda: iter(rows), output_signature=tf.TensorSpec([None], tf.float32)).map(function)
    assert dataset.element_spec == tf.TensorSpec([None], tf.float32)
    for made, row in zip(dataset, rows, strict=True):
        np.testing.assert_array_equal(made, function(row))


def test_sizes_that_only_a_loop_in_a_branch_knows():
    def matrices():
        for height, width in ((2, 3), (1, 4), (0, 2), (3, 1)):
            yield np.arange(height * width, dtype=np.int32).reshape(height, width)

    def rows(x):
        height, width = tf.shape(x)[0], tf.shape(x)[1]
        flat = tf.reshape(x, [-1])

        def cut():
            return tf.map_fn(lambda k: flat[k * width : (k + 1) * width], tf.range(height))

        return tf.cond(height > 0, cut, lambda: tf.zeros_like(x))

    dataset = tf.data.Dataset.from_generator(matrices, output_signature=tf.TensorSpec([None, None], tf.int32))
    assert [x.numpy().tolist() for x in dataset.map(rows)] == [x.tolist() for x in matrices()]


def test_sizes_that_differ_although_others_have_to_agree():
    @tf.autograph.experimental.do_not_convert
    def features(x):
        missing = tf.where(x < 0)
        tf.Assert(tf.size(missing) <= 1, [x])
        crossed = tf.sparse.to_dense(tf.sparse.cross_hashed([x[:, None], x[:, None] + 5], 8))
        # Both have a row for each element of the batch.
        return tf.size(missing), tf.concat([x[:, None], tf.ensure_shape(crossed, [None, 1])], -1)

    numbers = [3, 1, -2, 4, 0, 5, 2]
    column = tf.constant([[k] for k in numbers], tf.int64)
    crossed = tf.sparse.to_dense(tf.sparse.cross_hashed([column, column + 5], 8))
    found = list(D.from_tensor_slices(tf.constant(numbers, tf.int64)).batch(4).map(features))
    assert [int(size) for size, _ in found] == [1, 0]
    rows = np.concatenate([rows for _, rows in found])
    assert rows.tolist() == [[a, int(b)] for a, (b,) in zip(numbers, crossed.numpy(), strict=True)]


def test_steps_whose_results_are_not_used():
    def same(x):
        tf.boolean_mask(x * 2, x % 2 == 0)
        x[:-1]
        return x

    rows = D.range(3).map(lambda n: tf.range(n)).map(same)
    assert [row.tolist() for row in rows.as_numpy_iterator()] == [[], [0], [0, 1]]


def test_sizes_that_the_trace_for_one_element_knows():
    def marked(number, row):
        best = tf.math.top_k(row, tf.minimum(3, tf.size(row)))[0]
        return tf.one_hot(best, tf.cast(number % 3 + 1, tf.int32), dtype=tf.int64)

    rows = D.range(4).map(lambda number: (number, tf.range(number % 2 + 2)))
    assert listed(rows.map(marked)) == [
        [[0], [1]],
        [[0, 0], [0, 1], [1, 0]],
        [[0, 1, 0], [1, 0, 0]],
        [[0], [0], [1]],
    ]


def _half(x):
    return tf.cast(tf.math.ceil(tf.shape(x)[0] / 2), tf.int32)


def _anchors(x):
    sizes = tf.shape(x)
    total = tf.constant(0.0)
    for _ in tf.range(sizes[0]):
        height, width = tf.math.ceil(sizes[0] / 2), tf.math.ceil(sizes[1] / 2)
        grid = tf.meshgrid(tf.range(width, dtype=tf.float32), tf.range(height, dtype=tf.float32))
        centers = tf.tile(tf.expand_dims(tf.stack(grid, axis=-1), -2), [1, 1, 3, 1])
        boxes = tf.concat([centers, tf.tile(tf.ones([1, 1, 3, 2]), [height, width, 1, 1])], -1)
        total += tf.reduce_sum(tf.reshape(boxes, [height * width * 3, 4]))
    return total


QUOTIENTS = {
    "anchors in a loop": (_anchors, [252.0, 768.0, 42.0, 0.0]),
    "rounded up twice": (lambda x: tf.zeros([_half(x)]) + tf.range(tf.math.ceil(tf.shape(x)[0] / 2), dtype="float32"),
                         [[0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [0.0], []]),
    "rounded down": (lambda x: tf.range(tf.math.floor(tf.shape(x)[0] / 3) * 2.0), [[0.0, 1.0], [0, 1, 2, 3], [], []]),
    "truncated": (lambda x: tf.range(1 + tf.cast((tf.shape(x)[0] - 3) / 3, tf.int32)), [[0], [0, 1], [0], []]),
    "rows of an array": (lambda x: tf.TensorArray("float32", size=_half(x)).unstack(tf.ones([_half(x)])).stack(),
                         [[1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0], []]),
    "size of a reshape": (lambda x: tf.reshape(x, [tf.cast(tf.math.ceil(tf.shape(x)[0] / 1), "int32"), -1])[:2, 0],
                          [[0.0, 0.0], [0.0, 0.0], [0.0], []]),
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTIENTS)
def test_sizes_from_quotients_of_sizes(name):
    function, expected = QUOTIENTS[name]
    shapes = [(4, 6), (8, 3), (1, 7), (0, 2)]
    images = D.from_generator(lambda: map(np.zeros, shapes), output_signature=tf.TensorSpec([None, None]))
    assert [x.numpy().tolist() for x in images.map(function)] == expected


def test_a_quotient_of_sizes_is_no_size():
    images = D.from_tensor_slices(np.zeros((4, 3))).batch(3)
    with pytest.raises(TypeError):
        images.map(lambda x: tf.zeros(tf.stack([tf.math.ceil(tf.shape(x)[0] / 2)])))


# Parts of an image of [6, 7, 3] whose heights a program computes, and the sizes of all of them.
PARTS = {
    "slice": (lambda x, n: tf.slice(x, [0, 0, 0], [n, n, 3]), [None, None, 3]),
    "packed sizes": (lambda x, n: tf.slice(x, [0, 1, 0], tf.stack([n, 2, 3])), [None, 2, 3]),
    "computed start": (lambda x, n: tf.slice(x, [n, 0, 0], [1, n, -1]), [1, None, 3]),
    "up to the end": (lambda x, n: tf.slice(x, [0, 2, 0], [n, -1, n]), [None, 5, None]),
    "random crop": (lambda x, n: tf.image.random_crop(x, (n, n, 3), seed=1), [None, None, 3]),
}


@pytest.mark.parametrize("name", PARTS)
def test_known_sizes_of_parts_of_images_are_kept(name):
    part, sizes = PARTS[name]
    images = tf.data.Dataset.from_tensor_slices((tf.reshape(tf.range(252.0), [2, 6, 7, 3]), [1, 2]))
    found = images.map(lambda x, n: part(x, n * n % 3 + n - 1))
    assert found.element_spec.shape.as_list() == sizes
    for (x, n), each in zip(images, found, strict=True):
        wanted = part(x, int(n * n % 3 + n - 1))
        assert each.shape == wanted.shape
        if name != "random crop":
            assert np.array_equal(each, wanted)
