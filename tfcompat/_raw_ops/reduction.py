"""Kernels that sum, multiply, order and count."""

from __future__ import annotations

from tfcompat._ops import combination
from tfcompat._ops.fold import counting, reduction, running, segment
from tfcompat._ops.linalg import contraction
from tfcompat._ops.network import loss
from tfcompat._ops.order import sorting
from tfcompat._ops.sparse import segment as sparse_segment
from tfcompat._raw_ops.kernel import kernel

_REDUCED = "input:input_tensor axis keep_dims:keepdims=False"
_SORTED = "sorted_inputs:sorted_sequence values out_type=tf.int32"

_ROWS = "data indices segment_ids sparse_gradient=False"
_COUNTED = "data indices segment_ids num_segments sparse_gradient=False"

AddN = kernel("AddN", combination.add_n)
All = kernel("All", reduction.reduce_all, _REDUCED)
Any = kernel("Any", reduction.reduce_any, _REDUCED)
ArgMax = kernel("ArgMax", reduction.argmax, "input dimension:axis output_type=tf.int64")
ArgMin = kernel("ArgMin", reduction.argmin, "input dimension:axis output_type=tf.int64")
EuclideanNorm = kernel("EuclideanNorm", reduction.reduce_euclidean_norm, _REDUCED)
L2Loss = kernel("L2Loss", loss.l2_loss)
Max = kernel("Max", reduction.reduce_max, _REDUCED)
Mean = kernel("Mean", reduction.reduce_mean, _REDUCED)
Min = kernel("Min", reduction.reduce_min, _REDUCED)
Prod = kernel("Prod", reduction.reduce_prod, _REDUCED)
Sum = kernel("Sum", reduction.reduce_sum, _REDUCED)

Cumprod = kernel("Cumprod", running.cumprod, "x axis exclusive=False reverse=False")
Cumsum = kernel("Cumsum", running.cumsum, "x axis exclusive=False reverse=False")
CumulativeLogsumexp = kernel(
    "CumulativeLogsumexp", running.cumulative_logsumexp, "x axis exclusive=False reverse=False"
)

BatchMatMul = kernel(
    "BatchMatMul", contraction.matmul, "x:a y:b adj_x:adjoint_a=False adj_y:adjoint_b=False grad_x:=False grad_y:=False"
)
BatchMatMulV2 = kernel(
    "BatchMatMulV2",
    contraction.matmul,
    "x:a y:b adj_x:adjoint_a=False adj_y:adjoint_b=False grad_x:=False grad_y:=False",
)
BatchMatMulV3 = kernel(
    "BatchMatMulV3",
    contraction.matmul,
    "x:a y:b Tout:output_type adj_x:adjoint_a=False adj_y:adjoint_b=False grad_x:=False grad_y:=False",
)
Cross = kernel("Cross", contraction.cross)
MatMul = kernel("MatMul", contraction.matmul, "a b transpose_a=False transpose_b=False grad_a:=False grad_b:=False")

DynamicPartition = kernel("DynamicPartition", segment.dynamic_partition)
DynamicStitch = kernel("DynamicStitch", segment.dynamic_stitch)
SegmentMax = kernel("SegmentMax", segment.segment_max)
SegmentMean = kernel("SegmentMean", segment.segment_mean)
SegmentMin = kernel("SegmentMin", segment.segment_min)
SegmentProd = kernel("SegmentProd", segment.segment_prod)
SegmentSum = kernel("SegmentSum", segment.segment_sum)
SparseSegmentMean = kernel("SparseSegmentMean", sparse_segment.segment_mean, _ROWS)
SparseSegmentMeanWithNumSegments = kernel("SparseSegmentMeanWithNumSegments", sparse_segment.segment_mean, _COUNTED)
SparseSegmentSqrtN = kernel("SparseSegmentSqrtN", sparse_segment.segment_sqrt_n, _ROWS)
SparseSegmentSqrtNWithNumSegments = kernel("SparseSegmentSqrtNWithNumSegments", sparse_segment.segment_sqrt_n, _COUNTED)
SparseSegmentSum = kernel("SparseSegmentSum", sparse_segment.segment_sum, _ROWS)
SparseSegmentSumWithNumSegments = kernel("SparseSegmentSumWithNumSegments", sparse_segment.segment_sum, _COUNTED)
UnsortedSegmentMax = kernel("UnsortedSegmentMax", segment.unsorted_segment_max)
UnsortedSegmentMin = kernel("UnsortedSegmentMin", segment.unsorted_segment_min)
UnsortedSegmentProd = kernel("UnsortedSegmentProd", segment.unsorted_segment_prod)
UnsortedSegmentSum = kernel("UnsortedSegmentSum", segment.unsorted_segment_sum)

HistogramFixedWidth = kernel(
    "HistogramFixedWidth", counting.histogram_fixed_width, "values value_range nbins dtype=tf.int32"
)
InTopK = kernel("InTopK", sorting.in_top_k, "predictions targets k")
InTopKV2 = kernel("InTopKV2", sorting.in_top_k, "predictions targets k")
InvertPermutation = kernel("InvertPermutation", sorting.invert_permutation)
LowerBound = kernel("LowerBound", sorting.searchsorted, _SORTED, side="left")
TopKV2 = kernel("TopKV2", sorting.top_k, "input k sorted=True index_type=tf.int32", outputs="values indices")
Unique = kernel("Unique", sorting.unique, outputs="y idx")
UniqueWithCounts = kernel("UniqueWithCounts", sorting.unique_with_counts, outputs="y idx count")
UpperBound = kernel("UpperBound", sorting.searchsorted, _SORTED, side="right")
