"""`tf.config.optimizer`: settings of TensorFlow's graph optimizer."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.setting import get_optimizer_experimental_options as get_experimental_options
from tfcompat._dropin.setting import get_optimizer_jit as get_jit
from tfcompat._dropin.setting import set_optimizer_experimental_options as set_experimental_options
from tfcompat._dropin.setting import set_optimizer_jit as set_jit

__all__ = ["get_experimental_options", "get_jit", "set_experimental_options", "set_jit"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
