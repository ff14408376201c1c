"""Gamma, Poisson, binomial and bounded normal numbers are TensorFlow's, as are places in random orders.

Literals are TensorFlow's.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._jaxpr.primitive import Name, names
from tfcompat._jaxpr.tracing import traced
from tfcompat._ops.random.walk import by_element

SEED = (3, 4)


def flat(tensor):
    return tf.cast(tensor, tf.float64).numpy().ravel().tolist()


def test_binomial_is_exact_on_both_sides_of_its_methods():
    want = [0, 3, 3, 3, 0, 18, 26, 30, 422, 1998, 3176, 4000, 0, 0, 3, 3, 5, 18, 23, 30, 424, 1977, 3206, 4000]
    for dtype in (tf.int32, tf.float64):
        counts = [[3.0], [30.0], [4000.0]]
        found = tf.random.stateless_binomial([2, 3, 4], (4, 5), counts, [0.1, 0.5, 0.8, 1.0], dtype)
        assert found.dtype == dtype
        assert flat(found) == want


def test_binomial_has_no_gradient():
    prob = tf.constant(0.3)
    with tf.GradientTape() as tape:
        tape.watch(prob)
        found = tf.random.stateless_binomial([3], SEED, 30.0, prob, tf.float32)
    assert tape.gradient(found, prob) is None


@pytest.mark.parametrize(
    ("counts", "error"),
    [
        (tf.constant([3, 4]), tf.errors.NotFoundError),
        (tf.constant([3.0, 4.0], tf.float64), tf.errors.InvalidArgumentError),
        (tf.constant([1.0, 2.0, 3.0]), tf.errors.InvalidArgumentError),
    ],
    ids=["integers", "another dtype", "another shape"],
)
def test_binomial_refuses(counts, error):
    probs = tf.constant([1, 2]) if counts.dtype == tf.int32 else tf.constant([0.1, 0.2])
    with pytest.raises(error, match=r"counts|shapes must broadcast"):
        tf.random.stateless_binomial([4, 2], SEED, counts, probs)


@pytest.mark.parametrize(
    ("parameters", "want"),
    [
        ((0.0, 1.0, -2.0, 2.0), [-0.17393383383750916, 1.6723546981811523, 0.3481701612472534]),
        ((0.5, 2.0, 3.0, math.inf), [4.676302909851074, 3.284181594848633, 3.021339178085327]),
        ((0.0, 1.0, -math.inf, -3.0), [-3.4279768466949463, -3.457867383956909, -3.0776216983795166]),
        ((0.0, 1.0, 5.0, 5.1), [5.024328708648682, 5.046792030334473, 5.049205303192139]),
        ((0.0, 1.0, 0.0, 0.1), [0.024328744038939476, 0.0983506366610527, 0.022041726857423782]),
    ],
    ids=["two sides", "upper tail", "lower tail", "narrow tail", "narrow"],
)
def test_bounded_normal_is_right_by_every_method(parameters, want):
    found = tf.random.stateless_parameterized_truncated_normal([3], SEED, *parameters)
    assert np.allclose(found, want, rtol=1e-6, atol=0)


def test_bounded_normal_broadcasts_its_parameters():
    found = tf.random.stateless_parameterized_truncated_normal(
        [2, 2, 3], SEED, [[0.0], [1.0]], 2.0, [-1.0, -5.0, -math.inf], [1.0, 2.0, 3.0]
    )
    want = [-0.51342511, -0.20578931, -3.56323409, -0.08558893, -0.70514715, -4.27184725]
    want += [0.96701264, -1.66975665, 1.61793745, 0.44471121, -3.17391586, 1.39169753]
    assert np.allclose(flat(found), want, rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "want"),
    [
        ("float16", [-0.1739501953125, 1.671875, 0.34814453125]),
        ("float64", [-0.33108455971554474, 0.027812399664981575, 1.0462064603947236]),
    ],
)
def test_bounded_normal_keeps_its_dtype(dtype, want):
    parameters = [tf.constant(number, dtype) for number in (0.0, 1.0, -1.0, 3.0)]
    found = tf.random.stateless_parameterized_truncated_normal([3], SEED, *parameters)
    assert found.dtype == dtype
    assert np.allclose(flat(found), want, rtol=1e-14 if dtype == "float64" else 0)


def test_bounded_normal_has_the_gradient_of_tensorflow():
    parameters = [tf.constant(number) for number in (0.5, 2.0, -1.0, 3.0)]
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        found = tf.random.stateless_parameterized_truncated_normal([6], SEED, *parameters)
    want = [6.0, 2.782285451889038, 1.7074626684188843, 2.513923168182373]
    assert np.allclose(tape.gradient(found, parameters), want, rtol=1e-5)


@pytest.mark.parametrize("parameters", [(0.0, -1.0, -2.0, 2.0), (0.0, 1.0, 2.0, -2.0), (0.0, 1.0, -math.inf, math.inf)])
def test_bounded_normal_refuses_parameters(parameters):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid parameters"):
        tf.random.stateless_parameterized_truncated_normal([3], SEED, *parameters).numpy()


def test_gamma_has_the_gradient_of_tensorflow():
    alpha, beta = tf.constant([0.3, 2.0, 30.0]), tf.constant([1.0, 2.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        found = tf.random.stateless_gamma([3, 3], (1, 2), alpha, beta)
    by_alpha, by_beta = tape.gradient(found, [alpha, beta])
    assert np.allclose(by_alpha, [1.9754619598388672, 1.616685390472412, 0.7929430603981018], rtol=2e-5)
    assert np.allclose(by_beta, [-0.345363974571228, -1.493835687637329, -6.22920036315918], rtol=1e-6)


def test_gradient_of_gamma_has_a_gradient_for_beta_only():
    for place, is_there in ((0, False), (1, True)):
        parameters = [tf.constant(2.0), tf.constant(3.0)]
        with tf.GradientTape() as outer:
            outer.watch(parameters)
            with tf.GradientTape() as inner:
                inner.watch(parameters)
                found = tf.random.stateless_gamma([2], SEED, *parameters)
            slope = inner.gradient(found, parameters[place])
        if is_there:
            assert outer.gradient(slope, parameters[place]) > 0
        else:
            with pytest.raises(LookupError, match="RandomGammaGrad"):
                outer.gradient(slope, parameters[place])


def test_kernel_of_the_gradient_of_gamma():
    """TensorFlow Probability computes gradients of the gamma numbers that it draws by this kernel."""
    alpha, sample = tf.constant([[0.5, 2.0]]), tf.constant([[0.3], [5.0]])
    for way in (lambda compute: compute(), lambda compute: tf.function(compute)()):
        found = way(lambda: tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=sample))
        np.testing.assert_allclose(found, [[1.0098021, 0.35917112], [3.4371238, 1.6580689]], rtol=1e-5)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        slope = tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=sample)
    with pytest.raises(LookupError, match="gradient registry has no entry for: RandomGammaGrad"):
        tape.gradient(slope, alpha)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.RandomGammaGrad(alpha=tf.constant(2), sample=tf.constant(3))


def test_numbers_that_a_program_computes_the_parameters_of_are_the_same():
    rate = tf.constant([3.0, 19.0]) + 1.0
    computed = tf.function(lambda rate: tf.random.stateless_poisson([4, 2], SEED, rate))(rate)
    assert np.array_equal(computed, tf.random.stateless_poisson([4, 2], SEED, [4.0, 20.0]))


def test_no_large_constant_is_computed_before_a_program_runs():
    # XLA folds the sums of jnp.repeat for many seconds where it knows the count.
    assert Name.CUMSUM not in names(traced(lambda values: by_element(1000, values), [np.ones(3, np.float32)]))
    assert by_element(2, np.array([[1.0, 2.0]])).tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random.stateless_gamma([3], SEED, [1.0, 2.0]),
        lambda: tf.random.stateless_poisson([3], SEED, [1.0, 2.0]),
        lambda: tf.random.stateless_binomial([3], SEED, [1.0, 2.0], 0.5),
        lambda: tf.random.stateless_parameterized_truncated_normal([3], SEED, [1.0, 2.0]),
    ],
    ids=["gamma", "poisson", "binomial", "bounded"],
)
def test_shape_must_end_with_that_of_the_parameters(draw):
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape must end with"):
        draw()


def test_index_shuffle_is_exact():
    found = tf.random.experimental.index_shuffle(tf.range(10), [3, 7], 99)
    assert found.numpy().tolist() == [35, 91, 53, 51, 26, 62, 13, 10, 44, 19]
    assert tf.random.experimental.index_shuffle(2, [3, 7], [5, 6, 100]).numpy().tolist() == [4, 6, 53]
    wide = tf.random.experimental.index_shuffle(tf.range(3, dtype=tf.int64), [-3, 7], tf.constant(2**40, tf.int64))
    assert wide.numpy().tolist() == [915396772954, 913602126658, 923646823400]


def test_index_shuffle_is_a_permutation():
    found = tf.random.experimental.index_shuffle(tf.range(1000), [1, 2], 999).numpy()
    assert sorted(found.tolist()) == list(range(1000))


@pytest.mark.parametrize(
    ("rounds", "want"), [(4, [3, 5, 0, 1, 4, 2]), (6, [4, 5, 0, 1, 3, 2]), (24, [3, 4, 0, 1, 2, 5])]
)
def test_index_shuffle_takes_rounds(rounds, want):
    assert tf.random_index_shuffle(tf.range(6), [3, 7, 9], 5, rounds=rounds).numpy().tolist() == want
