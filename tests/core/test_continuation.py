"""Loops that read values while a tape records: each step continues the trace."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough
from tfcompat._core.programs import choice
from tfcompat._core.system.config import settings

RNG = np.random.default_rng(0)
WEIGHTS = [RNG.normal(0, 0.5, shape).astype(np.float32) for shape in ((4, 16), (16, 2))]


@pytest.fixture(autouse=True)
def impatience(monkeypatch):
    """Compiles sooner, so that short episodes show it."""
    monkeypatch.setattr(choice, "_EARLY", 0.01)


def episode(length: int, *, reads: bool, branches: bool = False) -> list[np.ndarray]:
    """The loss of an episode of `length` steps, which may read an action at each, and its gradients."""
    inward, outward = map(tf.Variable, WEIGHTS)
    state, taken = np.ones((1, 4), np.float32), []
    with tf.GradientTape() as tape:
        for step in range(length):
            hidden = tf.tanh(tf.constant(state) @ inward) * (1.0 + step / 8)
            if branches and step % 3 == 0:
                hidden = tf.nn.relu(hidden)
            chances = tf.nn.log_softmax(hidden @ outward)
            if reads:
                chances.numpy()
            action = step % 2
            taken.append(chances[0, action])
            state = np.roll(state, 1) * np.float32(0.9) + np.float32(action)
        loss = -tf.add_n(taken)
    return [loss.numpy(), *[gradient.numpy() for gradient in tape.gradient(loss, [inward, outward])]]


def require_alike(found: list[np.ndarray], wanted: list[np.ndarray]) -> None:
    """The arrays `found` are those `wanted`, but for rounding."""
    for own, other in zip(found, wanted):
        np.testing.assert_allclose(own, other, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("branches", [thorough(False), True])
def test_steps_of_an_episode_share_programs(branches):
    wanted = episode(40, reads=False, branches=branches)
    with tf.counted() as counts:
        for _ in range(3):
            found = episode(40, reads=True, branches=branches)
    require_alike(found, wanted)
    # The kinds of steps with their neighbours, the first step, and the gradient.
    assert counts.compiles <= (6 if branches else 2) + 2
    assert counts.cache_hits >= 60


def test_longer_episodes_compile_nothing_more():
    for _ in range(3):
        episode(20, reads=True)
    with tf.counted() as counts:
        require_alike(episode(60, reads=True), episode(60, reads=False))
    assert counts.compiles <= 1
    assert counts.cache_hits >= 50


def test_values_that_other_steps_keep_are_computed():
    total, kept = tf.Variable(0.0), []
    with tf.GradientTape() as tape:
        for step in range(80):
            x = tf.exp(total * 0.1) + tf.constant(float(step)) * step
            if step % 5 == 0:
                kept.append(tf.square(x))
            assert x.numpy() == 1 + step * step
        loss = tf.add_n(kept)
    np.testing.assert_allclose([y.numpy() for y in kept], [(1 + k * k) ** 2 for k in range(0, 80, 5)])
    wanted = sum(0.2 * (1 + k * k) for k in range(0, 80, 5))
    np.testing.assert_allclose(tape.gradient(loss, total).numpy(), wanted, rtol=1e-5)


def test_a_bad_value_at_one_step_is_raised_there():
    weights, table = tf.Variable(1.0), tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        total = tf.constant(0.0)
        for step in range(60):
            place = tf.cast(weights * float(7 if step == 50 else step % 3), tf.int32)
            total += weights * tf.gather(table, place)
            if step == 50:
                with pytest.raises(tf.errors.InvalidArgumentError, match="gather"):
                    total.numpy()
                break
            assert total.numpy() == sum(1.0 + k % 3 for k in range(step + 1))
    assert weights.numpy() == 1.0
    del tape


def test_gradients_of_products_that_nothing_else_reads():
    vector, scale = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(1.0)
    with tf.GradientTape():
        for step in range(60):
            factor = tf.square(tf.round(scale * float(step)))
            with tf.GradientTape() as inner:
                product = vector * factor
            gradient = inner.gradient(product, vector)
            del product, factor
            np.testing.assert_array_equal(gradient.numpy(), [step**2] * 3)


def test_determinism_shares_nothing_with_what_ran_before(monkeypatch):
    def refuse(*_):
        raise AssertionError("continuations are looked for")

    monkeypatch.setattr(settings, "is_deterministic", True)
    monkeypatch.setattr(choice, "part_of", refuse)
    first = episode(6, reads=True)
    for own, other in zip(episode(6, reads=True), first):
        np.testing.assert_array_equal(own, other)
