"""Sparse tensors, and sets."""

from __future__ import annotations

from tests.cases.dtype import ANY, NUMERIC, REAL, Symbol
from tests.cases.recipe import arrays, case, each, made, refused, tensor

PLACES = [[0, 0], [0, 2], [1, 1], [2, 0]]


def sparse(dtypes: object = None, places: object = PLACES, dims: object = (3, 4), fill: str = "normal") -> object:
    """A sparse tensor with values of `dtypes` at `places`."""
    return made("SparseTensor", places, arrays((len(places),), dtypes, fill), list(dims))


ONE = sparse()
OTHER = sparse(None, [[0, 0], [1, 3], [2, 0]])
MIXED = sparse(None, [[2, 0], [0, 2], [1, 1], [0, 0]])
CUBE = sparse(None, [[0, 0, 0], [0, 1, 1], [1, 0, 1]], (2, 2, 2))
WORDS = made("SparseTensor", [[0, 0], [1, 2]], tensor(["x", "yy"], "string"), [2, 3])
GAPS = sparse(None, [[0, 0], [2, 1]], (4, 3))
IDS = made("SparseTensor", PLACES, tensor([1, 2, 0, 2], "int32"), [3, 4])
LONG_IDS = made("SparseTensor", [[0, 0], [2, 1]], tensor([1, 2], "int64"), [4, 3])
BAD_IDS = made("SparseTensor", [[0, 0], [0, 1], [2, 1]], tensor([1, -1, 2], "int64"), [3, 3])
WEIGHTS = sparse(None, fill="positive")
SOME_WEIGHTS = made("SparseTensor", PLACES, tensor([1.0, 0.5, 2.0, 3.0], "float32"), [3, 4])
COMBINERS = each("mean", "sum", "sqrtn")
LOWEST = made("SparseTensor", PLACES, tensor([float("-inf"), float("-inf"), 1.0, float("-inf")], "float32"), [3, 4])
NO_IDS = made("SparseTensor", PLACES, tensor([1.9, 0.0, 2.0, 3.5], "float32"), [3, 4])
NO_WEIGHTS = made("SparseTensor", PLACES, tensor([1.0, -1.0, 0.0, 3.0], "float32"), [3, 4])
RAGGED_IDS = made("RaggedTensor.from_row_splits", tensor([0, 1, 2], "int64"), [0, 2, 2, 3])
LETTERS = made("SparseTensor", [[0, 0], [1, 0], [1, 1]], tensor(["a", "b", "c"], "string"), [2, 2])
OTHERS = made("SparseTensor", [[0, 0], [1, 0]], tensor(["d", "e"], "string"), [2, 1])
SUMMED = ("float32", "float64", "int32", "int64", "int8", "complex64", "complex128")
MULTIPLIED = ("float32", "float64", "int32", "complex64")
ON_HOST = "counts are computed on the host, where there is no gradient to ask for"
AS_ROWS = "TensorFlow's second derivative is a set of rows, ours is dense"
HAS_NO_RULE = "TensorFlow's gradient function takes too few arguments"

