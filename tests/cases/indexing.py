"""Functions that pick elements by index or mask, put them at an index, or sum them by segment."""

from __future__ import annotations

from tests.cases.dtype import ANY, BOOL, FLOATING, NUMERIC, PRECISE, REAL, Symbol
from tests.cases.recipe import arrays, case, each, refused, tensor

NO_DERIVATIVE = "integers and booleans have no derivative; TensorFlow raises LookupError instead of returning None"

ROWS = [(4, 3), (4,), (4, 0), (4, 2, 2)]
IDS = tensor([0, 0, 1, 3], "int32")
SEGMENTS = ("segment_sum", "segment_mean", "segment_max", "segment_min", "segment_prod")

CASES = [
    case(
        "gather",
        arrays(ROWS, ANY),
        each(tensor([0, 2, 2], "int32"), tensor([[1], [3]], "int64"), 1, [0, 3], tensor([], "int32")),
    ),
    case("gather", arrays((4, 3)), tensor([2, 0, 2], "int32"), axis=each(1, -1, 0, -2)),
    case("gather", arrays((2, 4, 3)), tensor([[0, 2], [1, 1]], "int32"), axis=each(1, 2), batch_dims=1),
    case("gather", arrays((2, 4)), tensor([[0, 3], [1, 1]], "int32"), batch_dims=each(1, -1)),
    case(
        "gather_nd",
        arrays((2, 3, 2), ANY),
        each(
            tensor([[0, 1], [1, 2], [0, 1]], "int32"), tensor([[1]], "int64"), tensor([1, 2, 0], "int32"), [[[0, 0, 0]]]
        ),
    ),
    case("gather_nd", arrays((2, 3)), tensor([[1], [2]], "int32"), batch_dims=1),
    case(
        "nn.embedding_lookup",
        arrays((4, 3), FLOATING),
        each(tensor([0, 2, 2], "int32"), tensor([[1, 3], [0, 0]], "int64")),
    ),
    case("nn.embedding_lookup", arrays((4, 3)), tensor([0, 2, 2], "int32"), max_norm=1.0),
    case("boolean_mask", arrays([(4, 3), (4,)], ANY), each([True, False, True, True], tensor([False] * 4, "bool"))),
    case("boolean_mask", arrays((2, 3)), tensor([[True, False, True], [False, True, False]], "bool")),
    case("boolean_mask", arrays((2, 3)), tensor([True, False, True], "bool"), axis=1),
    case("slice", arrays([(3, 4)], ANY), each([0, 1], tensor([1, 0], "int32")), each([2, 2], [-1, 3], [2, -1], [0, 2])),
    case("strided_slice", arrays((4, 5)), [0, 1], [4, 5], each([1, 1], [2, 2], [3, 1])),
    case("strided_slice", arrays((4, 5)), [3, 4], [0, 0], [-1, -2]),
    case("where", arrays([(2, 3), (3,), (0,)], BOOL)),
    case("where", arrays((2, 3), "float32", "some_zeros")).without(gradient=NO_DERIVATIVE),
    case(
        "where",
        arrays([(2, 3), (2, 1), (), (0, 3)], "bool"),
        arrays([(2, 3), (1, 3), (2, 2), (1, 3)], ANY),
        arrays([(2, 3), (), (2, 2), (0, 1)]),
    ),
    case("where", arrays((2, 3), "bool"), arrays((2, 3)), each(0.0, 1)),
    case("where", arrays((5,), "bool"), arrays((5,), "float32", "with_nan"), arrays((5,))),
    case("one_hot", tensor([0, 2, -1, 3, 1], "int32"), each(3, 1), axis=each(None, 0, -1)),
    case("one_hot", tensor([[0, 1], [2, 1]], "int64"), 3, on_value=5.0, off_value=each(-1.0, 0.0)),
    case("one_hot", tensor([0, 1], "uint8"), 3, dtype=each(Symbol("int32"), Symbol("float64"), Symbol("float16"))),
    case("one_hot", each(1, [0, 1]), 3),
    case("scatter_nd", tensor([[0], [2], [0]], "int32"), arrays([(3,)], NUMERIC), tensor([4], "int32")),
    case("scatter_nd", tensor([[0, 1], [1, 2]], "int32"), arrays((2, 2)), [2, 3, 2]),
    case("scatter_nd", tensor([[1]], "int64"), arrays((1, 3)), tensor([2, 3], "int64")),
    case("tensor_scatter_nd_update", arrays([(4, 2)], NUMERIC), tensor([[0], [2]], "int32"), arrays([(2, 2)])),
    case("tensor_scatter_nd_update", arrays((4,)), tensor([[0], [2], [0]], "int32"), arrays((3,))).without(
        slope="the loser of a duplicate has a gradient in TensorFlow"
    ),
    case("tensor_scatter_nd_add", arrays([(4, 2)], NUMERIC), tensor([[0], [2], [0]], "int32"), arrays([(3, 2)])),
    case("tensor_scatter_nd_sub", arrays([(4, 2)], NUMERIC), tensor([[0], [2], [0]], "int32"), arrays([(3, 2)])),
    case("tensor_scatter_nd_max", arrays([(4,)], PRECISE), tensor([[0], [2]], "int32"), arrays([(2,)])),
    case("tensor_scatter_nd_min", arrays([(4,)], PRECISE), tensor([[0], [2]], "int32"), arrays([(2,)])),
    *(case(f"math.{name}", arrays([(4, 2), (4,), ((4, 3), "ties")], REAL), IDS) for name in SEGMENTS),
    *(
        case(f"math.unsorted_{name}", arrays([(4, 2), (4,), ((4, 3), "ties")], REAL), tensor([2, 0, 2, 0], "int32"), 4)
        for name in ("segment_sum", "segment_prod")
    ),
    *(
        case(
            f"math.unsorted_{name}", arrays([(4, 2), (4,), ((4, 3), "ties")], REAL), tensor([2, 0, 2, 0], "int32"), 4
        ).without(slope="an empty segment is the end of the range, and the sum overflows")
        for name in ("segment_max", "segment_min")
    ),
    case("math.unsorted_segment_mean", arrays([(4, 2), (4,)], FLOATING), tensor([2, 0, 2, 0], "int32"), 4),
    case("math.unsorted_segment_sqrt_n", arrays([(4, 2), (4,)], FLOATING), tensor([2, 0, 2, 0], "int32"), 4),
    case("math.unsorted_segment_sum", arrays((4, 2)), tensor([2, -1, 2, 0], "int32"), each(3, tensor(4, "int32"))),
    case("math.unsorted_segment_sum", arrays((2, 2, 3)), tensor([[0, 1], [1, 0]], "int32"), 2),
    *(
        case(f"math.unsorted_segment_{name}", arrays((3, 2)), tensor([1, 0, 1], "int16"), 2)
        for name in ("sum", "mean", "sqrt_n")
    ),
    *(
        case(
            f"math.{name}",
            arrays((6, 2), fill="with_nan"),
            tensor([0, 0, 1, 1, 1, 2], "int32"),
            *([3] if name.startswith("unsorted") else []),
        ).without(slope="the slope at nan is undefined")
        for name in ("segment_max", "segment_min", "unsorted_segment_max", "unsorted_segment_min")
    ),
    case("dynamic_partition", arrays((4, 2)), tensor([0, 1, 0, 1], "int32"), 2),
    case("dynamic_stitch", [tensor([0, 2], "int32"), tensor([1], "int32")], [arrays((2, 2)), arrays((1, 2))]),
    case("reverse_sequence", arrays((2, 4)), tensor([3, 2], "int32"), seq_axis=1, batch_axis=0),
    case("math.bincount", tensor([1, 1, 3, 2, 1], "int32"), minlength=each(None, 6)),
    refused("math.bincount", tensor([[1, 1], [3, 2]], "int32"), axis=each(1, -2)),
    case(
        "math.confusion_matrix", tensor([0, 1, 2, 2], "int32"), tensor([0, 2, 2, 1], "int32"), num_classes=each(None, 4)
    ),
    case(
        "histogram_fixed_width", tensor([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], "float32"), [0.0, 5.0], nbins=each(5, 2)
    ).without(gradient=NO_DERIVATIVE),
    refused("gather", arrays((3, 2)), each(tensor([3], "int32"), tensor([-1], "int32"), [0.5])),
    refused("gather", arrays((3, 2)), tensor([0], "int32"), axis=each(2, -3)),
    refused("gather", arrays(()), tensor([0], "int32")),
    refused(
        "gather_nd",
        arrays((3, 2)),
        each(tensor([[3]], "int32"), tensor([[0, 0, 0]], "int32"), tensor([[-1, 0]], "int32")),
    ),
    refused("nn.embedding_lookup", arrays((4, 3)), tensor([4], "int32")),
    refused("boolean_mask", arrays((2, 3)), each([True, False, True], True, tensor([[True, False]], "bool"))),
    refused("slice", arrays((3, 4)), [0, 2], each([1, 3], [4, 1])),
    refused("slice", arrays((3, 4)), [0], [1]),
    refused("where", arrays((2, 3), "bool"), arrays((2, 3)), arrays((2, 3), "int32")),
    refused("where", arrays((2, 3), "bool"), arrays((2, 3)), arrays((4,))),
    refused("where", arrays((2, 3), "bool"), arrays((2, 3))),
    refused("where", arrays((2, 3)), arrays((2, 3)), arrays((2, 3))),
    refused("one_hot", tensor([0.5], "float32"), 3),
    refused("one_hot", tensor([0], "int32"), 3, dtype=Symbol("bool")),
    refused("where", arrays((), "bool")),
    refused("one_hot", tensor([0], "int32"), -1),
    refused("one_hot", tensor([0], "int32"), 2, axis=3),
    refused("one_hot", tensor([0], "int32"), 2, on_value=1, off_value=0.5),
    refused("scatter_nd", tensor([[4]], "int32"), arrays((1,)), [4]),
    refused("scatter_nd", tensor([[-1]], "int32"), arrays((1,)), [4]),
    refused("scatter_nd", tensor([[0]], "int32"), arrays((2,)), [4]),
    refused("scatter_nd", tensor([[0], [2]], "int32"), arrays((2,)), each(4, tensor(4, "int32"))),
    refused("gather_nd", arrays((2, 0)), each(tensor([[0], [1]], "int32"), tensor([[0, 0]], "int32"))),
    case("gather_nd", arrays((2, 0)), arrays((0, 1), "int32")),
    refused("gather_nd", arrays((2,)), tensor([[0], [1]], "int32"), batch_dims=1),
    refused("dynamic_stitch", [tensor([0, 1], "int64")], [arrays((2, 2))]),
    refused("tensor_scatter_nd_update", arrays((4,)), tensor([[4]], "int32"), arrays((1,))),
    refused("tensor_scatter_nd_update", arrays((4,)), tensor([[0]], "int32"), arrays((2,))),
    refused("tensor_scatter_nd_update", arrays((4,)), tensor([[0]], "int32"), arrays((1,), "float64")),
    refused("math.segment_sum", arrays((3, 2)), each(tensor([1, 0, 2], "int32"), tensor([0, 1], "int32"))),
    refused("math.unsorted_segment_sum", arrays((3, 2)), tensor([0, 1, 5], "int32"), 3),
]
