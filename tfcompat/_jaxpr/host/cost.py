"""Estimates how long a step takes, in nanoseconds.

The constants were measured with NumPy 2.4 on one core at 2 to 3 GHz, on arrays of a thousand to a million elements.
They are fixed, so that a decision that depends on an estimate is the same in each run. Products and convolutions were
measured on one thread, the latter in a batch of 32: 3 x 3 windows of [28, 28, 1], [26, 26, 32] and [16, 16, 64] into 32
and 64 features, with strides of 1 and 2, 1 x 1 and depthwise ones, with their gradients. All take 0.8 to 1.6 times
as long as in TensorFlow, but depthwise ones up to 6 times. The estimates are 0.9 to 2.1 times the measured times.
"""

from __future__ import annotations

import math

from tfcompat._jaxpr.host.step import SCANNED, Shaped, Step

# A call of a program, one step, and one step of several calls of NumPy.
CALL, STEP, LONG_STEP = 8_000.0, 1_200.0, 15_000.0
# An element that is written, by kind of computation.
PLAIN, DIVIDED, CURVE, SUMMED, SPECIAL, MOVED, SORTED, NARROW = 0.6, 2.0, 4.0, 4.0, 60.0, 12.0, 70.0, 10.0
# One multiplication and addition: by BLAS, and of integers or by themselves. An element of a window that is copied.
FUSED, UNFUSED, COPIED = 0.025, 0.8, 0.4

_VIEWS = frozenset(
    {
        *("broadcast_in_dim", "copy", "iota", "optimization_barrier", "reshape", "rev", "slice", "split", "squeeze"),
        *("stop_gradient", "transpose", "unstack", "dim_as_value", "platform_index"),
    }
)
_PER_ELEMENT = {
    **dict.fromkeys(("div", "rem", "sqrt", "rsqrt", "select_n", "sign", "integer_pow", "clamp"), DIVIDED),
    **dict.fromkeys(("exp", "log", "sin", "cos", "tanh", "logistic", "expm1", "log1p", "exp2", "cbrt"), CURVE),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin"), SUMMED),
    **dict.fromkeys(("tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh"), 2 * CURVE),
    **dict.fromkeys(("atan2", "pow", "erf", "mulhi", "nextafter", "clz"), 2 * CURVE),
    **dict.fromkeys(("erfc", "erf_inv", "cumlogsumexp"), 4 * CURVE),
    **dict.fromkeys(("lgamma", "digamma", "bessel_i0e", "bessel_i1e", "zeta", "polygamma"), SPECIAL),
    **dict.fromkeys(("igamma", "igammac", "regularized_incomplete_beta"), 5 * SPECIAL),
    **dict.fromkeys(("igamma_grad_a", "random_gamma_grad"), 50 * SPECIAL),
    **dict.fromkeys(("reduce_precision", "top_k", "approx_top_k"), MOVED),
    "sort": SORTED,
}
_LONG = frozenset(("gather", "conv_general_dilated", "sort", "top_k", "pad", "dot_general", "fft"))


def of(step: Step) -> float:
    """The nanoseconds that `step` takes."""
    estimate = _OWN.get(step.name)
    if estimate is not None:
        return estimate(step)
    overhead = LONG_STEP if step.name in _LONG else STEP
    if step.name in _VIEWS:
        return overhead
    per_element = _PER_ELEMENT.get(step.name, PLAIN) + (NARROW if _is_slow(step.outputs[0]) else 0)
    return overhead + per_element * _elements(step)


def _elements(step: Step) -> int:
    """The size of the largest input or output."""
    return max((aval.size for aval in (*step.inputs, *step.outputs)), default=0)


def _is_slow(aval: Shaped) -> bool:
    """Whether NumPy has no vector instructions for the dtype."""
    return aval.dtype.kind == "V" or aval.dtype.name == "float16"


def _product(step: Step) -> float:
    (contracted, _), _ = step.params["dimension_numbers"]
    inner = math.prod(step.inputs[0].shape[axis] for axis in contracted)
    return LONG_STEP + step.outputs[0].size * inner * _fused(step) + PLAIN * _elements(step)


def _fused(step: Step) -> float:
    return FUSED * step.dtype.itemsize / 4 if step.dtype.kind in "fcV" else UNFUSED


def _convolution(step: Step) -> float:
    kernel = step.params["dimension_numbers"].rhs_spec
    shape, out = step.inputs[1].shape, step.outputs[0].size
    # Zeros between the elements are left out.
    window = math.prod(shape[axis] for axis in kernel[1:]) / math.prod(step.params["lhs_dilation"])
    is_each = shape[kernel[1]] == 1 and step.params["feature_group_count"] > 1
    if is_each or step.params["batch_group_count"] == shape[kernel[0]] > 1:
        return 4 * LONG_STEP + UNFUSED * out * window
    rows = out // max(1, shape[kernel[0]])
    return 4 * LONG_STEP + out * window * _fused(step) + COPIED * rows * window + PLAIN * _elements(step)


def _windows(step: Step) -> float:
    window = math.prod(step.params["window_dimensions"])
    return LONG_STEP + window * (2 * STEP + 8 * PLAIN * max(aval.size for aval in step.outputs))


def _gather(step: Step) -> float:
    out = step.outputs[0].size
    return LONG_STEP + MOVED * out / max(1, math.prod(step.params["slice_sizes"])) + 2 * PLAIN * out


def _scatter(step: Step) -> float:
    return 2 * LONG_STEP + PLAIN * step.inputs[0].size + SUMMED * step.inputs[2].size


def _decomposition(step: Step) -> float:
    *batch, rows, columns = step.inputs[0].shape
    least = min(rows, columns)
    return LONG_STEP + math.prod(batch) * (LONG_STEP + 20 * FUSED * rows * columns * least)


def _scan(step: Step) -> float:
    _, _, rows = step.params[SCANNED]
    return step.params["length"] * (step.prepare(step.params["jaxpr"]).work + STEP * rows) + LONG_STEP


def _loop(step: Step) -> float:
    """That of one iteration: how many there are is not known."""
    return LONG_STEP + sum(step.prepare(step.params[name]).work for name in ("cond_jaxpr", "body_jaxpr"))


def _branch(step: Step) -> float:
    return STEP + max(step.prepare(branch).work for branch in step.params["branches"])


_OWN = {
    "cond": _branch,
    "conv_general_dilated": _convolution,
    "dot_general": _product,
    "gather": _gather,
    "scan": _scan,
    "while": _loop,
    **dict.fromkeys(("reduce_window", "reduce_window_max", "reduce_window_min", "reduce_window_sum"), _windows),
    **dict.fromkeys(("select_and_gather_add", "select_and_scatter_add"), _windows),
    **dict.fromkeys(("scatter", "scatter-add", "scatter-max", "scatter-min", "scatter-mul", "scatter-sub"), _scatter),
    **dict.fromkeys(("cholesky", "eigh", "lu", "qr", "schur", "svd", "geqrf", "householder_product"), _decomposition),
}
