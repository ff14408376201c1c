"""`tf.compat.v1.autograph.experimental`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.autograph.experimental import Feature, do_not_convert, set_loop_options

__all__ = ["Feature", "do_not_convert", "set_loop_options"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
