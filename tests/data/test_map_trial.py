"""Functions of elements with ops that no program holds for open sizes: the host computes them."""

# ruff: noqa: ARG001 - all functions have the same parameters

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough

D = tf.data.Dataset
SHAPES = [(8, 10), (12, 9), (7, 7), (1, 6), (2, 6)]
SHUFFLED = [b"1 3 2", b"4 6 7 5", b"8", b"9 10", b"2 1 1"]
TEXTS = ["3 1 2 3", "2 4 5 6 7", "1 8", "4 9 10", "0 1 1 2"]


def elements():
    """Images, texts, vectors and numbers; all sizes are open."""
    images = [tf.io.encode_png(np.arange(h * w * 3, dtype=np.uint8).reshape(h, w, 3)) for h, w in SHAPES]

    def parts(image, text):
        words = tf.strings.split(text)
        numbers = tf.strings.to_number(words, tf.int32)
        return tf.io.decode_png(image, 3), words[1:], tf.cast(numbers[1:], tf.float32), numbers[0]

    return D.from_tensor_slices((tf.stack(images), TEXTS)).map(parts)


def cut(image, words, vector, number):
    return tf.slice(image, tf.stack([0, number, 0]), tf.stack([1, tf.shape(image)[1] - number, 3]))


def cut_vector(image, words, vector, number):
    return tf.slice(vector, [0], [tf.minimum(number, tf.size(vector))])


def cut_words(image, words, vector, number):
    return tf.slice(words, [0], [tf.minimum(number, tf.size(words))])


def cut_at_random(image, words, vector, number):
    begin, size, _ = tf.image.stateless_sample_distorted_bounding_box(
        tf.shape(image), tf.constant([[[0.0, 0.0, 1.0, 1.0]]]), seed=[1, 2]
    )
    return tf.image.resize(tf.slice(image, begin, size), [4, 4])


def greatest(image, words, vector, number):
    return tf.math.top_k(vector, tf.minimum(number, tf.size(vector))).values


def spaced(image, words, vector, number):
    return tf.linspace(0.0, 1.0, number + 1)


