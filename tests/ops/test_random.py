"""Stateless random numbers are TensorFlow's. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

SEED = (7, 42)
LOGITS = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], np.float32))


def listed(tensor):
    return tf.cast(tensor, tf.float64).numpy().ravel().tolist()


def test_uniform_is_exact():
    want = [0.8377654552459717, 0.6778106689453125, 0.6775553226470947, 0.9684234857559204, 0.5429154634475708]
    assert listed(tf.random.stateless_uniform([5], SEED)) == want


@pytest.mark.parametrize(
    ("dtype", "want"),
    [
        ("float64", [0.7021239617426147, 0.4204429070808431, 0.34332379173677663]),
        ("float16", [0.974609375, 0.625, 0.533203125]),
        ("bfloat16", [0.796875, 0.0, 0.265625]),
    ],
)
def test_uniform_is_exact_in_every_dtype(dtype, want):
    assert listed(tf.random.stateless_uniform([3], SEED, dtype=dtype)) == want


@pytest.mark.parametrize(
    ("dtype", "want", "tolerance"),
    [
        ("float32", [-0.5348433256149292, -0.26072368025779724, -0.17391164600849152], 1e-6),
        ("float64", [0.4031051127272393, -0.7381035712053291, 0.9327754722165502], 1e-14),
        ("float16", [-0.53466796875, -0.2607421875, -0.1739501953125], 0),
        ("bfloat16", [-0.53515625, -0.259765625, -0.173828125], 0),
    ],
)
def test_normal_is_exact_to_the_last_bits(dtype, want, tolerance):
    assert np.allclose(listed(tf.random.stateless_normal([3], SEED, dtype=dtype)), want, rtol=0, atol=tolerance)


def test_truncated_normal_draws_again_as_tensorflow_does():
    want = [0.4407256543636322, 0.5014082193374634, -0.7286065816879272, 0.5283995866775513, 1.634989857673645]
    assert np.allclose(tf.random.stateless_truncated_normal([5], (11, 5)), want, atol=1e-6)
    many = tf.random.stateless_truncated_normal([200_001], (1, 2)).numpy()
    assert np.allclose(many[-3:], [0.19744277000427246, -0.5900269150733948, -0.5618227124214172], atol=1e-6)
    assert abs(many.sum(dtype=np.float64) - 351.2356342314624) < 1e-2
    assert np.abs(many).max() < 2


def test_integers_are_exact():
    assert tf.random.stateless_uniform([6], SEED, -5, 10, tf.int32).numpy().tolist() == [5, 1, -2, 2, -5, 2]
    whole = tf.random.stateless_uniform([3], SEED, None, None, tf.int64)
    assert whole.numpy().tolist() == [6185344996723080166, 6303901817723337250, 1627817849395707457]
    assert tf.random.stateless_uniform([2], SEED, None, None, tf.uint32).numpy().tolist() == [3471522790, 1440137856]


def test_range_is_rounded_after_each_step():
    found = listed(tf.random.stateless_uniform([3], (3, 0), -0.05, 0.05))
    assert list(map(float.hex, found)) == ["-0x1.f237660000000p-6", "0x1.67e9620000000p-5", "0x1.a709a00000000p-9"]


def test_categorical_is_exact():
    found = tf.random.stateless_categorical(LOGITS, 8, (3, 4))
    assert found.numpy().tolist() == [[2, 2, 1, 2, 2, 2, 1, 0], [1, 0, 0, 1, 2, 0, 0, 2]]
    assert found.dtype == tf.int64


def test_categorical_never_draws_what_is_impossible():
    found = tf.random.stateless_categorical([[float("nan"), 0.0, float("inf")]], 20, (1, 2))
    assert set(found.numpy().ravel()) == {1}


def test_shuffle_is_exact():
    order = [3, 11, 2, 7, 1, 14, 5, 10, 12, 0, 8, 15, 13, 16, 9, 17, 18, 19, 6, 4]
    assert tf.random.experimental.stateless_shuffle(tf.range(20), (3, 4)).numpy().tolist() == order
    texts = tf.random.experimental.stateless_shuffle(tf.constant(["a", "b", "c"]), (1, 2))
    assert texts.numpy().tolist() == [b"b", b"c", b"a"]


def test_orders_of_computed_seeds_and_sizes_are_those_of_eager_code():
    shuffled, runs = tf.random.experimental.stateless_shuffle, []

    @tf.function
    def chosen(mask, seed):
        runs.append(mask)
        return shuffled(tf.where(mask), seed), shuffled(tf.range(6), seed)

    for k, mask in enumerate([[True] * 6, [True, False, True, True, False, True], [False] * 6]):
        found = chosen(tf.constant(mask), tf.constant([k, 5]))
        wanted = shuffled(tf.where(tf.constant(mask)), (k, 5)), shuffled(tf.range(6), (k, 5))
        assert [rows.numpy().tolist() for rows in found] == [rows.numpy().tolist() for rows in wanted]
    assert len(runs) == 1
    mapped = tf.data.Dataset.range(4).map(lambda k: shuffled(tf.range(k), tf.stack([k, k])))
    assert [rows.tolist() for rows in mapped.as_numpy_iterator()] == [[], [0], [1, 0], [1, 0, 2]]


def test_seeds_may_be_computed():
    seed = tf.constant([3, 21]) * 2 + tf.constant([1, 0])
    assert np.array_equal(tf.random.stateless_uniform([5], seed), tf.random.stateless_uniform([5], SEED))


def test_split_and_fold_in_give_seeds_of_their_own():
    first, second = tf.random.split((3, 4))
    assert first.dtype == tf.int32
    assert not np.array_equal(tf.random.stateless_uniform([3], first), tf.random.stateless_uniform([3], second))
    assert tf.random.fold_in((1, 2), 3).numpy().tolist() == [1105988140, 3]


def test_limits_have_gradients():
    low, high = tf.constant(1.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([low, high])
        y = tf.random.stateless_uniform([3], (1, 2), low, high)
    assert np.allclose(tape.gradient(y, [low, high]), [0.9676709175109863, 2.0323290824890137])


def test_dropout_is_exact_and_so_is_its_gradient():
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.experimental.stateless_dropout(x, 0.4, (1, 2))
    scale = 1.6666666269302368
    assert listed(y) == [scale, 0, 5, 0, 0, 10]
    assert listed(tape.gradient(y, x)) == [scale, 0, scale, 0, 0, scale]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([2], (1, 2, 3)), tf.errors.InvalidArgumentError, "seed must be two"),
        (([2], (1.0, 2.0)), tf.errors.InvalidArgumentError, "seed must be two"),
        (([2], SEED, 0, None, tf.int32), ValueError, "must both be given"),
        (([2], SEED, 0, 5, tf.uint32), ValueError, "must be None for uint32"),
        (([2], SEED, 5, 5, tf.int32), tf.errors.InvalidArgumentError, "minval must be less than maxval"),
        (([2], SEED, 0, 5, tf.int8), ValueError, "dtype"),
        (([-2], SEED), tf.errors.InvalidArgumentError, "not be negative"),
        (([2.5], SEED), tf.errors.InvalidArgumentError, "integers"),
    ],
)
def test_uniform_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        tf.random.stateless_uniform(*arguments)


def test_threefry_is_refused():
    for alg in ("threefry", 2, tf.random.Algorithm.THREEFRY):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Threefry"):
            tf.random.stateless_uniform([2], SEED, alg=alg)
    with pytest.raises(ValueError, match="alg"):
        tf.random.stateless_uniform([2], SEED, alg="foo")


@pytest.mark.parametrize("alg", ["philox", "auto_select", 1, 3, None, tf.random.Algorithm.PHILOX])
def test_every_other_generator_is_philox(alg):
    want = tf.random.stateless_uniform([3], SEED)
    assert np.array_equal(tf.random.stateless_uniform([3], SEED, alg=alg), want)


def test_shape_must_be_a_vector():
    for dims in (3, tf.constant(3)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape must be a vector"):
            tf.random.stateless_uniform(dims, SEED)


def test_classes_are_integers():
    with pytest.raises(ValueError, match="dtype must be int32 or int64"):
        tf.random.stateless_categorical(LOGITS, 2, SEED, tf.float32)


def test_accidental_hits_are_looked_for_in_a_vector():
    for sampled in (3, [[3]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a vector"):
            tf.nn.compute_accidental_hits([[1, 2]], tf.constant(sampled, tf.int64), 2)
