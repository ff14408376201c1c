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

ONES = [1, 1, 1, 1]
BOXES = tensor([[0, 0, 1, 1], [0.1, 0.25, 0.7, 0.6], [1.1, 0.5, -0.1, 0.2], [0.3, 0.3, 0.3, 0.3]], "float32")
WHOLE = tensor([[0, 0, 1, 1]], "float32")
OWNERS = tensor([0, 1, 1, 0], "int32")
METHOD = each("bilinear", "nearest")
PARTS = [
    case(
        "image.extract_patches",
        arrays([(2, 5, 6, 2), (1, 4, 4, 1)], REAL),
        [1, 3, 2, 1],
        each([1, 2, 1, 1], [1, 3, 3, 1]),
        each(ONES, [1, 1, 2, 1]),
        padding=each("SAME", "VALID"),
    ),
    case("image.extract_patches", arrays((1, 3, 3, 1)), sizes=[1, 4, 1, 1], strides=ONES, rates=ONES, padding="VALID"),
    refused(
        "image.extract_patches",
        arrays((1, 3, 3, 1)),
        each([1, 5, 1, 1], [2, 2], [1, 0, 1, 1], [2, 1, 1, 1], 2),
        ONES,
        ONES,
        "VALID",
    ),
    refused("image.extract_patches", arrays((1, 3, 3, 1)), [1, 2, 2, 1], ONES, ONES, each("same", "FULL")),
    refused("image.extract_patches", arrays((3, 3, 1)), [1, 2, 2, 1], ONES, ONES, "SAME"),
    refused("image.extract_patches", arrays((1, 3, 3, 1), "bool"), [1, 2, 2, 1], ONES, ONES, "SAME"),
    *(
        case("image.crop_and_resize", arrays((2, 5, 4, 2), dtype), BOXES, OWNERS, (3, 4), METHOD)
        for dtype in ("float32", "float16", "uint8", "int64")
    ),
    case(
        "image.crop_and_resize",
        arrays((2, 5, 4, 2)),
        BOXES,
        OWNERS,
        each((1, 1), (1, 6), (7, 1)),
        METHOD,
        extrapolation_value=-1.5,
    ),
    case("image.crop_and_resize", arrays((1, 7, 6, 1)), arrays((3, 4)), [0, 0, 0], tensor([2, 3], "int32")),
    case("image.crop_and_resize", arrays((1, 7, 6, 1)), arrays((0, 4)), tensor([], "int32"), (2, 2)),
    refused(
        "image.crop_and_resize",
        arrays((2, 5, 4, 2)),
        BOXES,
        each([0, 1, 1], [0, 1, 2, 0], [0, 1, -1, 0], tensor([0, 1, 0, 0], "int64")),
        (3, 4),
    ),
    refused("image.crop_and_resize", arrays((2, 5, 4, 2)), BOXES, [0, 1, 0, 0], each((0, 1), (2,), (2.0, 2.0))),
    refused(
        "image.crop_and_resize",
        arrays((2, 5, 4, 2)),
        each(tensor([[0, 0, 1]], "float32"), tensor([[0, 0, 1, 1]], "float64")),
        [0],
        (2, 2),
    ),
    refused("image.crop_and_resize", arrays([(5, 4, 2), (1, 0, 4, 2)]), WHOLE, [0], (2, 2)),
    refused("image.crop_and_resize", arrays((1, 4, 4, 2), ("bool", "bfloat16", "uint32")), WHOLE, [0], (2, 2)),
    refused("image.crop_and_resize", arrays((1, 4, 4, 2)), WHOLE, [0], (2, 2), "cubic"),
]

CASES = [*RESIZING, *CROPPING, *SYMMETRY, *DTYPE, *PARTS]