def sums(image, words, vector, number):
    return tf.math.segment_sum(vector, tf.range(tf.size(vector)) // 2)


def counts(image, words, vector, number):
    return tf.math.bincount(tf.cast(vector, tf.int32))


def patches(image, words, vector, number):
    return tf.image.extract_patches(image[tf.newaxis], [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME")


def encoded(image, words, vector, number):
    return tf.io.decode_png(tf.io.encode_png(image))


def boxes(image, words, vector, number):
    corners = tf.stack([vector, vector, vector + 2, vector + 2], 1)
    return tf.image.non_max_suppression(corners, vector, 3, 0.2)


def spectrum(image, words, vector, number):
    return tf.abs(tf.signal.rfft(vector))


def padded(image, words, vector, number):
    return tf.pad(words, [[0, 8 - tf.size(words)]], constant_values="P")


def rows(image, words, vector, number):
    return tf.ragged.stack([vector, vector[:1]])


def shortened(image, words, vector, number):
    return tf.strings.split([words[0], "a b c"])[:, :2]


def joined(image, words, vector, number):
    return tf.strings.reduce_join(tf.ragged.stack([words, words[:1]]), axis=-1, separator="+")


def one_row(image, words, vector, number):
    return tf.RaggedTensor.from_tensor(vector[tf.newaxis])


def in_order(image, words, vector, number):
    return tf.random.experimental.stateless_shuffle(vector, [1, 2])


def doubled(image, words, vector, number):
    def is_short(some):
        return tf.size(some) < 8

    def twice(some):
        return (tf.concat([some, some], 0),)

    return tf.while_loop(is_short, twice, (vector,), shape_invariants=(tf.TensorShape([None]),))[0]


def lengthened(image, words, vector, number):
    text = words[0]
    while tf.strings.length(text) < tf.size(vector) * 3:
        text = text + words[0]
    return text


@pytest.mark.parametrize(
    "function",
    [
        *(cut, cut_at_random, greatest, spaced, sums, encoded, padded, joined, one_row, in_order),
        *map(thorough, (cut_vector, cut_words, counts, spectrum, shortened, doubled, lengthened, patches, boxes, rows)),
    ],
    ids=lambda function: function.__name__,
)
def test_results_are_those_of_each_element(function):
    given = elements()
    found, wanted = list(given.map(function)), [function(*element) for element in given]
    assert len(found) == len(wanted) == len(TEXTS)
    for one, other in zip(found, wanted, strict=True):
        one, other = (each.to_list() if isinstance(each, tf.RaggedTensor) else each.numpy() for each in (one, other))
        if isinstance(other, list | bytes) or other.dtype == object:
            assert np.all(one == other)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_shuffled_rows():
    tf.random.set_seed(5)
    try:
        texts = ["1 2 3", "4 5 6 7", "8", "9 10", "1 1 2"]
        found = D.from_tensor_slices(texts).map(lambda text: tf.random.shuffle(tf.strings.split(text), seed=1))
        assert [b" ".join(each) for each in found.as_numpy_iterator()] == SHUFFLED
    finally:
        tf.random.set_seed(None)


def test_wrong_arguments_are_reported_while_tracing():
    def wrong(image, words, vector, number):
        return tf.slice(vector, [0, 0], [number, 1])

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=r"begin|rank"):
        elements().map(wrong)


def test_rows_of_a_size_that_must_be_a_fixed_one():
    texts = D.from_tensor_slices(["1 2 3", "4 5 6", "7", "8 9"])
    moved = texts.map(lambda text: tf.strings.to_number(tf.strings.split(text))).map(lambda x: x - tf.range(3.0))
    iterator = moved.as_numpy_iterator()
    assert [next(iterator).tolist() for _ in range(3)] == [[1, 1, 1], [4, 4, 4], [7, 6, 5]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)


def test_trials_have_no_effects(tmp_path, capfd):
    texts = D.from_tensor_slices(["a 1", "b 2 3"])

    def written(text):
        tf.print(tf.size(tf.strings.split(text)), output_stream=sys.stdout)
        tf.io.write_file(tf.strings.join([str(tmp_path), "/", tf.strings.split(text)[0]]), text)
        return text

    assert list(texts.map(written).as_numpy_iterator()) == [b"a 1", b"b 2 3"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert sorted(capfd.readouterr().out.split()) == ["2", "3"]


def test_an_open_size_may_equal_a_fixed_one():
    rows = D.from_tensor_slices([b"1 5 3", b"2"]).map(lambda s: tf.strings.to_number(tf.strings.split(s), tf.int32))
    found = rows.map(lambda x: x == tf.constant([1, 2, 3]))
    assert [x.numpy().tolist() for x in found] == [[True, False, True], [False, True, False]]


def test_trials_need_little_memory():
    images = D.from_generator(
        lambda: iter([np.ones([2, 3, 2, 3], np.float32)]), output_signature=tf.TensorSpec([None] * 4)
    )
    tracemalloc.start()
    try:
        cut = images.map(lambda x: tf.slice(x, [0, 0, 0, 0], tf.stack([1, tf.cast(tf.reduce_max(x), tf.int32), 1, 1])))
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()
    assert [x.shape for x in cut.as_numpy_iterator()] == [(1, 1, 1, 1)]


def window(x):
    margins = tf.shape(x)[:2] - tf.constant([2, 3])
    return x[margins[0] : margins[0] + 2, margins[1] : margins[1] + 3]


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda x: x[1], [[4, 5, 6, 7], [6, 7, 8, 9, 10, 11]]),
        (lambda x: x[1:, -1], [[7, 11], [11]]),
        (lambda x: tf.shape(x[..., tf.newaxis]), [[3, 4, 1], [2, 6, 1]]),
        (window, [[[5, 6, 7], [9, 10, 11]], [[3, 4, 5], [9, 10, 11]]]),
    ],
    ids=["row", "column", "axis", "window"],
)
def test_parts_of_tensors_of_unknown_rank(function, found):
    arrays = [np.arange(12).reshape(3, 4), np.arange(12).reshape(2, 6)]
    dataset = tf.data.Dataset.from_generator(lambda: iter(arrays), output_types=tf.int32).map(function)
    assert [x.numpy().tolist() for x in dataset] == found


