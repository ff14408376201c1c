"""Initializers of TensorFlow 1 draw its numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.compat import v1
from tfcompat.compat.v1 import initializers

NEAR = {"rtol": 1e-5, "atol": 1e-6}


@pytest.fixture(autouse=True)
def seeded():
    tf.random.set_seed(7)
    yield
    tf.random.set_seed(None)


def test_first_draws_are_tensorflows():
    # In sequence, since each draw of one kind advances the stream of its seed.
    want = {
        "random_uniform": [[0.4010879, 0.3768389, 0.3092928], [0.0880756, 0.7460573, 0.4547071]],
        "random_normal": [[0.9447038, -0.9667907, 0.8051717], [1.303316, 0.2149045, -0.7346576]],
        "truncated_normal": [[0.9447038, -0.9667907, 0.8051717], [1.303316, -0.2187804, -0.8048995]],
        "variance_scaling": [[-0.4775134, -0.6777547, -0.000694], [0.578335, -0.43242, 1.2332914]],
        "glorot_uniform": [[0.1917443, 0.2140176, 0.5958816], [1.0950267, -0.2747597, 0.7856567]],
        "glorot_normal": [[-0.8227199, 0.8935386, 0.5951061], [-0.7144406, 0.4070455, -0.4786096]],
        "orthogonal": [[-0.4793427, -0.0006967, -0.8776276], [-0.7467132, 0.5257627, 0.4074224]],
        "he_normal": [[1.8660588, 0.8875468, 1.0023177], [-0.3414616, -0.9346354, 0.7440038]],
        "he_uniform": [[-0.9004496, 1.3217748, -0.2308656], [-0.3829104, 1.3121845, 1.5807761]],
        "lecun_normal": [[-0.0558084, 0.5630463, -0.7613709], [-0.92444, -0.3770139, -0.9679634]],
        "lecun_uniform": [[-0.7552158, -0.7854493, 0.362669], [-0.4843693, 0.7662823, -0.7127119]],
    }
    for name, numbers in want.items():
        np.testing.assert_allclose(getattr(initializers, name)(seed=3)([2, 3]).numpy(), numbers, **NEAR, err_msg=name)


def test_each_call_goes_on_in_the_stream():
    draw = initializers.random_normal(seed=3)
    np.testing.assert_allclose(draw([2]).numpy(), [0.9447038, -0.96679068], **NEAR)
    assert not np.array_equal(draw([2]).numpy(), draw([2]).numpy())


CONFIGS = {
    "constant": (initializers.constant([1, 2, 3]), {"value": [1, 2, 3], "dtype": "float32"}),
    "random_uniform": (
        initializers.random_uniform(seed=3),
        {"minval": 0.0, "maxval": None, "seed": 3, "dtype": "float32"},
    ),
    "random_normal": (
        initializers.random_normal(1.0, 2.0, 3),
        {"mean": 1.0, "stddev": 2.0, "seed": 3, "dtype": "float32"},
    ),
    "truncated_normal": (
        initializers.truncated_normal(),
        {"mean": 0.0, "stddev": 1.0, "seed": None, "dtype": "float32"},
    ),
    "variance_scaling": (
        initializers.variance_scaling(),
        {"scale": 1.0, "mode": "fan_in", "distribution": "truncated_normal", "seed": None, "dtype": "float32"},
    ),
    "glorot_uniform": (initializers.glorot_uniform(seed=3), {"seed": 3, "dtype": "float32"}),
    "glorot_normal": (initializers.glorot_normal(dtype=tf.float64), {"seed": None, "dtype": "float64"}),
    "orthogonal": (initializers.orthogonal(), {"gain": 1.0, "seed": None, "dtype": "float32"}),
    "identity": (initializers.identity(2.0), {"gain": 2.0, "dtype": "float32"}),
    "zeros": (initializers.zeros(tf.int32), {"dtype": "int32"}),
    "ones": (initializers.ones(), {"dtype": "float32"}),
}


@pytest.mark.parametrize(("initializer", "config"), CONFIGS.values(), ids=CONFIGS.keys())
def test_config_makes_the_same_initializer(initializer, config):
    assert initializer.get_config() == config
    assert type(initializer).from_config(config).get_config() == config


def test_fills():
    assert initializers.zeros(tf.int32)([2]).numpy().tolist() == [0, 0]
    assert initializers.ones()([2]).dtype is tf.float32
    assert initializers.ones()([2], tf.int32).dtype is tf.int32
    assert initializers.constant([1, 2, 3])([3, 1]).numpy().tolist() == [[1.0], [2.0], [3.0]]
    assert initializers.constant(1)([2], tf.int32).numpy().tolist() == [1, 1]
    assert initializers.identity(2.0)([2, 3]).numpy().tolist() == [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]


def test_orthogonal_columns_and_rows():
    for shape in ([4, 3], [3, 4], [2, 2, 3]):
        matrix = initializers.orthogonal(2.0, seed=1)(shape).numpy().reshape(-1, shape[-1])
        rows, columns = matrix.shape
        product = matrix.T @ matrix if rows >= columns else matrix @ matrix.T
        np.testing.assert_allclose(product, 4.0 * np.eye(min(rows, columns)), atol=1e-5)


@pytest.mark.parametrize("distribution", ["uniform", "truncated_normal", "untruncated_normal"])
@pytest.mark.parametrize(("mode", "variance"), [("fan_in", 3 / 40), ("fan_out", 3 / 50), ("fan_avg", 3 / 45)])
def test_variance(distribution, mode, variance):
    drawn = initializers.variance_scaling(3.0, mode, distribution, seed=1)([40, 50]).numpy()
    assert drawn.var() == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: initializers.constant([1, 2, 3])([5]), TypeError),
        (lambda: initializers.constant([1, 2, 3], verify_shape=True)([3, 1]), TypeError),
        (lambda: initializers.variance_scaling(-1.0), ValueError),
        (lambda: initializers.variance_scaling(mode="x"), ValueError),
        (lambda: initializers.variance_scaling(distribution="x"), ValueError),
        (lambda: initializers.random_normal(dtype=tf.int32), ValueError),
        (lambda: initializers.identity()([2]), ValueError),
        (lambda: initializers.orthogonal()([2]), ValueError),
        (lambda: initializers.ones()([2], partition_info="x"), NotImplementedError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call()


def test_names_outside_of_initializers():
    for name in ("constant", "ones", "zeros", "orthogonal", "variance_scaling", "glorot_uniform", "random_normal"):
        assert getattr(v1, f"{name}_initializer") is getattr(initializers, name)
