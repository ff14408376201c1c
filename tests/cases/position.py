"""Positions, patches of volumes, fingerprints, and the largest elements found approximately."""

from __future__ import annotations

from tests.cases.dtype import REAL
from tests.cases.recipe import arrays, case, each, refused, tensor

CASES = [
    case("unravel_index", tensor([2, 5, 7], "int32"), tensor([3, 3], "int32")),
    case("unravel_index", tensor([2, 5, 23], "int64"), tensor([2, 3, 4], "int64")),
    case("unravel_index", tensor(4, "int32"), tensor([3, 3], "int32")),
    case("unravel_index", tensor([-1, -4], "int32"), tensor([3, 3], "int32")),
    refused("unravel_index", tensor([9], "int32"), tensor([3, 3], "int32")),
    refused("unravel_index", tensor([0], "int32"), tensor([0, 3], "int32")),
    refused("unravel_index", tensor([[2]], "int32"), tensor([3, 3], "int32")),
    refused("unravel_index", tensor([2], "int32"), tensor(3, "int32")),
    refused("unravel_index", tensor([], "int32"), tensor([3, 3], "int32")),
    refused("unravel_index", tensor([2], "int64"), tensor([3, 3], "int32")),
    refused("unravel_index", tensor([2.0], "float32"), tensor([3.0, 3.0], "float32")),
    case(
        "extract_volume_patches",
        arrays([(2, 4, 5, 3, 2), (1, 3, 3, 3, 1)], REAL),
        each([1, 2, 2, 2, 1], [1, 3, 1, 2, 1], [1, 3, 3, 3, 1]),
        each([1, 1, 1, 1, 1], [1, 2, 1, 2, 1]),
        each("SAME", "VALID"),
    ),
    refused("extract_volume_patches", arrays((1, 4, 4, 4, 1)), [2, 2, 2, 2, 1], [1, 1, 1, 1, 1], "SAME"),
    refused("extract_volume_patches", arrays((1, 4, 4, 4, 1)), [1, 2, 2, 2, 1], [1, 1, 1, 1, 2], "SAME"),
    refused("extract_volume_patches", arrays((1, 4, 4, 4, 1)), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "X"),
    case("extract_volume_patches", arrays((1, 4, 4, 4, 1), "float32"), [1, 5, 2, 2, 1], [1, 1, 1, 1, 1], "VALID"),
    refused("extract_volume_patches", arrays((4, 4, 4, 1)), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "SAME"),
    case("fingerprint", tensor(["a", "bc", ""], "string")),
    case("fingerprint", tensor([["a", "b"], ["c", "d"]], "string")),
    case("fingerprint", tensor([[["a"], ["b"]]], "string")),
    case("fingerprint", tensor([["a"], ["b"]], "string")),
    case("fingerprint", arrays([(2, 50), (3,), (0,), (2, 3, 4)], (*REAL, "bool"))).without(
        gradient="integers have no gradient"
    ),
    refused("fingerprint", tensor(3, "int32")),
    refused("fingerprint", tensor(["a"], "string"), method="x"),
    case("approx_top_k", arrays([(3, 7), (6,)], ("float32", "float16", "bfloat16")), each(2, 5)),
]
