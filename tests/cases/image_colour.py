"""Images: colours, adjustments, seeded random changes."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, REAL
from tests.cases.image import PIXELS, SHORT, SINGLE
from tests.cases.recipe import arrays, case, each, refused, tensor

COLOUR = [
    case("image.rgb_to_grayscale", arrays([(2, 3, 3), (3,), (40, 3)], REAL, "unit")).without(slope=SHORT),
    case("image.rgb_to_grayscale", arrays((80, 3), "uint8", "specials")),
    case("image.grayscale_to_rgb", arrays([(2, 3, 1), (2, 1), (1, 2, 2, 1)], (*PIXELS, "bool"))),
    case("image.rgb_to_hsv", arrays([(2, 3, 3), (3,), ((4, 4, 3), "ties")], FLOATING)).without(
        slope="TensorFlow's derivative takes negative values for 0",
        second_slope="TensorFlow's derivative takes negative values for 0",
        second_order="where a channel is negative TensorFlow's second derivative is that of another formula",
    ),
    case("image.rgb_to_hsv", arrays((5, 5, 3), ("float32", "float64"), "positive")),
    case("image.hsv_to_rgb", arrays([(2, 3, 3), (3,), ((4, 4, 3), "probability")], FLOATING)),
    *(
        case(f"image.{name}", arrays([(2, 3, 3), (3,)], (*FLOATING, "complex64")))
        for name in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb")
    ),
    *(refused(f"image.{name}", arrays((2, 4))) for name in ("rgb_to_yiq", "rgb_to_hsv", "rgb_to_grayscale")),
    *(refused(f"image.{name}", arrays((2, 3), ("int32", "bool"))) for name in ("rgb_to_yuv", "hsv_to_rgb")),
    refused("image.rgb_to_hsv", arrays(())),
    refused("image.grayscale_to_rgb", arrays([(1,), (2, 2)])),
]

# Computed in float32: float64 in, float64 out, without its digits.
COLOURED = (
    ("float32", "unit"),
    ("float32", "positive"),
    ("bfloat16", "unit"),
    ("uint8", "positive"),
    ("int16", "unit"),
)
ADJUSTMENT = [
    case("image.adjust_brightness", arrays([(2, 3, 3), ()], REAL, "unit"), each(0.25, -0.5, 2)).without(slope=SHORT),
    case("image.adjust_brightness", arrays((2, 3, 3)), each(arrays((3,)), tensor(1, "int32"), [1.0, 2.0, 3.0])),
    *(
        case("image.adjust_gamma", arrays([(2, 3, 3), ()], dtype, "positive"), each(2.2, 1, 0.5, 0), each(1, 0.5))
        for dtype in SINGLE
    ),
    case("image.adjust_gamma", arrays((2, 3, 1), fill="positive"), arrays((), fill="positive"), gain=arrays((3,))),
    refused("image.adjust_gamma", arrays((2, 3, 1)), each(-1, tensor(-0.5, "float32"), tensor(1, "int32"))),
    *(
        case("image.adjust_contrast", arrays([(2, 3, 3), (2, 4, 2, 1)], dtype, fill), each(0.5, 2))
        for dtype, fill in COLOURED
    ),
    refused("image.adjust_contrast", arrays((2, 3, 3)), each([1.0, 2.0], tensor(2.0, "float64"))),
    refused("image.adjust_contrast", arrays((2, 3)), 2.0),
    *(
        case("image.adjust_hue", arrays([(2, 3, 3), (2, 4, 2, 3)], dtype, fill), each(0.3, -0.9, 1))
        for dtype, fill in COLOURED
    ),
    refused("image.adjust_hue", arrays((2, 3, 3)), each(1.5, tensor(-1.5, "float32"), tensor(0.5, "float64"))),
    refused("image.adjust_hue", arrays([(2, 3, 4), (2, 3)]), 0.5),
    *(
        case("image.adjust_saturation", arrays([(2, 3, 3), (2, 4, 2, 3)], dtype, fill), each(0.3, 2, 0))
        for dtype, fill in COLOURED
    ),
    refused("image.adjust_saturation", arrays([(2, 3, 4), (2, 3)]), 0.5),
    *(
        case("image.per_image_standardization", arrays([(2, 3, 3), (2, 2, 3, 1), ((2, 2, 1), "zeros")], dtype))
        for dtype in (*SINGLE, "bool")
    ),
    refused("image.per_image_standardization", arrays([(2, 3), (0, 2, 2)])),
    *(
        refused(f"image.{name}", arrays((2, 2, 3), ("bool", "complex64")), 0.5)
        for name in ("adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation")
    ),
]

SEED = tensor([7, -3], "int32")
STATELESS = [
    case("image.stateless_random_flip_left_right", arrays([(4, 5, 3), (6, 2, 3, 1)], ("float32", "uint8")), SEED),
    case("image.stateless_random_flip_up_down", arrays([(4, 5, 3), (6, 2, 3, 1)], ("float32", "uint8")), SEED),
    case("image.stateless_random_crop", arrays([(6, 7, 3), (2, 9, 4)], ("float32", "uint8")), (2, 5, 2), seed=SEED),
    case("image.stateless_random_brightness", arrays((2, 3, 3), fill="unit"), each(0.25, 0), SEED),
    case("image.stateless_random_contrast", arrays((2, 3, 3), fill="unit"), 0.5, each(1.5, 4), SEED),
    case("image.stateless_random_hue", arrays((2, 3, 3), fill="positive"), each(0.25, 0.5), SEED),
    case("image.stateless_random_saturation", arrays((2, 3, 3), fill="positive"), 0.5, each(1.5, 4), SEED),
    refused("image.stateless_random_saturation", arrays((2, 3, 3)), 0.5, 1.5),
    refused("image.stateless_random_contrast", arrays((2, 3, 3)), each(1.5, -1), 1.0, SEED),
    refused("image.stateless_random_hue", arrays((2, 3, 3)), each(0.6, -0.1), SEED),
    refused("image.stateless_random_crop", arrays((2, 3, 3)), each((3, 3, 3), (1, 1), (1.0, 1.0, 1.0)), SEED),
    refused("image.stateless_random_flip_up_down", arrays((2, 3)), SEED),
]

CASES = [*STATELESS, *COLOUR, *ADJUSTMENT]
