"""Kernels of networks: convolutions, pools, recurrent cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._ops.order import approximate_top
from tfcompat._ops.sequence import block_cell
from tfcompat._ops.sliding import convolution, depthwise, depthwise_gradient, morphology, patch, pooling
from tfcompat._ops.sliding import transposed_convolution as transposed
from tfcompat._raw_ops.kernel import kernel

_EXPLICIT = "padding explicit_paddings=[] data_format='NHWC'"
_POOL = "ksize strides padding data_format='NHWC'"
_POOL_3D = "input ksize strides padding data_format='NDHWC'"
_DEPTHWISE = "out_backprop strides padding explicit_paddings:!=[] data_format='NHWC' dilations=[1,1,1,1]"
_CELL = "x cs_prev h_prev w wci wcf wco b"
_PARTS = "i cs f o ci co h"


def _padded(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, whose explicit paddings are a flat list in a separate argument."""

    def call(padding: str, explicit_paddings: Sequence[int], **given: Any) -> Any:
        if padding == "EXPLICIT":
            return function(padding=np.reshape(explicit_paddings, (-1, 2)).tolist(), **given)
        return function(padding=padding, **given)

    call.__doc__ = function.__doc__
    return call


ApproxTopK = kernel("ApproxTopK", approximate_top.approx_top_k, outputs="values indices")
AvgPool = kernel("AvgPool", pooling.avg_pool2d, f"value:input {_POOL}")
AvgPool3D = kernel("AvgPool3D", pooling.avg_pool3d, _POOL_3D)
BiasAdd = kernel("BiasAdd", convolution.bias_add, "value bias data_format='NHWC'")
BiasAddV1 = kernel("BiasAddV1", convolution.bias_add, "value bias")
BlockLSTM = kernel(
    "BlockLSTM",
    block_cell.block_lstm,
    f"seq_len_max {_CELL} forget_bias=1 cell_clip=3 use_peephole=False",
    outputs=_PARTS,
)
BlockLSTMV2 = kernel(
    "BlockLSTMV2",
    block_cell.block_lstm,
    f"seq_len_max {_CELL} cell_clip=0 use_peephole=False",
    outputs=_PARTS,
    forget_bias=0.0,
    order="ifco",
)
Conv2D = kernel(
    "Conv2D",
    _padded(convolution.conv2d),
    "input filter:filters strides padding use_cudnn_on_gpu:=True explicit_paddings=[] data_format='NHWC' "
    "dilations=[1,1,1,1]",
)
Conv2DBackpropInput = kernel(
    "Conv2DBackpropInput",
    _padded(transposed.conv2d_transpose),
    "input_sizes:output_shape filter:filters out_backprop:input strides padding use_cudnn_on_gpu:=True "
    "explicit_paddings=[] data_format='NHWC' dilations=[1,1,1,1]",
)
Conv3D = kernel(
    "Conv3D",
    convolution.conv3d,
    "input filter:filters strides padding data_format='NDHWC' dilations=[1,1,1,1,1]",
)
Conv3DBackpropInputV2 = kernel(
    "Conv3DBackpropInputV2",
    transposed.conv3d_transpose,
    "input_sizes:output_shape filter:filters out_backprop:input strides padding data_format='NDHWC' "
    "dilations=[1,1,1,1,1]",
)
DepthwiseConv2dNativeBackpropFilter = kernel(
    "DepthwiseConv2dNativeBackpropFilter",
    depthwise_gradient.depthwise_conv2d_backprop_filter,
    f"input filter_sizes {_DEPTHWISE}",
)
DepthwiseConv2dNativeBackpropInput = kernel(
    "DepthwiseConv2dNativeBackpropInput",
    depthwise_gradient.depthwise_conv2d_backprop_input,
    f"input_sizes filter {_DEPTHWISE}",
)
Dilation2D = kernel(
    "Dilation2D",
    morphology.dilation2d,
    "input filter:filters strides rates:dilations padding",
    data_format="NHWC",
)
ExtractImagePatches = kernel("ExtractImagePatches", patch.extract_patches, "images ksizes:sizes strides rates padding")
GRUBlockCell = kernel("GRUBlockCell", block_cell.gru_block_cell, outputs="r u c h")
LSTMBlockCell = kernel(
    "LSTMBlockCell",
    block_cell.lstm_block_cell,
    f"{_CELL} forget_bias=1 cell_clip=3 use_peephole=False",
    outputs=_PARTS,
)
MaxPool = kernel("MaxPool", _padded(pooling.max_pool2d), f"input ksize strides {_EXPLICIT}")
MaxPool3D = kernel("MaxPool3D", pooling.max_pool3d, _POOL_3D)
MaxPoolV2 = kernel("MaxPoolV2", pooling.max_pool2d, f"input {_POOL}")
MaxPoolWithArgmax = kernel(
    "MaxPoolWithArgmax",
    pooling.max_pool_with_argmax,
    "input ksize strides padding Targmax:output_dtype=tf.int64 include_batch_in_index=False",
    outputs="output argmax",
)


def _depthwise(input: Any, filter: Any, strides: Any, padding: Any, data_format: str, dilations: Sequence[int]) -> Any:
    """`tf.nn.depthwise_conv2d`, whose dilations are those of the two axes of the image."""
    inner = dilations[1:3] if data_format == "NHWC" else dilations[2:]
    return depthwise.depthwise_conv2d(input, filter, strides, padding, data_format, list(inner))


DepthwiseConv2dNative = kernel(
    "DepthwiseConv2dNative",
    _padded(_depthwise),
    f"input filter strides {_EXPLICIT} dilations=[1,1,1,1]",
)
