"""Convolutions on the host are XLA's, with any parameters, and so are their gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import one_in, without
from tests.jaxpr.host.agreement import assert_agrees

CHANNELS_LAST = ("NHWC", "HWIO", "NHWC")


def drawn(seed):
    """A convolution with random parameters: its arrays and options."""
    rng = np.random.default_rng(seed)

    def several(values, rank):
        return [int(value) for value in rng.choice(values, rank)]

    rank = int(rng.integers(1, 4))
    groups, batch_groups = [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)][seed % 5]
    features, outputs = several([1, 2, 3], 1)[0], groups * batch_groups * several([1, 1, 2], 1)[0]
    order = [tuple(map(int, rng.permutation(rank + 2))) for _ in range(3)]
    x = rng.normal(size=(batch_groups * several([1, 2], 1)[0], groups * features, *several(range(3, 9), rank)))
    w = rng.normal(size=(outputs, features, *several(range(1, 5), rank)))
    options = {
        "window_strides": several([1, 1, 2, 3], rank),
        "padding": list(zip(several(range(-1, 7), rank), several(range(-1, 7), rank), strict=True)),
        "lhs_dilation": several([1, 1, 2, 3], rank),
        "rhs_dilation": several([1, 1, 2, 3], rank),
        "feature_group_count": groups,
        "batch_group_count": batch_groups,
        "dimension_numbers": lax.ConvDimensionNumbers(*order),
    }
    arrays = [np.transpose(a, np.argsort(axes)).astype(np.float32) for a, axes in zip((x, w), order[:2], strict=True)]
    return arrays, options


@pytest.mark.parametrize("seed", one_in(2, range(40)))
def test_any_convolution(seed):
    (x, w), options = drawn(seed)
    assert_agrees(lambda x, w: lax.conv_general_dilated(x, w, **options), x, w)


GRADIENTS = {
    "plain": ((4, 9, 8, 3), (3, 3, 3, 5), {}),
    "strides": ((4, 9, 8, 3), (3, 2, 3, 5), {"window_strides": (2, 3)}),
    "strides beyond the window": ((4, 9, 8, 3), (2, 1, 3, 5), {"window_strides": (3, 2)}),
    "dilation": ((4, 9, 8, 3), (3, 2, 3, 5), {"rhs_dilation": (2, 2)}),
    "dilation and strides": ((4, 9, 8, 3), (3, 2, 3, 5), {"rhs_dilation": (3, 2), "window_strides": (2, 2)}),
    "one by one": ((4, 9, 8, 3), (1, 1, 3, 5), {}),
    "groups": ((4, 9, 8, 6), (3, 3, 2, 9), {"feature_group_count": 3}),
    "depthwise": ((4, 9, 8, 6), (3, 3, 1, 6), {"feature_group_count": 6, "window_strides": (2, 2)}),
    "depthwise with a multiplier": ((4, 9, 8, 6), (3, 3, 1, 12), {"feature_group_count": 6}),
    "more than a piece": ((4, 70, 70, 8), (3, 3, 8, 5), {}),
    "more than a piece, depthwise": ((3, 160, 160, 8), (3, 3, 1, 8), {"feature_group_count": 8}),
}


@pytest.mark.parametrize("name", without(["more than a piece, depthwise"], GRADIENTS))
def test_gradients(name):
    image, kernel, options = GRADIENTS[name]
    options = {"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": CHANNELS_LAST, **options}
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=shape).astype(np.float64) for shape in (image, kernel))

    def loss(x, w):
        return jnp.sum(jnp.sin(lax.conv_general_dilated(x, w, **options)))

    assert_agrees(jax.grad(loss, (0, 1)), x, w)
