"""Images: differences between neighbouring pixels, and the similarity of two images."""

from __future__ import annotations

from tests.cases.dtype import FLOATING, REAL
from tests.cases.image import SINGLE
from tests.cases.recipe import arrays, case, each, refused, tensor

CHANGE = [
    case("image.image_gradients", arrays([(2, 4, 3, 2), (1, 1, 2, 1)], (*REAL, "complex64"))),
    case(
        "image.total_variation",
        arrays([(2, 4, 3, 2), (3, 4, 1), ((2, 3, 3, 1), "ties"), (0, 2, 2, 1)], (*FLOATING, "int32", "int8")),
    ),
    case("image.sobel_edges", arrays([(2, 4, 3, 2), (1, 2, 2, 1)], FLOATING)),
    refused("image.image_gradients", arrays((4, 3, 2))),
    refused("image.total_variation", arrays((3, 2))),
    refused("image.sobel_edges", arrays([(4, 3, 2), (1, 1, 3, 1)])),
]

SMALL = [(2, 4, 3, 2), (3, 3, 1)]
LARGE = [(2, 12, 11, 2), (11, 13, 1)]
GREYS = [[[[0.1], [0.5], [0.3]], [[0.4], [0.2], [0.8]], [[0.9], [0.6], [0.5]]]]
LIGHTER_GREYS = [[[[0.2], [0.6], [0.35]], [[0.45], [0.3], [0.9]], [[0.95], [0.65], [0.5]]]]
AT_ZERO = "of images that are opposites TensorFlow's derivative is that of a power at 0, nan"


def pair(forms: object, dtype: str = "float32") -> list[object]:
    """Two images of one shape."""
    return [arrays(forms, dtype, "positive"), arrays(forms, dtype, "positive")]


QUALITY = [
    *(case("image.psnr", *pair(SMALL, dtype), each(1, 255.0)) for dtype in SINGLE),
    case("image.psnr", arrays((2, 4, 3, 1)), arrays([(1, 4, 3, 1), (4, 3, 1)]), max_val=tensor(1.0, "float32")),
    refused("image.psnr", arrays((2, 4, 3, 1)), arrays([(2, 4, 2, 1), (2, 4, 1, 1), (2, 3, 3, 1)]), max_val=1.0),
    refused("image.psnr", *pair((4, 3)), max_val=1.0),
    case("image.ssim", *pair(LARGE), each(3.0, 1)),
    *(case("image.ssim", *pair((2, 12, 11, 2), dtype), 3.0) for dtype in ("bfloat16", "float16", "uint8", "int32")),
    case(
        "image.ssim",
        arrays((2, 5, 8, 3), fill="positive"),
        arrays([(1, 5, 8, 3), (5, 8, 3)], fill="positive"),
        3.0,
        filter_size=each(4, 3),
        filter_sigma=0.7,
        k1=0.02,
        k2=0.05,
        return_index_map=True,
    ),
    refused("image.ssim", arrays((2, 12, 11, 2)), arrays([(2, 11, 11, 2), (3, 12, 11, 2)]), 1.0),
    refused("image.ssim", *pair([(2, 10, 11, 2), (11, 11)]), 1.0),
    refused("image.ssim", arrays((12, 11, 2)), arrays((12, 11, 2), "float64"), 1.0),
    case(
        "image.ssim_multiscale",
        *pair([(2, 14, 13, 2), (11, 12, 1)]),
        3.0,
        power_factors=each((0.4, 0.3, 0.3), [0.5]),
        filter_size=3,
    ).without(gradient=AT_ZERO, second_order=AT_ZERO),
    *(
        case(
            "image.ssim_multiscale",
            *(tensor(GREYS, dtype), tensor(LIGHTER_GREYS, dtype)),
            *(1.0, (0.5, 0.5), 2),
            filter_sigma=0.8,
            k1=0.02,
            k2=0.02,
        )
        for dtype in ("float32", "bfloat16")
    ),
    refused("image.ssim_multiscale", *pair((1, 20, 20, 1)), 1.0),
]

CASES = [*CHANGE, *QUALITY]
