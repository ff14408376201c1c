"""Learning rates of TensorFlow 1 are functions that read the step when they are called."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat.compat.v1 import train

RATES = {
    "polynomial_decay": (lambda: train.polynomial_decay(0.1, 5, 10), 0.05005),
    "polynomial_decay in cycles": (lambda: train.polynomial_decay(0.1, 25, 10, 0.01, 2.0, True), 0.0125),
    "polynomial_decay at step 0": (lambda: train.polynomial_decay(0.1, 0, 10, 0.01, 2.0, True), 0.1),
    "polynomial_decay past its end": (lambda: train.polynomial_decay(0.1, 25, 10, 0.01, 2.0), 0.01),
    "exponential_decay": (lambda: train.exponential_decay(0.1, 5, 10, 0.5), 0.07071068),
    "exponential_decay in stairs": (lambda: train.exponential_decay(0.1, 15, 10, 0.5, True), 0.05),
    "inverse_time_decay": (lambda: train.inverse_time_decay(0.1, 5, 10, 0.5), 0.08),
    "inverse_time_decay in stairs": (lambda: train.inverse_time_decay(0.1, 15, 10, 0.5, True), 0.06666667),
    "natural_exp_decay": (lambda: train.natural_exp_decay(0.1, 5, 10, 0.5), 0.07788008),
    "natural_exp_decay in stairs": (lambda: train.natural_exp_decay(0.1, 15, 10, 0.5, True), 0.06065307),
    "linear_cosine_decay": (lambda: train.linear_cosine_decay(0.1, 5, 10), 0.0251),
    "cosine_decay": (lambda: train.cosine_decay(0.1, 5, 10, 0.1), 0.055),
    "cosine_decay_restarts": (lambda: train.cosine_decay_restarts(0.1, 25, 10), 0.01464466),
    "cosine_decay_restarts of one length": (
        lambda: train.cosine_decay_restarts(0.1, 25, 10, t_mul=1.0, m_mul=0.5, alpha=0.1),
        0.02125,
    ),
    "piecewise_constant of one value": (lambda: train.piecewise_constant(5, [], [0.5]), 0.5),
}


@pytest.mark.parametrize(("make", "want"), RATES.values(), ids=RATES.keys())
def test_rate(make, want):
    rate = make()()
    assert rate.dtype is tf.float32
    assert rate.numpy() == pytest.approx(want, rel=1e-5)


def test_pieces_end_at_their_boundaries():
    rates = [train.piecewise_constant(step, [5, 10], [1.0, 2.0, 3.0])().numpy() for step in (4, 5, 6, 10, 11)]
    assert rates == [1.0, 1.0, 2.0, 2.0, 3.0]
    assert train.piecewise_constant_decay is train.piecewise_constant


def test_rate_follows_the_step_and_the_first_rate():
    step, first = tf.Variable(0, dtype=tf.int64), tf.Variable(0.1)
    rate = train.exponential_decay(first, step, 10, 0.5)
    assert rate().numpy() == pytest.approx(0.1)
    step.assign(10)
    assert rate().numpy() == pytest.approx(0.05)
    first.assign(0.2)
    assert rate().numpy() == pytest.approx(0.1)
    assert train.piecewise_constant(step, [5, 20], [1.0, 2.0, 3.0])().numpy() == 2.0


def test_noise_comes_from_tensorflows_stream():
    tf.random.set_seed(5)
    drawn = [
        train.noisy_linear_cosine_decay(0.1, 5, 10)().numpy(),
        train.noisy_linear_cosine_decay(0.1, 5, 10, 1.0, 0.55, 0.5, 0.1, 0.01)().numpy(),
    ]
    tf.random.set_seed(None)
    assert drawn == pytest.approx([0.01959205, 0.03791993], rel=1e-4)


@pytest.mark.parametrize("step", [1, 1.0])
def test_boundaries_have_the_dtype_of_the_step(step):
    boundary = 5.5 if step == 1 and isinstance(step, int) else 5
    rate = train.piecewise_constant(step, [boundary], [1.0, 2.0])
    with pytest.raises(ValueError, match="must have the same dtype as x"):
        rate()


def test_there_is_one_value_more_than_boundaries():
    with pytest.raises(ValueError, match="The length of boundaries should be 1 less than the length of values"):
        train.piecewise_constant(1, [5], [1.0])
