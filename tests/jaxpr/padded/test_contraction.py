"""Products, convolutions and decompositions on padded arrays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import without
from tests.jaxpr.padded.trial import MANY_SIZES, Input, assert_as_exact, trial

INT = Input("n, m", np.int32)
IMAGE = "2, n + 2, m + 3, 2"
NUMBERS = ("NHWC", "HWIO", "NHWC")


def convolved(padding, strides=(1, 1), **options):
    return lambda x, w: lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=NUMBERS, **options)


def definite(x):
    return x @ x.T + jnp.eye(x.shape[0], dtype=x.dtype)


def diagonally_dominant(x):
    return x @ x.T + 3 * jnp.eye(x.shape[0], dtype=x.dtype) + jnp.triu(x @ x.T)


def solved(x, y, **options):
    return lax.linalg.triangular_solve(definite(x), y, lower=True, **options)


TRIALS = [
    trial("product of matrices", lambda x, y: x @ y, "n, m", "m, 3"),
    trial("product, open batch", lambda x, y: jnp.einsum("bij,bjk->bik", x, y), "n, 2, m", "n, m, 3"),
    trial("product over two axes", lambda x, y: jnp.tensordot(x, y, ((0, 1), (0, 1))), "n, m, 2", "n, m, 3"),
    trial("outer product", lambda x, y: jnp.outer(x, y), "n", "m"),
    trial("product of integers", lambda x, y: x.T @ y, INT, INT),
    trial("convolution, open batch", convolved("SAME"), "n, 5, 4, 2", "3, 3, 2, 3"),
    trial("convolution, valid", convolved("VALID"), IMAGE, "3, 2, 2, 3"),
    trial("convolution, same", convolved("SAME"), IMAGE, "3, 2, 2, 3"),
    # JAX cannot differentiate these two for symbolic sizes.
    trial("convolution, same, stride", convolved("SAME", (2, 3)), IMAGE, "3, 4, 2, 3", is_differentiated=False),
    trial("convolution, valid, stride", convolved("VALID", (2, 2)), IMAGE, "3, 2, 2, 3", is_differentiated=False),
    trial("convolution, dilated kernel", convolved("SAME", rhs_dilation=(2, 1)), IMAGE, "2, 2, 2, 3"),
    trial("convolution, dilated image", convolved(((2, 1), (1, 1)), lhs_dilation=(2, 2)), IMAGE, "3, 2, 2, 3"),
    trial("convolution, margins", convolved(((2, 1), (0, 3))), IMAGE, "3, 2, 2, 3"),
    trial("convolution, cut", convolved(((-1, 0), (0, -1))), IMAGE, "2, 2, 2, 3", is_differentiated=False),
    trial("convolution, open features", convolved("SAME"), "2, 5, 4, n", "3, 3, n, m"),
    trial("convolution by channel", convolved("SAME", feature_group_count=2), IMAGE, "3, 3, 1, 4"),
    trial("Cholesky", lambda x: jnp.linalg.cholesky(definite(x)), "n, 3"),
    trial("Cholesky, open batch", jax.vmap(lambda x: jnp.linalg.cholesky(definite(x))), "n, 3, 2"),
    trial("triangular solve", lambda x, y: solved(x, y, left_side=True), "n, 3", "n, 2", constraints=("n >= 3",)),
    trial(
        "triangular solve, right", lambda x, y: solved(x, y, transpose_a=True), "n, 3", "2, n", constraints=("n >= 3",)
    ),
    trial("determinant", lambda x: jnp.linalg.slogdet(diagonally_dominant(x))[1], "n, 3"),
    trial("solve, open batch", jax.vmap(lambda x, y: jnp.linalg.solve(definite(x), y)), "n, 3, 2", "n, 3, m"),
    trial("inverse, open batch", jax.vmap(lambda x: jnp.linalg.inv(definite(x))), "n, 3, 2"),
    trial("eigenvalues, open batch", jax.vmap(lambda x: jnp.linalg.eigvalsh(definite(x))), "n, 3, 2"),
    trial("singular values, open batch", jax.vmap(lambda x: jnp.linalg.svd(x, compute_uv=False)), "n, 3, 2"),
    trial("orthogonal, open batch", jax.vmap(lambda x: jnp.linalg.qr(x)[1]), "n, 3, 2"),
    trial("orthogonal, open rows", lambda x: jnp.linalg.qr(x), "n, 2", constraints=("n >= 3",)),
    trial("Fourier, open batch", lambda x: jnp.abs(jnp.fft.rfft(x)), "n, 8"),
]


# Those with another open size are variants.
@pytest.mark.parametrize(
    "each", without([each for each in TRIALS if "open" in each.name], TRIALS), ids=lambda each: each.name
)
def test_contraction_sees_only_the_logical_part(each):
    assert_as_exact(each)


@pytest.mark.thorough
@pytest.mark.parametrize("each", TRIALS, ids=lambda each: each.name)
def test_contraction_is_exact_at_many_sizes(each):
    assert_as_exact(each, tuple(sizes for sizes in MANY_SIZES if not each.constraints or sizes["n"] >= 3))
