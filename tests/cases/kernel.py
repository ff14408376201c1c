"""TensorFlow's kernels under internal names; the rows of the public functions test their computations."""

from __future__ import annotations

from tests.cases.dtype import Symbol
from tests.cases.recipe import Case, arrays, case, tensor


def kernel(name: str, /, **attributes: object) -> Case:
    """The row of a kernel."""
    return case(f"raw_ops.{name}", **attributes)


def unlearned(rows: list[Case], reason: str = "LookupError") -> list[Case]:
    """The rows, free from the promises of gradients."""
    return [row.without(gradient=reason, second_order=reason) for row in rows]


def kernels(names: str, **attributes: object) -> list[Case]:
    """Rows of several kernels with the same arguments."""
    return [kernel(name, **attributes) for name in names.split()]


X = arrays((2, 3))
POSITIVE = arrays((2, 3), fill="positive")
COLUMN = arrays((2, 1), fill="positive")
INTEGERS = tensor([[6, 3, 5], [1, 2, 7]], "int32")
FLAGS = tensor([True, False, True], "bool")
COMPLEX = arrays((2, 4), "complex64")
IDS = tensor([0, 0, 1], "int32")
ORDER = tensor([2, 0, 2], "int32")
ROWS = arrays((3, 2))
IMAGE = arrays((1, 4, 4, 2))
PICTURE = arrays((1, 4, 4, 3), fill="positive")
MATRIX = arrays((2, 3, 3), fill="well_conditioned")
DEFINITE = arrays((2, 3, 3), fill="positive_definite")
WORDS = tensor([" Ab", "cd "], "string")
ONES = [1, 1, 1, 1]
BOXES = tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]], "float32")
SCORES = tensor([0.9, 0.8, 0.7], "float32")
SEED = tensor([7, 42], "int32")
CELL = {
    "cs_prev": arrays((2, 2)),
    "h_prev": arrays((2, 2)),
    "w": arrays((5, 8)),
    "wci": arrays((2,)),
    "wcf": arrays((2,)),
    "wco": arrays((2,)),
    "b": arrays((8,)),
}

MIXED_UP = "TensorFlow's takes one gate for another: test_gradient_of_an_lstm_in_one_piece_is_right"
ZEROS = "where TensorFlow has zeros, None, or the other way round: nothing depends on it"
SHIFTED = "TensorFlow's are those of the other alignment: test_gradients_of_diagonals_stay_where_they_belong"