CASES = [
    case("sparse.to_dense", sparse(ANY)),
    case("sparse.to_dense", each(ONE, CUBE), arrays(()), each(True, False)),
    case("sparse.to_dense", MIXED, validate_indices=False),
    case("sparse.to_dense", WORDS, each("z", "")),
    *(refused(f"SparseTensor.{name}", ONE, arrays((3, 4), "float64")) for name in ("__mul__", "__truediv__")),
    refused("sparse.to_dense", ONE, each(tensor(0, "int32"), tensor(0.0, "float64"))),
    refused("sparse.to_dense", each(MIXED, sparse(None, [[0, 0], [0, 0]]), sparse(None, [[3, 0]]), 1.0)),
    case("sparse.from_dense", arrays([(2, 3), (4,), (2, 1, 2), (0, 2)], ANY, "some_zeros")),
    case("sparse.from_dense", each(tensor(["a", "", "b"], "string"), [[0, 1], [2, 0]])),
    refused("sparse.from_dense", arrays(())),
    case("sparse.reorder", each(MIXED, ONE, CUBE)),
    case("sparse.add", sparse(SUMMED), sparse(None, [[0, 0], [1, 3], [2, 0]])),
    case("sparse.add", ONE, each(OTHER, ONE), threshold=each(0, 0.5)),
    case("sparse.add", ONE, arrays((3, 4))),
    case("sparse.add", arrays((3, 4)), ONE),
    refused("sparse.add", arrays((3, 4)), arrays((3, 4))),
    refused("sparse.add", ONE, each(GAPS, arrays((4,)))),
    case("sparse.maximum", sparse(REAL), sparse(None, [[0, 0], [1, 3], [2, 0]])).without(gradient=HAS_NO_RULE),
    case("sparse.minimum", sparse(REAL), sparse(None, [[0, 0], [1, 3], [2, 0]])).without(gradient=HAS_NO_RULE),
    refused("sparse.maximum", ONE, GAPS),
    case("sparse.reduce_sum", sparse(NUMERIC), each(None, 0, 1, -1, [0, 1]), each(False, True)),
    case("sparse.reduce_sum", CUBE, axis=each([0, 2], 1, -1)),
    case("sparse.reduce_sum", ONE, each(0, 1), each(None, True), True),
    case("sparse.reduce_max", sparse(REAL), each(None, 0, 1), each(None, True)),
    case("sparse.reduce_max", LOWEST, each(None, 0, 1), output_is_sparse=each(False, True)),
    case("sparse.reduce_max", CUBE, axis=-1, output_is_sparse=each(False, True)),
    refused("sparse.reduce_sum", ONE, axis=2),
    case("sparse.sparse_dense_matmul", sparse(MULTIPLIED), arrays((4, 2))).without(sliced=AS_ROWS),
    case("sparse.sparse_dense_matmul", ONE, arrays((3, 2)), adjoint_a=True).without(sliced=AS_ROWS),
    case("sparse.sparse_dense_matmul", each(ONE, MIXED), arrays((2, 4)), adjoint_b=True),
    case("sparse.sparse_dense_matmul", sparse(("complex64",)), arrays((3, 2), ("complex64",)), adjoint_a=True),
    case("sparse.sparse_dense_matmul", arrays((2, 3)), ONE),
    case("sparse.sparse_dense_matmul", arrays((2, 4)), ONE, adjoint_b=True),
    refused("sparse.sparse_dense_matmul", ONE, each(arrays((3, 2)), arrays((4,)))),
    case("sparse.sampled_addmm", tensor(PLACES, "int32"), arrays((4,)), [3, 4], arrays((3, 2)), arrays((2, 4))).without(
        sliced=AS_ROWS
    ),
    case(
        "sparse.sampled_addmm",
        tensor([[0, 0], [1, 1]], "int32"),
        arrays((2,)),
        [2, 2],
        arrays((2, 3)),
        arrays((3, 2)),
        beta=each(1.0, 0.5),
        alpha=each(1.0, 2.0),
    ).without(sliced=AS_ROWS),
    case("sparse.transpose", each(ONE, MIXED), each(None, [0, 1], [1, 0])),
    case("sparse.transpose", CUBE, each([2, 0, 1], None)),
    refused("sparse.transpose", ONE, [1, 0, 2]),
    case("sparse.slice", ONE, each([0, 0], [1, 0], [0, 1], [3, 3]), each([2, 2], [9, 9], [1, 1])),
    case("sparse.slice", CUBE, [0, 1, 0], tensor([2, 1, 2], "int64")),
    refused("sparse.slice", ONE, [0], [1]),
    case("sparse.concat", each(0, 1, -1), [ONE, OTHER]),
    case("sparse.concat", 0, [ONE, sparse(None, [[0, 0]], (1, 5))], expand_nonconcat_dims=True),
    case("sparse.concat", 0, [WORDS, WORDS]),
    refused("sparse.concat", each(0, 2), [ONE, sparse(None, [[0, 0]], (1, 5))]),
    case("sparse.softmax", sparse(("float32", "float64"))),
    case("sparse.softmax", CUBE),
    refused("sparse.softmax", made("SparseTensor", [[0]], arrays((1,)), [2])),
    case("sparse.reshape", ONE, each([4, 3], [-1], [2, -1], [2, 1, 6])),
    case("sparse.reshape", ONE, tensor([4.0, 3.0], "float32")),
    case("sparse.reshape", each(CUBE, sparse(None, [[0, 1, 0]], (2, 2, 2))), tensor([4, 2], "int64")),
    refused("sparse.reshape", ONE, each([5, 5], [-1, -1])),
    case("sparse.expand_dims", ONE, each(None, 0, 1, -1, -3)),
    refused("sparse.expand_dims", ONE, 3),
    case("sparse.split", ONE, each(2, 3), 0),
    case("sparse.split", sp_input=ONE, num_split=each(2, 4), axis=1),
    refused("sparse.split", ONE, each(5, 0), 1),
    refused("sparse.split", ONE),
    case("sparse.fill_empty_rows", each(GAPS, ONE), arrays(())),
    case("sparse.fill_empty_rows", WORDS, "d"),
    refused("sparse.fill_empty_rows", GAPS, [1.0]),
    case("sparse.reset_shape", ONE, each(None, [5, 6])),
    refused("sparse.reset_shape", ONE, each([2, 2], [3, 4, 5])),
    case("sparse.retain", ONE, each([True, False, True, False], [False] * 4)),
    refused("sparse.retain", ONE, [True]),
    case("sparse.mask", made("IndexedSlices", arrays((3, 2)), tensor([0, 2, 5], "int32")), each([2, 7], [])),
    case("sparse.eye", each(2, 3, 0), each(None, 2), dtype=each(Symbol("float32"), Symbol("int32"))),
    case("sparse.map_values", Symbol("add"), ONE, 5.0),
    case("sparse.map_values", Symbol("multiply"), ONE, ONE),
    refused("sparse.map_values", Symbol("add"), 1.0, 2.0),
    refused("sparse.map_values", Symbol("multiply"), ONE, OTHER),
    case("sparse.to_indicator", each(IDS, LONG_IDS, NO_IDS), 5),
    case("sparse.bincount", each([1, 2, 2], tensor([[1, 2, 2], [0, 0, 3]], "int32"), IDS)),
    case(
        "sparse.bincount",
        each([1, 2, 2], tensor([[1, 2, 2], [0, 0, 3]], "int32"), tensor([0, 3, 3], "int64")),
        axis=each(-1, None),
        maxlength=each(None, 2),
    ),
    case(
        "sparse.bincount",
        each(tensor([[1, 2, 2], [0, 0, 3]], "int64"), IDS, RAGGED_IDS),
        axis=-1,
        minlength=each(None, 10),
        maxlength=each(None, 3),
        binary_output=each(False, True),
    ),
    case("sparse.bincount", IDS, SOME_WEIGHTS, axis=-1).without(
        gradient="counts are computed on the host, where there is None"
    ),
    refused("sparse.bincount", each([1, -1], [0.5])),
    case("sparse.cross", each([LETTERS, OTHERS], [LONG_IDS, LONG_IDS]), separator=each(None, "-")),
    case("sparse.cross_hashed", [LETTERS, OTHERS], each(0, 100), each(None, 7)),
    refused("sparse.cross", [LETTERS, [["d"], ["e"]]]),
    case("sparse.segment_sum", arrays((3, 2), ("float32", "int32")), [0, 2, 1], [0, 0, 2], each(None, 5)),
    case("sparse.segment_mean", arrays((3, 2)), [0, 2, 2], [0, 0, 1], each(None, 3)),
    case("sparse.segment_sqrt_n", arrays((3, 2)), [0, 2, 2], [0, 0, 1], each(None, 3)),
    case("sparse.segment_sum", arrays((3, 2)), [0, 2, 1], [0, 0, 1], sparse_gradient=True),
    refused("sparse.segment_sum", arrays((3, 2)), each([0, 5], [0, 1]), [1, 0]),
    refused("sparse.segment_sum", 1.0, [0], [0]),
    refused("sparse.sampled_addmm", [[0, 0], [1, 1]], [1.0, 2.0], [2, 2], arrays((2, 0)), arrays((3, 2))),
    case(
        "nn.embedding_lookup_sparse",
        arrays((3, 2)),
        each(IDS, LONG_IDS, RAGGED_IDS),
        None,
        each("mean", "sum", "sqrtn"),
    ),
    case("nn.embedding_lookup_sparse", arrays((3, 2)), IDS, WEIGHTS, each(None, "sum", "sqrtn")),
    case("nn.embedding_lookup_sparse", arrays((3, 2)), IDS, NO_WEIGHTS, each("mean", "sum", "sqrtn")),
    case("nn.embedding_lookup_sparse", arrays((3, 2), ("int32", "complex64")), IDS, SOME_WEIGHTS, "sum"),
    case("nn.embedding_lookup_sparse", arrays((3, 2)), IDS, None, max_norm=1.0),
    refused("nn.embedding_lookup_sparse", arrays((3, 2)), each(IDS, [1, 2]), None, "max"),
    case("nn.safe_embedding_lookup_sparse", arrays((3, 2)), each(LONG_IDS, BAD_IDS), default_id=each(None, 0)),
    case("nn.safe_embedding_lookup_sparse", arrays((3, 2)), IDS, WEIGHTS, each("mean", "sum", "sqrtn")),
    case("sets.intersection", [[1, 2, 3], [4, 5, 6]], [[2, 3, 9], [4, 4, 4]]),
    case("sets.union", IDS, each([[1, 9], [1, 2], [5, 5]], IDS)),
    case("sets.difference", [[1, 2, 2], [4, 5, 6]], [[2, 3, 9], [4, 4, 4]], each(True, False)),
    case("sets.intersection", tensor([["a", "b"]], "string"), [["b", "c"]]),
    case("sets.size", each(IDS, LONG_IDS)),
    refused("sets.union", [[1.0, 2.0]], [[2.0]]),
    refused("sets.intersection", each([1, 2], [[1], [2]]), [[1]]),
    case("cast", ONE, each(Symbol("int32"), Symbol("float64"))),
    case("square", ONE),
    case("shape", ONE, out_type=each(None, Symbol("int64"))),
    case("size", ONE),
    case("rank", CUBE),
    case("math.bincount", IDS, axis=each(None, -1)),
    case("SparseTensor.__mul__", ONE, each(arrays((3, 4)), arrays((3, 1)), arrays((4,)))),
    case("SparseTensor.__truediv__", ONE, each(arrays((3, 4), fill="positive"), arrays((1, 4), fill="positive"))),
    refused("SparseTensor.__mul__", ONE, arrays((2, 2))),
]
