"""Losses on logits: labels that are not a class, gradients of labels, precision. Literals are TensorFlow's."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._jaxpr.primitive import Name, names
from tfcompat._jaxpr.tracing import traced

LOGITS = [[1.0, 2.0, 0.5]]


@pytest.mark.parametrize("label", [3, -1])
def test_a_label_that_is_no_class_is_refused(label):
    with pytest.raises(tf.errors.InvalidArgumentError, match="labels must be in"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([label], LOGITS)


def test_a_computed_label_that_is_no_class_is_refused_when_it_is_read():
    label = tf.argmax(tf.constant([[0.0, 1.0]]), 1) + 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="labels must be in"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(label, LOGITS).numpy()


def test_labels_of_another_shape_raise_value_error():
    with pytest.raises(ValueError, match="labels must have the shape of logits without"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], LOGITS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one class"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([0], tf.int32), tf.zeros([0, 0]))


def test_the_derivative_of_a_sparse_loss_scatters_nothing():
    body = tf.nn.sparse_softmax_cross_entropy_with_logits.declaration.body

    def total(logits):
        return body(np.int32([1]), logits).sum()

    assert names(traced(jax.grad(total), [np.float32(LOGITS)])).isdisjoint((Name.SCATTER, Name.SCATTER_ADD))


def test_float16_logits_are_summed_in_float32():
    logits = tf.constant([[0.0] * 70000], tf.float16)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0], logits)
    assert loss.dtype == tf.float16
    assert np.isclose(loss.numpy(), np.log(70000), rtol=1e-3)


def test_softmax_cross_entropy_has_a_gradient_for_labels():
    labels, logits = tf.constant([[0.0, 1.0, 0.0]]), tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch([labels, logits])
        loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    for_labels, for_logits = tape.gradient(loss, [labels, logits])
    assert np.allclose(for_labels, -tf.nn.log_softmax(logits))
    assert np.allclose(for_logits, tf.nn.softmax(logits) - labels)


def test_softmax_cross_entropy_takes_labels_for_a_distribution():
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.softmax_cross_entropy_with_logits([[2.0, 0.0, 0.0]], logits)
    assert np.allclose(tape.gradient(loss, logits), tf.nn.softmax(logits) - [[2.0, 0.0, 0.0]])


def test_softmax_cross_entropy_takes_integer_labels():
    assert np.isclose(tf.nn.softmax_cross_entropy_with_logits([[1, 0]], [[1.0, 2.0]]).numpy(), 1.31326163)


def test_sigmoid_cross_entropy_needs_both():
    with pytest.raises(ValueError, match="both labels and logits"):
        tf.nn.sigmoid_cross_entropy_with_logits(logits=[1.0])


def test_sigmoid_cross_entropy_does_not_overflow():
    loss = tf.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], [-1000.0, 1000.0])
    assert loss.numpy().tolist() == [1000.0, 1000.0]


def test_average_loss_divides_by_the_global_batch():
    assert tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=4).numpy() == 0.75
    assert tf.nn.compute_average_loss([1, 2]).dtype == tf.float64
    with pytest.raises(TypeError, match="global_batch_size must be an integer"):
        tf.nn.compute_average_loss([1.0], global_batch_size=2.0)
    with pytest.raises(ValueError, match="global_batch_size must be a scalar"):
        tf.nn.compute_average_loss([1.0], global_batch_size=tf.constant([2]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.compute_average_loss([1.0], global_batch_size=-1)


@pytest.mark.parametrize(
    ("labels", "logits"),
    [([1, 0], [1.0, 2.0]), ([1, 0], tf.constant([1.0, 2.0])), (np.array([1.0, 0.0]), tf.constant([1.0, 2.0]))],
    ids=["lists", "integers", "float64"],
)
def test_sigmoid_cross_entropy_casts_neither_argument(labels, logits):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
