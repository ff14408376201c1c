"""Functions of tf.experimental.numpy.

Before NumPy's behaviour is enabled, TensorFlow refuses integers if the result is floating.
"""

from __future__ import annotations

from tests.cases.dtype import PRECISE, Symbol
from tests.cases.recipe import Case, arrays, case, each, refused, tensor

OF_BOOL = "TensorFlow raises LookupError where the target is of another dtype than the source"
COMPOSED = "it is composed of ops whose rows ask for that"
OF_NOTHING = "TensorFlow answers None for an empty diagonal; here it is zeros"
FORMS = [(2, 3), (), (0,)]
STACKED = [(2, 3), (2,), (1, 2, 3)]
MIXED = ("int32", "float32", "int64", "bool")


def own(name: str, *args: object, **attributes: object) -> Case:
    """A row of a function of that namespace which is an op of its own."""
    return case(f"experimental.numpy.{name}", *args, **attributes)


def of(name: str, *args: object, **attributes: object) -> Case:
    """A row of a function of that namespace which is made of other ops."""
    return own(name, *args, **attributes).without(second_order=COMPOSED, slope=COMPOSED, second_slope=COMPOSED)


def unary(*names: str, fill: str = "normal") -> list[Case]:
    """Functions of one floating tensor."""
    return [of(name, arrays(FORMS, fill=fill)) for name in names] + [of(name, each(1.5, [0.5, 2.0])) for name in names]


def binary(*names: str, beside: tuple[str, ...] = MIXED) -> list[Case]:
    """Functions of two tensors, of one dtype and of two."""
    return [
        row
        for name in names
        for row in (
            of(name, arrays([(2, 3), (3,), ()], PRECISE[:1]), arrays([(2, 3), (), (2,)])),
            of(name, arrays((3,), "float32"), each(2, 0.5, [1.0, 2.0, 3.0])),
            of(name, arrays((3,), "float32"), arrays((3,), "float64")),
            *(of(name, tensor([1, 2, 3], "int32"), tensor([1, 2, 1], dtype)) for dtype in beside),
            of(name, each(1, [1, 2]), each(2, 3)),
        )
    ]


def folds(*names: str) -> list[Case]:
    """Functions that fold axes away."""
    return [
        row
        for name in names
        for row in (
            of(name, arrays((2, 3)), axis=each(None, 0, -1, (0, 1)), keepdims=each(None, True)),
            of(name, tensor([[1, 2], [3, 5]], "int32")),
            of(name, tensor([[1, 2], [3, 5]], "uint8")),
            of(name, tensor([True, False], "bool")),
            of(name, [[1.0, 2.0], [3.0, 5.0]]),
        )
    ]


FLOAT32, INT32, FLOAT64 = (Symbol(f"experimental.numpy.{name}") for name in ("float32", "int32", "float64"))

