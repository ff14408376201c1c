"""Losses of TensorFlow 1, their weights and their reductions."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.compat.v1 import losses

FOUND = [[1.0, 2.0], [3.0, 4.0]]
LABELS = [[1.0, 1.0], [1.0, 5.0]]
WIDE = [[1.0, 2.0, 4.0], [3.0, 4.0, 0.0]]
WIDE_LABELS = [[1.0, 1.0, 2.0], [1.0, 5.0, 1.0]]
VALUES = {
    "mean_squared_error": (lambda: losses.mean_squared_error(LABELS, FOUND), 1.5),
    "mean_squared_error weighted": (lambda: losses.mean_squared_error(LABELS, FOUND, weights=[[1.0], [0.0]]), 0.5),
    "mean_squared_error of integers": (lambda: losses.mean_squared_error([1, 2], [2, 4]), 2.5),
    "absolute_difference": (lambda: losses.absolute_difference(LABELS, FOUND), 1.0),
    "huber_loss": (lambda: losses.huber_loss(LABELS, FOUND), 0.625),
    "hinge_loss": (lambda: losses.hinge_loss([[1.0, 0.0]], [[0.3, 0.4]]), 1.05),
    "log_loss": (lambda: losses.log_loss([[1.0, 0.0]], [[0.3, 0.4]]), 0.8573989),
    "cosine_distance": (lambda: losses.cosine_distance([[1.0, 0.0]], [[0.5, 0.5]], axis=1), 0.5),
    "cosine_distance by dim": (lambda: losses.cosine_distance([[1.0, 0.0]], [[0.5, 0.5]], dim=1), 0.5),
    "sigmoid_cross_entropy": (
        lambda: losses.sigmoid_cross_entropy([[1.0, 0.0]], [[1.0, 2.0]], label_smoothing=0.1),
        1.1950948,
    ),
    "softmax_cross_entropy": (
        lambda: losses.softmax_cross_entropy([[1.0, 0.0]], [[1.0, 2.0]], label_smoothing=0.1),
        1.2632616,
    ),
    "sparse_softmax_cross_entropy": (lambda: losses.sparse_softmax_cross_entropy([1], [[1.0, 2.0]]), 0.31326166),
    "sparse_softmax_cross_entropy of columns": (
        lambda: losses.sparse_softmax_cross_entropy([[1], [0]], [[1.0, 2.0], [0.0, 1.0]], weights=[[1.0], [3.0]]),
        2.1265233,
    ),
    "mean_pairwise_squared_error": (lambda: losses.mean_pairwise_squared_error(WIDE_LABELS, WIDE), 3.8),
    "mean_pairwise_squared_error with a weight": (
        lambda: losses.mean_pairwise_squared_error(WIDE_LABELS, WIDE, weights=2.0),
        7.6,
    ),
    "mean_pairwise_squared_error with weights": (
        lambda: losses.mean_pairwise_squared_error(WIDE_LABELS, WIDE, weights=[[1.0], [0.0]]),
        2.0,
    ),
    "absolute_difference of variables": (
        lambda: losses.absolute_difference(tf.Variable(LABELS), tf.Variable(FOUND), weights=tf.Variable(2.0)),
        2.0,
    ),
    "compute_weighted_loss with no weight": (lambda: losses.compute_weighted_loss([1.0, 2.0], [0.0, 0.0]), 0.0),
    "compute_weighted_loss of integers": (lambda: losses.compute_weighted_loss([1, 2], 2), 3),
}


@pytest.mark.parametrize(("call", "want"), VALUES.values(), ids=VALUES.keys())
def test_value(call, want):
    assert call().numpy() == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize(
    ("reduction", "want"),
    [
        ("NONE", [[0.0, 2.0], [0.0, 0.0]]),
        ("SUM", 2.0),
        ("MEAN", 0.5),
        ("SUM_OVER_BATCH_SIZE", 0.5),
        ("SUM_OVER_NONZERO_WEIGHTS", 1.0),
        ("SUM_BY_NONZERO_WEIGHTS", 1.0),
    ],
)
def test_reduction(reduction, want):
    key = getattr(losses.Reduction, reduction)
    loss = losses.mean_squared_error(LABELS, FOUND, weights=[[2.0], [0.0]], reduction=key)
    assert loss.numpy().tolist() == want
    losses.Reduction.validate(key)
    assert key in losses.Reduction.all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: losses.Reduction.validate("x"), "Invalid Reduction Key x"),
        (lambda: losses.mean_squared_error(LABELS, FOUND, reduction="x"), "Invalid Reduction Key x"),
        (lambda: losses.mean_squared_error(LABELS, FOUND, weights=[1.0, 2.0, 3.0]), "weights can not be broadcast"),
        (lambda: losses.mean_squared_error(None, FOUND), "Argument `labels` must not be None"),
        (lambda: losses.mean_squared_error([1.0], [[1.0]]), r"Shapes \(1, 1\) and \(1,\) are incompatible"),
        (lambda: losses.cosine_distance(LABELS, FOUND), "You must specify argument `axis`"),
        (lambda: losses.sparse_softmax_cross_entropy(None, FOUND), "must not be None"),
    ],
)
def test_refusal(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_dtype_is_that_of_the_losses():
    assert losses.compute_weighted_loss([1, 2], 2).dtype is tf.int32
    assert losses.compute_weighted_loss(tf.constant([1.0], tf.float64)).dtype is tf.float64


def test_labels_of_the_softmax_have_no_gradient():
    labels, logits = tf.Variable([[1.0, 0.0]]), tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        loss = losses.softmax_cross_entropy(labels, logits)
    of_labels, of_logits = tape.gradient(loss, [labels, logits])
    assert of_labels is None
    np.testing.assert_allclose(of_logits, [[-0.7310586, 0.7310586]], rtol=1e-5)
