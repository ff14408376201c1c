"""Functions on nested structures of tensors, and predicates on values."""

from __future__ import annotations

from tests.cases.dtype import Symbol
from tests.cases.recipe import arrays, case, each, refused, tensor

NESTED = {"b": [arrays((2,)), (arrays((3,)), None)], "a": arrays(())}
FLAT = [arrays(()), arrays((2,)), arrays((3,))]

CASES = [
    case("nest.flatten", each(NESTED, arrays((2,)), [[1, "abc"], (2.5, [])], None, {"z": 1, "a": 2})),
    case("nest.pack_sequence_as", {"b": [1, (2,)], "a": 3}, FLAT),
    case("nest.pack_sequence_as", 1, [arrays((2,))]),
    case("nest.map_structure", Symbol("negative"), {"b": [arrays((2,))], "a": (arrays(()),)}),
    case("nest.map_structure", Symbol("add"), [arrays((2,)), (arrays(()),)], [arrays((2,)), (arrays(()),)]),
    case("nest.assert_same_structure", [1, (2, 3)], [arrays((2,)), (4, None)]),
    case("nest.is_nested", each([1], (), {"a": 1}, 1, "abc", arrays((2,)))),
    case("is_tensor", each(arrays((2,)), 1.0, [1.0], None, arrays((), "int32"))),
    case("get_static_value", each(tensor([1, 2], "int32"), tensor(2.5, "float32"))),
    case("as_dtype", each("float32", Symbol("int64"), float, bool, "bfloat16")),
    case("executing_eagerly"),
    refused("nest.pack_sequence_as", [1, 2], [1]),
    refused("nest.pack_sequence_as", 1, [1, 2]),
    refused("nest.map_structure", Symbol("add"), [1, 2], each([1], (1, 2), 1)),
    refused("nest.map_structure", 3, [1]),
    refused("nest.assert_same_structure", [1, 2], each([1], (1, 2), {"a": 1, "b": 2}, 1)),
    refused("as_dtype", each("float33", None, [], int)),
]
