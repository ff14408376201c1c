"""Images: resized, cut, mirrored, coloured, compared; boxes in them."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, REAL, Symbol
from tests.cases.recipe import arrays, case, each, refused, tensor

PIXELS = (*FLOATING, "uint8", "int32")
SINGLE = ("float32", "bfloat16", "float16", "uint8", "int32")
IMAGE = [(4, 5, 3), (2, 3, 4, 1)]
METHODS = ("bilinear", "nearest", "bicubic", "lanczos3", "lanczos5", "gaussian", "mitchellcubic", "area")
SHORT = "the output is not of 64 bits"
IN_FLOAT32 = {"slope": SHORT, "gradient": "of float64 TensorFlow's has the digits of float32"}

RESIZING = [
    *(case("image.resize", arrays((2, 5, 4, 2), dtype), (3, 7)) for dtype in SINGLE),
    case("image.resize", arrays((2, 5, 4, 2), "float64"), (3, 7), each("bilinear", "bicubic")).without(**IN_FLOAT32),
    refused("image.resize", arrays((2, 5, 4, 2), ("bool", "complex64", "uint32")), (3, 7)),
    case("image.resize", arrays([(3, 6, 1), (0, 3, 3, 1)]), (3, 7)),
    case("image.resize", arrays((5, 6, 2)), (9, 4), method=each(*METHODS)),
    case("image.resize", arrays((9, 11, 2)), (4, 3), method=each(*METHODS), antialias=True),
    case("image.resize", arrays((4, 3, 1), PIXELS), (6, 3), method="nearest"),
    *(case("image.resize", arrays((4, 3, 1), dtype), (6, 3), "bicubic") for dtype in ("float16", "bfloat16", "uint8")),
    case("image.resize", arrays((7, 4, 1)), each((6, 6), (20, 9), (7, 4)), preserve_aspect_ratio=True),
    case(
        "image.resize", images=arrays((3, 4, 2)), size=tensor([5, 2], "int32"), method=Symbol("image.ResizeMethod.AREA")
    ),
    case("image.resize", arrays((1, 40, 3, 1)), (2, 70), antialias=each(False, True)),
    refused("image.resize", arrays((3, 4)), (2, 2)),
    refused(
        "image.resize", arrays((3, 4, 1)), each((2, 2, 2), 2, (2.0, 2.0), tensor([2, 2], "int64"), (0, 2), (-1, 2))
    ),
    refused("image.resize", arrays((3, 4, 1)), (2, 2), method=each("cubic", 0, "triangle")),
    refused("image.resize", arrays((0, 4, 1)), (2, 2)),
    *(case("image.resize_with_pad", arrays((5, 4, 2), dtype), 7, 9) for dtype in SINGLE),
    case("image.resize_with_pad", arrays((1, 3, 8, 1)), each(4, 12), each(4, 3)),
    case("image.resize_with_pad", arrays((5, 9, 1)), 12, 3, method="nearest", antialias=True),
    refused("image.resize_with_pad", arrays((5, 9, 1)), each(0, -1, tensor(0, "int32")), 4),
    refused("image.resize_with_pad", arrays([(5, 9), (0, 2, 1)]), 4, 4),
]

CROPPING = [
    case("image.crop_to_bounding_box", arrays(IMAGE, PIXELS), 1, 2, 2, 1),
    case(
        "image.crop_to_bounding_box", arrays((4, 5, 1)), tensor(1, "int32"), tensor(2, "int32"), 3, tensor(3, "int32")
    ),
    refused("image.crop_to_bounding_box", arrays((4, 5, 1)), each(-1, 3, tensor(-1, "int32")), 0, 2, 2),
    refused("image.crop_to_bounding_box", arrays((4, 5, 1)), 0, 0, each(5, 0, tensor(5, "int32")), 2),
    refused("image.crop_to_bounding_box", arrays([(4, 5), (0, 4, 2)]), 0, 0, 2, 2),
    case("image.pad_to_bounding_box", arrays(IMAGE, PIXELS), 1, 2, 6, 8),
    refused("image.pad_to_bounding_box", arrays((4, 5, 1)), each(-1, 3, tensor(4, "int32")), 0, 6, 6),
    refused("image.pad_to_bounding_box", arrays((4, 5, 1)), 0, 0, 3, 6),
    case("image.resize_with_crop_or_pad", arrays(IMAGE, PIXELS), each(3, 6, 7), each(8, 2)),
    refused("image.resize_with_crop_or_pad", arrays((4, 5, 1)), each(0, tensor(0, "int32")), 2),
    case("image.central_crop", arrays([(7, 6, 2), (1, 8, 9, 1)], PIXELS), each(0.5, 0.3, 0.875, 1.0, 1)),
    case("image.central_crop", arrays((9, 9, 1)), tensor(0.3, "float32")),
    refused("image.central_crop", arrays((4, 4, 1)), each(0.0, 1.5, -1.0)),
    refused("image.central_crop", arrays((4, 4)), 0.5),
]

SYMMETRY = [
    case("image.flip_left_right", arrays(IMAGE, PIXELS)),
    case("image.flip_up_down", arrays(IMAGE, PIXELS)),
    case("image.transpose", arrays(IMAGE, PIXELS)),
    case("image.rot90", arrays(IMAGE, PIXELS), each(1, 0, 2, 3, 5, -1, tensor(3, "int32"))),
    case("image.rot90", arrays((3, 3, 2)), k=tensor(1, "int32")),
    refused("image.flip_left_right", arrays([(3, 4), (1, 1, 2, 2, 1), (0, 2, 1)])),
    refused("image.rot90", arrays((3, 4)), 1),
    refused("image.transpose", arrays((3, 4))),
]

PIXEL_DTYPES = ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bfloat16")
DTYPE = [
    case("image.convert_image_dtype", arrays([(2, 3), ()], REAL, "unit"), Symbol(name), each(False, True)).without(
        slope=SHORT
    )
    for name in (*PIXEL_DTYPES, "uint16")
] + [
    case("image.convert_image_dtype", tensor([-0.5, 0.0, 0.5, 0.999, 1.0, 1.5], "float32"), Symbol(name), saturate=True)
    for name in ("uint8", "int8", "int16", "uint16")
] + [
    case("image.convert_image_dtype", tensor([0, 1, 127, 128, 255], "uint8"), Symbol(name))
    for name in PIXEL_DTYPES
] + [
    refused("image.convert_image_dtype", arrays((2,)), each(Symbol("bool"), Symbol("complex64"))),
    refused("image.convert_image_dtype", arrays((2,), ("bool",)), Symbol("float32")),
]  # fmt: skip

COLOUR = [
    case("image.rgb_to_grayscale", arrays([(2, 3, 3), (3,), (40, 3)], REAL, "unit")).without(slope=SHORT),
    case("image.rgb_to_grayscale", arrays((80, 3), "uint8", "specials")),
    case("image.grayscale_to_rgb", arrays([(2, 3, 1), (2, 1), (1, 2, 2, 1)], (*PIXELS, "bool"))),
    case("image.rgb_to_hsv", arrays([(2, 3, 3), (3,), ((4, 4, 3), "ties")], FLOATING)).without(
        slope="TensorFlow's derivative takes what is negative for 0",
        second_slope="TensorFlow's derivative takes what is negative for 0",
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

# What is computed in float32: float64 in, float64 out, without its digits.
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

CASES = [*STATELESS, *COLOUR, *ADJUSTMENT, *RESIZING, *CROPPING, *SYMMETRY, *DTYPE]
