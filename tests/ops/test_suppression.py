"""Non-maximum suppression: its order, in functions, with numbers of boxes that change. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counts

BOXES = np.array([[0, 0, 1, 1], [0, 0, 0.9, 1], [2, 2, 3, 3], [0, 0.5, 0.1, 0.6]], np.float32)
SCORES = np.array([0.1, 0.9, 0.3, 0.4], np.float32)


def listed(tensor):
    return tensor.numpy().tolist()


def test_four_boxes_are_no_matrix():
    assert listed(tf.image.non_max_suppression(BOXES, SCORES, 4)) == [1, 3, 2]


def test_number_of_boxes_compiles_nothing_anew():
    listed(tf.image.non_max_suppression(BOXES, SCORES, 4))
    before = counts.compiles
    for count in range(1, 40):
        boxes, scores = np.resize(BOXES, (count, 4)), np.linspace(0, 1, count).astype(np.float32)
        listed(tf.image.non_max_suppression(boxes, scores, count))
    assert counts.compiles == before


def test_equal_scores_keep_their_order():
    apart = np.array([[k, k, k + 0.5, k + 0.5] for k in range(5)], np.float32)
    assert listed(tf.image.non_max_suppression(apart, np.ones(5, np.float32), 5)) == [0, 1, 2, 3, 4]


def test_nan_is_no_score():
    scores = np.array([np.nan, 0.9, np.inf, 0.4], np.float32)
    assert listed(tf.image.non_max_suppression(BOXES, scores, 4)) == [2, 1, 3]


def test_function_chooses_with_a_fixed_shape():
    @tf.function
    def chosen(boxes, scores):
        return tf.image.non_max_suppression_padded(boxes, scores, 4, pad_to_max_output_size=True)

    indices, count = chosen(BOXES, SCORES)
    assert (listed(indices), int(count)) == ([1, 3, 2, 0], 3)


@pytest.mark.parametrize(
    "suppress",
    [
        lambda boxes, scores: tf.image.non_max_suppression(boxes, scores, 4),
        lambda boxes, scores: tf.image.non_max_suppression_with_scores(boxes, scores, 4),
        lambda boxes, scores: tf.image.non_max_suppression_overlaps(boxes, scores, 4),
        lambda boxes, scores: tf.image.non_max_suppression_padded(boxes, scores, 4),
    ],
)
def test_function_chooses_as_many_as_there_are(suppress):
    decorated, boxes = tf.function(suppress), tf.constant(BOXES)
    for scores in (tf.constant(SCORES), tf.constant(SCORES[::-1])):
        found, want = decorated(boxes, scores), suppress(boxes, scores)
        tf.nest.map_structure(np.testing.assert_array_equal, found, want)


def test_combined_suppression_in_a_function():
    @tf.function
    def chosen(boxes, scores):
        return tf.image.combined_non_max_suppression(boxes[None, :, None], scores[None, :, None], 2, 3)

    found = chosen(BOXES, SCORES)
    assert np.allclose(found.nmsed_scores, [[0.9, 0.4, 0]])
    assert np.allclose(found.nmsed_boxes[0, 0], [0, 0, 0.9, 1])
    assert listed(found.valid_detections) == [2]


@pytest.mark.parametrize("shape", [(1, 0, 1, 4), (0, 3, 1, 4)], ids=str)
def test_combined_suppression_of_no_boxes(shape):
    found = tf.image.combined_non_max_suppression(tf.zeros(shape), tf.zeros(shape[:3]), 2, 3)
    assert [part.shape for part in found] == [(shape[0], 3, 4), (shape[0], 3), (shape[0], 3), (shape[0],)]
    assert not any(part.numpy().any() for part in found)


def test_combined_suppression_has_no_gradient():
    boxes = tf.constant(BOXES[None, :, None])
    with tf.GradientTape() as tape:
        tape.watch(boxes)
        found = tf.image.combined_non_max_suppression(boxes, SCORES[None, :, None], 2, 3)
    with pytest.raises(LookupError, match="CombinedNonMaxSuppression"):
        tape.gradient(found.nmsed_boxes, boxes)
