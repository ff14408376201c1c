"""Functions that choose rows by masks which repeat the elements of another one: both choose equally many."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(6, 2)).astype(np.float32)
BOXES = RNG.normal(size=(6, 2, 4)).astype(np.float32)
MASKS = [RNG.random((6, 2)) < share for share in (0.5, 0.3, -1.0, 2.0, 0.5)] + [np.arange(12).reshape(6, 2) == 7]


def by_broadcast(mask):
    wide = tf.broadcast_to(mask[..., tf.newaxis], tf.shape(BOXES))
    return tf.reshape(tf.boolean_mask(BOXES, wide), [-1, 4]) * tf.boolean_mask(SCORES, mask)[:, tf.newaxis]


def by_tile(mask):
    wide = tf.tile(tf.expand_dims(mask, -1), [1, 1, 4])
    return tf.reshape(tf.boolean_mask(BOXES, wide), (-1, 4)) @ BOXES[0, 0][:, None], tf.boolean_mask(SCORES, mask)


def by_repeat(mask):
    wide = tf.repeat(tf.reshape(mask, [12, 1]), 4, axis=1)
    chosen = tf.reshape(tf.boolean_mask(tf.reshape(BOXES, [12, 4]), wide), [-1, 2, 2])
    return chosen - tf.boolean_mask(SCORES, mask)[:, tf.newaxis, tf.newaxis]


def by_layout(mask):
    turned = tf.squeeze(tf.stop_gradient(tf.identity(tf.transpose(mask)))[tf.newaxis])
    return tf.boolean_mask(tf.transpose(SCORES), turned) + tf.boolean_mask(SCORES, mask)


def by_places(mask):
    wide = tf.where(tf.broadcast_to(mask[..., tf.newaxis], [6, 2, 3]))
    return tf.reshape(wide, [-1, 3, 3])[:, 0, :2] - tf.where(mask)


def differentiated(mask):
    boxes = tf.constant(BOXES)
    with tf.GradientTape() as tape:
        tape.watch(boxes)
        chosen = tf.boolean_mask(boxes, tf.broadcast_to(mask[..., tf.newaxis], tf.shape(boxes)))
        rows = tf.boolean_mask(SCORES, mask)[:, tf.newaxis] * tf.reshape(chosen, [-1, 4])
        loss = tf.reduce_sum(rows**2)
    return tape.gradient(loss, boxes)


@pytest.mark.parametrize(
    "code", [by_broadcast, *map(thorough, (by_tile, by_repeat)), by_layout, by_places, differentiated]
)
def test_code_runs_once(code):
    runs = []

    @tf.function
    def function(mask):
        runs.append(mask)
        return code(mask)

    for mask in MASKS:
        given = tf.constant(mask)
        for found, wanted in zip(tf.nest.flatten(function(given)), tf.nest.flatten(code(given)), strict=True):
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert len(runs) == 1


def unequal_parts(mask):
    return tf.boolean_mask(BOXES[..., :2], tf.stack([mask, tf.logical_not(mask)], -1))


def repeated_unequally(mask):
    return tf.boolean_mask(tf.reshape(BOXES, [-1])[:18], tf.repeat(tf.reshape(mask, [-1])[:6], [1, 5, 3, 2, 4, 3]))


def part(mask):
    return tf.boolean_mask(SCORES[1:4], mask[1:4])


def rows_of_one(mask):
    return tf.boolean_mask(BOXES, tf.broadcast_to(mask[:1, :1, tf.newaxis], [6, 2, 4]))


def in_a_branch(mask):
    wide = tf.broadcast_to(mask[..., tf.newaxis], [6, 2, 4])
    return tf.cond(mask[0, 0], lambda: tf.reduce_sum(tf.boolean_mask(BOXES, wide)), lambda: 0.0)


@pytest.mark.parametrize("code", [in_a_branch, unequal_parts, repeated_unequally, part, rows_of_one])
def test_other_masks_have_numbers_of_their_own(code):
    def both(mask):
        return code(mask), tf.boolean_mask(SCORES, mask)

    function = tf.function(both)
    for mask in MASKS:
        for found, wanted in zip(function(tf.constant(mask)), both(tf.constant(mask)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_masks_of_open_sizes():
    runs = []

    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.bool)])
    def function(boxes, mask):
        runs.append(mask)
        chosen = tf.reshape(tf.boolean_mask(boxes, tf.tile(mask[:, tf.newaxis], [1, 4])), [-1, 4])
        return tf.reduce_sum(
            chosen * tf.cast(tf.boolean_mask(tf.range(tf.size(mask)), mask), tf.float32)[:, tf.newaxis]
        )

    for count in (*range(2, 40, 3), 1, 2):
        boxes, mask = RNG.normal(size=(count, 4)).astype(np.float32), RNG.random(count) < 0.5
        wanted = (boxes[mask] * np.arange(count)[mask][:, None]).sum()
        np.testing.assert_allclose(function(tf.constant(boxes), tf.constant(mask)), wanted, rtol=1e-4, atol=1e-4)
    assert len(runs) < 10
