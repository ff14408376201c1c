"""Kernels that are called by name answer what TensorFlow's do."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

BOXES = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]
SCORES = [0.9, 0.8, 0.7]


def suppressed(**others):
    given = {"max_output_size": 3, "iou_threshold": 0.5, "score_threshold": 0.0, "soft_nms_sigma": 0.0}
    found = tf.raw_ops.NonMaxSuppressionV5(boxes=BOXES, scores=SCORES, **given | others)
    return found.selected_indices.numpy().tolist(), found.selected_scores.numpy(), int(found.valid_outputs)


@pytest.mark.parametrize(
    ("others", "places", "scores", "count"),
    [
        ({}, [0, 2], [0.9, 0.7], 2),
        ({"pad_to_max_output_size": True}, [0, 2, 0], [0.9, 0.7, 0.0], 2),
        ({"iou_threshold": 1.0, "soft_nms_sigma": 0.5}, [0, 2, 1], [0.9, 0.7, 0.4096038], 3),
    ],
)
def test_boxes_are_suppressed(others, places, scores, count):
    found = suppressed(**others)
    assert (found[0], found[2]) == (places, count)
    np.testing.assert_allclose(found[1], scores, rtol=1e-6)


@pytest.mark.parametrize(
    ("x", "axis", "y", "idx"),
    [
        ([3, 1, 3], [0], [3, 1], [0, 1, 0]),
        ([3, 1, 3], np.zeros(0, np.int64), [3, 1], [0, 1, 0]),
        ([[1, 2], [1, 2], [0, 5]], [0], [[1, 2], [0, 5]], [0, 0, 1]),
        ([[1, 1], [2, 2]], [1], [[1], [2]], [0, 0]),
        ([[1.5, 1.5]], [-1], [[1.5]], [0, 0]),
    ],
)
def test_distinct_slices(x, axis, y, idx):
    found = tf.raw_ops.UniqueV2(x=x, axis=axis)
    assert (found.y.numpy().tolist(), found.idx.numpy().tolist(), found.idx.dtype) == (y, idx, tf.int32)
    assert tf.raw_ops.UniqueV2(x=x, axis=axis, out_idx=tf.int64).idx.dtype == tf.int64


@pytest.mark.parametrize("axis", [[2], [], 0])
def test_axes_that_are_none(axis):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.UniqueV2(x=[[1, 1], [2, 2]], axis=axis)


@pytest.mark.parametrize("name", ["make_ndarray", "audio.decode_wav", "experimental.numpy.ix_"])
def test_refused_names_tell_a_way_out(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    with pytest.raises(NotImplementedError, match=rf"tf\.{name} is not supported\. [A-Zj]"):
        found(1)
