"""Replaces public functions by functions that convert their operands.

Programs that do not enable such conversions are not affected.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from tfcompat._core.calls import convert
from tfcompat._dropin.weak.conversion import assignment, binary, constant, unary
from tfcompat._ops import combination, identity
from tfcompat._ops.array import block
from tfcompat._ops.array import creation as array_creation
from tfcompat._ops.array import layout as array_layout
from tfcompat._ops.debugging import value_assertion
from tfcompat._ops.elementwise import algebraic, bessel, comparison, complex_number, rounding, special, transcendental
from tfcompat._ops.fold import reduction as fold_reduction
from tfcompat._ops.linalg import contraction, diagonal
from tfcompat._ops.network import activation, clip
from tfcompat._ops.numpy_like import (
    creation,
    elementwise,
    layout,
    pair,
    polynomial,
    product,
    promotion,
    reduction,
    selection,
)
from tfcompat._ops.sliding import patch
from tfcompat._state.variable import Variable

_UNARY: tuple[tuple[ModuleType, str], ...] = (
    (block, "depth_to_space space_to_depth"),
    (array_creation, "ones_like zeros_like"),
    (array_layout, "expand_dims matrix_transpose reshape squeeze transpose"),
    (value_assertion, "check_numerics"),
    (algebraic, "abs negative reciprocal reciprocal_no_nan rsqrt sign sqrt square"),
    (bessel, "bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1"),
    (complex_number, "angle conj imag real"),
    (rounding, "ceil floor rint round"),
    (special, "bessel_i0 bessel_i0e bessel_i1 bessel_i1e dawsn digamma erf erfc erfcinv erfinv expint fresnel_cos"),
    (special, "fresnel_sin lgamma ndtri spence"),
    (transcendental, "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log_sigmoid sigmoid sin sinh"),
    (transcendental, "tan tanh"),
    (fold_reduction, "reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std"),
    (fold_reduction, "reduce_sum reduce_variance"),
    (identity, "identity stop_gradient"),
    (contraction, "trace"),
    (diagonal, "diag diag_part tensor_diag_part"),
    (activation, "gelu leaky_relu log_softmax relu6 silu softplus"),
    (clip, "clip_by_value"),
    (creation, "arange array asanyarray ascontiguousarray copy empty_like full_like ones_like zeros_like"),
    (elementwise, "abs absolute angle arccos arcsin arcsinh arctan arctanh around bitwise_not cbrt ceil conj"),
    (elementwise, "conjugate cos cosh deg2rad exp exp2 expm1 fabs fix floor imag log log10 log1p log2 negative"),
    (elementwise, "positive rad2deg real reciprocal round sign sin sinc sinh sqrt square tan tanh"),
    (layout, "expand_dims flatten flip fliplr flipud moveaxis ravel repeat reshape rot90 squeeze swapaxes transpose"),
    (polynomial, "vander"),
    (product, "trace"),
    (promotion, "asarray"),
    (reduction, "amax amin average cumprod cumsum max mean min nanmean prod ptp std sum var"),
    (selection, "diag diagflat diagonal diff sort triu"),
    (patch, "extract_patches"),
)
_BINARY: tuple[tuple[ModuleType, str], ...] = (
    (algebraic, "add divide divide_no_nan floordiv floormod multiply multiply_no_nan pow realdiv subtract truediv"),
    (algebraic, "truncatediv truncatemod"),
    (contraction, "matmul matvec"),
    (pair, "hypot"),
    (product, "matmul"),
)
# Functions that return a tensor even for weak operands.
_STRONG: tuple[tuple[ModuleType, str], ...] = ((algebraic, "maximum minimum"), (comparison, "equal"))
_ASSIGNING = ("assign", "assign_add", "assign_sub")


def _listed(table: Iterable[tuple[ModuleType, str]]) -> list[Callable[..., Any]]:
    return [getattr(module, name) for module, names in table for name in names.split()]


@functools.cache
def _substitutes() -> dict[int, Callable[..., Any]]:
    """The replacement of each public function, by the `id` of the function."""
    made = {id(function): unary(function) for function in _listed(_UNARY)}
    made |= {id(function): binary(function) for function in _listed(_BINARY)}
    made |= {id(function): binary(function, keeps_weak=False) for function in _listed(_STRONG)}
    made[id(combination.scalar_mul)] = unary(combination.scalar_mul, "x")
    made[id(convert.constant)] = constant(convert.constant)
    return made


def substitute(function: Callable[..., Any]) -> Callable[..., Any]:
    """The replacement of `function`; `function` itself if it has none."""
    return _substitutes().get(id(function), function)


def _load(namespace: ModuleType) -> None:
    """Imports the namespaces within `namespace` that are otherwise imported at their first access."""
    for name in getattr(namespace, "__all__", ()):
        found = getattr(namespace, name)
        if isinstance(found, ModuleType) and found.__name__ == f"{namespace.__name__}.{name}":
            _load(found)


def exchange(package: str) -> None:
    """Installs the replacements in all namespaces of `package`, and in the class of variables. It does so once."""
    _load(sys.modules[package])
    for name, module in list(sys.modules.items()):
        is_namespace = name.partition(".")[0] == package and not any(part[0] == "_" for part in name.split("."))
        if not is_namespace or not isinstance(module, ModuleType):
            continue
        for key, value in list(vars(module).items()):
            if callable(value):
                setattr(module, key, substitute(value))
    for name in _ASSIGNING:
        method = getattr(Variable, name)
        if not hasattr(method, "__wrapped__"):
            setattr(Variable, name, assignment(method))
