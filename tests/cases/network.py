"""Functions for neural networks, except convolutions, activations and losses."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, PRECISE
from tests.cases.recipe import arrays, case, each, refused, tensor

ONES = [1, 1, 1, 1]
SECOND = {"second_order": "TensorFlow has none"}
DILATED = arrays((1, 5, 6, 2), PRECISE, "spread")
STRUCTURE = arrays((2, 3, 2), fill="unit")
CLASSES = tensor([[1, 5], [3, 9]], "int64")
SAMPLE = (
    tensor([5, 9, 2, 7], "int64"),
    tensor([[0.3, 0.4], [0.2, 0.6]], "float32"),
    tensor([0.2, 0.3, 0.4, 0.1], "float32"),
)
ONE_SAMPLE = (SAMPLE[0], tensor([[0.3], [0.2]], "float32"), SAMPLE[2])
LOSS = (arrays((10, 3)), arrays((10,)), CLASSES, arrays((2, 3)), 4, 10, 2, SAMPLE)

CASES = [
    case("nn.atrous_conv2d", arrays((1, 7, 6, 2)), arrays((2, 3, 2, 3)), each(2, 1, 3), "SAME"),
    case("nn.atrous_conv2d", arrays((1, 7, 6, 2)), arrays((2, 3, 2, 3)), each(2, 1), "VALID"),
    case("nn.atrous_conv2d_transpose", arrays((1, 7, 6, 3)), arrays((2, 3, 2, 3)), [1, 9, 10, 2], 2, "VALID"),
    case("nn.atrous_conv2d_transpose", arrays((1, 7, 6, 3)), arrays((2, 3, 2, 3)), [1, 7, 6, 2], each(2, 1), "SAME"),
    case(
        "nn.depthwise_conv2d",
        arrays((1, 7, 8, 2)),
        arrays((2, 3, 2, 2)),
        each([1, 2, 2, 1], [1, 1, 2, 1]),
        each("SAME", "VALID", [[0, 0], [1, 2], [0, 1], [0, 0]]),
        dilations=each([2, 2], [3, 2]),
    ),
    case(
        "nn.separable_conv2d",
        *(arrays((1, 7, 8, 2)), arrays((2, 3, 2, 2)), arrays((1, 1, 4, 3)), [1, 2, 2, 1], "SAME"),
        dilations=[2, 2],
    ),
    case("nn.depthwise_conv2d_backprop_input", [1, 4, 4, 2], arrays((2, 2, 2, 3)), arrays((1, 3, 3, 6)), ONES, "VALID"),
    case(
        "nn.depthwise_conv2d_backprop_input",
        *([1, 6, 6, 2], arrays((2, 2, 2, 3)), arrays((1, 3, 3, 6)), [1, 2, 2, 1]),
        each("VALID", "SAME"),
    ),
    case(
        "nn.depthwise_conv2d_backprop_filter", arrays((1, 4, 4, 2)), [2, 2, 2, 3], arrays((1, 3, 3, 6)), ONES, "VALID"
    ),
    case("nn.dilation2d", DILATED, STRUCTURE, ONES, each("SAME", "VALID"), "NHWC", each(ONES, [1, 2, 2, 1])).without(
        **SECOND
    ),
    case(
        "nn.dilation2d", arrays((1, 5, 6, 2), "int32"), arrays((2, 3, 2), "int32"), [1, 2, 3, 1], "SAME", "NHWC", ONES
    ),
    case(
        "nn.dilation2d", arrays((1, 4, 4, 1), fill="ties"), arrays((2, 2, 1), fill="zeros"), ONES, "VALID", "NHWC", ONES
    ).without(**SECOND),
    case("nn.erosion2d", DILATED, STRUCTURE, ONES, each("SAME", "VALID"), "NHWC", each(ONES, [1, 2, 2, 1])).without(
        **SECOND
    ),
    case(
        "nn.batch_norm_with_global_normalization",
        arrays((2, 3)),
        arrays((3,)),
        arrays((3,), fill="positive"),
        arrays((3,)),
        arrays((3,)),
        1e-3,
        each(True, False),
    ),
    case(
        "nn.sufficient_statistics",
        arrays((2, 3, 4), (*PRECISE, "int32")),
        each([0, 2], [-1], [1, 1]),
        keepdims=each(False, True),
    ),
    case("nn.sufficient_statistics", arrays((2, 3)), [0], arrays((3,)), each(False, True)),
    case("nn.normalize_moments", tensor(4.0, "float32"), arrays((3,)), arrays((3,)), each(None, 1.5)),
    case("nn.normalize_moments", arrays((), PRECISE, "positive"), arrays((3,)), arrays((3,)), arrays((3,))),
    case(
        "nn.weighted_moments",
        arrays((2, 3), FLOATING),
        each([0], 1, [0, 1], -1),
        arrays((2, 3), fill="positive"),
        each(False, True),
    ),
    case("nn.weighted_moments", arrays((2, 3)), [0], each(2.0, 0.0, [1, 0, 2], tensor([[1], [3]], "int64"))),
    case("nn.isotonic_regression", arrays([(3, 6), ((2, 4), "ties")], FLOATING), each(True, False)).without(**SECOND),
    case("nn.isotonic_regression", arrays((2, 3, 4))).without(gradient="TensorFlow's has two axes", **SECOND),
    case("nn.isotonic_regression", arrays((2, 3, 4)), axis=each(0, 1, -2)).without(**SECOND),
    case("nn.isotonic_regression", arrays((3, 5), "int32")),
    case("nn.isotonic_regression", arrays((3, 5), "int8")),
    case("nn.isotonic_regression", arrays((3, 5), "int64")),
    case("nn.approx_max_k", arrays([(2, 5), (3,)], ("float32", "float16", "bfloat16"), "spread"), each(2, 3)),
    case("nn.approx_max_k", arrays((2, 5)), 0).without(gradient="of nothing", second_order="of nothing"),
    case("nn.nce_loss", *LOSS, each(False, True)).without(**SECOND),
    case(
        "nn.nce_loss", arrays((10, 3)), arrays((10,)), tensor([[1], [3]], "int32"), arrays((2, 3)), 4, 10, 1, ONE_SAMPLE
    ).without(**SECOND),
    case("nn.sampled_softmax_loss", *LOSS, each(True, False)).without(**SECOND),
    case("nn.sampled_softmax_loss", [arrays((5, 3)), arrays((5, 3))], *LOSS[1:]).without(
        gradient="that of a list of matrices is dense", **SECOND
    ),
    case("nn.compute_accidental_hits", CLASSES, tensor([5, 9, 2, 5], "int64"), 2),
    case("nn.compute_accidental_hits", CLASSES, tensor([2], "int64"), 2),
    case("random.all_candidate_sampler", CLASSES, 2, 10, each(True, False)),
    case("required_space_to_batch_paddings", [5, 7], [2, 3], each(None, [[1, 0], [0, 1]])),
    case("required_space_to_batch_paddings", tensor([4], "int32"), tensor([2], "int32")),
    case(
        "nn.fractional_max_pool",
        arrays((1, 7, 9, 2), (*PRECISE, "int32", "int64")),
        [1.0, 1.44, 1.73, 1.0],
        each(False, True),
        each(False, True),
        each(1, 5),
    ).without(**SECOND),
    case(
        "nn.fractional_max_pool", arrays((1, 6, 6, 1), fill="ties"), each(1.5, 2.0, [1.0, 1.5, 1.2, 1.0]), seed=3
    ).without(**SECOND),
    case(
        "nn.fractional_avg_pool",
        arrays((1, 7, 9, 2), (*PRECISE, "int32", "int64")),
        [1.0, 1.44, 1.73, 1.0],
        each(False, True),
        each(False, True),
        each(1, 5),
    ),
    refused("nn.atrous_conv2d", arrays((1, 7, 6, 2)), arrays((2, 3, 2, 3)), 0, "SAME"),
    refused("nn.atrous_conv2d_transpose", arrays((1, 7, 6, 3)), arrays((2, 3, 2, 3)), [1, 8, 10, 2], 2, "VALID"),
    refused("nn.dilation2d", DILATED, STRUCTURE, ONES, "SAME", "NCHW", ONES),
    refused("nn.dilation2d", DILATED, STRUCTURE, each([1, 1], [2, 1, 1, 1]), "SAME", "NHWC", ONES),
    refused("nn.dilation2d", DILATED, arrays((2, 3, 1)), ONES, "SAME", "NHWC", ONES),
    refused("nn.sufficient_statistics", arrays((2, 3)), 0),
    refused("nn.weighted_moments", arrays((2, 3), "int32"), [0], 1),
    refused("nn.isotonic_regression", arrays((2, 3)), axis=each(2, -3)),
    refused("nn.approx_max_k", arrays((3,)), 5),
    refused("nn.approx_max_k", arrays((3,), "float64"), 2),
    refused("nn.compute_accidental_hits", CLASSES, tensor([2], "int64"), 1),
    refused("random.all_candidate_sampler", CLASSES, 2, 3, False),
    refused("random.uniform_candidate_sampler", CLASSES, each(3, 2), 14, True, 10),
    refused("random.uniform_candidate_sampler", tensor([[1, 22]], "int64"), 2, 4, True, 10),
    refused("random.log_uniform_candidate_sampler", tensor([[1, 22]], "int64"), 2, 4, True, 10),
    refused("random.log_uniform_candidate_sampler", tensor([[1, 2]], "int32"), 2, 4, True, 10),
    refused(
        "nn.fractional_max_pool",
        arrays((1, 7, 9, 2)),
        each([1.0, 1.5, 1.5], [1.0, 0.5, 1.5, 1.0], [2.0, 1.5, 1.5, 1.0]),
        seed=1,
    ),
    refused(
        "nn.fractional_avg_pool",
        arrays((1, 7, 9, 2)),
        each(1.5, [1.0, 1.5, 1.5], [1.0, 0.5, 1.5, 1.0], [2.0, 1.5, 1.5, 1.0]),
        seed=1,
    ),
]
