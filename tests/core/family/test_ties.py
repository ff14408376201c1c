"""Extremes that occur several times share the gradient equally, whatever computes them: padding never takes part."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs.family import variants
from tfcompat._core.system.config import settings

SIZES = (3, 5, 7, 9, 6, 4, 11, 2, 1, 13)
SEGMENTS = 3


def all_rows(reduce):
    """`reduce` as a function of rows and of the numbers of their segments."""

    def reduced(x, ids):
        del ids
        return reduce(x, 0)

    return reduced


# Each with whether it is the greatest, and whether it is one of all rows rather than of each segment.
EXTREMES = {
    "reduce_max": (all_rows(tf.reduce_max), True, True),
    "reduce_min": (all_rows(tf.reduce_min), False, True),
    "segment_max": (tf.math.segment_max, True, False),
    "segment_min": (tf.math.segment_min, False, False),
    "unsorted_segment_max": (lambda x, ids: tf.math.unsorted_segment_max(x, ids, SEGMENTS), True, False),
    "unsorted_segment_min": (lambda x, ids: tf.math.unsorted_segment_min(x, ids, SEGMENTS), False, False),
}


def shares(x, ids, *, is_greatest):
    """The gradient of the sum of the squares of the extremes of each segment."""
    gradient = np.zeros_like(x)
    for segment in set(ids.tolist()):
        rows = ids == segment
        extreme = (x[rows].max if is_greatest else x[rows].min)(0)
        is_extreme = x[rows] == extreme
        gradient[rows] = is_extreme * 2.0 * extreme / is_extreme.sum(0)
    return gradient


# The daily run has the mirror images of the smallest; padded extremes of segments have the parts of unsorted segments.
@pytest.mark.parametrize(
    ("name", "is_hosting"),
    [
        pytest.param(
            name,
            is_hosting,
            id=f"{name}-{'host' if is_hosting else 'padded'}",
            marks=pytest.mark.thorough if name.endswith("_min") or (name == "segment_max" and not is_hosting) else (),
        )
        for name in EXTREMES
        for is_hosting in (True, False)
    ],
)
def test_ties_share_the_gradient(monkeypatch, name, is_hosting):
    monkeypatch.setattr(settings, "is_hosting", is_hosting)
    variants.clear()
    extreme, is_greatest, is_one = EXTREMES[name]
    with tf.counted() as counts:
        for size in SIZES:
            rng = np.random.default_rng(size)
            # Padding of zeros would win among negative numbers, and among positive ones.
            values = rng.integers(1, 3, (size, 2)).astype(np.float32) * (-1.0 if is_greatest else 1.0)
            numbers = np.sort(rng.integers(0, SEGMENTS, size)).astype(np.int32)
            x, ids = tf.constant(values), tf.constant(numbers)
            with tf.GradientTape() as tape:
                tape.watch(x)
                found = extreme(x * 1.0, ids)
                # Extremes of segments without rows are left out.
                loss = tf.reduce_sum(tf.where(tf.abs(found) < 9.0, found * found, 0.0))
            wanted = shares(values, np.zeros_like(numbers) if is_one else numbers, is_greatest=is_greatest)
            np.testing.assert_allclose(tape.gradient(loss, x).numpy(), wanted, rtol=1e-6)
    assert (counts.op_by_op if is_hosting else counts.padded) >= len(SIZES) // 2
