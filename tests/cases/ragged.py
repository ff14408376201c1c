"""Ragged tensors: construction, parts, and functions of tensors applied to them."""

from __future__ import annotations

from tests.cases.dtype import ANY, INTEGER, NUMERIC, PRECISE, REAL, Symbol
from tests.cases.recipe import arrays, case, each, made, refused, tensor

SPLITS = [0, 2, 2, 5]


def rows(dtypes: object = None, splits: object = SPLITS, inner: tuple[int, ...] = (), fill: str = "normal") -> object:
    """A ragged tensor with values of `dtypes` and rows at `splits`."""
    return made("RaggedTensor.from_row_splits", arrays((splits[-1], *inner), dtypes, fill), splits)


def nested(dtypes: object = None, fill: str = "normal") -> object:
    """A ragged tensor of ragged rank 2."""
    return made("RaggedTensor.from_nested_row_splits", arrays((4,), dtypes, fill), [[0, 2, 2, 3], [0, 2, 3, 4]])


ROWS, NESTED, PAIRS, FULL = rows(), nested(), rows(inner=(2,)), rows(splits=[0, 2, 3, 5])
POSITIVE = rows(fill="positive")
EVEN = made("RaggedTensor.from_uniform_row_length", arrays((6,)), 2)
LONG = made("RaggedTensor.from_row_splits", arrays((5,)), tensor(SPLITS, "int32"))
WORDS = made("RaggedTensor.from_row_splits", tensor(["a", "b", "c", "", "e"], "string"), SPLITS)
FLAGS = made("RaggedTensor.from_row_splits", tensor([True, False, True, True, False], "bool"), SPLITS)
NUMBERS = made("RaggedTensor.from_row_splits", tensor([1, 2, 3, 0, 2], "int32"), SPLITS)
PLACES = made("RaggedTensor.from_row_splits", tensor([0, 1, 0, 2, 1], "int32"), SPLITS)
LONG = made("RaggedTensor.from_row_splits", arrays((7,)), [0, 3, 7])
INNER_FLAGS = made("RaggedTensor.from_row_splits", [True, False, True], [0, 2, 2, 3])
FEW_FLAGS = made("RaggedTensor.from_row_splits", [True], [0, 1, 1, 1])
INT32 = Symbol("int32")
ALL, BACK = slice(None), slice(None, None, -1)
COLUMN, LINE = arrays((3, 1)), arrays((1,))
AS_ROWS = "TensorFlow's gradient for values that it only gathers from is a set of rows"

UNARY = {
    "abs": PRECISE, "negative": PRECISE, "exp": PRECISE, "sigmoid": PRECISE, "square": NUMERIC, "tanh": PRECISE,
    "sign": PRECISE, "floor": PRECISE, "round": PRECISE, "sin": PRECISE, "nn.relu": REAL, "nn.elu": PRECISE,
    "nn.leaky_relu": PRECISE, "nn.gelu": PRECISE, "nn.silu": PRECISE, "nn.softplus": PRECISE, "zeros_like": ANY,
    "ones_like": NUMERIC, "math.erf": PRECISE, "bitwise.invert": INTEGER,
}  # fmt: skip
BINARY = (
    *(
        "add",
        "subtract",
        "multiply",
        "divide",
        "maximum",
        "minimum",
        "math.squared_difference",
        "less",
        "greater_equal",
    ),
    *("equal", "not_equal", "math.floordiv", "math.floormod", "math.divide_no_nan"),
)
REDUCTIONS = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean")

