"""Decompositions of matrices and Fourier transforms.

The padding of the batch is filled with 0, as some decompositions loop for long over nan. A square matrix of
open size is continued by the identity, which leaves the logical part of its triangular factors as it is.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in
from tfcompat._jaxpr.padded.padding import Padding, Sizes
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open


def _batched(padding: Padding, equation: Any, *arrays: Any) -> Any:
    """Decompositions of matrices whose own sizes are known."""
    name = equation.primitive.name
    filled: list[Any] = []
    for k, array in enumerate(arrays):
        sizes = sizes_in(equation, k)
        own = _VECTORS.get(name, {}).get(k, 2)
        if any(map(is_open, sizes[len(sizes) - own :])):
            raise NoRule(name, f"matrices of shape {sizes}")
        filled.append(padding.filled(array, sizes, range(array.ndim - own), 0))
    return applied(equation, *filled)


# The inputs of which each has a vector, or so, for each matrix.
_VECTORS = {
    "householder_product": {1: 1},
    "lu_pivots_to_permutation": {0: 1},
    "tridiagonal_solve": {0: 1, 1: 1, 2: 1},
}


def _square(padding: Padding, equation: Any, array: Any) -> Any:
    """Decompositions that the identity continues."""
    sizes = sizes_in(equation)
    if not is_open(sizes[-1]) and not is_open(sizes[-2]):
        return _batched(padding, equation, array)
    return applied(equation, continued(padding, equation, array, sizes))


def continued(padding: Padding, equation: Any, array: Any, sizes: Sizes) -> Any:
    """Square matrices, continued by the identity."""
    if sizes[-1] != sizes[-2]:
        raise NoRule(equation.primitive.name, f"matrices of shape {sizes}")
    rank = array.ndim
    array = padding.filled(array, sizes, range(rank - 2), 0)
    mask = padding.mask(sizes, (rank - 2, rank - 1), array.shape)
    identity = jnp.broadcast_to(jnp.eye(array.shape[-1], dtype=array.dtype), array.shape)
    return array if mask is None else lax.select(mask, array, identity)


def _triangular_solve(padding: Padding, equation: Any, matrix: Any, right: Any) -> Any:
    sizes = sizes_in(equation, 0)
    right = padding.filled(right, sizes_in(equation, 1), range(right.ndim), 0)
    return applied(equation, continued(padding, equation, matrix, sizes), right)


def _qr(padding: Padding, equation: Any, array: Any) -> Any:
    """Rows of zeros below a matrix leave its reflections as they are."""
    sizes = sizes_in(equation)
    if is_open(sizes[-1]):
        raise NoRule(equation.primitive.name, f"matrices of shape {sizes}")
    if is_open(sizes[-2]) and not padding.bounds(sizes[-2])[0] >= sizes[-1]:
        raise NoRule(equation.primitive.name, f"matrices of shape {sizes}, which may be wide")
    return applied(equation, padding.filled(array, sizes, range(array.ndim - 1), 0))


def _fft(padding: Padding, equation: Any, array: Any) -> Any:
    del padding
    sizes = sizes_in(equation)
    own = len(equation.params["fft_lengths"])
    if any(map(is_open, (*sizes[len(sizes) - own :], *equation.params["fft_lengths"]))):
        raise NoRule("fft", f"transforms of {own} axes of shape {sizes}")
    return applied(equation, array)


BATCHED = (
    *("eig", "eigh", "geqp3", "hessenberg", "householder_product", "lu_pivots_to_permutation", "schur", "svd"),
    *("tridiagonal", "tridiagonal_solve"),
)

RULES: dict[str, Rule] = {
    **dict.fromkeys(BATCHED, _batched),
    "cholesky": _square,
    "fft": _fft,
    "geqrf": _qr,
    "lu": _square,
    "qr": _qr,
    "triangular_solve": _triangular_solve,
}