ELEMENTWISE = [
    *kernels("Abs Neg Sign Square Exp Expm1 Sigmoid Sin Sinh Cos Cosh Tan Tanh Atan Asinh Erf Erfc Ceil Floor", x=X),
    *kernels("Rint Round OnesLike ZerosLike", x=X),
    *unlearned(kernels("IsFinite IsInf IsNan", x=X)),
    *kernels("BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 Dawsn FresnelCos FresnelSin", x=X),
    *kernels("BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Expint Spence", x=POSITIVE),
    *kernels("Inv Reciprocal Rsqrt Sqrt Log Log1p Digamma Lgamma", x=POSITIVE),
    *kernels("Acos Asin Atanh Erfinv", x=tensor([-0.5, 0.25], "float32")),
    *kernels("Acosh", x=tensor([1.5, 2.5], "float32")),
    *kernels("Ndtri", x=tensor([0.25, 0.75], "float32")),
    *kernels("Add AddV2 Sub Mul Maximum Minimum SquaredDifference Greater GreaterEqual Less LessEqual", x=X, y=COLUMN),
    *kernels("Equal NotEqual MulNoNan DivNoNan Div RealDiv FloorDiv FloorMod TruncateDiv", x=X, y=COLUMN),
    *kernels("Pow Xdivy Xlog1py Xlogy", x=POSITIVE, y=COLUMN),
    *kernels("FloorMod TruncateMod BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift", x=INTEGERS, y=INTEGERS),
    kernel("Atan2", y=X, x=COLUMN),
    kernel("NextAfter", x1=X, x2=COLUMN),
    *kernels("Igamma Igammac", a=POSITIVE, x=COLUMN),
    *unlearned([kernel("RandomGammaGrad", alpha=POSITIVE, sample=COLUMN)]),
    kernel("Betainc", a=POSITIVE, b=POSITIVE, x=tensor([[0.2, 0.5, 0.7]] * 2, "float32")),
    kernel("Polygamma", a=tensor([1.0, 2.0], "float32"), x=tensor([1.5, 2.5], "float32")),
    kernel("Zeta", x=tensor([1.5, 2.5], "float32"), q=tensor([1.0, 2.0], "float32")),
    kernel("Invert", x=INTEGERS),
    *unlearned(kernels("Bitcast", input=X, type=Symbol("int32"))),
    kernel("Cast", x=X, DstT=Symbol("float64")),
    *kernels("Angle Imag Real Conj", input=COMPLEX),
    kernel("Complex", real=X, imag=COLUMN),
    kernel("ComplexAbs", x=COMPLEX),
    *kernels("LogicalAnd LogicalOr", x=FLAGS, y=FLAGS),
    kernel("LogicalNot", x=FLAGS),
    kernel("SelectV2", condition=FLAGS, t=X, e=COLUMN),
    *kernels("Elu LeakyRelu Relu Relu6 Selu Softplus Softsign", features=X),
    *kernels("Softmax LogSoftmax", logits=X),
    kernel("CheckNumerics", tensor=X, message="bad"),
    kernel("ClipByValue", t=X, clip_value_min=-0.5, clip_value_max=0.5),
    kernel("EnsureShape", input=X, shape=[None, 3]),
    *kernels("Identity StopGradient", input=X),
    *unlearned(kernels("GuaranteeConst Snapshot", input=X)),
    kernel("IdentityN", input=[X, COLUMN]),
    *kernels("SigmoidGrad TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad", y=POSITIVE, dy=X),
    kernel("SoftplusGrad", gradients=X, features=X),
    *[row.without(second_order=ZEROS) for row in kernels("ReluGrad Relu6Grad LeakyReluGrad", gradients=X, features=X)],
    *unlearned(kernels("SoftsignGrad", gradients=X, features=X)),
    *kernels("EluGrad SeluGrad", gradients=X, outputs=X),
    kernel("BiasAddGrad", out_backprop=IMAGE),
]

REDUCTION = [
    kernel("AddN", inputs=[X, X]),
    *kernels("Sum Mean Max Min Prod EuclideanNorm", input=X, axis=[1], keep_dims=True),
    *kernels("All Any", input=FLAGS, axis=0),
    *kernels("ArgMax ArgMin", input=X, dimension=1),
    kernel("L2Loss", t=X),
    *kernels("Cumsum Cumprod CumulativeLogsumexp", x=X, axis=1, exclusive=True),
    *kernels("BatchMatMul BatchMatMulV2", x=arrays((2, 3, 2)), y=arrays((2, 3, 4)), adj_x=True),
    kernel("BatchMatMulV3", x=arrays((2, 2, 3)), y=arrays((2, 3, 4)), Tout=Symbol("float32")),
    kernel("MatMul", a=X, b=X, transpose_b=True),
    kernel("Cross", a=X, b=X),
    kernel("DynamicPartition", data=ROWS, partitions=IDS, num_partitions=2),
    kernel(
        "DynamicStitch", indices=[tensor([0, 2], "int32"), tensor([1], "int32")], data=[arrays((2, 2)), arrays((1, 2))]
    ),
    *kernels("SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum", data=ROWS, segment_ids=IDS),
    *kernels("UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd", data=ROWS, segment_ids=IDS, num_segments=3),
    *kernels("SparseSegmentMean SparseSegmentSqrtN SparseSegmentSum", data=ROWS, indices=ORDER, segment_ids=IDS),
    *kernels(
        "SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments SparseSegmentSumWithNumSegments",
        data=ROWS,
        indices=ORDER,
        segment_ids=IDS,
        num_segments=3,
    ),
    kernel("UnsortedSegmentSum", data=ROWS, segment_ids=IDS, num_segments=3),
    *unlearned(kernels("HistogramFixedWidth", values=X, value_range=[-1.0, 1.0], nbins=4)),
    *unlearned(kernels("InTopK", predictions=X, targets=tensor([0, 2], "int32"), k=2)),
    *unlearned(kernels("InTopKV2", predictions=X, targets=tensor([0, 2], "int32"), k=2)),
    *unlearned(kernels("KmeansPlusPlusInitialization", points=ROWS, num_to_sample=2, seed=3, num_retries_per_sample=1)),
    kernel("InvertPermutation", x=tensor([2, 0, 1], "int32")),
    *kernels("LowerBound UpperBound", sorted_inputs=tensor([[1, 3, 5]], "int32"), values=tensor([[0, 3, 6]], "int32")),
    kernel("TopKV2", input=X, k=2),
    *kernels("Unique UniqueWithCounts", x=tensor([4, 2, 4], "int32")),
]

