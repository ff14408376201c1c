"""`tf.compat.v1.resource_loader`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.program import get_data_files_path, get_path_to_datafile

__all__ = ["get_data_files_path", "get_path_to_datafile"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
