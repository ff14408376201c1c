"""Functions of two tensors, element by element: arithmetic, comparison, logic."""

from __future__ import annotations

from tests.cases.dtype import ANY, BOOL, COMPLEX, FLOATING, INTEGER, NUMERIC, REAL
from tests.cases.form import LEFT, LEFT_POSITIVE, LEFT_TIED, RIGHT, RIGHT_POSITIVE, RIGHT_TIED
from tests.cases.recipe import arrays, case, each, refused, tensor

DIVISOR = [((2, 3), "positive"), *RIGHT[1:]]
LOGICAL = [(2, 3), (2, 1), (), (0, 3)]
LOGICAL_RIGHT = [(2, 3), (1, 3), (2, 2), (1,)]
SYMMETRIC = [("add", NUMERIC), ("subtract", NUMERIC), ("multiply", NUMERIC)]
ORDER = ("less", "less_equal", "greater", "greater_equal")
EMPTY_SAFE_LEFT = [(2, 3), (2, 1), (), (0, 3)]
EMPTY_SAFE_RIGHT = [((2, 3), "positive"), ((1, 3), "positive"), ((2, 2), "positive"), ((1,), "positive")]

CASES = [
    *(case(name, arrays(LEFT, dtypes), arrays(RIGHT)) for name, dtypes in SYMMETRIC),
    *(case(name, arrays(LEFT_TIED, REAL), arrays(RIGHT_TIED)) for name in ORDER),
    *(case(name, arrays(LEFT_TIED, ANY), arrays(RIGHT_TIED)) for name in ("equal", "not_equal")),
    *(case(name, arrays(LEFT_TIED, REAL), arrays(RIGHT_TIED)) for name in ("maximum", "minimum")),
    *(
        case(name, arrays(LOGICAL, BOOL), arrays(LOGICAL_RIGHT))
        for name in ("logical_and", "logical_or", "math.logical_xor")
    ),
    case("divide", arrays(LEFT, (*FLOATING, *COMPLEX)), arrays(DIVISOR)),
    case("divide", arrays([(2, 3), ((6, 1), "corners")], INTEGER), arrays([((2, 3), "positive"), ((1, 6), "corners")])),
    case("truediv", arrays([(2, 3)], NUMERIC), arrays([((2, 3), "positive")])),
    case("realdiv", arrays(LEFT, FLOATING), arrays(RIGHT)),
    case("math.divide_no_nan", arrays(LEFT, (*FLOATING, *COMPLEX)), arrays([((2, 3), "some_zeros"), *RIGHT[1:]])),
    case("math.multiply_no_nan", arrays(LEFT, FLOATING), arrays([((2, 3), "some_zeros"), *RIGHT[1:]])),
    case("math.floordiv", arrays(LEFT, FLOATING), arrays(RIGHT)),
    case("math.floordiv", arrays(EMPTY_SAFE_LEFT, INTEGER), arrays(EMPTY_SAFE_RIGHT)),
    case("math.floordiv", tensor([7, -7, 7, -7, 0], "int32"), tensor([2, 2, -2, -2, 3], "int32")),
    case("math.floormod", arrays(LEFT, FLOATING), arrays(RIGHT)),
    case("math.floormod", arrays(EMPTY_SAFE_LEFT, INTEGER), arrays(EMPTY_SAFE_RIGHT)),
    case("math.floormod", tensor([7, -7, 7, -7, 0], "int32"), tensor([2, 2, -2, -2, 3], "int32")),
    case("math.mod", tensor([5.5, -5.5, 5.5, -5.5], "float32"), tensor([2.0, 2.0, -2.0, -2.0], "float32")),
    case("truncatediv", tensor([7, -7, 7, -7, 0], "int32"), tensor([2, 2, -2, -2, 3], "int32")),
    case("truncatemod", tensor([7, -7, 7, -7, 0], "int32"), tensor([2, 2, -2, -2, 3], "int32")),
    case("pow", arrays(LEFT_POSITIVE, FLOATING), arrays([(2, 3), *RIGHT[1:]])),
    case("pow", arrays([((2, 3), "positive")], COMPLEX), arrays([(2, 3)])),
    case("pow", tensor([2, -3, 0, 5], "int32"), each(2, 0, 3, tensor([1, 2, 3, 0], "int32"))),
    case("pow", tensor([2.0, -3.0, 0.0, 0.5], "float32"), each(2, 0, 3, -1, 0.5, 2.0, -2.0)),
    case("math.squared_difference", arrays(LEFT, (*FLOATING, "int32", "int64", *COMPLEX)), arrays(RIGHT)),
    case("atan2", arrays(LEFT, FLOATING), arrays(RIGHT)),
    case("math.xlogy", arrays([((2, 3), "some_zeros"), *LEFT[1:-1]], FLOATING), arrays([*RIGHT_POSITIVE[:-1]])),
    case("math.xlog1py", arrays([((2, 3), "some_zeros"), *LEFT[1:-1]], FLOATING), arrays([*RIGHT_POSITIVE[:-1]])),
    case("math.xdivy", arrays([((2, 3), "some_zeros"), *LEFT[1:-1]], FLOATING), arrays([*RIGHT_POSITIVE[:-1]])),
    *(
        case(f"math.{name}", arrays([((2, 3), "positive"), ((), "positive")]), arrays([((2, 3), "positive")]))
        for name in ("igamma", "igammac")
    ),
    *(
        case(f"math.{name}", arrays((2, 1, 3), "float64", "above_one"), arrays((1, 3), "float64", "above_one"))
        for name in ("igamma", "igammac")
    ),
    case("math.zeta", arrays((2, 1, 3), "float64", "above_one"), arrays((1, 3), "float64", "above_one")).without(
        slope="there is no derivative for x", second_slope="there is no derivative for x"
    ),
    case("math.polygamma", tensor([[1.0], [2.0]], "float32"), tensor([1.0, 0.5, 2.0], "float32")),
    case("math.zeta", tensor([1.5, 2.0, 3.25, 10.0], "float32"), tensor([1.0, 0.5, 2.0, 3.0], "float32")),
    case("math.polygamma", tensor([0.0, 1.0, 2.0, 3.0], "float32"), tensor([1.0, 0.5, 2.0, 3.0], "float32")),
    case(
        "math.betainc",
        arrays(((2, 3), "positive")),
        arrays(((2, 3), "positive")),
        arrays(((2, 3), "probability")),
    ),
    case("math.nextafter", arrays([(2, 3), (2, 1)], ("float32", "float64")), arrays([(2, 3), (1, 3)])),
    *(
        case(f"bitwise.bitwise_{name}", arrays([(2, 3), (2, 1), ()], INTEGER), arrays([(2, 3), (1, 3), (2,)]))
        for name in ("and", "or", "xor")
    ),
    *(
        case(f"bitwise.{name}", tensor([5, -5, 1, 0], "int32"), each(2, tensor([0, 1, 3, 31], "int32")))
        for name in ("left_shift", "right_shift")
    ),
    case("scalar_mul", each(2.0, 3, tensor(2.0, "float32")), arrays([(2, 3), (), (0,)])),
    case("add", arrays((2, 3)), each(1, 2.5, [1.0, 2.0, 3.0], True)),
    case("add", 1.0, 2),
    case("add", 1, each(2, tensor(3, "int32"))),
    case("multiply", tensor([1, 2], "int32"), each(2, True)),
    case("divide", 7, 2),
    case("truediv", tensor([1, 2], "int32"), tensor([0, 3], "int32")),
    case("equal", arrays((2, 3)), each(1.0, 1)),
    case("maximum", tensor([1.0, 1.0], "float32"), each(1.0, 0, tensor([1.0, 2.0], "float32"))),
    case(
        "add_n",
        [
            arrays([(2, 3), (), (0,)], (*FLOATING, "int32", *COMPLEX)),
            arrays([(2, 3), (), (0,)]),
            arrays([(2, 3), (), (0,)]),
        ],
    ),
    case("add_n", [arrays((2, 3))]),
    case("add_n", [tensor([True, False], "bool")]),
    case("math.accumulate_n", [arrays((2, 3)), arrays((2, 3))]),
    *(
        refused(name, arrays((2,)), arrays((2,), other))
        for name in (
            "add",
            "multiply",
            "maximum",
            "pow",
            "less",
            "equal",
            "math.floordiv",
            "atan2",
            "math.divide_no_nan",
        )
        for other in ("float64", "int32", "float16")
    ),
    refused("add", arrays((2,), "int32"), arrays((2,), "int64")),
    refused("add", arrays((2,), "int32"), each(1.5, "a", [0.5])),
    refused("add", 1, 2.0),
    refused("add", 1.5, tensor([1], "int32")),
    refused("subtract", tensor([True], "bool"), tensor([True], "bool")),
    refused("add", tensor([True], "bool"), tensor([True], "bool")),
    refused("less", tensor([True], "bool"), tensor([True], "bool")),
    refused("divide", tensor([1, 2], "int32"), 2.0),
    refused("maximum", tensor([1], "int32"), 1.5),
    refused("pow", 2, 0.5),
    refused("pow", tensor([2], "int32"), -1),
    refused("math.floordiv", tensor([1, 2], "int32"), tensor([1, 0], "int32")),
    *(refused(name, arrays((0, 3), "int32"), arrays((2, 3), "int32")) for name in ("math.floordiv", "math.floormod")),
    refused("math.floormod", tensor([1, 2], "int32"), tensor([1, 0], "int32")),
    refused("realdiv", tensor([1, 2], "int32"), tensor([1, 1], "int32")),
    refused("logical_and", arrays((2,)), arrays((2,))),
    *(refused(name, arrays((2, 3)), arrays((4,))) for name in ("add", "multiply", "maximum", "pow", "less", "atan2")),
    refused("logical_or", arrays((2, 3), "bool"), arrays((2,), "bool")),
    refused("add_n", []),
    refused("add_n", [arrays((2, 3)), arrays((3,))]),
    refused("add_n", [arrays((2,)), arrays((2,), "float64")]),
    refused("scalar_mul", tensor([1.0, 2.0], "float32"), arrays((2,))),
]
