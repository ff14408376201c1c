"""Kernels used by TensorFlow's gradients: derivatives of functions, given their input or their result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._autodiff.custom import custom_gradient
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array.creation import zeros_like
from tfcompat._ops.array.gathering import where
from tfcompat._ops.elementwise import algebraic, complex_number, transcendental
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._raw_ops.kernel import kernel

_SCALE, _SCALE_ALPHA = 1.0507009873554805, 1.7580993408473768


def _pair(first: Any, second: Any) -> tuple[Any, Any]:
    """Both as tensors of one dtype."""
    x = convert_to_tensor(first)
    return x, convert_to_tensor(second, x.dtype)


def _kept(condition: Any, value: Any, otherwise: Any = 0.0) -> Tensor:
    return where(condition, value, convert_to_tensor(otherwise, value.dtype))


def _sigmoid(y: Any, dy: Any) -> Tensor:
    answer, upstream = _pair(y, dy)
    answer = complex_number.conj(answer)
    return upstream * answer * (1.0 - answer)


def _tanh(y: Any, dy: Any) -> Tensor:
    answer, upstream = _pair(y, dy)
    return upstream * (1.0 - algebraic.square(complex_number.conj(answer)))


def _sqrt(y: Any, dy: Any) -> Tensor:
    answer, upstream = _pair(y, dy)
    return upstream * 0.5 / complex_number.conj(answer)


def _rsqrt(y: Any, dy: Any) -> Tensor:
    answer, upstream = _pair(y, dy)
    answer = complex_number.conj(answer)
    return upstream * answer * answer * answer * -0.5


def _reciprocal(y: Any, dy: Any) -> Tensor:
    answer, upstream = _pair(y, dy)
    answer = complex_number.conj(answer)
    return -upstream * answer * answer


def _rectified(gradients: Any, features: Any, slope: Callable[[Any, Any], Any]) -> Tensor:
    """`slope(gradients, features)`, which is linear in the first; its derivative for the second is 0, not None."""

    @custom_gradient
    def pulled(upstream: Tensor, x: Tensor) -> Any:
        return slope(upstream, x), lambda dy: (slope(dy, x), zeros_like(x))

    return pulled(*_pair(gradients, features))


def _relu(gradients: Any, features: Any) -> Tensor:
    return _rectified(gradients, features, lambda upstream, x: _kept(x > 0, upstream))


def _relu6(gradients: Any, features: Any) -> Tensor:
    return _rectified(gradients, features, lambda upstream, x: _kept((x > 0) & (x < 6), upstream))


def _leaky_relu(gradients: Any, features: Any, alpha: float) -> Tensor:
    return _rectified(gradients, features, lambda upstream, x: where(x > 0, upstream, upstream * alpha))


def _elu(gradients: Any, outputs: Any) -> Tensor:
    upstream, answer = _pair(gradients, outputs)
    return where(answer < 0, upstream * (answer + 1.0), upstream)


def _selu(gradients: Any, outputs: Any) -> Tensor:
    upstream, answer = _pair(gradients, outputs)
    return where(answer < 0, upstream * (answer + _SCALE_ALPHA), upstream * _SCALE)


def _softplus(gradients: Any, features: Any) -> Tensor:
    upstream, x = _pair(gradients, features)
    return upstream * transcendental.sigmoid(x)


def _softsign(gradients: Any, features: Any) -> Tensor:
    upstream, x = _pair(gradients, features)
    return upstream / algebraic.square(1.0 + algebraic.abs(x))


def _bias(out_backprop: Any, data_format: str) -> Tensor:
    upstream = convert_to_tensor(out_backprop)
    channel = 1 if data_format == "NCHW" else upstream.ndim - 1
    return reduce_sum(upstream, [axis for axis in range(upstream.ndim) if axis != channel])


BiasAddGrad = kernel("BiasAddGrad", _bias, "out_backprop data_format='NHWC'")
EluGrad = kernel("EluGrad", _elu)
InvGrad = kernel("InvGrad", _reciprocal)
LeakyReluGrad = kernel("LeakyReluGrad", _leaky_relu, "gradients features alpha=0.2")
ReciprocalGrad = kernel("ReciprocalGrad", _reciprocal)
Relu6Grad = kernel("Relu6Grad", _relu6)
ReluGrad = kernel("ReluGrad", _relu)
RsqrtGrad = kernel("RsqrtGrad", _rsqrt)
SeluGrad = kernel("SeluGrad", _selu)
SigmoidGrad = kernel("SigmoidGrad", _sigmoid)
SoftplusGrad = kernel("SoftplusGrad", _softplus)
SoftsignGrad = kernel("SoftsignGrad", _softsign)
SqrtGrad = kernel("SqrtGrad", _sqrt)
TanhGrad = kernel("TanhGrad", _tanh)
