"""Kernels that compute the gradient of another kernel, by a tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._autodiff.tape import GradientTape
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._ops.array.creation import zeros
from tfcompat._raw_ops import image, neural
from tfcompat._raw_ops.kernel import kernel

Function = Callable[..., Any]

_POOL = "ksize strides padding"
_CORNERS = "align_corners=False half_pixel_centers=False"
_CONV = "strides padding use_cudnn_on_gpu:=True explicit_paddings=[] data_format='NHWC' dilations=[1,1,1,1]"


def _pulled(function: Function, at: Any, upstream: Any) -> Any:
    """The gradient for `at`, given `upstream`, the gradient for `function(at)`."""
    source = convert_to_tensor(at)
    with GradientTape() as tape:
        tape.watch(source)
        answer = function(source)
    return tape.gradient(answer, source, convert_to_tensor(upstream, answer.dtype))


def _from_input(forward: Function, of: str) -> Function:
    """Propagates `grad` back through the kernel `forward` to its parameter `of`, whose value was `orig_input`."""

    def call(orig_input: Any, grad: Any, **given: Any) -> Any:
        return _pulled(lambda x: forward(**{of: x}, **given), orig_input, grad)

    call.__doc__ = f"Propagates a gradient back through `tf.raw_ops.{forward.__name__}`."
    return call


def _from_shape(forward: Function, of: str) -> Function:
    """The same, given only the shape of the input, since `forward` is linear in it."""

    def call(shape: Any, grad: Any, **given: Any) -> Any:
        upstream = convert_to_tensor(grad)
        return _pulled(lambda x: forward(**{of: x}, **given), zeros(shape, upstream.dtype), upstream)

    call.__doc__ = f"Propagates a gradient back through `tf.raw_ops.{forward.__name__}`."
    return call


def _nearest(grads: Any, size: Any, **given: Any) -> Any:
    """Propagates a gradient of resized images back to images of `size`."""
    upstream = convert_to_tensor(grads)
    batch, height, width, channels = upstream._aval.shape
    resized = image.ResizeNearestNeighbor
    source = zeros([batch, *(int(each) for each in convert_to_tensor(size)), channels], upstream.dtype)
    return _pulled(lambda x: resized(images=x, size=[height, width], **given), source, upstream)


def _resized(forward: Function) -> Function:
    def call(grads: Any, original_image: Any, **given: Any) -> Any:
        size = list(convert_to_tensor(grads)._aval.shape[1:3])
        return _pulled(lambda x: forward(images=x, size=size, **given), original_image, grads)

    call.__doc__ = f"Propagates a gradient back through `tf.raw_ops.{forward.__name__}`."
    return call


AvgPool3DGrad = kernel(
    "AvgPool3DGrad",
    _from_shape(neural.AvgPool3D, "input"),
    f"orig_input_shape:shape grad {_POOL} data_format='NDHWC'",
)
AvgPoolGrad = kernel(
    "AvgPoolGrad", _from_shape(neural.AvgPool, "value"), f"orig_input_shape:shape grad {_POOL} data_format='NHWC'"
)
Conv2DBackpropFilter = kernel(
    "Conv2DBackpropFilter",
    _from_shape(neural.Conv2D, "filter"),
    f"input filter_sizes:shape out_backprop:grad {_CONV}",
)
Conv3DBackpropFilterV2 = kernel(
    "Conv3DBackpropFilterV2",
    _from_shape(neural.Conv3D, "filter"),
    "input filter_sizes:shape out_backprop:grad strides padding data_format='NDHWC' dilations=[1,1,1,1,1]",
)
MaxPool3DGrad = kernel(
    "MaxPool3DGrad",
    _from_input(neural.MaxPool3D, "input"),
    f"orig_input orig_output: grad {_POOL} data_format='NDHWC'",
)
MaxPoolGrad = kernel(
    "MaxPoolGrad",
    _from_input(neural.MaxPool, "input"),
    f"orig_input orig_output: grad {_POOL} explicit_paddings=[] data_format='NHWC'",
)
MaxPoolGradV2 = kernel(
    "MaxPoolGradV2",
    _from_input(neural.MaxPoolV2, "input"),
    f"orig_input orig_output: grad {_POOL} data_format='NHWC'",
)
ResizeBicubicGrad = kernel("ResizeBicubicGrad", _resized(image.ResizeBicubic), f"grads original_image {_CORNERS}")
ResizeBilinearGrad = kernel("ResizeBilinearGrad", _resized(image.ResizeBilinear), f"grads original_image {_CORNERS}")
ResizeNearestNeighborGrad = kernel("ResizeNearestNeighborGrad", _nearest, f"grads size {_CORNERS}")
