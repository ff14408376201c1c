"""Names of TensorFlow 1 that are ops of their own."""

from __future__ import annotations

from tests.cases.recipe import arrays, case, each, refused

IMAGES = [(2, 4, 5, 3), (1, 1, 1, 1), (1, 3, 8, 2)]
PIXELS = ("uint8", "int8", "uint16", "int16", "int32", "int64", "float16", "bfloat16")
SIZES = each([3, 7], [8, 2], [4, 5], [1, 1])

IN_FLOAT32 = {
    "gradient": "it is computed in float32; TensorFlow's is not",
    "slope": "the result is float32, whatever the images are",
}

METHODS = ("resize_bilinear", "resize_nearest_neighbor", "resize_bicubic", "resize_area")

CASES = [
    *(case(f"compat.v1.image.{name}", arrays((1, 4, 3, 2), dtype), [3, 5]) for name in METHODS for dtype in PIXELS),
    *(
        case(f"compat.v1.image.{name}", arrays((2, 5, 4, 2), "float64"), [3, 7]).without(**IN_FLOAT32)
        for name in ("resize_bilinear", "resize_bicubic")
    ),
    *(
        case(
            f"compat.v1.image.{name}",
            arrays(IMAGES, "float32"),
            SIZES,
            align_corners=each(False, True),
        )
        for name in METHODS
    ),
    *(
        case(f"compat.v1.image.{name}", arrays(IMAGES, "float32"), SIZES, half_pixel_centers=True)
        for name in ("resize_bilinear", "resize_nearest_neighbor", "resize_bicubic")
    ),
    *(
        refused(f"compat.v1.image.{name}", arrays((1, 4, 5, 1)), [3, 3], align_corners=True, half_pixel_centers=True)
        for name in ("resize_bilinear", "resize_nearest_neighbor", "resize_bicubic")
    ),
    refused("compat.v1.image.resize_bilinear", arrays((4, 5, 1)), [3, 3]),
    refused("compat.v1.image.resize_bilinear", arrays((1, 4, 5, 1)), [3, 0]),
]
