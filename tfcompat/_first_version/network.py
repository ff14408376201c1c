"""Functions of neural networks of TensorFlow 1, with other names and orders of their arguments."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._first_version.argument import either
from tfcompat._ops.array.gathering import where
from tfcompat._ops.elementwise.comparison import greater_equal
from tfcompat._ops.fold import moment
from tfcompat._ops.network import fused_normalization
from tfcompat._ops.sequence import ctc, ctc_decoding
from tfcompat._ops.sliding import convolution as sliding
from tfcompat._ops.sliding import depthwise, pooling
from tfcompat._ops.sliding import transposed_convolution as transposed
from tfcompat._ops.sparse.tensor import SparseTensor


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """`tf.nn.avg_pool2d` of `value`, which may be called `input`. Source: TF 2.21 `tf.compat.v1.nn.avg_pool`."""
    return pooling.avg_pool2d(either("input", input, "value", value), ksize, strides, padding, data_format, name)


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """`tf.nn.max_pool2d` of `value`, which may be called `input`. Source: TF 2.21 `tf.compat.v1.nn.max_pool`."""
    return pooling.max_pool2d(either("input", input, "value", value), ksize, strides, padding, data_format, name)


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """`tf.nn.convolution` with `filter`, or `filters`. Source: TF 2.21 `tf.compat.v1.nn.convolution`."""
    kernel = either("filters", filters, "filter", filter)
    spread = either("dilations", dilations, "dilation_rate", dilation_rate)
    return sliding.convolution(input, kernel, strides, padding, data_format, spread, name)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """`tf.nn.conv2d_transpose` of `value`, or `input`. Source: TF 2.21 `tf.compat.v1.nn.conv2d_transpose`."""
    given, kernel = either("input", input, "value", value), either("filters", filters, "filter", filter)
    return transposed.conv2d_transpose(given, kernel, output_shape, strides, padding, data_format, dilations, name)


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """`tf.nn.conv3d_transpose` of `value`, or `input`. Source: TF 2.21 `tf.compat.v1.nn.conv3d_transpose`."""
    given, kernel = either("input", input, "value", value), either("filters", filters, "filter", filter)
    return transposed.conv3d_transpose(given, kernel, output_shape, strides, padding, data_format, dilations, name)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Any:
    """`tf.nn.separable_conv2d`, with `dilations` or `rate`. Source: TF 2.21 `tf.compat.v1.nn.separable_conv2d`."""
    spread = either("dilations", dilations, "rate", rate)
    return depthwise.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, spread, name
    )


def moments(
    x: Any, axes: Any, shift: Any = None, name: str | None = None, keep_dims: Any = None, keepdims: Any = None
) -> tuple[Tensor, Tensor]:
    """`tf.nn.moments`, with `keepdims` or `keep_dims`. Source: TF 2.21 `tf.compat.v1.nn.moments`."""
    return moment.moments(x, axes, shift, bool(either("keepdims", keepdims, "keep_dims", keep_dims)), name)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """`x` normalised over all axes but the channels, times `scale` plus `offset`; and the new averages of its moments.

    In training `x` is normalised by its own moments. The averages are `exponential_avg_factor` times these, the
    variance times n / (n - 1), plus the rest of 1 times `mean` and `variance`. Else it is normalised by the latter.

    Shapes: [batch, *places, channels] -> the same, [channels], [channels]; "NCHW": channels after batch.
    Dtypes: bfloat16, float16, float32 -> the same, float32, float32; scale, offset, mean and variance float32.
    Gradient: of the first result only.
    Raises: ValueError if `mean` or `variance` is needed and missing.
    Source: TF 2.21 `tf.compat.v1.nn.fused_batch_norm`.
    """
    del name
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` "
            f"!= 1.0. Received: `mean` {mean!r} and `variance` {variance!r}"
        )
    centre, spread = [convert_to_tensor([] if given is None else given) for given in (mean, variance)]
    y, averages, _ = fused_normalization.fused_batch_norm(
        x, centre, spread, exponential_avg_factor, data_format, is_training, scale, offset, epsilon
    )
    return y, *averages


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """`tf.nn.ctc_loss` of sparse `labels`, with the last class as the blank, which also ends the labels.

    Raises: NotImplementedError if one of the three booleans before `time_major` is not the default.
    Source: TF 2.21 `tf.compat.v1.nn.ctc_loss`.
    """
    if preprocess_collapse_repeated or not ctc_merge_repeated or ignore_longer_outputs_than_inputs:
        raise NotImplementedError(
            "tf.compat.v1.nn.ctc_loss: preprocess_collapse_repeated=True, ctc_merge_repeated=False and "
            "ignore_longer_outputs_than_inputs=True are not supported; use tf.nn.ctc_loss."
        )
    given = convert_to_tensor(either("logits", logits, "inputs", inputs))
    if isinstance(labels, SparseTensor) and given.ndim:
        classes = given._aval.shape[-1]
        values = where(greater_equal(labels.values, classes - 1), classes, labels.values)
        labels = SparseTensor(labels.indices, values, labels.dense_shape)
    return ctc.ctc_loss(labels, given, None, sequence_length, time_major, blank_index=-1)


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> Any:
    """`tf.nn.ctc_beam_search_decoder`. `merge_repeated` makes one of equal labels that follow each other in a result.

    Source: TF 2.21 `tf.compat.v1.nn.ctc_beam_search_decoder`.
    """
    place = "compat.v1.nn.ctc_beam_search_decoder"
    return ctc_decoding.beam_search(place, inputs, sequence_length, beam_width, top_paths, bool(merge_repeated))
