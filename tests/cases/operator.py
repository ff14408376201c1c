"""The operators of Tensor, with numbers, lists and arrays on the other side, and indexing."""

from __future__ import annotations

from tests.cases.dtype import ANY, FLOATING, NUMERIC
from tests.cases.recipe import arrays, case, each, refused, tensor

ARITHMETIC = ("add", "radd", "sub", "rsub", "mul", "rmul")
DIVISION = ("truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow", "rpow")
COMPARISON = ("lt", "le", "gt", "ge", "eq", "ne")
NUMBERS = each(2, 2.5, True, [1.0, 2.0, 3.0])
SUBSCRIPTS = (
    0, -1, slice(1, None), slice(None, None, -1), slice(None, None, 2), slice(-2, 100), ..., None, (), (0, 1), (..., 0),
    (slice(None), 1), (None, 0), (slice(0, 2), slice(1, None, 2)), (0, ..., None), (..., slice(2, 0, -1)), slice(2, 1),
    [0, 2],
)  # fmt: skip
BAD_SUBSCRIPTS = (3, -4, (0, 5), "a", 1.5, (0, 0, 0), True, (..., ...))

CASES = [
    *(case(f"Tensor.__{name}__", arrays((2, 3)), NUMBERS) for name in ARITHMETIC),
    *(case(f"Tensor.__{name}__", arrays((2, 3), fill="positive"), NUMBERS) for name in DIVISION),
    *(case(f"Tensor.__{name}__", arrays((2, 3), fill="ties"), each(2, 1.0, [1.0, 2.0, 3.0])) for name in COMPARISON),
    *(case(f"Tensor.__{name}__", arrays((2, 3), "int32", "positive"), 2) for name in (*ARITHMETIC, *DIVISION)),
    *(case(f"Tensor.__{name}__", arrays((2, 3), FLOATING), arrays((2, 3))) for name in ("add", "sub", "mul")),
    case("Tensor.__matmul__", arrays((2, 3), FLOATING), arrays((3, 2))),
    case("Tensor.__rmatmul__", arrays((2, 2)), [[1.0, 2.0]]),
    case("Tensor.__neg__", arrays((2, 3), (*FLOATING, "int32"))),
    case("Tensor.__abs__", arrays((2, 3), (*FLOATING, "int32"))),
    case("Tensor.__invert__", arrays((3,), ("bool", "int32", "uint8"))),
    *(case(f"Tensor.__{name}__", arrays((3,), ("bool", "int32")), arrays((3,))) for name in ("and", "or", "xor")),
    case("Tensor.__eq__", arrays((2, 3)), each(arrays((4,)), None)),
    case("Tensor.__ne__", arrays((2, 3)), each(arrays((4,)), None)),
    case("Tensor.__getitem__", arrays((3, 4), ANY), each(*SUBSCRIPTS)),
    case("Tensor.__getitem__", arrays((3, 4)), each(tensor(1, "int32"), (tensor(1, "int64"), slice(None)))),
    case("Tensor.__getitem__", arrays((3, 4)), tensor([True, False, True], "bool")),
    case("Tensor.__getitem__", arrays((5,), NUMERIC), each(2, slice(4, 0, -2))),
    *(
        refused(f"Tensor.__{name}__", arrays((2, 3)), arrays((2, 3), "int32"))
        for name in ("add", "mul", "lt", "truediv", "matmul", "pow")
    ),
    *(
        refused(f"Tensor.__{name}__", arrays((2, 3), "int32"), 1.5)
        for name in ("add", "radd", "mul", "lt", "truediv", "pow", "floordiv", "mod")
    ),
    refused("Tensor.__eq__", arrays((2,)), arrays((2,), "int32")),
    *(refused(f"Tensor.__{name}__", arrays((2,)), arrays((3,), "int32")) for name in ("eq", "ne")),
    refused("Tensor.__eq__", arrays((2,), "int32"), "x"),
    refused("Tensor.__and__", arrays((2,)), arrays((2,))),
    refused("Tensor.__invert__", arrays((2,))),
    refused("Tensor.__add__", arrays((2, 3)), each("a", [1.0, 2.0], None)),
    refused("Tensor.__getitem__", arrays((3, 4)), each(*BAD_SUBSCRIPTS)),
    refused("Tensor.__getitem__", arrays((3, 4)), each(tensor([0, 2], "int32"), tensor(1.0, "float32"))),
    refused("Tensor.__getitem__", arrays(()), 0),
    refused("Tensor.__matmul__", arrays((2, 3)), arrays((3,))),
    refused("Tensor.__bool__", arrays((2,))),
    refused("Tensor.__len__", arrays(())),
    refused("Tensor.__iter__", arrays(())),
    refused("Tensor.__float__", arrays((2,))),
    refused("Tensor.__hash__", arrays((2,))),
]
