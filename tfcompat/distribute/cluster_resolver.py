"""`tf.distribute.cluster_resolver`: how scripts find a TPU."""

import typing as _typing

from tfcompat._distribute.cluster import TPUClusterResolver
from tfcompat._dropin.absence import absence as _absence

__all__ = ["TPUClusterResolver"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
