"""Functions of one tensor, element by element."""

from __future__ import annotations

from tests.cases.dtype import ANY, COMPLEX, FLOATING, INTEGER, REAL, SIGNED, Symbol
from tests.cases.form import INSIDE_UNIT, SMOOTH, UNARY
from tests.cases.recipe import arrays, case, each, refused, tensor

DIFFERENTIABLE = (*FLOATING, *COMPLEX)
MODERATE = [(2, 3), (), (0,), ((16,), "corners"), ((5,), "with_nan")]

OF_OTHER_DTYPE = "TensorFlow raises LookupError for a target of a dtype without gradients; here it is None"

CASES = [
    case("abs", arrays(UNARY, (*FLOATING, *SIGNED, *COMPLEX))),
    case("negative", arrays(UNARY, (*FLOATING, *SIGNED, *COMPLEX))),
    case("sign", arrays(UNARY, (*FLOATING, *SIGNED, *COMPLEX))),
    case("square", arrays(UNARY, (*FLOATING, "int32", "int64", "uint8", *COMPLEX))),
    case("sqrt", arrays([((2, 3), "positive"), *UNARY], DIFFERENTIABLE)),
    case("math.rsqrt", arrays([((2, 3), "positive"), *UNARY], DIFFERENTIABLE)),
    case("math.reciprocal", arrays(UNARY, DIFFERENTIABLE)),
    case("math.reciprocal_no_nan", arrays([((2, 3), "some_zeros"), *UNARY], DIFFERENTIABLE)),
    case("exp", arrays(UNARY, DIFFERENTIABLE)),
    case("math.expm1", arrays(UNARY, DIFFERENTIABLE)),
    case("math.log", arrays([((2, 3), "positive"), *UNARY], DIFFERENTIABLE)),
    case("math.log1p", arrays([((2, 3), "positive"), *UNARY], DIFFERENTIABLE)),
    case("sin", arrays(MODERATE, DIFFERENTIABLE)),
    case("cos", arrays(MODERATE, DIFFERENTIABLE)),
    case("tan", arrays(MODERATE, DIFFERENTIABLE)),
    case("asin", arrays(INSIDE_UNIT, DIFFERENTIABLE)),
    case("acos", arrays(INSIDE_UNIT, DIFFERENTIABLE)),
    case("atan", arrays(UNARY, DIFFERENTIABLE)),
    case("sinh", arrays(UNARY, DIFFERENTIABLE)),
    case("cosh", arrays(UNARY, DIFFERENTIABLE)),
    case("tanh", arrays(UNARY, DIFFERENTIABLE)),
    case("asinh", arrays(MODERATE, DIFFERENTIABLE)),
    case("acosh", arrays([((2, 3), "above_one"), *MODERATE], DIFFERENTIABLE)),
    case("atanh", arrays(INSIDE_UNIT, DIFFERENTIABLE)),
    case("sigmoid", arrays(UNARY, DIFFERENTIABLE)),
    case("math.log_sigmoid", arrays(UNARY, FLOATING)),
    case("math.erf", arrays(UNARY, FLOATING)),
    case("math.erfc", arrays(UNARY, FLOATING)),
    case("math.erfinv", arrays(INSIDE_UNIT, ("float32", "float64"))),
    case("math.ndtri", arrays([((2, 3), "probability"), ((16,), "corners")], ("float32", "float64"))),
    case("math.lgamma", arrays([((2, 3), "positive"), *SMOOTH], ("float32", "float64", "float16"))),
    case("math.digamma", arrays([((2, 3), "positive"), *SMOOTH])),
    *(
        case(f"math.bessel_{name}", tensor([0.0, 0.001, -0.5, 2.0, float("nan")], "float64")).without(
            second_order="TensorFlow's is that of a formula with a pole at 0",
            slope="TensorFlow takes 1 for the slope of bessel_i1 at 0, and nan has none",
        )
        for name in ("i0", "i1", "i0e", "i1e")
    ),
    case("math.digamma", arrays(((2, 3), "positive"), "float64")),
    case("math.digamma", arrays(((2, 3), "positive"), "float16")).without(
        gradient="TensorFlow has no kernel for the derivative"
    ),
    case("math.erfcinv", arrays(((2, 3), "probability"))),
    case("math.lbeta", arrays([((2, 3), "positive"), ((3,), "positive"), ((2, 1), "positive")])),
    *(
        case(f"math.{name}", arrays([((2, 3), "positive"), ((), "positive")]))
        for name in ("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e")
    ),
    case("bitwise.invert", arrays([(2, 3), (), (0,)], INTEGER)),
    case("floor", arrays(UNARY, FLOATING)),
    case("math.ceil", arrays(UNARY, FLOATING)),
    case("round", arrays(UNARY, (*FLOATING, "int32", "int64"))),
    case("math.rint", arrays(UNARY, ("float32", "float64"))),
    case("math.is_nan", arrays(UNARY, FLOATING)).without(gradient=OF_OTHER_DTYPE),
    case("math.is_inf", arrays(UNARY, FLOATING)).without(gradient=OF_OTHER_DTYPE),
    case("math.is_finite", arrays(UNARY, FLOATING)).without(gradient=OF_OTHER_DTYPE),
    case("math.is_non_decreasing", arrays([(4,), (1,), (0,), ((3,), "zeros"), (2, 2)], ("float32", "int32"))),
    case("math.is_strictly_increasing", arrays([(4,), (1,), (0,), ((3,), "zeros")], ("float32", "int32"))),
    case("logical_not", arrays([(2, 3), (), (0,)], ("bool",))),
    case("math.real", arrays([(2, 3), ()], (*COMPLEX, "float32", "float64"))),
    case("math.imag", arrays([(2, 3), ()], (*COMPLEX, "float32", "float64"))),
    case("math.conj", arrays([(2, 3), ()], (*COMPLEX, "float32", "float64", "int32"))),
    case("math.angle", arrays([(2, 3), ()], (*COMPLEX, "float32", "float64"))),
    case("identity", arrays([(2, 3), (), (0,)], ANY)),
    case("stop_gradient", arrays([(2, 3), ()], ANY)).without(slope="it cuts the path"),
    case("clip_by_value", arrays([(2, 3), (), (0,), ((16,), "corners"), ((5,), "with_nan")], REAL), 1, 2),
    case("clip_by_value", arrays([((16,), "corners"), ((2, 3), "normal")], FLOATING), -1.0, each(1.0, -2.0, 3)),
    case(
        "clip_by_value", arrays([(2, 3), (3,)]), arrays([((1, 3), "zeros"), ()]), arrays([(2, 1), ((3,), "positive")])
    ),
    case(
        "cast",
        arrays([(2, 3), (), (0,), ((16,), "corners"), ((3, 3), "normal")], ANY),
        each(*(Symbol(name) for name in ANY)),
    ).without(slope="the output is not of 64 bits"),
    case("cast", tensor([1.5, -1.5, 2.5, -0.5, 255.7, -1.0, 300.5, 256.0], "float32"), each("int32", "uint8", "int8")),
    case(
        "cast",
        tensor([float("nan"), float("inf"), float("-inf"), 3e9, -3e9, 1e20], "float32"),
        each(Symbol("int32"), Symbol("int64"), Symbol("bool"), Symbol("float16"), Symbol("float64")),
    ),
    case("cast", tensor([300, -1, 128, -129, 65536], "int32"), each("uint8", "int8", "int64", "float16", "bool")),
    case("saturate_cast", tensor([300, -1, 128, -129, 65536], "int32"), each("uint8", "int8", "int64")),
    case(
        "saturate_cast",
        tensor([300 + 5j, -1 - 1j, 1e30 + 2j], "complex128"),
        each("uint8", "int8", "int32", "float16", "float32", "complex64"),
    ),
    case("saturate_cast", tensor([1.5, -1.5, 300.0, -300.0, 3e9], "float32"), each("uint8", "int8", "int32")),
    case("bitcast", tensor([1.0, -2.5], "float32"), each(Symbol("int32"), Symbol("uint8"))).without(
        gradient=OF_OTHER_DTYPE
    ),
    case("bitcast", tensor([[1, 2], [3, 4]], "int32"), each(Symbol("float32"), Symbol("int64"))),
    case("complex", arrays([(2, 3), (3,)], ("float32", "float64")), arrays([(2, 3), (1,)])).without(
        slope="the output is complex"
    ),
    case("math.polyval", [arrays((2, 3)), arrays((2, 3)), 2.0], arrays((2, 3))),
    case("math.polyval", [arrays(())], arrays((2, 3))),
    case("math.sigmoid", [1.0, -2.0]),
    case("abs", each(-3, -2.5, [1, -1])),
    refused("sqrt", each(4, [1, 2], True)),
    refused("exp", tensor([1, 2], "int32")),
    refused("negative", tensor([True], "bool")),
    refused("logical_not", tensor([1.0], "float32")),
    refused("sigmoid", "a"),
    refused("clip_by_value", arrays((2, 3)), arrays((4,)), 1.0),
    refused("clip_by_value", tensor([1, 2], "int32"), 0.5, 1.5),
    refused("cast", "abc", Symbol("float32")),
    refused("bitcast", tensor([1, 2, 3], "uint8"), Symbol("int32")),
    refused("complex", arrays((2,)), arrays((2,), "float64")),
]
