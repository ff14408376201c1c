"""`tf.optimizers`: another name of `tf.keras.optimizers`."""

import sys as _sys
from importlib import import_module as _import_module

_sys.modules[__name__] = _import_module("tfcompat.keras").optimizers