def test_the_sum_of_three_open_sizes_may_equal_a_fixed_one():
    def masked(rows):
        width = tf.random.uniform([], 0, 5, tf.int32, seed=1)
        start = tf.random.uniform([], 0, 20 - width, tf.int32, seed=2)
        mask = tf.concat([tf.ones([start]), tf.zeros([width]), tf.ones([20 - start - width])], 0)
        return rows * mask

    tf.random.set_seed(None)  # other tests may have left a seed
    found = D.from_tensor_slices(np.ones([3, 15, 20], np.float32)).map(masked)
    assert [int(rows.sum()) for rows in found.as_numpy_iterator()] == [270, 270, 255]


def cut_out(image):
    """As AutoAugment's: a mask of computed widths around a hole has the size of the image."""
    height, width = tf.shape(image)[0], tf.shape(image)[1]
    row, column = tf.argmax(tf.reduce_sum(image, [1, 2])), tf.argmax(tf.reduce_sum(image, [0, 2]))
    row, column = tf.cast(row, tf.int32), tf.cast(column, tf.int32)
    above, below = tf.maximum(0, row - 2), tf.maximum(0, height - row - 2)
    before, behind = tf.maximum(0, column - 1), tf.maximum(0, width - column - 1)
    hole = tf.zeros([height - (above + below), width - (before + behind)], image.dtype)
    mask = tf.pad(hole, [[above, below], [before, behind]], constant_values=1)
    mask = tf.tile(tf.expand_dims(mask, -1), [1, 1, 3])
    return tf.where(tf.equal(mask, 0), tf.ones_like(image) * 7, image)


def _with_hole(image):
    row, column = image.sum((1, 2)).argmax(), image.sum((0, 2)).argmax()
    image[max(row - 2, 0) : row + 2, max(column - 1, 0) : column + 1] = 7
    return image


def test_masks_that_are_padded_to_the_size_of_an_image():
    images = np.random.default_rng(0).random((6, 8, 9, 3), np.float32)
    found = D.from_tensor_slices(images).map(cut_out)
    assert found.element_spec.shape == (8, 9, 3)
    np.testing.assert_array_equal(list(found.as_numpy_iterator()), list(map(_with_hole, images.copy())))


def test_masks_that_are_padded_to_an_open_size():
    images = [np.random.default_rng(k).random((4 + k, 9, 3), np.float32) for k in range(4)]
    spec = tf.TensorSpec([None, 9, 3], tf.float32)
    found = D.from_generator(lambda: iter(images), output_signature=spec).map(cut_out)
    assert found.element_spec.shape.as_list() == [None, 9, 3]
    for got, image in zip(found.as_numpy_iterator(), images, strict=True):
        np.testing.assert_array_equal(got, _with_hole(image.copy()))


def test_padding_of_computed_widths():
    dataset = D.range(3).map(lambda n: tf.pad(tf.ones([2, 3]), [[0, 1], [n, 2 - n]], constant_values=5))
    assert dataset.element_spec.shape.as_list() == [3, None]
    for n, rows in enumerate(dataset.as_numpy_iterator()):
        np.testing.assert_array_equal(rows, np.pad(np.ones([2, 3]), [[0, 1], [n, 2 - n]], constant_values=5))
    wrong = D.range(1).map(lambda n: tf.pad(tf.ones([2]), [[n - 1, 0]]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(wrong)
