"""Kernels of decompositions, solvers and Fourier transforms.

XLA on the CPU calls LAPACK as SciPy does, so the factors have the same signs and order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jax import lax

from tfcompat._jaxpr.host.blas_thread import NUMPY, SCIPY, one_thread
from tfcompat._jaxpr.host.scientific import blas, lapack, linalg
from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step


def _batched(step: Step, one: Callable[..., Any], ranks: tuple[int, ...]) -> Kernel:
    """Applies `one`, which returns a tuple, to the last axes of the inputs, as many as `ranks` says."""
    avals, is_multiple = step.outputs, step.is_multiple
    batch = step.inputs[0].shape[: len(step.inputs[0].shape) - ranks[0]]

    def kernel(*inputs: Array) -> Any:
        outputs = [np.empty(shape, dtype) for shape, dtype in avals]
        linalg("lapack")  # loads SciPy
        with one_thread(SCIPY):
            for place in np.ndindex(*batch):
                found = one(*[x[place] for x in inputs])
                for out, value in zip(outputs, found, strict=True):
                    out[place] = value
        return outputs if is_multiple else outputs[0]

    return kernel


def _cholesky(step: Step) -> Kernel:
    def one(a: Array) -> tuple[Any]:
        # XLA reads the lower triangle. A matrix that is not positive definite has nan as its factor.
        factor, info = lapack("potrf", a.dtype)(a, lower=1, clean=1)
        return (factor if info == 0 else np.nan,)

    return _unless_empty(step, _batched(step, one, (2,)))


def _unless_empty(step: Step, kernel: Kernel, made: Callable[..., Array] = np.zeros) -> Kernel:
    """`kernel`, or arrays `made` of shapes and dtypes: LAPACK takes no empty matrices."""
    if step.inputs[0].size:
        return kernel
    outputs, is_multiple = step.outputs, step.is_multiple

    def empty(*_: Array) -> Any:
        found = [made(shape, dtype) for shape, dtype in outputs]
        return found if is_multiple else found[0]

    return empty


def _identities(shape: tuple[int, ...], dtype: Any) -> Array:
    """The orthogonal factors of empty matrices."""
    whole = np.zeros(shape, dtype)
    if whole.size:
        whole[...] = np.eye(*shape[-2:], dtype=dtype)
    return whole


def _lu(step: Step) -> Kernel:
    rows = step.inputs[0].shape[-2]

    def one(a: Array) -> tuple[Any, ...]:
        factors, pivots, _ = lapack("getrf", a.dtype)(a)
        return factors, pivots, _permutation(pivots, rows)

    return _unless_empty(step, _batched(step, one, (2,)))


def _permutation(pivots: Array, size: int) -> Array:
    order = np.arange(size, dtype=np.int32)
    for k, pivot in enumerate(pivots):
        order[[k, pivot]] = order[[pivot, k]]
    return order


def _pivots_to_permutation(step: Step) -> Kernel:
    size = step.params["permutation_size"]
    return _batched(step, lambda pivots: (_permutation(pivots, size),), (1,))


def _qr(step: Step) -> Kernel:
    """NumPy's decomposition, which computes in float64: to load SciPy's takes longer than most of them."""
    mode: Any = "complete" if step.params["full_matrices"] else "reduced"
    if step.params["pivoting"]:
        return _pivoted_qr(step)

    def kernel(a: Array) -> list[Array]:
        with one_thread(NUMPY):
            return list(np.linalg.qr(a, mode))

    return _unless_empty(step, kernel, _identities)


def _pivoted_qr(step: Step) -> Kernel:
    rows, columns = step.inputs[0].shape[-2:]
    kept = rows if step.params["full_matrices"] else min(rows, columns)

    def one(a: Array) -> tuple[Any, ...]:
        packed, order, tau, _, _ = lapack("geqp3", a.dtype)(a)
        wide = np.zeros((rows, kept), a.dtype)
        wide[:, : min(columns, kept)] = packed[:, :kept]
        return _orthogonal(wide, tau), np.triu(packed)[:kept], order - 1

    return _unless_empty(step, _batched(step, one, (2,)))


def _orthogonal(packed: Array, tau: Array) -> Array:
    """The product of Householder reflections, whose vectors are below the diagonal of `packed`."""
    name = "ungqr" if packed.dtype.kind == "c" else "orgqr"
    return lapack(name, packed.dtype)(packed, tau)[0]


def _householder_product(step: Step) -> Kernel:
    return _unless_empty(step, _batched(step, lambda a, tau: (_orthogonal(a, tau),), (2, 1)))


def _geqrf(step: Step) -> Kernel:
    return _unless_empty(step, _batched(step, lambda a: lapack("geqrf", a.dtype)(a)[:2], (2,)))


def _eigh(step: Step) -> Kernel:
    lower = int(step.params["lower"])
    low, high = step.params["subset_by_index"] or (0, None)

    def one(a: Array) -> tuple[Any, ...]:
        if not np.isfinite(a).all():
            return np.nan, np.nan
        name = "heevd" if a.dtype.kind == "c" else "syevd"
        values, vectors, _ = lapack(name, a.dtype)(a, lower=lower)
        return vectors[:, low:high], values[low:high]

    return _unless_empty(step, _batched(step, one, (2,)))


def _svd(step: Step) -> Kernel:
    is_full, is_whole = step.params["full_matrices"], step.params["compute_uv"]
    low, high = step.params["subset_by_index"] or (0, None)
    name = "gesvd" if step.params["algorithm"] == lax.linalg.SvdAlgorithm.QR else "gesdd"

    def one(a: Array) -> tuple[Any, ...]:
        if not np.isfinite(a).all():
            return (np.nan,) * (3 if is_whole else 1)
        u, s, v, _ = lapack(name, a.dtype)(a, compute_uv=int(is_whole), full_matrices=int(is_full))
        if (low, high) == (0, None):
            return (s, u, v) if is_whole else (s,)
        return (s[low:high], u[:, low:high], v[low:high]) if is_whole else (s[low:high],)

    return _unless_empty(step, _batched(step, one, (2,)), _identities)


def _eig(step: Step) -> Kernel:
    left, right = step.params["compute_left_eigenvectors"], step.params["compute_right_eigenvectors"]

    def one(a: Array) -> tuple[Any, ...]:
        if not np.isfinite(a).all():
            return (np.nan,) * (1 + left + right)
        found: Any = linalg("eig")(a, left=left, right=right, check_finite=False)
        return found if left or right else (found,)

    return _unless_empty(step, _batched(step, one, (2,)))


def _schur(step: Step) -> Kernel:
    has_vectors = step.params["compute_schur_vectors"]

    def one(a: Array) -> tuple[Any, ...]:
        if not np.isfinite(a).all():
            return (np.nan,) * (2 if has_vectors else 1)
        return linalg("schur")(a, check_finite=False)[: 2 if has_vectors else 1]

    return _unless_empty(step, _batched(step, one, (2,)))


def _hessenberg(step: Step) -> Kernel:
    return _unless_empty(step, _batched(step, lambda a: lapack("gehrd", a.dtype)(a)[:2], (2,)))


def _triangular_solve(step: Step) -> Kernel:
    params = step.params
    side, lower = int(not params["left_side"]), int(params["lower"])
    is_conjugate, unit = params["conjugate_a"], int(params["unit_diagonal"])
    trans = (2 if is_conjugate else 1) if params["transpose_a"] else 0
    is_plainly_conjugate = is_conjugate and not params["transpose_a"]

    def one(a: Array, b: Array) -> tuple[Any]:
        solve = blas("trsm", a.dtype)
        return (solve(1, a.conj() if is_plainly_conjugate else a, b, side=side, lower=lower, trans_a=trans, diag=unit),)

    if not step.outputs[0].size or not step.inputs[0].size:
        return lambda _, b: b
    return _batched(step, one, (2, 2))


def _tridiagonal_solve(step: Step) -> Kernel:
    """Gaussian elimination with pivoting."""

    def one(low: Array, middle: Array, high: Array, b: Array) -> tuple[Any]:
        if len(middle) == 1:
            return (b / middle,)
        *_, x, info = lapack("gtsv", b.dtype)(low[1:], middle, high[:-1], b)
        return (x if info == 0 else np.nan,)

    return _unless_empty(step, _batched(step, one, (1, 1, 1, 2)))


def _fourier(step: Step) -> Kernel:
    kind, lengths = step.params["fft_type"], tuple(step.params["fft_lengths"])
    axes = tuple(range(-len(lengths), 0))
    transform = {
        lax.FftType.FFT: np.fft.fftn,
        lax.FftType.IFFT: np.fft.ifftn,
        lax.FftType.RFFT: np.fft.rfftn,
        lax.FftType.IRFFT: np.fft.irfftn,
    }[kind]
    shape, dtype = step.shape, step.outputs[0].dtype
    if not math.prod(lengths) or not math.prod(shape):
        return lambda _: np.zeros(shape, dtype)
    return lambda x: transform(x, lengths, axes).astype(dtype)


LINEAR_ALGEBRA: dict[str, Maker] = {
    "cholesky": _cholesky,
    "eig": _eig,
    "eigh": _eigh,
    "fft": _fourier,
    "geqrf": _geqrf,
    "hessenberg": _hessenberg,
    "householder_product": _householder_product,
    "lu": _lu,
    "lu_pivots_to_permutation": _pivots_to_permutation,
    "qr": _qr,
    "schur": _schur,
    "svd": _svd,
    "triangular_solve": _triangular_solve,
    "tridiagonal_solve": _tridiagonal_solve,
}