ARRAY = [
    kernel("Fill", dims=[2, 3], value=arrays(())),
    kernel("LinSpace", start=tensor(1.0, "float32"), stop=tensor(2.0, "float32"), num=3),
    kernel("OneHot", indices=IDS, depth=3, on_value=arrays(()), off_value=arrays(())),
    kernel("Range", start=1, limit=7, delta=2),
    *kernels("Rank Shape Size", input=X),
    kernel("ShapeN", input=[X, COLUMN]),
    kernel("UnravelIndex", indices=tensor([3, 5], "int32"), dims=[2, 3]),
    kernel("BroadcastTo", input=COLUMN, shape=[2, 3]),
    kernel("ConjugateTranspose", x=COMPLEX, perm=[1, 0]),
    kernel("ExpandDims", input=X, axis=1),
    kernel("Reshape", tensor=X, shape=[3, -1]),
    kernel("ReverseSequence", input=X, seq_lengths=[2, 3], seq_dim=1),
    kernel("ReverseV2", tensor=X, axis=[1]),
    kernel("Roll", input=X, shift=[1], axis=[1]),
    kernel("Squeeze", input=arrays((1, 2, 1))),
    kernel("Squeeze", input=arrays((1, 2, 1)), axis=[2]),
    kernel("Tile", input=X, multiples=[1, 2]),
    kernel("Transpose", x=X, perm=[1, 0]),
    kernel("BatchToSpace", input=arrays((4, 1, 1, 1)), crops=[[0, 0], [0, 0]], block_size=2),
    kernel("BatchToSpaceND", input=arrays((4, 1, 1, 1)), block_shape=[2, 2], crops=[[0, 0], [0, 0]]),
    kernel("DepthToSpace", input=arrays((1, 1, 1, 4)), block_size=2),
    kernel("SpaceToBatchND", input=IMAGE, block_shape=[2, 2], paddings=[[0, 0], [0, 0]]),
    kernel("SpaceToDepth", input=IMAGE, block_size=2),
    kernel(
        "ExtractVolumePatches", input=arrays((1, 2, 2, 2, 1)), ksizes=[1, 2, 2, 1, 1], strides=[1] * 5, padding="VALID"
    ),
    kernel("Concat", concat_dim=1, values=[X, COLUMN]),
    kernel("ConcatV2", values=[X, COLUMN], axis=1),
    kernel("MirrorPad", input=X, paddings=[[0, 0], [1, 1]], mode="REFLECT"),
    kernel("Pack", values=[X, X], axis=1),
    kernel("Pad", input=X, paddings=[[0, 0], [1, 1]]),
    kernel("PadV2", input=X, paddings=[[0, 0], [1, 1]], constant_values=2.0),
    kernel("Split", axis=1, value=X, num_split=3),
    kernel("SplitV", value=X, size_splits=[1, 2], axis=1, num_split=2),
    kernel("Unpack", value=X, num=3, axis=1),
    kernel("Gather", params=ROWS, indices=IDS),
    kernel("GatherNd", params=ROWS, indices=[[0, 1], [2, 0]]),
    kernel("GatherV2", params=ROWS, indices=IDS, axis=0),
    kernel("ScatterNd", indices=[[1], [0]], updates=arrays((2, 2)), shape=[3, 2]),
    kernel("ScatterNdNonAliasingAdd", input=ROWS, indices=[[1], [0]], updates=arrays((2, 2))),
    *kernels("TensorScatterAdd TensorScatterSub", tensor=ROWS, indices=[[1], [0]], updates=arrays((2, 2))),
    *kernels("TensorScatterMax TensorScatterMin", tensor=ROWS, indices=[[1], [0]], updates=arrays((2, 2))),
    kernel("TensorScatterUpdate", tensor=ROWS, indices=[[1], [0]], updates=arrays((2, 2))),
    kernel("Slice", input=X, begin=[0, 1], size=[2, -1]),
    kernel("StridedSlice", input=X, begin=[0, 2], end=[1, 0], strides=[1, -1], shrink_axis_mask=1),
    kernel("Where", condition=FLAGS),
    kernel("Diag", diagonal=arrays((3,))),
    kernel("DiagPart", input=arrays((3, 3))),
    kernel("MatrixBandPart", input=MATRIX, num_lower=1, num_upper=0),
    kernel("MatrixDiag", diagonal=X),
    kernel("MatrixDiagPart", input=MATRIX),
    *unlearned(kernels("MatrixDiagPartV2", input=MATRIX, k=[-1, 1], padding_value=9.0), SHIFTED),
    kernel("MatrixDiagPartV3", input=MATRIX, k=[-1, 1], padding_value=9.0),
    *unlearned(kernels("MatrixDiagV2", diagonal=X, k=[0, 1], num_rows=3, num_cols=3, padding_value=9.0), SHIFTED),
    kernel("MatrixDiagV3", diagonal=X, k=[0, 1], num_rows=3, num_cols=3, padding_value=9.0),
    kernel("MatrixSetDiag", input=MATRIX, diagonal=X),
    kernel("MatrixSetDiagV2", input=MATRIX, diagonal=X, k=0),
    kernel("MatrixSetDiagV3", input=MATRIX, diagonal=X, k=0),
]

