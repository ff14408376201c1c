"""Sorting, ranking and searching."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, REAL, Symbol
from tests.cases.recipe import arrays, case, each, refused, tensor

NO_DERIVATIVE = "integers and booleans have no derivative; TensorFlow raises LookupError instead of returning None"

SORTED = [((3, 4), "spread"), ((6,), "ties"), (0,), (2, 2, 3)]

CASES = [
    case("sort", arrays(SORTED, REAL), axis=each(-1, 0), direction=each("ASCENDING", "DESCENDING")),
    case(
        "argsort", arrays(SORTED, REAL), axis=each(-1, 0), direction=each("ASCENDING", "DESCENDING"), stable=True
    ).without(gradient="TensorFlow gives zeros for positions", second_order="TensorFlow gives zeros for positions"),
    case(
        "nn.top_k",
        arrays([((3, 4), "spread"), ((2, 6), "ties"), ((4,), "normal"), ((6,), "with_nan")], REAL),
        k=each(1, 3, 0),
    ),
    case(
        "nn.top_k",
        arrays((2, 5)),
        k=each(2, tensor(3, "int32")),
        sorted=True,
        index_type=each(Symbol("int32"), Symbol("int64")),
    ),
    case("nn.in_top_k", tensor([1, 2], "int32"), arrays((2, 4)), k=2).without(gradient=NO_DERIVATIVE),
    case("math.in_top_k", tensor([1, 2], "int32"), arrays((2, 4)), k=1).without(gradient=NO_DERIVATIVE),
    case(
        "searchsorted",
        tensor([1.0, 3.0, 3.0, 7.0], "float32"),
        tensor([0.0, 3.0, 8.0, 7.0], "float32"),
        side=each("left", "right"),
        out_type=each(Symbol("int32"), Symbol("int64")),
    ),
    case("searchsorted", tensor([[1, 3, 5], [2, 4, 6]], "int32"), tensor([[2, 5], [4, 9]], "int32")),
    case("unique", tensor([3, 1, 3, 2, 1], "int32"), out_idx=each(Symbol("int32"), Symbol("int64"))),
    case("unique", tensor([1.5, -1.0, 1.5], "float32")).without(gradient=NO_DERIVATIVE),
    case("unique_with_counts", tensor([3, 1, 3, 2, 1], "int32")),
    case("math.invert_permutation", tensor([2, 0, 1], "int32")),
    case("math.reduce_max", arrays([((3, 4), "ties")], FLOATING), 1),
    refused("sort", arrays((2, 3)), axis=each(2, -3)),
    refused("sort", arrays((2, 3)), direction="UP"),
    refused("sort", arrays(())),
    refused("argsort", arrays((2, 3)), axis=each(2, -3)),
    refused("nn.top_k", arrays((2, 3)), k=each(4, -1)),
    refused("nn.top_k", arrays(())),
    refused("unique", arrays((2, 3))),
    refused("searchsorted", tensor([1.0, 2.0], "float32"), tensor([1], "int32")),
]
