"""Recordings that differ in sizes only are one family, and no others are."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tests.core.family.recorded import by_family, exact, recorded
from tests.daily import without
from tfcompat._core.programs.family.difference import Differs
from tfcompat._core.programs.family.family import generalised

RNG = np.random.default_rng(0)


def floats(*shape):
    return tf.constant(RNG.normal(0, 1, shape).astype(np.float32))


def labels(most, *shape):
    return tf.constant(RNG.integers(0, most, shape).astype(np.int32))


def variable(*shape):
    return tf.Variable(RNG.normal(0, 0.3, shape).astype(np.float32))


W, B, P, M = variable(8, 8), variable(8), variable(8, 3), variable(8, 8)
E, K, K1, K2 = variable(50, 8), variable(3, 3, 4, 8), variable(3, 8, 8), variable(3, 3, 8, 4)
VARIABLES = (W, B, P, M, E, K, K1, K2)
for each in VARIABLES:
    each.numpy()


def with_gradient(loss, *variables):
    with tf.GradientTape() as tape:
        value = loss()
    found = tape.gradient(value, list(variables))
    return [value, *[g.values if isinstance(g, tf.IndexedSlices) else g for g in found]]


def cross_entropy(targets, logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits))


def dense(n):
    x, y = floats(n, 8), labels(3, n)
    return with_gradient(lambda: cross_entropy(y, tf.nn.relu(x @ W + B) @ P), W, B, P)


def attention(n):
    x = floats(2, n, 8)
    return with_gradient(
        lambda: tf.reduce_sum(tf.nn.softmax(tf.matmul(x @ W, x, transpose_b=True) / 3.0) @ x @ M), W, M
    )


def heads(n):
    x = floats(2, n, 8)

    def loss():
        q = tf.transpose(tf.reshape(x @ W, [2, n, 2, 4]), [0, 2, 1, 3])
        mixed = tf.nn.softmax(tf.matmul(q, q, transpose_b=True)) @ q
        return tf.reduce_sum(tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [2, n, 8]) @ M)

    return with_gradient(loss, W, M)


def images(n):
    x = floats(n, 9, 9, 4)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.conv2d(x, K, 1, "SAME") ** 2), K)


def larger_images(n):
    x = floats(2, n, 9, 4)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.conv2d(x, K, 1, "VALID") ** 2), K)


def lines(n):
    x = floats(2, n, 8)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.conv1d(x, K1, 1, "SAME") ** 2), K1)


def embedding(n):
    ids, y = labels(50, 2, n), labels(3, 2, n)
    return with_gradient(lambda: cross_entropy(y, tf.nn.embedding_lookup(E, ids) @ P), E, P)


def joined(n):
    x = floats(6, n, 8)
    return with_gradient(lambda: tf.reduce_sum(tf.reshape(tf.reshape(x, [-1, n * 8]), [6, n, 8]) @ W), W)


def filled(n):
    x = floats(n, 8)
    return with_gradient(lambda: tf.reduce_sum(tf.concat([x @ W, tf.zeros([n, 8])], 1) + tf.ones([n, 16])), W)


def rolled(n):
    x = floats(n, 8)
    return with_gradient(lambda: tf.reduce_sum(tf.roll(x @ W, n // 2, 0) * x), W)


def sliced(n):
    x = floats(2, n, 8)
    return with_gradient(lambda: tf.reduce_sum((x @ W)[:, 1:] * (x @ W)[:, :-1]), W)


def momentum(n):
    x = floats(n, 8)
    value, gradient = with_gradient(lambda: tf.reduce_mean((x @ W) ** 2), W)
    moment = 0.9 * M + gradient
    return [value, moment, W - 0.05 * moment]


def rows(n):
    ids = labels(50, n)
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(tf.gather(E, ids) ** 2)
    found = tape.gradient(value, E)
    return [found.values, found.indices]


def second_order(n):
    x = floats(n, 8)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            value = tf.reduce_sum(tf.tanh(x @ W) ** 2)
        penalty = tf.reduce_sum(inner.gradient(value, W) ** 2)
    return [penalty, outer.gradient(penalty, W)]


def causal(n):
    x = floats(2, n, n)

    def loss():
        hidden = 1.0 - tf.linalg.band_part(tf.ones([n, n]), -1, 0)
        return tf.reduce_sum(tf.nn.softmax(x * B[0] - 1e9 * hidden) * x)

    return with_gradient(loss, B)


def averaged(n):
    x = floats(2, n, n, 4)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.avg_pool2d(tf.nn.conv2d(x, K, 1, "SAME"), 2, 2, "VALID") ** 2), K)


def with_strides(n):
    """Sizes of either parity: SAME adds other margins."""
    x = floats(2, n, n + 3, 4)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.conv2d(tf.nn.conv2d(x, K, 2, "SAME"), K2, 3, "SAME") ** 2), K)


def pointwise_with_strides(n):
    x = floats(2, n, n + 3, 4)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.conv2d(x, K[:1, :1], 2, "SAME") ** 2), K)


def channels_first(n):
    x = floats(2, 4, n, n + 3)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.conv2d(x, K, 2, "SAME", "NCHW") ** 2), K)


def by_channel(n):
    x = floats(2, n, n + 3, 4)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.depthwise_conv2d(x, K[..., :2], [1, 2, 2, 1], "SAME") ** 2), K)


def pooled(n):
    images = floats(2, n, n + 3, 4)

    def loss():
        x = tf.nn.conv2d(images, K, 1, "SAME")
        return tf.reduce_sum(tf.nn.max_pool2d(x, 3, 2, "SAME") * tf.nn.avg_pool2d(x, 3, 2, "SAME"))

    return with_gradient(loss, K)


def transposed(n):
    x = floats(2, n, n + 3, 8)

    def loss():
        same = tf.nn.conv2d_transpose(x, K, [2, 2 * n - 1, 2 * n + 6, 4], 2, "SAME")
        return tf.reduce_sum(same**2) + tf.reduce_sum(tf.nn.conv2d_transpose(x, K, [2, n + 2, n + 5, 4], 1, "VALID"))

    return with_gradient(loss, K)


def patches(n):
    x = floats(2, n, n + 3, 8)
    return with_gradient(
        lambda: tf.reduce_sum(tf.image.extract_patches(x * B, [1, 3, 3, 1], [1, 2, 2, 1], [1] * 4, "SAME") ** 2), B
    )


def repeated(n):
    x = floats(n, 8)

    def loss():
        rows = tf.repeat(x @ W, 3, axis=0)
        return tf.reduce_sum(rows**2) + tf.reduce_sum(tf.repeat(x @ M, n, axis=1) ** 2)

    return with_gradient(loss, W, M)


def diagonals(n):
    x = floats(2, n, 8)

    def loss():
        square = tf.matmul(x @ W, x, transpose_b=True)
        above, below = tf.linalg.diag_part(square, k=1), tf.linalg.diag_part(square)
        with_ones = tf.linalg.set_diag(square, tf.ones([2, n - 1]), k=-1)
        return tf.reduce_sum(with_ones**2) + tf.reduce_sum(tf.linalg.diag(above, k=1) * tf.linalg.diag(below))

    return with_gradient(loss, W)


def drawn(n):
    x = floats(n, 8)
    return with_gradient(lambda: tf.reduce_sum((x + tf.random.stateless_normal([n, 8], [1, 2])) @ W), W)


STEPS = [
    *(dense, attention, heads, images, larger_images, lines, embedding, joined, filled, rolled, sliced, momentum),
    *(rows, second_order, causal, averaged, with_strides, pointwise_with_strides, channels_first, by_channel, pooled),
    *(transposed, patches, repeated, diagonals, drawn),
]


# These have the parts of another case.
VARIANTS = {larger_images, pointwise_with_strides, causal, repeated, transposed, by_channel, heads, drawn}
VARIANTS |= {averaged, with_strides, images}


@pytest.mark.parametrize("step", without(VARIANTS, STEPS), ids=lambda step: step.__name__)
def test_a_third_recording_is_computed_by_the_family_of_two(step):
    first, second, third = recorded(step, 11), recorded(step, 16), recorded(step, 23)
    family = generalised(first.path, second.path)
    found = by_family(family, third)
    assert family.sizes_of(third.path)["s0"] == 23
    for got, wanted in zip(found, exact(third), strict=True):
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        scale = max(1e-3, np.abs(wanted).max())
        np.testing.assert_allclose(got / scale, wanted / scale, atol=2e-6)


def halves(n):
    x = floats(2 * n, 8)

    def loss():
        first, second = tf.split(x @ W, 2)
        return tf.reduce_sum(first * tf.tanh(second)) + tf.reduce_sum(tf.reshape(x @ M, [-1, 2, 8])[:, 0] ** 2)

    return with_gradient(loss, W, M)


def test_sizes_that_are_split_are_multiples_of_a_symbol():
    family = generalised(recorded(halves, 11).path, recorded(halves, 16).path)
    third = recorded(halves, 7)
    assert family.sizes_of(third.path) == {"s0": 7}
    for got, wanted in zip(by_family(family, third), exact(third), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


def test_a_size_that_is_no_multiple_is_refused():
    family = generalised(recorded(halves, 6).path, recorded(halves, 12).path)  # 12 and 24 rows: multiples of 6?
    assert family.sizes_of(recorded(halves, 18).path) == {"s0": 6}
    with pytest.raises(Differs, match="the size 14 is not a multiple of 6"):
        family.checked(recorded(halves, 7).path)


def test_two_sizes_that_vary_are_two_symbols():
    def step(batch, length):
        return [tf.reduce_sum(tf.reshape(floats(batch, length, 8) @ W, [batch, length * 8]), 1)]

    family = generalised(recorded(step, 4, 11).path, recorded(step, 6, 16).path)
    third = recorded(step, 5, 7)
    assert family.sizes_of(third.path) == {"s0": 5, "s1": 7}
    np.testing.assert_allclose(by_family(family, third)[0], exact(third)[0], rtol=1e-5)


def test_a_size_that_is_no_inputs_is_a_symbol_of_its_own():
    def step(n):
        return [tf.zeros([n, 3]) + B[:3]]

    family = generalised(recorded(step, 5).path, recorded(step, 7).path)
    assert family.sizes_of(recorded(step, 9).path) == {"s0": 9}


def shifted(n, shift):
    return [tf.roll(floats(n, 8), shift, 0)]


def test_a_shift_that_does_not_follow_the_size_is_refused():
    family = generalised(recorded(shifted, 12, 6).path, recorded(shifted, 16, 8).path)
    assert family.sizes_of(recorded(shifted, 20, 10).path) == {"s0": 20}
    assert family.sizes_of(recorded(shifted, 20, 9).path) is None
    with pytest.raises(Differs, match=r"tf\.roll.*9, and 10 in the family"):
        family.checked(recorded(shifted, 20, 9).path)


def test_an_axis_that_differs_is_refused():
    def step(n, axis):
        return [tf.roll(floats(n, 8), 3, axis)]

    family = generalised(recorded(step, 12, 0).path, recorded(step, 16, 0).path)
    assert family.sizes_of(recorded(step, 20, 0).path) == {"s0": 20}
    assert family.sizes_of(recorded(step, 20, 1).path) is None


def test_a_wrong_guess_at_an_attribute_is_found_by_the_third_recording():
    def step(n, width):
        return [tf.zeros([width, 8]) @ W, floats(n, 8) @ W]

    family = generalised(recorded(step, 6, 12).path, recorded(step, 8, 16).path)  # twice as wide?
    assert family.sizes_of(recorded(step, 10, 20).path) is not None
    assert family.sizes_of(recorded(step, 10, 18).path) is None


def test_sizes_that_were_equal_by_accident_are_refused_when_they_differ():
    def step(n, m):
        return [floats(n, 8) @ W, floats(m, 8) @ W]

    family = generalised(recorded(step, 5, 5).path, recorded(step, 7, 7).path)
    assert family.sizes_of(recorded(step, 9, 9).path) == {"s0": 9}
    assert family.sizes_of(recorded(step, 9, 10).path) is None


@pytest.mark.parametrize("size", [0, 1])
def test_sizes_of_0_and_1_belong_to_no_family(size):
    family = generalised(recorded(dense, 11).path, recorded(dense, 16).path)
    assert family.sizes_of(recorded(dense, size).path) is None


def test_other_ops_have_another_skeleton():
    def step(n, function):
        return [function(floats(n, 8) @ W)]

    keys = [recorded(step, n, f).path[-1].skeleton() for n, f in [(5, tf.tanh), (7, tf.tanh), (7, tf.sin)]]
    assert keys[0] == keys[1]
    assert keys[1] != keys[2]
    with pytest.raises(Differs, match="other ops"):
        generalised(recorded(step, 5, tf.tanh).path, recorded(step, 7, tf.sin).path)


def test_a_size_that_an_op_asks_for_is_no_part_of_the_family():
    def step(n):
        return [tf.linalg.det(floats(2, n, n))]

    family = generalised(recorded(step, 5).path, recorded(step, 6).path)
    assert [family.sizes_of(recorded(step, n).path) for n in (2, 3, 4)] == [None, None, {"s0": 4}]


def test_an_op_that_needs_to_know_a_size_is_named():
    def step(n):
        return [tf.image.resize(floats(2, n, n, 3), [8, 8])]

    with pytest.raises(Differs, match=r"tf\.image\.resize.* needs to know sizes: .*test_family"):
        generalised(recorded(step, 5).path, recorded(step, 6).path)


def strided(n):
    x = floats(2, n, 9, 4)
    return with_gradient(lambda: tf.reduce_sum(tf.nn.conv2d(x, K, 2, "VALID") ** 2), K)


def test_a_derivative_of_larger_sizes_is_that_of_a_narrower_family():
    family = generalised(recorded(strided, 11).path, recorded(strided, 16).path)
    with pytest.raises(Differs, match=r"tf\.gradient\[nn\.convolution\].* needs to know sizes: .*test_family"):
        family.jaxpr(recorded(strided, 11).outputs)
    narrowed = family.narrowed()
    assert narrowed is not None
    assert narrowed.sizes_of(recorded(strided, 3).path) is None
    third = recorded(strided, 4)
    for got, wanted in zip(by_family(narrowed, third), exact(third), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-4)


def test_there_is_no_family_of_infinitely_large_sizes():
    family = generalised(recorded(dense, 11).path, recorded(dense, 16).path)
    bounds = []
    while family is not None:
        bounds.append(family.least["s0"])
        family = family.narrowed()
    assert bounds == [2, 4, 8, 11]


def test_numbers_are_values_of_every_recording():
    def step(n, rate):
        return [W - rate * (tf.transpose(floats(n, 8)) @ floats(n, 8))]

    family = generalised(recorded(step, 5, 0.5).path, recorded(step, 7, 0.25).path)
    third = recorded(step, 9, 0.125)
    np.testing.assert_allclose(by_family(family, third)[0], exact(third)[0], atol=1e-5)


def test_flags_of_checks_follow_the_outputs():
    def step(n):
        return [tf.gather(E, tf.argmax(floats(n, 50), 1))]

    family = generalised(recorded(step, 5).path, recorded(step, 7).path)
    jaxpr = family.jaxpr(recorded(step, 9).outputs)
    assert [aval.shape for aval in jaxpr.out_avals[1:]] == [(1,)]
    assert all(jax.export.is_symbolic_dim(aval.shape[0]) for aval in jaxpr.out_avals[:1])