MATRICES = [
    kernel("BandedTriangularSolve", matrix=arrays((2, 3), fill="positive"), rhs=arrays((3, 2))),
    kernel("Cholesky", input=DEFINITE),
    kernel("Einsum", inputs=[X, arrays((3, 2))], equation="ij,jk->ik"),
    *kernels("LogMatrixDeterminant MatrixDeterminant MatrixInverse", input=MATRIX),
    *unlearned(kernels("Lu", input=MATRIX)),
    kernel("MatrixLogarithm", input=arrays((2, 3, 3), "complex64", "positive_definite")),
    kernel(
        "SparseTensorDenseMatMul",
        a_indices=tensor([[0, 1], [2, 0]], "int64"),
        a_values=arrays((2,)),
        a_shape=tensor([3, 2], "int64"),
        b=arrays((2, 4)),
    ).without(sliced="TensorFlow gathers rows for it, which makes IndexedSlices of the second derivative"),
    kernel(
        "TridiagonalMatMul",
        superdiag=arrays((2, 1, 3)),
        maindiag=arrays((2, 1, 3)),
        subdiag=arrays((2, 1, 3)),
        rhs=arrays((2, 3, 2)),
    ),
    kernel("MatrixSolve", matrix=MATRIX, rhs=arrays((2, 3, 1))),
    kernel("MatrixSquareRoot", input=DEFINITE),
    kernel("MatrixTriangularSolve", matrix=MATRIX, rhs=arrays((2, 3, 1)), lower=False),
    kernel("Qr", input=MATRIX),
    kernel("SelfAdjointEigV2", input=tensor([[2.0, 0.0], [0.0, 1.0]], "float32")).without(
        gradient="the signs of vectors are free", second_order="as the gradient"
    ),
    kernel("TridiagonalSolve", diagonals=arrays((2, 3, 4), fill="positive"), rhs=arrays((2, 4, 1))),
    *kernels("FFT IFFT", input=COMPLEX),
    *kernels("FFT2D IFFT2D", input=arrays((2, 4, 4), "complex64")),
    *kernels("FFT3D IFFT3D", input=arrays((2, 4, 4), "complex64")),
    kernel("RFFT", input=arrays((2, 4)), fft_length=[4]),
    kernel("RFFT2D", input=arrays((4, 4)), fft_length=[4, 4]),
    kernel("RFFT3D", input=arrays((2, 4, 4)), fft_length=[2, 4, 4]),
    kernel("IRFFT", input=arrays((2, 3), "complex64"), fft_length=[4]),
    kernel("IRFFT2D", input=arrays((4, 3), "complex64"), fft_length=[4, 4]),
    kernel("IRFFT3D", input=arrays((2, 4, 3), "complex64"), fft_length=[2, 4, 4]),
]

