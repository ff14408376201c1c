"""The pipelines of detectors: boxes from features of open sizes, crops in a loop, squares, sizes chosen by a branch."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._data.function import block_program

D = tf.data.Dataset
BOXES = [(6, 9, [0, 4], [5, 7]), (8, 5, [1], [4]), (7, 7, [2, 0, 3], [6, 3, 5]), (5, 11, [], [])]
NAMES = ("left", "right", "height")
# TensorFlow's.
PARSED = [
    ([6, 9, 3], 13041, [[0, 5, 6], [4, 7, 6]]),
    ([8, 5, 3], 7140, [[1, 4, 8]]),
    ([7, 7, 3], 10731, [[2, 6, 7], [0, 3, 7], [3, 5, 7]]),
    ([5, 11, 3], 13530, []),
]
CROPPED = [([6, 6, 3], 8532, [[3, 7, 6]]), ([5, 5, 3], 2775, [[1, 4, 8]]), *PARSED[2:]]
SQUARE = [([9, 9, 3], 19561.5), ([8, 8, 3], 11424), ([7, 7, 3], 10731), ([11, 11, 3], 29766)]
RESIZED = [([2, 2, 3], total) for total in (966, 804, 876, 984)]
ALL = [([2, 2, 3], total) for total in (948, 444, 876, 984)]


def examples(boxes):
    def feature(values):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))

    made = []
    for height, width, left, right in boxes:
        image = np.arange(height * width * 3).reshape(height, width, 3).astype(np.uint8)
        features = {"left": feature(left), "right": feature(right), "height": feature([height] * len(left))}
        features["image"] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[tf.io.encode_png(image).numpy()]))
        made.append(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    return D.from_tensor_slices(made)


def parsed(example):
    features = {name: tf.io.VarLenFeature(tf.float32) for name in NAMES}
    found = tf.io.parse_single_example(example, {**features, "image": tf.io.FixedLenFeature([], tf.string)})
    labels = tf.stack([tf.sparse.to_dense(found[name]) for name in NAMES], axis=1)
    return tf.cast(tf.io.decode_png(found["image"], 3), tf.float32), labels


def cropped(image, labels):
    shape = tf.shape(image)

    def body(i, image, labels):
        side = tf.minimum(shape[0], shape[1]) - i
        first = (shape[1] - side) // 2
        start, end = (tf.cast(place, tf.float32) for place in (first, first + side))
        inside = tf.logical_and(labels[:, 0] >= start, labels[:, 1] <= end)
        kept = tf.boolean_mask(labels, inside)
        moved = tf.stack([kept[:, 0] - start, kept[:, 1], kept[:, 2]], axis=1)
        part = image[:side, first : first + side]
        return tf.cond(tf.reduce_any(inside), lambda: (9, part, moved), lambda: (i + 1, image, labels))

    shapes = [tf.TensorShape([]), tf.TensorShape([None, None, 3]), tf.TensorShape([None, 3])]
    return tf.while_loop(lambda i, *_: i < 3, body, [0, image, labels], shape_invariants=shapes)[1:]


def square(image, labels):
    height, width = tf.shape(image)[0], tf.shape(image)[1]

    def wider():
        return tf.concat([image, tf.ones([height, height - width, 3]) * tf.reduce_mean(image)], axis=1)

    def higher():
        return tf.concat([image, tf.ones([width - height, width, 3]) * tf.reduce_mean(image)], axis=0)

    return tf.case([(height > width, wider), (height < width, higher)], default=lambda: image), labels


def resized(image, labels):
    made = tf.cond(
        tf.size(labels) > 3,
        lambda: tf.image.resize(image, [2, 2], antialias=True),
        lambda: tf.image.resize(image, [2, 2], "nearest"),
    )
    return made, labels


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        ((), PARSED),
        ((cropped,), CROPPED),
        ((square,), [(*each, labels) for each, (*_, labels) in zip(SQUARE, PARSED, strict=True)]),
        ((resized,), [(*each, labels) for each, (*_, labels) in zip(RESIZED, PARSED, strict=True)]),
        ((cropped, square, resized), [(*each, labels) for each, (*_, labels) in zip(ALL, CROPPED, strict=True)]),
    ],
    ids=["parsed", "cropped", "square", "resized", "all"],
)
def test_detection_pipelines_have_the_values_of_tensorflow(functions, expected):
    def function(example):
        found = parsed(example)
        for each in functions:
            found = each(*found)
        return found

    dataset = examples(BOXES).map(function)
    assert dataset.element_spec[1].shape.as_list() == [None, 3]
    for (image, labels), (shape, total, wanted) in zip(dataset, expected, strict=True):
        assert image.shape.as_list() == shape
        assert float(tf.reduce_sum(image)) == pytest.approx(total)
        assert labels.numpy().tolist() == wanted


def test_features_of_other_sizes_do_not_stack():
    longer = D.from_tensor_slices([tf.io.serialize_tensor(tf.range(n)) for n in (2, 3)])

    def function(text):
        words = tf.io.parse_tensor(text, tf.int32)
        words.set_shape([None])
        return tf.stack([words, tf.strings.unicode_decode("ab", "UTF-8")])

    iterator = iter(longer.map(function))
    assert next(iterator).numpy().tolist() == [[0, 1], [97, 98]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)


def test_programs_of_loops_and_branches_serve_many_sizes(monkeypatch):
    traced, counted = block_program.traced, []

    def counting(*args):
        counted.append(args)
        return traced(*args)

    monkeypatch.setattr(block_program, "traced", counting)

    def function(example):
        return square(*cropped(*parsed(example)))

    sizes = [(30 + k, 50 - k) if k % 2 else (60 - k, 40 + k) for k in range(24)]
    dataset = examples([(height, width, [12, 14, 16], [20, 25, 29]) for height, width in sizes]).map(function)
    counts = []
    for image, labels in dataset:
        assert image.shape[0] == image.shape[1]
        assert len(labels) >= 2
        counts.append(len(counted))
    assert 0 < counts[0] < 30
    assert counts[-1] == counts[5]
