"""Kernels of images and boxes."""

from __future__ import annotations

from tfcompat._ops.image import (
    adjustment,
    box_drawing,
    colour,
    combined_suppression,
    corner_resizing,
    crop_resize,
    projection,
    suppression,
)
from tfcompat._ops.quantization import fake
from tfcompat._raw_ops.kernel import kernel

_CORNERS = "images size align_corners=False half_pixel_centers=False"
_CHOSEN = "boxes scores max_output_size iou_threshold"

AdjustContrastv2 = kernel("AdjustContrastv2", adjustment.adjust_contrast)
AdjustHue = kernel("AdjustHue", adjustment.adjust_hue, "images:image delta")
AdjustSaturation = kernel("AdjustSaturation", adjustment.adjust_saturation, "images:image scale:saturation_factor")
CombinedNonMaxSuppression = kernel(
    "CombinedNonMaxSuppression",
    combined_suppression.combined_non_max_suppression,
    "boxes scores max_output_size_per_class max_total_size iou_threshold score_threshold pad_per_class=False "
    "clip_boxes=True",
    outputs="nmsed_boxes nmsed_scores nmsed_classes valid_detections",
)
CropAndResize = kernel(
    "CropAndResize",
    crop_resize.crop_and_resize,
    "image boxes box_ind:box_indices crop_size method='bilinear' extrapolation_value=0",
)
DrawBoundingBoxesV2 = kernel("DrawBoundingBoxesV2", box_drawing.draw_bounding_boxes)
HSVToRGB = kernel("HSVToRGB", colour.hsv_to_rgb)
ImageProjectiveTransformV2 = kernel(
    "ImageProjectiveTransformV2",
    projection.image_projective_transform,
    "images transforms output_shape interpolation fill_mode='CONSTANT'",
    fill_value=0.0,
)
ImageProjectiveTransformV3 = kernel("ImageProjectiveTransformV3", projection.image_projective_transform)
NonMaxSuppression = kernel("NonMaxSuppression", suppression.non_max_suppression, f"{_CHOSEN}=0.5")
NonMaxSuppressionV2 = kernel("NonMaxSuppressionV2", suppression.non_max_suppression, _CHOSEN)
NonMaxSuppressionV3 = kernel("NonMaxSuppressionV3", suppression.non_max_suppression, f"{_CHOSEN} score_threshold")
NonMaxSuppressionWithOverlaps = kernel(
    "NonMaxSuppressionWithOverlaps",
    suppression.non_max_suppression_overlaps,
    "overlaps scores max_output_size overlap_threshold score_threshold",
)
RGBToHSV = kernel("RGBToHSV", colour.rgb_to_hsv)
ResizeArea = kernel("ResizeArea", corner_resizing.resize_area, "images size align_corners=False")
ResizeBicubic = kernel("ResizeBicubic", corner_resizing.resize_bicubic, _CORNERS)
ResizeBilinear = kernel("ResizeBilinear", corner_resizing.resize_bilinear, _CORNERS)
ResizeNearestNeighbor = kernel("ResizeNearestNeighbor", corner_resizing.resize_nearest_neighbor, _CORNERS)

FakeQuantWithMinMaxArgs = kernel("FakeQuantWithMinMaxArgs", fake.fake_quant_with_min_max_args)
FakeQuantWithMinMaxArgsGradient = kernel("FakeQuantWithMinMaxArgsGradient", fake.fake_quant_with_min_max_args_gradient)
FakeQuantWithMinMaxVars = kernel("FakeQuantWithMinMaxVars", fake.fake_quant_with_min_max_vars)
FakeQuantWithMinMaxVarsPerChannel = kernel(
    "FakeQuantWithMinMaxVarsPerChannel", fake.fake_quant_with_min_max_vars_per_channel
)