BATCH = {"scale": arrays((2,), fill="positive"), "offset": arrays((2,))}
EMPTY = {"mean": tensor([], "float32"), "variance": tensor([], "float32")}
HELD = {"mean": tensor([0.5, 1.0], "float32"), "variance": tensor([1.0, 2.0], "float32")}
VOLUME = arrays((1, 2, 2, 2, 1))
NETWORK = [
    kernel("ApproxTopK", input=tensor([[1.0, 3.0, 2.0]], "float32"), k=2).without(
        gradient="as tf.approx_top_k", second_order="as tf.approx_top_k"
    ),
    kernel("AvgPool", value=IMAGE, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
    kernel("MaxPool", input=IMAGE, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
    kernel(
        "MaxPool",
        input=IMAGE,
        ksize=[1, 2, 2, 1],
        strides=[1, 2, 2, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0],
    ),
    kernel("MaxPoolV2", input=IMAGE, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
    kernel("MaxPoolWithArgmax", input=IMAGE, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
    *kernels("AvgPool3D MaxPool3D", input=VOLUME, ksize=[1, 2, 2, 2, 1], strides=[1] * 5, padding="SAME"),
    kernel("BiasAdd", value=IMAGE, bias=arrays((2,))),
    kernel("BiasAddV1", value=IMAGE, bias=arrays((2,))),
    kernel("Conv2D", input=IMAGE, filter=arrays((2, 2, 2, 3)), strides=ONES, padding="SAME"),
    kernel(
        "Conv2D",
        input=IMAGE,
        filter=arrays((2, 2, 2, 3)),
        strides=[1, 2, 2, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0],
        dilations=[1, 1, 1, 1],
    ),
    kernel(
        "Conv2DBackpropInput",
        input_sizes=[1, 4, 4, 2],
        filter=arrays((2, 2, 2, 3)),
        out_backprop=arrays((1, 4, 4, 3)),
        strides=ONES,
        padding="SAME",
    ),
    kernel("Conv3D", input=VOLUME, filter=arrays((2, 2, 2, 1, 2)), strides=[1] * 5, padding="SAME"),
    kernel(
        "Conv3DBackpropInputV2",
        input_sizes=[1, 2, 2, 2, 1],
        filter=arrays((2, 2, 2, 1, 2)),
        out_backprop=arrays((1, 2, 2, 2, 2)),
        strides=[1] * 5,
        padding="SAME",
    ),
    kernel("DepthwiseConv2dNative", input=IMAGE, filter=arrays((2, 2, 2, 2)), strides=ONES, padding="SAME"),
    kernel(
        "DepthwiseConv2dNative",
        input=IMAGE,
        filter=arrays((2, 2, 2, 2)),
        strides=ONES,
        padding="VALID",
        dilations=[1, 2, 2, 1],
    ),
    kernel(
        "DepthwiseConv2dNativeBackpropFilter",
        input=IMAGE,
        filter_sizes=[2, 2, 2, 2],
        out_backprop=arrays((1, 4, 4, 4)),
        strides=ONES,
        padding="SAME",
    ),
    kernel(
        "DepthwiseConv2dNativeBackpropInput",
        input_sizes=[1, 4, 4, 2],
        filter=arrays((2, 2, 2, 2)),
        out_backprop=arrays((1, 4, 4, 4)),
        strides=ONES,
        padding="SAME",
    ),
    kernel("Dilation2D", input=IMAGE, filter=arrays((2, 2, 2)), strides=ONES, rates=ONES, padding="SAME"),
    kernel("ExtractImagePatches", images=IMAGE, ksizes=[1, 2, 2, 1], strides=ONES, rates=ONES, padding="VALID"),
    *kernels("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3", x=IMAGE, **BATCH, **EMPTY),
    kernel("FusedBatchNormV2", x=IMAGE, **BATCH, **HELD, exponential_avg_factor=0.5),
    kernel("FusedBatchNormV2", x=IMAGE, **BATCH, **HELD, is_training=False),
    kernel("LRN", input=IMAGE, depth_radius=1),
    kernel("SoftmaxCrossEntropyWithLogits", features=X, labels=tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], "float32")),
    kernel("SparseSoftmaxCrossEntropyWithLogits", features=X, labels=tensor([2, 0], "int32")),
    kernel("BlockLSTM", seq_len_max=tensor(3, "int64"), x=arrays((3, 2, 3)), **CELL, use_peephole=True),
    *unlearned(kernels("BlockLSTMV2", seq_len_max=tensor(3, "int64"), x=arrays((3, 2, 3)), **CELL), MIXED_UP),
    *unlearned(
        kernels("BlockLSTMV2", seq_len_max=tensor(3, "int64"), x=arrays((3, 2, 3)), **CELL, cell_clip=0.1), MIXED_UP
    ),
    kernel("LSTMBlockCell", x=arrays((2, 3)), **CELL),
    kernel(
        "GRUBlockCell",
        x=arrays((2, 3)),
        h_prev=arrays((2, 2)),
        w_ru=arrays((5, 4)),
        w_c=arrays((5, 2)),
        b_ru=arrays((4,)),
        b_c=arrays((2,)),
    ),
]

STRIDES = [1, 2, 2, 1]
BACKWARD = [
    kernel(
        "AvgPoolGrad",
        orig_input_shape=[1, 4, 4, 2],
        grad=arrays((1, 2, 2, 2)),
        ksize=STRIDES,
        strides=STRIDES,
        padding="VALID",
    ),
    kernel(
        "AvgPool3DGrad",
        orig_input_shape=[1, 2, 2, 2, 1],
        grad=VOLUME,
        ksize=[1, 2, 2, 2, 1],
        strides=[1] * 5,
        padding="SAME",
    ),
    kernel(
        "Conv2DBackpropFilter",
        input=IMAGE,
        filter_sizes=[2, 2, 2, 3],
        out_backprop=arrays((1, 4, 4, 3)),
        strides=ONES,
        padding="SAME",
    ),
    kernel(
        "Conv3DBackpropFilterV2",
        input=VOLUME,
        filter_sizes=[2, 2, 2, 1, 2],
        out_backprop=arrays((1, 2, 2, 2, 2)),
        strides=[1] * 5,
        padding="SAME",
    ),
    kernel("ResizeBilinearGrad", grads=arrays((1, 3, 2, 2)), original_image=IMAGE),
    kernel("ResizeBicubicGrad", grads=arrays((1, 3, 2, 2)), original_image=IMAGE),
    kernel("ResizeNearestNeighborGrad", grads=arrays((1, 3, 2, 2)), size=[4, 4]),
]

IMAGES = [
    kernel("AdjustContrastv2", images=PICTURE, contrast_factor=0.5),
    kernel("AdjustHue", images=PICTURE, delta=0.1),
    kernel("AdjustSaturation", images=PICTURE, scale=0.5),
    kernel(
        "CropAndResize", image=IMAGE, boxes=tensor([[0.0, 0.0, 1.0, 0.5]], "float32"), box_ind=[0], crop_size=[2, 2]
    ),
    kernel(
        "DrawBoundingBoxesV2",
        images=PICTURE,
        boxes=tensor([[[0.1, 0.1, 0.8, 0.8]]], "float32"),
        colors=tensor([[1.0, 0.0, 0.0]], "float32"),
    ),
    *kernels("HSVToRGB RGBToHSV", images=tensor([[0.25, 0.5, 0.75], [0.9, 0.3, 0.6]], "float32")),
    kernel(
        "ImageProjectiveTransformV2",
        images=IMAGE,
        transforms=tensor([[1.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0]], "float32"),
        output_shape=[4, 4],
        interpolation="BILINEAR",
    ).without(second_order=ZEROS),
    kernel("NonMaxSuppression", boxes=BOXES, scores=SCORES, max_output_size=3),
    kernel("NonMaxSuppressionV2", boxes=BOXES, scores=SCORES, max_output_size=3, iou_threshold=0.5),
    *unlearned(
        kernels(
            "NonMaxSuppressionV3",
            boxes=BOXES,
            scores=SCORES,
            max_output_size=3,
            iou_threshold=0.5,
            score_threshold=0.8,
        )
    ),
    kernel(
        "NonMaxSuppressionWithOverlaps",
        overlaps=tensor([[1.0, 0.8, 0.1], [0.8, 1.0, 0.1], [0.1, 0.1, 1.0]], "float32"),
        scores=SCORES,
        max_output_size=3,
        overlap_threshold=0.5,
        score_threshold=0.0,
    ),
    kernel(
        "CombinedNonMaxSuppression",
        boxes=tensor([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.2, 1.0, 0.4]]]], "float32"),
        scores=tensor([[[0.9], [0.8]]], "float32"),
        max_output_size_per_class=2,
        max_total_size=2,
        iou_threshold=0.5,
        score_threshold=0.1,
    ),
    *kernels("ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor", images=IMAGE, size=[3, 2]),
    kernel("FakeQuantWithMinMaxArgs", inputs=X),
    kernel("FakeQuantWithMinMaxArgsGradient", gradients=X, inputs=X),
    kernel("FakeQuantWithMinMaxVars", inputs=X, min=-1.0, max=1.0),
    kernel("FakeQuantWithMinMaxVarsPerChannel", inputs=X, min=[-1.0] * 3, max=[1.0] * 3),
]