CASES = [
    case(
        "ragged.constant", each([[1, 2], [3], []], [[[1], [2, 3]], []], [[1.5], []], [["a", b"b"], []], 3, [1, 2], [])
    ),
    case("ragged.constant", each([[[1, 2]], [[3, 4], [5, 6]]], [[], []]), each(None, Symbol("int64")), ragged_rank=1),
    case("ragged.constant", [[[1, 2], [3, 4]], []], inner_shape=(2,), row_splits_dtype=INT32),
    refused("ragged.constant", each([[1, [2]], [3]], [1, [2]])),
    refused("ragged.constant", [[[1, 2]], [[3, 4], [5]]], ragged_rank=1),
    refused("ragged.constant", [["a"]], INT32),
    case("ragged.range", each(3, [3, 5, 2], [0, -1])),
    case("ragged.range", each([0, 5], 2), each([3, 8], [0, 2]), each(1, [2, -1], -1)),
    case("ragged.range", [0.0, 1.0], [1.0, 2.5], each(0.1, 0.5), dtype=each(None, Symbol("float64"))),
    refused("ragged.range", [0, 1], each([3], 2), each(0, [1, 2, 3])),
    case(
        "ragged.row_splits_to_segment_ids",
        each([0, 3, 3, 5], tensor([0, 2], "int32")),
        out_type=each(None, INT32),
    ),
    case("ragged.segment_ids_to_row_splits", each([0, 0, 2], []), each(None, 5), each(None, INT32)),
    refused("ragged.segment_ids_to_row_splits", [0.5]),
    case("ragged.map_flat_values", Symbol("multiply"), each(ROWS, PAIRS), 2.0),
    case("ragged.map_flat_values", Symbol("multiply"), ROWS, rows()),
    refused("ragged.map_flat_values", Symbol("reduce_sum"), each(ROWS, NESTED)),
    case("ragged.boolean_mask", each(ROWS, PAIRS, WORDS), each(FLAGS, [True, False, True])),
    case("ragged.boolean_mask", each(arrays((3, 2)), arrays((3, 2, 2))), [[True, False], [False, False], [True, True]]),
    case(
        "ragged.boolean_mask",
        NESTED,
        each([True, False, True], INNER_FLAGS),
    ),
    refused(
        "ragged.boolean_mask",
        each(ROWS, NESTED),
        each(True, FEW_FLAGS),
    ),
    case("ragged.stack", [ROWS, ROWS], axis=each(0, 1, 2)).without(sliced=AS_ROWS),
    case(
        "ragged.stack", each([arrays((2,)), arrays((3,))], [arrays((2, 2)), arrays((2, 2))], [arrays(()), arrays(())])
    ),
    case("ragged.stack", [arrays((2, 3)), arrays((2, 3))], axis=each(1, 2, -1)),
    refused("ragged.stack", each([], [ROWS, NESTED])),
    case("ragged.stack_dynamic_partitions", each(arrays((4,)), arrays((4, 2))), each([2, 0, 2, 1], [0, 0, 0, 0]), 3),
    case("ragged.stack_dynamic_partitions", ROWS, each([0, 1, 0], PLACES), 3),
    refused("ragged.stack_dynamic_partitions", arrays((2,)), [0, 5], 3),
    case("ragged.cross", each([WORDS, NUMBERS], [NUMBERS, [["x"], ["y"], ["z"]]])),
    case("ragged.cross_hashed", [WORDS, WORDS], each(0, 100), each(None, 5)),
    case("math.is_nan", ROWS).without(gradient="the row splits, which come out beside the answers, have no gradient"),
    *[case(name, rows(dtypes)) for name, dtypes in UNARY.items()],
    *[case(name, each(POSITIVE, NESTED), each(2.0, arrays((), fill="positive"))) for name in BINARY],
    *[
        case(name, POSITIVE, each(arrays((3, 1), fill="positive"), rows(fill="positive"))).without(sliced=AS_ROWS)
        for name in BINARY[:6]
    ],
    case("add", each(ROWS, PAIRS, EVEN), each(LINE, arrays((1, 1)))).without(sliced=AS_ROWS),
    case("add", each(COLUMN, arrays(())), each(ROWS, EVEN)).without(sliced=AS_ROWS),
    case("multiply", PAIRS, each(arrays((2,)), arrays((3, 1, 2)))).without(sliced=AS_ROWS),
    case("multiply", EVEN, each(arrays((2,)), arrays((3, 2)))).without(sliced=AS_ROWS),
    case("multiply", NESTED, arrays((3, 1, 1))).without(sliced=AS_ROWS),
    case("add", WORDS, each("x", WORDS)),
    refused("add", ROWS, each(FULL, arrays((2,)), NESTED, arrays((3, 2)))),
    refused("add", ROWS, each(LONG, NUMBERS)),
    case("pow", POSITIVE, each(2.0, -1.0, 0.5)),
    case("logical_and", FLAGS, each(FLAGS, True)),
    case("logical_not", FLAGS),
    case("cast", each(ROWS, NESTED, FLAGS), each(INT32, Symbol("float64"))),
    case("clip_by_value", ROWS, -0.5, 0.5),
    case("math.add_n", [ROWS, ROWS]),
    case("scalar_mul", 2.0, ROWS),
    case("complex", ROWS, rows()).without(sliced=AS_ROWS),
    case("one_hot", PLACES, 3, axis=each(None, -1), dtype=each(None, INT32)),
    refused("one_hot", PLACES, 3, axis=1),
    *[case(name, each(ROWS, FULL), each(None, 0, 1, -1, [0, 1]), each(False, True)) for name in REDUCTIONS],
    *[case(name, each(NESTED, PAIRS), each(0, 1, 2, [1, 2], [0, 2], [0, 1])) for name in ("reduce_sum", "reduce_max")],
    case("reduce_mean", NUMBERS, each(None, 1)),
    case("math.reduce_variance", FULL, each(None, 1, 0)),
    case("math.reduce_std", rows(splits=[0, 2, 5]), each(1, None)),
    case("math.reduce_logsumexp", FULL, each(None, 1), each(False, True)).without(sliced=AS_ROWS),
    case("reduce_any", FLAGS, each(None, 0, 1)),
    case("reduce_all", FLAGS, each(None, 0, 1), each(False, True)),
    refused("reduce_sum", ROWS, axis=each(2, [1, 1])),
    case("nn.softmax", each(ROWS, NESTED), each(None, -1)),
    case("math.cumsum", each(ROWS, NESTED), each(1, 0, -1), each(False, True), each(False, True)).without(
        sliced=AS_ROWS
    ),
    case("math.unsorted_segment_sum", each(ROWS, PAIRS), each([0, 1, 0], [1, 1, 0]), 2),
    case("math.unsorted_segment_max", ROWS, [1, 1, 0], 2),
    case("math.unsorted_segment_mean", ROWS, PLACES, 3),
    case("concat", each([ROWS, ROWS], [ROWS, arrays((3, 2))], [EVEN, ROWS], [WORDS, WORDS]), each(0, 1, -1)).without(
        sliced=AS_ROWS
    ),
    case("concat", each([NESTED, NESTED], [PAIRS, PAIRS]), axis=each(0, 1, 2)).without(sliced=AS_ROWS),
    refused("concat", each([ROWS, NESTED], [ROWS, ROWS]), 2),
    case("stack", [ROWS, ROWS], axis=each(0, 1, 2)).without(sliced=AS_ROWS),
    case("split", ROWS, each(3, [1, 2])),
    case("split", each(EVEN, PAIRS), 2, axis=-1),
    refused("split", ROWS, each(2, [1, 1])),
    case("expand_dims", each(ROWS, NESTED), each(0, 1, 2, -1)),
    refused("expand_dims", ROWS, 5),
    case("squeeze", made("expand_dims", ROWS, 1), each(1, [1])),
    refused("squeeze", ROWS, each(None, 0)),
    case("tile", each(ROWS, EVEN, WORDS), each([1, 2], [2, 1], [2, 3], [0, 1])),
    case("tile", each(NESTED, PAIRS), each([1, 2, 1], [1, 1, 2], [2, 1, 2])),
    case("reverse", each(ROWS, NESTED), each([0], [1], [-1], [0, 1])),
    case("size", each(ROWS, PAIRS), each(None, Symbol("int64"))),
    case("rank", each(ROWS, NESTED)),
    case("repeat", ROWS, 2),
    case("gather", each(ROWS, NESTED, WORDS, EVEN), each([2, 0, 0], 0, [[0, 1], [2, 0]])).without(sliced=AS_ROWS),
    case("gather", each(arrays((3,)), arrays((3, 2)), ROWS), PLACES),
    case("gather", FULL, made("RaggedTensor.from_row_splits", [1, 0, 0, 1], [0, 2, 3, 4]), batch_dims=1),
    case("gather", arrays((3, 4)), PLACES, batch_dims=1),
    case("gather", each(arrays((2, 4)), arrays((2, 3, 2)), LONG), PLACES, axis=1).without(sliced=AS_ROWS),
    case("gather", arrays((2, 3, 4)), PLACES, axis=each(2, -2)).without(sliced=AS_ROWS),
    case("gather", NESTED, made("RaggedTensor.from_row_splits", [0, 0, 0], [0, 1, 3]), axis=2),
    refused("gather", ROWS, each([3], [-1])),
    case("gather_nd", ROWS, each([[0, 1], [2, 2]], [[0], [2]], [0, 1])),
    case("gather_nd", NESTED, each([[0, 1], [2, 0]], [[0, 0, 1]])),
    case("where", FLAGS),
    case("where", FLAGS, each(ROWS, 1.0), each(rows(), 0.0)),
    case("where", each(True, made("constant", [[True], [False], [True]])), ROWS, 0.0),
    refused("where", FLAGS, each(NESTED, FULL), 0.0),
    case("nn.embedding_lookup", arrays((3, 2)), PLACES),
    case("dynamic_partition", each(ROWS, PAIRS), [0, 1, 0], 2),
    case("matmul", PAIRS, arrays((3, 2, 3))),
    case("matmul", PAIRS, rows(inner=(2,)), transpose_b=True),
    case("matmul", PAIRS, rows(inner=(2,)), transpose_a=True),
    case("math.bincount", NUMBERS, axis=each(None, -1), minlength=each(None, 6)),
    case("nn.sigmoid_cross_entropy_with_logits", rows(), ROWS).without(sliced=AS_ROWS),
    case("reshape", arrays((5,)), made("shape", ROWS)),
    case("broadcast_to", each(arrays(()), arrays((3, 1))), made("shape", ROWS)),
    case("RaggedTensor.to_tensor", each(ROWS, NESTED, PAIRS, EVEN)).without(sliced=AS_ROWS),
    case("RaggedTensor.to_tensor", ROWS, each(arrays(()), None), shape=each([None, 4], [2, 1], [5, None])).without(
        sliced=AS_ROWS
    ),
    case("RaggedTensor.to_tensor", WORDS, each("x", None)),
    refused("RaggedTensor.to_tensor", ROWS, each("x", [1.0]), shape=[3]),
    case("RaggedTensor.to_sparse", each(ROWS, NESTED, PAIRS, WORDS)),
    case("RaggedTensor.from_tensor", each(arrays((2, 3)), arrays((2, 3, 2))), each(None, [1, 2], [3, 0])),
    case("RaggedTensor.from_tensor", tensor([[1, 2, 0], [0, 3, 0]], "int32"), padding=0),
    case("RaggedTensor.from_tensor", arrays([(2, 0), (0, 3), (0, 0), (0, 2)], "int32"), padding=0),
    case("RaggedTensor.from_tensor", arrays((2, 2, 3)), ragged_rank=each(1, 2)),
    refused("RaggedTensor.from_tensor", each(arrays((3,)), arrays((2, 3))), [1, 2], 0.0),
    case("RaggedTensor.from_sparse", made("SparseTensor", [[0, 0], [0, 1], [2, 0]], arrays((3,)), [4, 3])),
    refused("RaggedTensor.from_sparse", made("SparseTensor", [[0, 1]], arrays((1,)), [2, 2])),
    case("RaggedTensor.from_row_splits", arrays([(5,), (5, 2)], ANY), each(SPLITS, [0, 5])),
    case("RaggedTensor.from_row_lengths", arrays((5,)), each([2, 0, 3], tensor([5], "int32"))),
    case("RaggedTensor.from_row_starts", arrays((5,)), [0, 2, 2]),
    case("RaggedTensor.from_row_limits", arrays((5,)), [0, 2, 5]),
    case("RaggedTensor.from_value_rowids", arrays((5,)), [0, 0, 2, 2, 3], each(None, 6)),
    case(
        "RaggedTensor.from_uniform_row_length",
        each(arrays((6,)), ROWS),
        each(3, 1),
        each(
            None,
        ),
    ),
    case("RaggedTensor.from_nested_row_lengths", arrays((3,)), [[1, 1], [2, 1]]),
    case("RaggedTensor.from_nested_value_rowids", arrays((3,)), [[0, 1], [0, 0, 1]]),
    refused("RaggedTensor.from_row_splits", arrays((5,)), each([1, 5], [0, 4], [0, 3, 2, 5], [], [[0, 5]], [0.0, 5.0])),
    refused("RaggedTensor.from_row_lengths", arrays((5,)), each([2, 2], [6, -1])),
    refused("RaggedTensor.from_value_rowids", arrays((3,)), each([0, 2, 0], [0, 2]), each(None, 1)),
    refused("RaggedTensor.from_uniform_row_length", arrays((5,)), each(2, -1)),
    case("RaggedTensor.row_lengths", each(ROWS, NESTED), each(1, 0, -1)),
    case("RaggedTensor.bounding_shape", each(NESTED, PAIRS), each(None, 1, [0, 2]), out_type=each(None, INT32)),
    case("RaggedTensor.value_rowids", each(ROWS, LONG)),
    case("RaggedTensor.nrows", ROWS, each(None, INT32)),
    case("RaggedTensor.row_starts", ROWS),
    case("RaggedTensor.row_limits", ROWS),
    case("RaggedTensor.nested_row_lengths", NESTED),
    case("RaggedTensor.merge_dims", each(NESTED, PAIRS), each(0, 1), each(1, 2, -1)),
    refused("RaggedTensor.merge_dims", NESTED, each(1, 5), 0),
    case("RaggedTensor.with_values", ROWS, each(arrays((5,)), arrays((5, 2)))),
    refused("RaggedTensor.with_values", ROWS, arrays((4,))),
    case("RaggedTensor.with_flat_values", NESTED, arrays((4,))),
    case("RaggedTensor.with_row_splits_dtype", NESTED, INT32),
    case("RaggedTensor.to_list", each(ROWS, NESTED)),
    case(
        "RaggedTensor.__getitem__",
        each(ROWS, NESTED, WORDS),
        each(0, -1, slice(1, None), BACK, ..., None),
    ),
    case(
        "RaggedTensor.__getitem__",
        ROWS,
        each((0, 1), (ALL, slice(1, None)), (ALL, slice(None, None, 2)), (..., None)),
    ),
    case("RaggedTensor.__getitem__", PAIRS, each((ALL, ALL, 0), (..., slice(1)), (0, ALL, 1))),
    refused("RaggedTensor.__getitem__", ROWS, each(3, (ALL, 0), "a", (0, 9))),
]
