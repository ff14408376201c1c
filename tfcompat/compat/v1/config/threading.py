"""`tf.compat.v1.config.threading`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.config.threading import (
    get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads,
)

__all__ = [
    "get_inter_op_parallelism_threads",
    "get_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