TEXT = [
    kernel("AsString", input=X, precision=3),
    kernel("EncodeBase64", input=WORDS),
    kernel("DecodeBase64", input=tensor(["YWI", "Y2Q"], "string")),
    kernel("DecodeRaw", bytes=tensor(["abcd"], "string"), out_type=Symbol("uint8")),
    kernel("DecodePaddedRaw", input_bytes=tensor(["ab"], "string"), fixed_length=4, out_type=Symbol("uint8")),
    kernel("SerializeTensor", tensor=INTEGERS),
    kernel("ReduceJoin", inputs=WORDS, reduction_indices=[0], separator="-"),
    *kernels("RegexFullMatch StaticRegexFullMatch", input=WORDS, pattern=".*b"),
    *kernels("RegexReplace StaticRegexReplace", input=WORDS, pattern="b", rewrite="x"),
    kernel("StringJoin", inputs=[WORDS, WORDS], separator="+"),
    *kernels("StringLength StringLower StringStrip StringUpper", input=WORDS),
    kernel("StringToHashBucketFast", input=WORDS, num_buckets=10),
    kernel("StringToHashBucketStrong", input=WORDS, num_buckets=10, key=[1, 2]),
    kernel("StringToHashBucket", string_tensor=WORDS, num_buckets=10),
    kernel("Fingerprint", data=INTEGERS, method="farmhash64"),
    kernel("StringToNumber", string_tensor=tensor(["1.5", "-2"], "string")),
    kernel("Substr", input=WORDS, pos=1, len=1),
    kernel("UnicodeScript", input=tensor([97, 1041], "int32")),
    kernel("UnicodeTranscode", input=WORDS, input_encoding="UTF-8", output_encoding="UTF-16-BE"),
    kernel("UnsortedSegmentJoin", inputs=WORDS, segment_ids=[1, 0], num_segments=2),
]

