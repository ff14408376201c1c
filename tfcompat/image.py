"""`tf.image`: images, and boxes in them."""

import sys as _sys
import typing as _typing

from tfcompat._data.format.image_decoding import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    decode_webp,
    extract_jpeg_shape,
    is_jpeg,
)
from tfcompat._data.format.image_encoding import encode_jpeg, encode_png
from tfcompat._data.format.jpeg_quality import (
    adjust_jpeg_quality,
    random_jpeg_quality,
    stateless_random_jpeg_quality,
)
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._ops.image.adjustment import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    per_image_standardization,
)
from tfcompat._ops.image.box_drawing import draw_bounding_boxes
from tfcompat._ops.image.box_sampling import stateless_sample_distorted_bounding_box
from tfcompat._ops.image.colour import (
    grayscale_to_rgb,
    hsv_to_rgb,
    rgb_to_grayscale,
    rgb_to_hsv,
    rgb_to_yiq,
    rgb_to_yuv,
    yiq_to_rgb,
    yuv_to_rgb,
)
from tfcompat._ops.image.combined_suppression import combined_non_max_suppression
from tfcompat._ops.image.crop_resize import crop_and_resize
from tfcompat._ops.image.cropping import (
    central_crop,
    crop_to_bounding_box,
    pad_to_bounding_box,
    resize_with_crop_or_pad,
)
from tfcompat._ops.image.dtype import convert_image_dtype
from tfcompat._ops.image.edge import image_gradients, sobel_edges, total_variation
from tfcompat._ops.image.padded_suppression import non_max_suppression_padded
from tfcompat._ops.image.quality import psnr, ssim, ssim_multiscale
from tfcompat._ops.image.resizing import ResizeMethod, resize, resize_with_pad
from tfcompat._ops.image.stateless import (
    stateless_random_brightness,
    stateless_random_contrast,
    stateless_random_crop,
    stateless_random_flip_left_right,
    stateless_random_flip_up_down,
    stateless_random_hue,
    stateless_random_saturation,
)
from tfcompat._ops.image.suppression import (
    non_max_suppression,
    non_max_suppression_overlaps,
    non_max_suppression_with_scores,
)
from tfcompat._ops.image.symmetry import flip_left_right, flip_up_down, rot90, transpose
from tfcompat._ops.sliding.patch import extract_patches
from tfcompat._random.image import (
    extract_glimpse,
    random_brightness,
    random_contrast,
    random_crop,
    random_flip_left_right,
    random_flip_up_down,
    random_hue,
    random_saturation,
    sample_distorted_bounding_box,
)

__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_jpeg_quality",
    "adjust_saturation",
    "central_crop",
    "combined_non_max_suppression",
    "convert_image_dtype",
    "crop_and_resize",
    "crop_to_bounding_box",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_webp",
    "draw_bounding_boxes",
    "encode_jpeg",
    "encode_png",
    "extract_glimpse",
    "extract_jpeg_shape",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "is_jpeg",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sample_distorted_bounding_box",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_jpeg_quality",
    "stateless_random_saturation",
    "stateless_sample_distorted_bounding_box",
    "total_variation",
    "transpose",
    "yiq_to_rgb",
    "yuv_to_rgb",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
