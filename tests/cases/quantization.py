"""Numbers rounded to a few levels."""

from __future__ import annotations

from tests.cases.dtype import PRECISE
from tests.cases.recipe import Case, arrays, case, each, refused, tensor

FORMS = [(3, 4), (), (0,), ((16,), "corners"), ((12,), "specials"), ((12,), "with_nan")]
MIXED = ((3, 4), "some_zeros")
BITS = each(8, 2, 16)
NARROW = each(False, True)
# None of them puts a number of the rows halfway between two levels: there TensorFlow's own kernels differ.
RANGE = (-2.3, 3.1)
LOW = tensor([-2.3, 0.0, 1.3, -5.5], "float32")
HIGH = tensor([3.1, 2.9, 4.1, -1.7], "float32")
ENDS = {"input_min": -2.3, "input_max": 3.1}
COARSE = {"num_bits": 4, "range_given": True}


def dequantized(name: str) -> list[Case]:
    """The rows of the two that round to the levels of a range."""
    name = f"quantization.{name}"
    accepted = [
        case(
            name,
            arrays([(3, 4), (), (0,), ((16,), "corners"), (2, 3, 2)], PRECISE),
            **ENDS,
            signed_input=each(True, False),
            num_bits=each(8, 1, 3, 20),
            range_given=each(False, True),
            narrow_range=NARROW,
        ),
        case(name, arrays([(3, 4), ((12,), "specials"), ((12,), "with_nan")]), **ENDS, **COARSE),
        case(
            name,
            arrays([((3, 4), "ties"), ((16,), "corners")], PRECISE),
            input_min=each(-4.0, 0.0, -1.0),
            input_max=each(3.0, 0.0),
            round_mode=each("HALF_TO_EVEN", "HALF_UP"),
            **COARSE,
        ),
        case(name, arrays((3, 4), PRECISE), [-1.0] * 4, [2.0] * 4, num_bits=5, axis=each(1, -1)),
        case(name, arrays((2, 3, 2)), [-1.0] * 3, [2.0] * 3, num_bits=5, axis=each(1, -2)),
    ]
    return [
        *(row.without(slope="the slope of a step function is not a gradient") for row in accepted),
        *(refused(name, arrays((3,), dtype), 0, 1) for dtype in ("float16", "bfloat16", "int32", "complex64", "bool")),
        case(name, [1.0], tensor(0.0, "float64"), 1.0).without(slope="the slope of a step function is not a gradient"),
        refused(name, tensor([1.0], "float32"), tensor(0.0, "float64"), 1.0),
        refused(name, [1.0], 0.0, 1.0, num_bits=each(0, 62)),
        refused(name, [1.0], 0.0, 1.0, round_mode="HALF_AWAY"),
        refused(name, [1.0], 2.0, each(1.0, float("nan")), range_given=True),
        refused(name, [1.0], [0.0], [1.0], range_given=True),
        refused(name, [1.0], 0.0, 1.0, range_given=True, axis=0),
        refused(name, [1.0], 0.0, 1.0, axis=1),
    ]


CASES = [
    case("quantization.fake_quant_with_min_max_args", arrays(FORMS, ("float32",)), *RANGE, BITS, NARROW),
    case(
        "quantization.fake_quant_with_min_max_args",
        arrays((3, 4)),
        min=each(-2.3, 1.3, -5.5, 0.0),
        max=each(6.1, 4.3),
        num_bits=4,
    ),
    case("quantization.fake_quant_with_min_max_args", each([0.1, 3.3, -8.0], tensor([0.1, 3.3], "float32"))),
    case("quantization.fake_quant_with_min_max_args_gradient", arrays((3, 4)), arrays(MIXED), *RANGE, BITS, NARROW),
    case("quantization.fake_quant_with_min_max_vars", arrays(FORMS), *RANGE, BITS, NARROW),
    case(
        "quantization.fake_quant_with_min_max_vars",
        arrays((3, 4)),
        each(tensor(-2.3, "float32"), tensor(1.3, "float32"), tensor(0.0, "float32")),
        each(tensor(3.1, "float32"), tensor(4.3, "float32")),
        num_bits=4,
    ),
    case("quantization.fake_quant_with_min_max_vars", arrays([(3,), ((5,), "with_nan")]), each(0.0, 3.0), 0.0),
    case("quantization.fake_quant_with_min_max_vars_gradient", arrays((3, 4)), arrays(MIXED), *RANGE, BITS, NARROW),
    case("quantization.fake_quant_with_min_max_vars_gradient", arrays((5,)), arrays((5,)), 0.0, 0.0),
    case(
        "quantization.fake_quant_with_min_max_vars_per_channel",
        arrays([(3, 4), (4,), (0, 4), (2, 3, 4), ((3, 4), "specials")]),
        LOW,
        HIGH,
        BITS,
        NARROW,
    ),
    case(
        "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
        arrays([(3, 4), (4,), (2, 3, 4)]),
        arrays([(3, 4), (4,), (2, 3, 4)]),
        LOW,
        HIGH,
        each(8, 3),
        NARROW,
    ),
    *(
        refused(f"quantization.fake_quant_with_min_max_{kind}", arrays((3,), dtype), -2.0, 2.0)
        for kind in ("args", "vars")
        for dtype in ("float64", "float16", "int32", "complex64", "bool")
    ),
    *(
        refused(f"quantization.fake_quant_with_min_max_{kind}", [1.0], -2.0, 2.0, each(1, 17))
        for kind in ("args", "vars")
    ),
    refused("quantization.fake_quant_with_min_max_args", [1.0], each(2.0, 3.0), 2.0),
    refused("quantization.fake_quant_with_min_max_args", [1.0], "low", 2.0),
    refused("quantization.fake_quant_with_min_max_args_gradient", [1.0], [1.0, 2.0]),
    refused("quantization.fake_quant_with_min_max_args_gradient", [1.0], [1.0], 2.0, each(2.0, 1.0)),
    refused("quantization.fake_quant_with_min_max_vars", [1.0], [-2.0], [2.0]),
    refused("quantization.fake_quant_with_min_max_vars_gradient", [1.0], [1.0, 2.0], -2.0, 2.0),
    refused("quantization.fake_quant_with_min_max_vars_gradient", [1.0], [1.0], -2.0, [2.0]),
    refused("quantization.fake_quant_with_min_max_vars_per_channel", arrays((3, 4)), -2.0, 2.0),
    refused("quantization.fake_quant_with_min_max_vars_per_channel", arrays((3, 4)), [-2.0, 1.0], [2.0, 3.0]),
    refused(
        "quantization.fake_quant_with_min_max_vars_per_channel_gradient", [[1.0]], [[1.0]], [-2.0, 1.0], [2.0, 3.0]
    ),
    *(row for name in ("quantize_and_dequantize", "quantize_and_dequantize_v2") for row in dequantized(name)),
]
