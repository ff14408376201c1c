"""Estimates of the time of padded programs: products and elements are counted, at any sizes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from tfcompat._jaxpr.padded.cost import cost_of


def traced(function, *shapes):
    structs = [jax.ShapeDtypeStruct(jax.export.symbolic_shape(shape), jnp.float32) for shape in shapes]
    return jax.make_jaxpr(function)(*structs)


def test_cost_of_a_product_grows_with_each_size():
    cost = cost_of(traced(jnp.matmul, "m, 1000", "1000, 1000"), ("m",))
    assert cost(2000) == pytest.approx(2 * cost(1000), rel=0.01)


def test_cost_of_a_convolution_counts_its_window():
    def convolved(image, kernel):
        return lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    small, large = (cost_of(traced(convolved, "4, n, n, 16", f"{k}, {k}, 16, 16"), ("n",)) for k in (1, 5))
    assert 10 < large(100) / small(100) < 25


def test_cost_of_a_scan_counts_its_steps():
    def scanned(x):
        return lax.scan(lambda h, row: (jnp.tanh(h @ jnp.ones((64, 64)) + row), None), jnp.zeros((64, 64)), x)[0]

    cost = cost_of(traced(scanned, "n, 64, 64"), ("n",))
    assert cost(2000) == pytest.approx(2 * cost(1000), rel=0.05)


def test_cost_of_scalars_is_that_of_the_steps():
    assert cost_of(jax.make_jaxpr(lambda x: jnp.sin(x) + 1.0)(1.0), ())() == pytest.approx(2000, rel=0.1)
