"""Assertions: passing ones return None, failing ones raise."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, Symbol
from tests.cases.recipe import arrays, case, each, refused, tensor

ONE, TWO = tensor([1.0, 1.0], "float32"), tensor([2.0, 1.0], "float32")
WHOLE = tensor([1, 2], "int32")

CASES = [
    case("debugging.assert_equal", each(ONE, 1.0), ONE),
    case("debugging.assert_none_equal", ONE, 2.0),
    case("debugging.assert_less", ONE, 3.0),
    case("debugging.assert_less_equal", ONE, TWO),
    case("debugging.assert_greater", TWO, 0.0),
    case("debugging.assert_greater_equal", TWO, ONE),
    case("debugging.assert_positive", ONE),
    case("debugging.assert_negative", tensor([-1.0], "float32")),
    case("debugging.assert_non_negative", tensor([0.0, 1.0], "float32")),
    case("debugging.assert_non_positive", tensor([0.0, -1.0], "float32")),
    case("debugging.assert_near", ONE, tensor([1.0, 1.0000001], "float32")),
    case("debugging.assert_near", ONE, TWO, atol=each(1.5)),
    case("debugging.assert_rank", arrays((2, 3)), 2),
    case("debugging.assert_rank_at_least", arrays((2, 3)), each(1, 2)),
    case("debugging.assert_rank_in", arrays((2, 3)), each((1, 2), [2])),
    case("debugging.assert_integer", WHOLE),
    case("debugging.assert_type", ONE, Symbol("float32")),
    case("debugging.assert_same_float_dtype", [ONE, TWO]),
    case("debugging.assert_scalar", tensor(1.0, "float32")),
    case("debugging.assert_shapes", [(arrays((2, 3)), ("N", 3)), (arrays((2,)), ("N",))]),
    case("debugging.assert_proper_iterable", [1, 2]),
    case("debugging.check_numerics", arrays([(2, 3), ()], FLOATING), "message"),
    case("debugging.Assert", True, ["data"]),
    case("debugging.is_numeric_tensor", each(ONE, tensor([True], "bool"))),
    refused("debugging.assert_equal", ONE, each(TWO, 2.0, tensor([1, 1], "int32"))),
    refused("debugging.assert_equal", ONE, TWO, message="words"),
    refused("debugging.assert_equal", arrays((2,)), arrays((3,))),
    refused("debugging.assert_none_equal", ONE, each(TWO, 1.0)),
    refused("debugging.assert_less", ONE, each(TWO, 1.0)),
    refused("debugging.assert_less_equal", TWO, ONE),
    refused("debugging.assert_greater", TWO, each(ONE, 1.5)),
    refused("debugging.assert_greater_equal", ONE, TWO),
    refused("debugging.assert_positive", tensor([0.0, 1.0], "float32")),
    refused("debugging.assert_negative", tensor([0.0, -1.0], "float32")),
    refused("debugging.assert_non_negative", tensor([-1.0], "float32")),
    refused("debugging.assert_non_positive", tensor([1.0], "float32")),
    refused("debugging.assert_near", ONE, TWO),
    refused("debugging.assert_rank", arrays((2, 3)), each(1, 3)),
    refused("debugging.assert_rank_at_least", arrays((2, 3)), 3),
    refused("debugging.assert_rank_in", arrays((2, 3)), (1, 3)),
    refused("debugging.assert_integer", ONE),
    refused("debugging.assert_type", ONE, Symbol("float64")),
    refused("debugging.assert_same_float_dtype", [ONE, tensor([1.0], "float64")]),
    refused("debugging.assert_scalar", ONE),
    refused("debugging.assert_shapes", [(arrays((2, 3)), ("N", 3)), (arrays((3,)), ("N",))]),
    refused("debugging.assert_shapes", [(arrays((2, 3)), (2, 4))]),
    refused("debugging.assert_proper_iterable", each(ONE, "abc", 1)),
    refused("debugging.check_numerics", arrays((5,), fill="with_nan"), "message"),
    refused("debugging.Assert", False, ["data"]),
    refused("debugging.Assert", tensor(False, "bool"), [WHOLE]),
]