CASES = [
    *unary("abs", "absolute", "fabs", "negative", "positive", "square", "conj", "conjugate", "sign"),
    *unary("ceil", "floor", "fix", "cbrt", "exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *unary("arctan", "arcsinh", "deg2rad", "sinc", "signbit", "real", "imag", "angle"),
    *unary("isreal", "iscomplex", "logical_not"),
    *(of(name, arrays(FORMS)) for name in ("isneginf", "isposinf")),
    *(of(name, arrays(FORMS)).without(gradient=OF_BOOL) for name in ("isfinite", "isinf", "isnan")),
    *unary("sqrt", "reciprocal", "log", "log1p", "log2", "log10", fill="positive"),
    *(of(name, arrays(FORMS, fill="unit")) for name in ("arcsin", "arccos", "arctanh")),
    of("arccosh", tensor([1.5, 2.0, 7.0], "float32")),
    of("angle", tensor([1 + 1j, -2j], "complex64"), each(False, True)),
    of("bitwise_not", each(6, True, tensor([1, 5], "int32"))),
    of("rad2deg", arrays(FORMS)),
    *binary("add", "subtract", "multiply", "maximum", "minimum", "divide", "true_divide"),
    *binary("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *binary("logical_and", "logical_or", "logical_xor", "isclose", "allclose"),
    *binary("floor_divide", "mod", "remainder", "divmod", beside=("int32", "float32", "int64")),
    of("maximum", arrays((2, 3)), each(0, 0.0)),
    of("power", arrays((3,), fill="positive"), each(2, 0.5, arrays((3,)))),
    of("float_power", arrays((3,), fill="positive"), 2),
    of("power", tensor([1, 2], "int32"), each(2, 0.5)),
    of("arctan2", arrays((2, 3)), arrays((3,))),
    of("nextafter", arrays((3,)), arrays((3,))),
    of("hypot", arrays((3,)), arrays((3,))),
    of("heaviside", arrays((3,)), 0.5),
    *(of(name, arrays((3,)), arrays((3,))) for name in ("logaddexp", "logaddexp2")),
    *(of(name, 6, each(3, [1, 2])) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    *(
        of(name, [True, False], [True, True])
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "add", "multiply")
    ),
    of("divide", [True, False], True),
    of("floor_divide", [True, False], True),
    of("clip", arrays((2, 3)), each(-0.5, None), 0.5),
    of("clip", tensor([1, 2, 3], "int32"), 1.5, each(2, None)),
    refused("experimental.numpy.clip", arrays((3,)), None, None),
    of("array_equal", tensor([1, 2], "int32"), each([1, 2], [1, 3], [1, 2, 3])),
    of("iscomplexobj", arrays((2,))),
    of("isrealobj", arrays((2,))),
    of("isscalar", each(1.5, [1.5])),
    *folds("sum", "prod", "mean", "std", "var", "max", "min", "all", "any"),
    *(of(name, arrays((2, 3)), axis=each(None, 1)) for name in ("amax", "amin", "ptp", "nansum", "nanprod", "nanmean")),
    of("nansum", tensor([1.0, float("nan")], "float32")),
    of("nanmean", tensor([1.0, float("nan")], "float32")),
    of("sum", arrays((2, 3)), dtype=each(FLOAT64, INT32, Symbol("bool"))),
    of("mean", tensor([1, 2], "int32"), dtype=FLOAT32),
    of("var", tensor([1, 2], "int32"), dtype=FLOAT32),
    refused("experimental.numpy.mean", arrays((3,)), out=[1.0]),
    *(of(name, arrays((2, 3)), each(None, 0, -1)) for name in ("cumsum", "cumprod", "count_nonzero")),
    *(of(name, tensor([[1, 2], [3, 4]], "int32"), 0, each(None, FLOAT32)) for name in ("cumsum", "cumprod")),
    *(of(name, each(2, (2, 3), []), each(FLOAT32, INT32, Symbol("bfloat16"))) for name in ("zeros", "ones", "empty")),
    *(of(name, each(2, (2, 3), [])) for name in ("zeros", "ones", "empty")),
    refused("experimental.numpy.ones", 2, None),
    *(of(name, arrays((2, 3)), each(None, INT32)) for name in ("zeros_like", "ones_like", "empty_like")),
    *(of(name, each(1.5, [1, 2])) for name in ("zeros_like", "ones_like", "empty_like")),
    *(
        of(name, each(1.5, 2, [1, 2], [], True, 2j, [[1.0, 2], [3, 4]], arrays((2,))), each(None, FLOAT32, INT32))
        for name in ("asarray", "asanyarray", "array", "ascontiguousarray")
    ),
    of("array", each(1.5, arrays((2,))), ndmin=each(0, 1, 3)),
    of("copy", each([1.0, 2.0], arrays((2,)))),
    of("full", each(2, (2, 3)), each(3, 2.5), each(None, FLOAT32)),
    of("full_like", arrays((2, 3)), each(3, 2.5), each(None, INT32)),
    own("eye", 2, each(None, 3), each(0, 1, -1, 5)),
    of("identity", 2, each(FLOAT32, INT32)),
    own("tri", 2, each(None, 3), each(0, 1, -1)),
    of("arange", each(3, 3.0, -3, 0)),
    of("arange", 1, each(7, 0), each(2, 0.5, -2), each(None, FLOAT32)),
    refused("experimental.numpy.arange", 1, 2, 0),
    of("linspace", each(0, 0.5, arrays((2,))), 3, 4, endpoint=each(True, False), retstep=each(False, True)),
    of("logspace", 0, each(2, 3.0), 3),
    of("meshgrid", arrays((2,)), arrays((3,)), indexing=each("xy", "ij")),
    of("reshape", arrays((2, 3)), each(-1, (3, 2), [6]), each("C", "F")),
    refused("experimental.numpy.reshape", arrays((2, 3)), -1, "A"),
    of("flatten", arrays((2, 3)), each("C", "F", "K")),
    *(of(name, arrays((2, 3))) for name in ("ravel", "flipud", "fliplr", "transpose", "flip", "rot90", "nonzero")),
    *(of(name, arrays((2, 3))) for name in ("ndim", "size")),
    of("expand_dims", arrays((2, 3)), each(0, -1)),
    of("squeeze", arrays((1, 3, 1)), each(None, 0, -1)),
    of("transpose", arrays((2, 3, 4)), each(None, (1, 0, 2))),
    of("swapaxes", arrays((2, 3, 4)), 0, each(-1, 1)),
    of("moveaxis", arrays((2, 3, 4)), each(0, -1, 1), each(-1, 0)),
    of("moveaxis", arrays((2, 3, 4)), (0, 1), (2, 0)),
    of("flip", arrays((2, 3)), each(None, 0, -1)),
    of("roll", arrays((2, 3)), each(1, -2), each(None, 0, 1)),
    of("rot90", arrays((2, 3)), each(1, 0, 2, 3, -1)),
    of("tile", arrays((2, 3)), each(2, (2, 1), (2, 1, 1))),
    of("repeat", arrays((2, 3)), 2, each(None, 0, 1)),
    of("broadcast_to", arrays((3,)), each((2, 3), [3])),
    of("broadcast_arrays", arrays((3,)), arrays((2, 1))),
    *(of(f"atleast_{n}d", arrays([(), (3,), (2, 3), (1, 2, 3)])) for n in (1, 2, 3)),
    of("atleast_2d", arrays((3,)), 1.5),
    of("pad", arrays((2, 3)), [[1, 0], [0, 2]], each("constant", "reflect", "symmetric")),
    of("pad", arrays((3,)), [[1, 1]], "constant", constant_values=2.5),
    refused("experimental.numpy.pad", arrays((3,)), [[1, 1]], "edge"),
    of("stack", [arrays((2, 3)), arrays((2, 3))], each(0, 1, -1)),
    of("stack", [tensor([1, 2], "int32"), arrays((2,))]),
    of("stack", arrays((2, 3)), each(0, 1)),
    of("concatenate", [arrays((2, 3)), arrays((2, 3))], each(0, -1)),
    of("concatenate", [tensor([1, 2], "int32"), arrays((2,))]),
    refused("experimental.numpy.concatenate", []),
    *(of(name, [arrays(STACKED), arrays(STACKED)]) for name in ("hstack", "vstack")),
    of("dstack", [arrays(STACKED), arrays(STACKED)]),
    of("append", arrays((2, 3)), arrays((2, 3)), each(None, 0, 1)),
    of("split", arrays((4, 3)), each(2, [1], [1, 3], [2, 9])),
    *(of(name, arrays((2, 2, 2)), each(2, [1])) for name in ("hsplit", "vsplit", "dsplit")),
    refused("experimental.numpy.vsplit", arrays((3, 2)), 2),
    of("where", tensor([True, False, True], "bool"), arrays((3,)), each(arrays((3,)), 1, 2.5)),
    of("where", each([1, 0, 2], [[0.5, 0.0], [0.0, 2.0]])),
    refused("experimental.numpy.where", [True], 1),
    of("select", [tensor([True, False], "bool"), tensor([True, True], "bool")], [arrays((2,)), 1.5], 2),
    of("take", arrays((4, 3)), tensor([0, 5, -1], "int32"), each(None, 0, 1), mode=each("clip", "wrap")),
    *(of(name, arrays((2, 3)), each(None, 0, -1)) for name in ("argmax", "argmin", "sort", "argsort")),
    *(own(name, arrays([(3, 3), (2, 3), (2, 2, 3)]), each(0, 1, -1)) for name in ("tril", "triu")),
    refused("experimental.numpy.tril", arrays((3,))),
    own("diag", arrays([(3,), (2, 3)]), each(0, 1, -1)),
    of("diagflat", arrays((2, 2)), each(0, 1)),
    own("diagonal", arrays((2, 3, 4)), each(0, 1), each(0, 1), each(2, -1)),
    own("diagonal", arrays((2, 3)), 7).without(gradient=OF_NOTHING, second_order=OF_NOTHING),
    of("diag_indices", 3, each(2, 1)),
    of("diff", arrays((2, 4)), each(1, 2, 0), each(-1, 0)),
    of("trace", arrays((2, 3)), each(0, 1)),
    of("trace", tensor([[1, 2], [3, 4]], "int32"), each(0, 1), dtype=each(None, FLOAT32)),
    of("matmul", arrays([(2, 3), (3,), (3,), (2, 2, 3)]), arrays([(3, 2), (3,), (3, 2), (3, 2)])),
    of("matmul", tensor([[1, 2]], "int32"), arrays((2, 1))),
    refused("experimental.numpy.matmul", arrays((2, 3)), arrays((2, 3))),
    of("dot", arrays([(2, 3), (3,), (), (2, 3)]), arrays([(3, 2), (3,), (3,), (2, 3, 2)])),
    of("inner", arrays([(2, 3), ()]), arrays([(4, 3), (3,)])),
    of("outer", arrays((2,)), arrays((3,))),
    of("outer", tensor([True, False], "bool"), tensor([True, True], "bool")),
    of("vdot", arrays((2, 2), ("float32",)), arrays((2, 2))),
    of("vdot", tensor([1 + 1j, 2], "complex64"), tensor([2j, 1], "complex64")),
    of("tensordot", arrays((2, 3, 4)), arrays((3, 4, 2)), each(2, [[1], [0]])),
    of("einsum", "ij,jk->ik", arrays((2, 3)), arrays((3, 2)), optimize=each(False, True, "optimal")),
    of("einsum", "i,i", tensor([1, 2], "int32"), arrays((2,))),
    *(own(name, each(12, -4, 0), each(18, [3, 0, 8], tensor([6, 9], "int32"))) for name in ("gcd", "lcm")),
    refused("experimental.numpy.gcd", 1.5, 2),
    own("kron", arrays([(2, 3), (2,), (2, 2)]), arrays([(2, 2), (3,), (3,)])),
    own("kron", tensor([1, 2], "int32"), arrays((2,))),
    own("kron", tensor([[True, False]], "bool"), tensor([True, True], "bool")),
    of("average", arrays((2, 3)), axis=each(None, 0, -1), returned=each(False, True)),
    of("average", arrays((2, 3)), axis=each(0, 1), weights=arrays((2, 3)), returned=True),
    of("average", arrays((2, 3)), axis=1, weights=[1.0, 2.0, 4.0]),
    of("average", tensor([1, 2, 4], "int32"), weights=arrays((3,), ("float32",))),
    refused("experimental.numpy.average", arrays((2, 3)), weights=[1.0, 2.0, 3.0]),
    refused("experimental.numpy.average", arrays((2, 3)), axis=each((0, 1), 1.5)),
    of("compress", each([True, False], [0, 2]), arrays((2, 3)), axis=each(None, 0, 1, -1)),
    refused("experimental.numpy.compress", each([[True]], [True, True, True]), arrays((2, 3)), axis=0),
    of("cross", arrays([(2, 3), (3,), (2, 3), (2, 2)]), arrays([(3,), (2, 3), (2, 2), (2,)])),
    of("cross", arrays((3, 2)), arrays((3, 2)), axis=0),
    of("cross", arrays((2, 3, 4)), arrays((2, 3, 4)), axisa=1, axisb=1, axisc=0),
    of("cross", tensor([1, 2, 3], "int32"), arrays((3,))),
    refused("experimental.numpy.cross", arrays([(4,), ()]), arrays([(4,), ()])),
    of("geomspace", each(1.0, -2), each(-1000.0, [8.0, 16.0]), each(4, 1, 0)),
    of("geomspace", 1.0, 256, 9, endpoint=False, dtype=each(None, FLOAT32)),
    of("geomspace", tensor([1.0, 2.0], "float32"), 16.0, 3, axis=each(0, 1)),
    refused("experimental.numpy.geomspace", each(1j, 1.0), 8j, 3),
    of("ix_", each([0, 1], [True, False, True]), each([2, 4], tensor([3], "int64"))),
    refused("experimental.numpy.ix_", each([[0]], [1.5])),
    of("polyval", arrays([(3,), (0,), ()]), arrays([(2, 3), (2,), ()])),
    of("polyval", each([1, 2], [True]), each(arrays((2,)), 2, [0.5])),
    of("take_along_axis", arrays((2, 3)), each([[0], [-1]], [[2, 0, 1]]), each(1, -1)),
    of("take_along_axis", arrays((2, 3)), [[0, 1, 1]], 0),
    refused("experimental.numpy.take_along_axis", arrays((2, 3)), each([[5], [0]], [0], [[0], [0], [0]]), 1),
    of("vander", arrays((3,)), each(None, 0, 2, 4), increasing=each(False, True)),
    of("vander", tensor([1, 2, 3], "int32")),
    refused("experimental.numpy.vander", arrays([(2, 2), ()])),
]