RANDOM = [
    kernel("RandomIndexShuffle", index=3, seed=tensor([1, 2, 3], "uint32"), max_index=10),
    kernel("StatelessMultinomial", logits=X, num_samples=4, seed=SEED),
    *kernels("StatelessRandomNormal StatelessRandomUniform StatelessTruncatedNormal", shape=[3], seed=SEED),
    kernel(
        "StatelessRandomBinomial", shape=[3], seed=SEED, counts=tensor(9.0, "float32"), probs=tensor(0.4, "float32")
    ),
    kernel(
        "StatelessParameterizedTruncatedNormal",
        shape=[3],
        seed=SEED,
        means=tensor(1.0, "float32"),
        stddevs=tensor(2.0, "float32"),
        minvals=tensor(0.0, "float32"),
        maxvals=tensor(3.0, "float32"),
    ),
    kernel("StatelessRandomUniformFullInt", shape=[3], seed=SEED, dtype=Symbol("int32")),
    kernel("StatelessRandomUniformInt", shape=[3], seed=SEED, minval=tensor(2, "int64"), maxval=tensor(9, "int64")),
    kernel("StatelessRandomPoisson", shape=[3], seed=SEED, lam=tensor(4.0, "float32"), dtype=Symbol("int64")),
]

CASES = [*ELEMENTWISE, *REDUCTION, *ARRAY, *MATRICES, *NETWORK, *BACKWARD, *IMAGES, *TEXT, *RANDOM]
