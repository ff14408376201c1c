"""`tf.raw_ops`: the kernels that programs call by name."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.raw_op import NonMaxSuppressionV5, UniqueV2
from tfcompat._ops.image.projection import image_projective_transform as ImageProjectiveTransformV3

__all__ = ["ImageProjectiveTransformV3", "NonMaxSuppressionV5", "UniqueV2"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
