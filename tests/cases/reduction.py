"""Functions that fold an axis away, and running folds along one."""

from __future__ import annotations

from tests.cases.dtype import BOOL, COMPLEX, FLOATING, NUMERIC, REAL, Symbol
from tests.cases.form import AXES, REDUCED
from tests.cases.recipe import arrays, case, each, refused, tensor

NONEMPTY = [(3, 4), (2, 3, 2), (1,), ((4, 3), "ties"), ((3, 3), "with_nan")]
FLAGS = [(3, 4), (), (0,), (0, 3), (2, 3, 2)]
SCANNED = [(3, 4), (1,), (0,), (2, 0), (2, 3, 2), ((3, 3), "some_zeros"), ((3, 3), "with_nan")]
WITHOUT_ZEROS = [form for form in SCANNED if "some_zeros" not in form]
OUT_OF_RANGE = (2, -3, [0, 5])

CASES = [
    case("reduce_sum", arrays(REDUCED, NUMERIC), axis=each(*AXES), keepdims=each(False, True)),
    case("reduce_mean", arrays(REDUCED, NUMERIC), axis=each(*AXES), keepdims=each(False, True)),
    case("reduce_mean", tensor([1, 2, -4], "int32")),
    case(
        "reduce_prod", arrays([*REDUCED, ((3, 4), "some_zeros")], NUMERIC), axis=each(*AXES), keepdims=each(False, True)
    ),
    case("reduce_max", arrays(REDUCED, REAL), axis=each(*AXES), keepdims=each(False, True)),
    case("reduce_min", arrays(REDUCED, REAL), axis=each(*AXES), keepdims=each(False, True)),
    case("reduce_all", arrays(FLAGS, BOOL), axis=each(*AXES), keepdims=each(False, True)),
    case("reduce_any", arrays(FLAGS, BOOL), axis=each(*AXES), keepdims=each(False, True)),
    case("reduce_logsumexp", arrays(REDUCED, FLOATING), axis=each(*AXES), keepdims=each(False, True)),
    case("math.reduce_std", arrays(REDUCED, (*FLOATING, *COMPLEX)), axis=each(*AXES), keepdims=each(False, True)),
    case("math.reduce_variance", arrays(REDUCED, (*FLOATING, *COMPLEX)), axis=each(*AXES), keepdims=each(False, True)),
    case("math.reduce_euclidean_norm", arrays(REDUCED, (*FLOATING, *COMPLEX)), axis=each(*AXES)),
    case(
        "math.count_nonzero",
        arrays([((3, 4), "some_zeros"), (), (0, 3)], NUMERIC),
        axis=each(*AXES[:4]),
        keepdims=each(None, True),
    ),
    case("math.count_nonzero", arrays((3, 4), "bool"), dtype=each(Symbol("int32"), Symbol("int64"))),
    case("argmax", arrays(NONEMPTY, REAL), axis=each(None, 0, -1), output_type=each(Symbol("int64"), Symbol("int32"))),
    case("argmin", arrays(NONEMPTY, REAL), axis=each(None, 0, -1), output_type=each(Symbol("int64"), Symbol("int32"))),
    case("cumsum", arrays(SCANNED, NUMERIC), axis=each(0, -1), exclusive=each(False, True), reverse=each(False, True)),
    case(
        "math.cumprod",
        arrays([((3, 4), "positive"), *WITHOUT_ZEROS], NUMERIC),
        axis=each(0, -1),
        exclusive=each(False, True),
        reverse=each(False, True),
    ),
    case("math.cumprod", arrays((3, 3), fill="some_zeros"), axis=0, exclusive=False, reverse=False).without(
        second_order="numbers 5000 times as large cancel"
    ),
    case(
        "math.cumulative_logsumexp",
        arrays([(3, 4), (0,), (2, 0), (2, 3, 2)], ("float32", "float64", "float16")),
        axis=each(0, -1),
        exclusive=each(False, True),
        reverse=each(False, True),
    ),
    case("math.cumulative_logsumexp", arrays((1,)), axis=0, exclusive=False, reverse=False).without(
        second_order="of one element it is linear: None rather than 0"
    ),
    case(
        "norm",
        arrays([(3, 4), ((3, 4), "zeros"), ((3, 3), "some_zeros"), (2, 2, 3)], (*FLOATING, *COMPLEX)),
        axis=each(None, 0, -1),
        keepdims=each(None, True),
    ),
    case(
        "norm",
        arrays([(3, 4), ((3, 3), "some_zeros")]),
        ord=each("euclidean", 1, 2, float("inf"), 3, 1.5),
        axis=each(None, 1),
    ),
    case("norm", arrays((3, 4)), ord=each("fro", "euclidean", 1, float("inf")), axis=each([0, 1], (-2, -1))),
    case("linalg.global_norm", [arrays((2, 3)), arrays((4,)), None]),
    case("nn.l2_loss", arrays([(2, 3), (), (0,)], FLOATING)),
    case(
        "nn.l2_normalize",
        arrays([(3, 4), ((3, 4), "zeros"), (0, 2)], FLOATING),
        axis=each(None, 0, -1, [0, 1]),
        epsilon=each(1e-12, 1.0),
    ),
    case(
        "nn.moments",
        arrays([(3, 4), (2, 3, 2), ((3, 3), "ties")], FLOATING),
        each([0], [0, 1], [-1]),
        keepdims=each(False, True),
    ).without(second_slope="TensorFlow takes the mean inside the variance for a constant"),
    case("nn.zero_fraction", arrays([((3, 4), "some_zeros"), ((2,), "zeros")], REAL)),
    case("linalg.trace", arrays([(3, 3), (2, 3), (2, 2, 2)], NUMERIC)),
    case("reduce_sum", each(1.5, [1, 2, 3], [[1.0], [2.0]])),
    case("reduce_sum", arrays((2, 3, 4)), each(tensor(1, "int32"), tensor([0, 2], "int32"), tensor([0], "int64"))),
    case("reduce_max", arrays((2, 3, 4)), each(tensor(1, "int32"), [0, 2])),
    *(
        refused(name, arrays((3, 4)), each(*OUT_OF_RANGE))
        for name in (
            "reduce_sum",
            "reduce_mean",
            "reduce_max",
            "reduce_prod",
            "argmax",
            "reduce_logsumexp",
            "math.reduce_std",
        )
    ),
    refused("cumsum", arrays((3, 4)), each(2, -3)),
    refused("math.cumprod", arrays((3, 4)), each(2, -3)),
    refused("reduce_sum", arrays((3, 4)), each([0, 0], [1, -1])),
    case("reduce_prod", arrays([(0, 3), (3, 0)]), axis=each(1, 0, None)),
    refused("reduce_sum", arrays((3,)), 0.5),
    refused("reduce_sum", arrays((3,)), each(tensor(0, "int8"), tensor([0], "uint8"), tensor(0.0, "float32"))),
    refused("expand_dims", arrays((3,)), tensor(0, "int16")),
    refused("reduce_sum", tensor([True, False], "bool")),
    refused("reduce_mean", tensor([True, False], "bool")),
    refused("reduce_all", arrays((3,))),
    refused("math.reduce_std", tensor([1, 2], "int32")),
    refused("math.reduce_variance", tensor([1, 2], "int32")),
    refused("argmax", arrays((0, 3))),
    refused("argmin", arrays((0,))),
    refused("norm", tensor([1, 2], "int32")),
    refused("norm", arrays((3, 4)), ord="bad"),
    refused("norm", arrays((3, 4)), ord="fro", axis=0),
    refused("reduce_sum", [[1, 2], [3]]),
]
