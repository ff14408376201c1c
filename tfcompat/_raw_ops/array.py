"""Kernels that create arrays, and rearrange their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.static import cut_shape
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.array import (
    block,
    creation,
    extent,
    gathering,
    indexing,
    joining,
    layout,
    padding,
    position,
    scatter,
    window,
)
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.linalg import diagonal
from tfcompat._ops.sliding import volume_patch
from tfcompat._raw_ops.kernel import kernel

_MASKS = "begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0"


def _broadcast_gradient_args(s0: Any, s1: Any) -> tuple[Tensor, Tensor]:
    """The axes over which the gradients of two arguments of the shapes `s0` and `s1` are summed.

    Raises: InvalidArgumentError if the shapes do not broadcast.
    """
    first, second = [list(cut_shape(shape) or ()) for shape in (s0, s1)]
    rank = max(len(first), len(second))
    pairs = list(zip([1] * (rank - len(first)) + first, [1] * (rank - len(second)) + second, strict=True))
    if any(x != y and 1 not in (x, y) for x, y in pairs):
        raise InvalidArgumentError.of(f"tf.raw_ops.BroadcastGradientArgs: Incompatible shapes: {first} vs. {second}.")
    is_same = first == second
    axes = ([k for k, pair in enumerate(pairs) if pair[place] == 1 and not is_same] for place in (0, 1))
    x, y = (Tensor(np.array(found, np.int32)) for found in axes)
    return x, y


def _squeeze(input: Any, axis: Sequence[int]) -> Any:
    """`input` without the axes `axis`, or, if `axis` is empty, without all axes of size 1."""
    return layout.squeeze(input, list(axis) or None)


def _linspace(start: Any, stop: Any, num: Any) -> Any:
    """`tf.linspace`, but without a gradient."""
    return stop_gradient(creation.linspace(start, stop, num))


def _batch_to_space(input: Any, crops: Any, block_size: int) -> Any:
    """`tf.batch_to_space` with square blocks."""
    return block.batch_to_space(input, [block_size, block_size], crops)


def _split(value: Any, sizes: Any, axis: Any, count: int) -> Any:
    return joining.split(value, sizes, axis, num=count)


Fill = kernel("Fill", creation.fill, "dims value")
LinSpace = kernel("LinSpace", _linspace)
OneHot = kernel("OneHot", creation.one_hot, "indices depth on_value off_value axis=-1")
Range = kernel("Range", creation.range, "start limit delta")

Rank = kernel("Rank", extent.rank)
Shape = kernel("Shape", extent.shape, "input out_type=tf.int32")
ShapeN = kernel("ShapeN", extent.shape_n)
Size = kernel("Size", extent.size, "input out_type=tf.int32")
UnravelIndex = kernel("UnravelIndex", position.unravel_index)

BroadcastGradientArgs = kernel("BroadcastGradientArgs", _broadcast_gradient_args, outputs="r0 r1")
BroadcastTo = kernel("BroadcastTo", layout.broadcast_to)
ConjugateTranspose = kernel("ConjugateTranspose", layout.transpose, "x:a perm", conjugate=True)
ExpandDims = kernel("ExpandDims", layout.expand_dims)
Reshape = kernel("Reshape", layout.reshape)
ReverseSequence = kernel(
    "ReverseSequence", layout.reverse_sequence, "input seq_lengths seq_dim:seq_axis batch_dim:batch_axis=0"
)
ReverseV2 = kernel("ReverseV2", layout.reverse)
Roll = kernel("Roll", layout.roll)
Squeeze = kernel("Squeeze", _squeeze, "input axis=[]")
Tile = kernel("Tile", layout.tile)
Transpose = kernel("Transpose", layout.transpose, "x:a perm")

BatchToSpace = kernel("BatchToSpace", _batch_to_space)
BatchToSpaceND = kernel("BatchToSpaceND", block.batch_to_space)
DepthToSpace = kernel("DepthToSpace", block.depth_to_space)
ExtractVolumePatches = kernel("ExtractVolumePatches", volume_patch.extract_volume_patches)
SpaceToBatchND = kernel("SpaceToBatchND", block.space_to_batch)
SpaceToDepth = kernel("SpaceToDepth", block.space_to_depth)

Concat = kernel("Concat", joining.concat, "concat_dim:axis values")
ConcatV2 = kernel("ConcatV2", joining.concat)
MirrorPad = kernel("MirrorPad", padding.pad, "input:tensor paddings mode")
Pack = kernel("Pack", joining.stack, "values axis=0")
Pad = kernel("Pad", padding.pad, "input:tensor paddings")
PadV2 = kernel("PadV2", padding.pad, "input:tensor paddings constant_values")
Split = kernel("Split", joining.split, "axis value num_split:num_or_size_splits")
SplitV = kernel("SplitV", _split, "value size_splits:sizes axis num_split:count")
Unpack = kernel("Unpack", joining.unstack, "value num axis=0")

Gather = kernel("Gather", gathering.gather, "params indices validate_indices:=True")
GatherNd = kernel("GatherNd", gathering.gather_nd, "params indices bad_indices_policy=''")
GatherV2 = kernel("GatherV2", gathering.gather, "params indices axis batch_dims=0")
ScatterNd = kernel("ScatterNd", scatter.scatter_nd)
ScatterNdNonAliasingAdd = kernel(
    "ScatterNdNonAliasingAdd",
    scatter.tensor_scatter_nd_add,
    "input:tensor indices updates bad_indices_policy=''",
)
Slice = kernel("Slice", window.slice_, "input:input_ begin size")
StridedSlice = kernel("StridedSlice", indexing.strided_slice, f"input:input_ begin end strides {_MASKS}")
TensorScatterAdd = kernel("TensorScatterAdd", scatter.tensor_scatter_nd_add)
TensorScatterMax = kernel("TensorScatterMax", scatter.tensor_scatter_nd_max)
TensorScatterMin = kernel("TensorScatterMin", scatter.tensor_scatter_nd_min)
TensorScatterSub = kernel("TensorScatterSub", scatter.tensor_scatter_nd_sub)
TensorScatterUpdate = kernel(
    "TensorScatterUpdate", scatter.tensor_scatter_nd_update, "tensor indices updates bad_indices_policy:!=''"
)
Where = kernel("Where", gathering.where, "condition")

Diag = kernel("Diag", diagonal.tensor_diag)
DiagPart = kernel("DiagPart", diagonal.tensor_diag_part)
MatrixBandPart = kernel("MatrixBandPart", diagonal.band_part)
MatrixDiag = kernel("MatrixDiag", diagonal.diag, "diagonal")
MatrixDiagPart = kernel("MatrixDiagPart", diagonal.diag_part, "input")
MatrixDiagPartV2 = kernel("MatrixDiagPartV2", diagonal.diag_part, "input k padding_value", align="LEFT_LEFT")
MatrixDiagPartV3 = kernel("MatrixDiagPartV3", diagonal.diag_part, "input k padding_value align='RIGHT_LEFT'")
MatrixDiagV2 = kernel("MatrixDiagV2", diagonal.diag, "diagonal k num_rows num_cols padding_value", align="LEFT_LEFT")
MatrixDiagV3 = kernel("MatrixDiagV3", diagonal.diag, "diagonal k num_rows num_cols padding_value align='RIGHT_LEFT'")
MatrixSetDiag = kernel("MatrixSetDiag", diagonal.set_diag, "input diagonal")
MatrixSetDiagV2 = kernel("MatrixSetDiagV2", diagonal.set_diag, "input diagonal k", align="LEFT_LEFT")
MatrixSetDiagV3 = kernel("MatrixSetDiagV3", diagonal.set_diag, "input diagonal k align='RIGHT_LEFT'")
