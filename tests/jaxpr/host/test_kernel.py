"""Kernels that move, reduce, multiply, sort and decompose compute what XLA computes."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import thorough
from tests.jaxpr.host.agreement import assert_agrees

DTYPES = ["float32", "float64", "bfloat16", "float16", "complex64", "int8", "int32", "int64", "uint8", "bool"]
REAL = [dtype for dtype in DTYPES if dtype not in ("complex64", "bool")]
FLOATS = ["float32", "float64", "bfloat16", "float16"]
PRECISE = ["float32", "float64", "complex64", "complex128"]


def numbers(shape, dtype="float32", seed=0):
    """Numbers of both signs, with repetitions."""
    rng = np.random.default_rng(seed)
    found = np.round(rng.normal(size=shape) * 3) / 2
    if dtype.startswith("complex"):
        found = found + 1j * np.round(rng.normal(size=shape) * 3) / 2
    if dtype == "bool":
        return found > 0
    return (np.abs(found) if dtype.startswith("u") else found).astype(dtype)


def rugged(shape, dtype="float32"):
    """Numbers with nan, infinities and zeros of both signs among them."""
    found = numbers(shape, dtype)
    if dtype in FLOATS:
        found.flat[1::5], found.flat[3::11], found.flat[4::13], found.flat[2::7] = np.nan, np.inf, -np.inf, -0.0
    return found


X = numbers((3, 4, 5))
LAYOUT = {
    "broadcast_in_dim": lambda x: [lax.broadcast_in_dim(x, (2, 3, 6, 4), (1, 3)), jnp.broadcast_to(x[:, :1], (3, 7))],
    "concatenate": lambda x: [lax.concatenate([x, x, x[:1]], 0), jnp.concatenate([x, x[:, :0]], 1)],
    "copy": jnp.copy,
    "empty": lambda _: jnp.zeros((2, 0)),
    "iota": lambda x: [lax.broadcasted_iota(t, (3, 4), 1) for t in ("float32", "bfloat16", "int8")] + [x],
    "pad": lambda x: [
        lax.pad(x, x[0, 0], config)
        for config in [[(1, 2, 0), (0, 0, 1)], [(-1, 1, 2), (2, -2, 0)], [(-2, -1, 1), (-5, 9, 1)]]
    ],
    "reshape": lambda x: [lax.reshape(x, (2, 6)), lax.reshape(x, (6, 2), (1, 0)), x.reshape(-1)],
    "rev": lambda x: [lax.rev(x, (0,)), lax.rev(x, (0, 1)), lax.rev(x, ())],
    "slice": lambda x: [lax.slice(x, (1, 0), (3, 4), (1, 3)), x[::2], x[1:1]],
    "split": lambda x: lax.split(x, (1, 0, 3), 1),
    "squeeze": lambda x: lax.squeeze(x[:, :1], (1,)),
    "stack": lambda x: jnp.stack([x, x], 1),
    "tile": lambda x: jnp.tile(x, (2, 3)),
    "transpose": lambda x: x.T,
    "unstack": lambda x: jnp.unstack(x, axis=1),
    "optimization_barrier": lambda x: lax.optimization_barrier((x, x)),
}


@pytest.mark.parametrize("name", LAYOUT)
def test_layout(name):
    assert_agrees(lambda *xs: [LAYOUT[name](x) for x in xs], *[rugged((3, 4), dtype) for dtype in DTYPES])


REDUCTION = {
    "sum": (jnp.sum, [d for d in DTYPES if d != "bool"]),
    "prod": (jnp.prod, [d for d in DTYPES if d != "bool"]),
    "max": (lambda x, axis: lax.reduce_max(x, axis), [*REAL, "bool"]),
    "min": (lambda x, axis: lax.reduce_min(x, axis), [*REAL, "bool"]),
    "and": (lambda x, axis: lax.reduce_and(x, axis), ["bool", "int32", "uint8"]),
    "or": (lambda x, axis: lax.reduce_or(x, axis), ["bool", "int32", "uint8"]),
    "xor": (lambda x, axis: lax.reduce_xor(x, axis), ["bool", "int32", "uint8"]),
}


@pytest.mark.parametrize("name", REDUCTION)
def test_reduction(name):
    function, dtypes = REDUCTION[name]
    axes = [(), (0,), (1, 2), (0, 1, 2)]
    call = jax.tree_util.Partial(lambda xs: [function(x, axis=a) for x in xs for a in axes])
    assert_agrees(call, [numbers((3, 4, 5), dtype) for dtype in dtypes])
    assert_agrees(call, [numbers((2, 0, 2), dtype) for dtype in dtypes])


def test_extremes_propagate_nan():
    assert_agrees(lambda xs: [[jnp.max(x, 0), jnp.min(x, 1)] for x in xs], [rugged((5, 6), d) for d in FLOATS])


def test_places_of_extremes():
    arrays = [rugged((5, 6), dtype) for dtype in [*REAL, "bool"]]
    assert_agrees(lambda xs: [lax.argmax(x, axis, np.int32) for x in xs for axis in (0, 1)], arrays)
    assert_agrees(lambda xs: [lax.argmin(x, axis, np.int32) for x in xs for axis in (0, 1)], arrays)


def test_reduction_by_any_function():
    assert_agrees(lambda x: lax.reduce(x, np.float32(1), lambda a, b: a + 2 * b, (1,)), X)
    assert_agrees(
        lambda x, i: lax.reduce(
            (x, i),
            (np.float32(0), np.int32(0)),
            lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])),
            (0,),
        ),
        X,
        np.arange(60, dtype=np.int32).reshape(X.shape),
    )


PRODUCTS = [
    ((3, 4), (4, 5), (((1,), (0,)), ((), ()))),
    ((3, 4), (3, 5), (((0,), (0,)), ((), ()))),
    ((2, 3, 4), (4, 2, 5), (((2,), (0,)), ((0,), (1,)))),
    ((2, 3, 4), (3, 4, 2), (((1, 2), (0, 1)), ((0,), (2,)))),
    ((4,), (4,), (((0,), (0,)), ((), ()))),
    ((2, 0), (0, 3), (((1,), (0,)), ((), ()))),
    ((0, 3), (3, 2), (((1,), (0,)), ((), ()))),
    ((2, 3), (2, 3), (((), ()), ((0, 1), (0, 1)))),
    ((2,), (3,), (((), ()), ((), ()))),
]


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
def test_product(dtype):
    pairs = [(numbers(a, dtype), numbers(b, dtype, 1)) for a, b, _ in PRODUCTS]
    assert_agrees(
        lambda pairs: [lax.dot_general(a, b, numbers) for (a, b), (*_, numbers) in zip(pairs, PRODUCTS)], pairs
    )


@pytest.mark.parametrize(("given", "wanted"), [("bfloat16", "float32"), ("int8", "int32"), ("float32", "float64")])
def test_product_in_another_dtype(given, wanted):
    product = partial(
        lax.dot_general, dimension_numbers=(((1,), (0,)), ((), ())), preferred_element_type=np.dtype(wanted)
    )
    assert_agrees(product, numbers((3, 40), given), numbers((40, 2), given, 1))


CONVOLUTIONS = {
    "plain": ((2, 7, 6, 3), (3, 2, 3, 4), {}),
    "same": ((2, 7, 6, 3), (3, 2, 3, 4), {"padding": "SAME", "window_strides": (2, 3)}),
    "dilated kernel": ((2, 9, 8, 3), (3, 2, 3, 4), {"rhs_dilation": (2, 3)}),
    "dilated input": ((2, 4, 5, 3), (3, 2, 3, 4), {"lhs_dilation": (2, 3), "padding": [(2, 1), (1, 0)]}),
    "cut": ((2, 7, 6, 3), (3, 2, 3, 4), {"padding": [(-1, 0), (0, -2)]}),
    "groups": ((2, 5, 5, 6), (2, 2, 3, 4), {"feature_group_count": 2}),
    "depthwise": ((2, 5, 5, 3), (2, 2, 1, 6), {"feature_group_count": 3, "padding": "SAME"}),
    "batch groups": ((4, 5, 5, 3), (2, 2, 3, 6), {"batch_group_count": 2}),
    "all": ((2, 6, 7, 4), (2, 3, 2, 6), {"feature_group_count": 2, "lhs_dilation": (2, 1), "rhs_dilation": (1, 2),
                                         "window_strides": (3, 1), "padding": [(1, 2), (3, -1)]}),
    "empty": ((0, 5, 5, 3), (2, 2, 3, 6), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(name):
    image, kernel, options = CONVOLUTIONS[name]
    options = {"window_strides": (1, 1), "padding": "VALID", "dimension_numbers": ("NHWC", "HWIO", "NHWC"), **options}
    pairs = [
        (numbers(image, d), numbers(kernel, d, 1)) for d in ("float32", "bfloat16", "int32", "complex64", "float16")
    ]
    assert_agrees(lambda pairs: [lax.conv_general_dilated(x, w, **options) for x, w in pairs], pairs)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_convolution_of_other_ranks(rank):
    image, kernel = numbers((2, 3, *(5, 6, 4)[:rank])), numbers((4, 3, *(2, 3, 2)[:rank]), seed=1)
    assert_agrees(lambda x, w: lax.conv_general_dilated(x, w, (2,) * rank, "SAME"), image, kernel)


def test_gradient_of_convolution():
    def loss(x, w):
        return jnp.sum(lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2)

    assert_agrees(jax.grad(loss, (0, 1)), numbers((2, 7, 6, 3)), numbers((3, 2, 3, 4), seed=1))


PLAIN = {"window_strides": (1, 1)}
WINDOWS = {
    "pool": {"window_dimensions": (2, 3), "window_strides": (2, 1), "padding": "VALID"},
    "same": {"window_dimensions": (2, 3), "window_strides": (2, 2), "padding": "SAME"},
    "dilated": {"window_dimensions": (2, 2), **PLAIN, "padding": [(1, 0), (0, 1)], "window_dilation": (2, 3)},
    "spread": {"window_dimensions": (2, 2), **PLAIN, "padding": [(1, 2), (0, 0)], "base_dilation": (2, 1)},
    "cut": {"window_dimensions": (2, 2), "window_strides": (1, 1), "padding": [(-1, 0), (0, -2)]},
}  # fmt: skip


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("combine", ["max", "min", "add", "any"])
def test_windows(name, combine):
    function = {"max": lax.max, "min": lax.min, "add": lax.add, "any": lambda a, b: a + b + a * b / 8}[combine]
    first = {"max": -np.inf, "min": np.inf}.get(combine, 0)
    arrays = [numbers((6, 7), dtype) for dtype in ("float32", "bfloat16")]
    assert_agrees(
        lambda xs: [lax.reduce_window(x, jnp.array(first, x.dtype), function, **WINDOWS[name]) for x in xs], arrays
    )


@pytest.mark.parametrize("name", ["pool", "same"])
def test_gradients_of_windows(name):
    def pooled(combine, first):
        return lambda x: jnp.sum(jnp.sin(lax.reduce_window(x, first, combine, **WINDOWS[name])))

    with_ties = numbers((6, 7))
    for combine, first in [(lax.max, -np.inf), (lax.min, np.inf), (lax.add, 0.0)]:
        assert_agrees(jax.grad(pooled(combine, np.float32(first))), with_ties)
    assert_agrees(
        lambda x, t: jax.jvp(pooled(lax.max, np.float32(-np.inf)), (x,), (t,)), with_ties, numbers((6, 7), seed=1)
    )


@pytest.mark.parametrize("reverse", [False, True])
def test_accumulation(reverse):
    options = {"axis": 1, "reverse": reverse}
    arrays = [numbers((3, 4, 2), dtype) for dtype in DTYPES if dtype != "bool"]
    assert_agrees(lambda xs: [[lax.cumsum(x, **options), lax.cumprod(x, **options)] for x in xs], arrays)
    arrays = [rugged((3, 4, 2), dtype) for dtype in REAL]
    assert_agrees(lambda xs: [[lax.cummax(x, **options), lax.cummin(x, **options)] for x in xs], arrays)
    assert_agrees(lambda x: lax.cumlogsumexp(x, **options), X)


def test_sorting():
    arrays = [rugged((6, 9), dtype) for dtype in DTYPES]
    assert_agrees(lambda xs: [lax.sort(x, axis) for x in xs for axis in (0, 1)], arrays)
    rows = np.arange(54, dtype=np.int32).reshape(6, 9)
    assert_agrees(lambda xs, i: [lax.sort((x, i, x), num_keys=1) for x in xs], arrays, rows)
    assert_agrees(lambda xs, i: [lax.sort((x, xs[0], i), num_keys=2) for x in xs], arrays, rows)


def test_the_sign_of_sorted_zeros_is_kept():
    assert_agrees(lambda x: 1 / lax.sort(x), np.array([0.0, -0.0, -0.0, 0.0, 1], np.float32))


def test_the_largest():
    arrays = [numbers((6, 9), dtype) for dtype in REAL]
    assert_agrees(lambda xs: [lax.top_k(x, k) for x in xs for k in (0, 1, 4, 9)], arrays)
    assert_agrees(lambda x: lax.top_k(x, 5), rugged((6, 9)))
    assert_agrees(lambda x: [lax.approx_max_k(x, 3)[0], lax.approx_min_k(x, 3)[0]], X)


def matrix(shape, dtype, seed=0):
    found = np.random.default_rng(seed).normal(size=(2, *shape))
    return (found[0] + 1j * found[1] if dtype.startswith("complex") else found[0]).astype(dtype)


def definite(dtype):
    a = matrix((2, 4, 4), dtype)
    return a @ np.swapaxes(a.conj(), -1, -2) + 4 * np.eye(4, dtype=dtype)


LINEAR_ALGEBRA = {
    "cholesky": lambda a, _: lax.linalg.cholesky(a),
    "cholesky of no positive matrix": lambda a, _: lax.linalg.cholesky(-a),
    "lu": lambda _, b: lax.linalg.lu(b),
    "qr": lambda _, b: [lax.linalg.qr(b, full_matrices=full) for full in (False, True)],
    "qr of a wide matrix": lambda _, b: [
        lax.linalg.qr(jnp.swapaxes(b, 1, 2), full_matrices=full) for full in (False, True)
    ],
    "qr with pivoting": lambda _, b: lax.linalg.qr(b, pivoting=True),
    "householder_product": lambda _, b: lax.linalg.householder_product(b, b[:, 0]),
    "eigh": lambda a, _: lax.linalg.eigh(a),
    "svd": lambda _, b: [lax.linalg.svd(b, full_matrices=full) for full in (False, True)],
    "svd without vectors": lambda _, b: lax.linalg.svd(b, compute_uv=False),
    "solve": lambda a, b: jnp.linalg.solve(a, b),
    "determinant": lambda a, _: [jnp.linalg.slogdet(a), jnp.linalg.det(a)],
    "inverse": lambda a, _: jnp.linalg.inv(a),
    "pivots": lambda a, _: lax.linalg.lu_pivots_to_permutation(lax.linalg.lu(a)[1], 6),
}


@pytest.mark.parametrize("name", LINEAR_ALGEBRA)
def test_linear_algebra(name):
    assert_agrees(
        lambda pairs: [LINEAR_ALGEBRA[name](a, b) for a, b in pairs],
        [(definite(dtype), matrix((2, 4, 3), dtype, 1)) for dtype in PRECISE],
    )


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("left", [False, True])
def test_triangular_solution(left, lower):
    options = [(transposed, conjugate, unit) for transposed in (0, 1) for conjugate in (0, 1) for unit in (0, 1)]

    def solved(a, b):
        return [
            lax.linalg.triangular_solve(
                a, b, left_side=left, lower=lower, transpose_a=bool(t), conjugate_a=bool(c), unit_diagonal=bool(u)
            )
            for t, c, u in options
        ]

    shape = (2, 4, 3) if left else (2, 3, 4)
    assert_agrees(
        lambda pairs: [solved(*pair) for pair in pairs], [(definite(d), matrix(shape, d, 1)) for d in PRECISE]
    )


def test_other_decompositions():
    for dtype in PRECISE:
        b = matrix((2, 4, 2), dtype, 2)
        bands = [matrix((2, 4), dtype, k) + 3 * (k == 1) for k in range(3)]
        bands[0][:, 0], bands[2][:, -1] = 0, 0
        assert_agrees(lax.linalg.tridiagonal_solve, *bands, b)
        assert_agrees(lax.linalg.hessenberg, matrix((2, 4, 4), dtype))
        assert_agrees(lambda a: jnp.sort(lax.linalg.eig(a)[0], -1), matrix((2, 4, 4), dtype))
        assert_agrees(lax.linalg.schur, definite(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fourier_transforms(dtype):
    x = matrix((3, 4, 6), dtype)
    assert_agrees(lambda x: [jnp.fft.rfft(x), jnp.fft.rfft2(x), jnp.fft.irfft(x + 0j), jnp.fft.irfftn(x + 0j)], x)
    assert_agrees(lambda x: [jnp.fft.fft(x, 5), jnp.fft.ifft(x), jnp.fft.fftn(x), jnp.fft.ifft2(x)], x + 1j * x)


POSITIVE = np.array([0.0, 0.1, 0.5, 1, 1.5, 2.5, 5, 9.5, 30, np.nan])
ANY = np.array([-np.inf, -3.5, -2, -0.7, -0.0, 0, 0.3, 1, 2.5, 7, 40, np.inf, np.nan])
SPECIAL = {
    "bessel_i0e": (lax.bessel_i0e, ANY),
    "bessel_i1e": (lax.bessel_i1e, ANY),
    "digamma": (lax.digamma, ANY[ANY != 0][2:]),
    "erf": (lax.erf, ANY),
    "erfc": (lax.erfc, ANY),
    "erf_inv": (lax.erf_inv, np.linspace(-1.2, 1.2, 13)),
    "lgamma": (lax.lgamma, ANY),
    "igamma": (lax.igamma, POSITIVE, POSITIVE),
    "igammac": (lax.igammac, POSITIVE, POSITIVE),
    "igamma_grad_a": (lax.igamma_grad_a, POSITIVE, POSITIVE),
    "random_gamma_grad": (lax.random_gamma_grad, POSITIVE, POSITIVE[:-2]),
    "polygamma": (lax.polygamma, np.arange(4.0), POSITIVE[1:]),
    "zeta": (lax.zeta, np.array([1.5, 2, 4]), POSITIVE[1:]),
}


@pytest.mark.parametrize("dtype", ["float32", thorough("float64")])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_function(name, dtype):
    function, *values = SPECIAL[name]
    assert_agrees(function, *[x.astype(dtype) for x in np.meshgrid(*values)])


def test_incomplete_beta():
    a, b, x = np.meshgrid([0.5, 1, 3], [0.5, 2], [0, 0.1, 0.6, 1])
    assert_agrees(lax.betainc, *[each.astype(np.float32) for each in (a, b, x)])


@pytest.mark.parametrize("name", ["erf", "erfc", "lgamma", "digamma"])
def test_special_function_of_16_bits(name):
    function, values = SPECIAL[name]
    assert_agrees(lambda *xs: [function(x) for x in xs], *[values.astype(dtype) for dtype in ("float16", "bfloat16")])
