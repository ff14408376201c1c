"""`tf.autograph.experimental`: options of the conversion and of loops."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._function.autograph import Feature, do_not_convert, set_loop_options

__all__ = ["Feature", "do_not_convert", "set_loop_options"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
