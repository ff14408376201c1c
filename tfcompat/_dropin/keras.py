"""Keras: which of its backends it uses, and where `tf.keras` has its names from."""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType

_BACKEND = "KERAS_BACKEND"
_NEEDED = "3.15.*"


def choose_backend() -> None:
    """Makes Keras use its TensorFlow backend when it is imported, unless the environment names another one."""
    os.environ.setdefault(_BACKEND, "tensorflow")


def load_keras() -> ModuleType:
    """The package with the names of `tf.keras`. Raises ModuleNotFoundError if Keras is not installed."""
    if importlib.util.find_spec("keras") is None:
        raise ModuleNotFoundError(
            f"tf.keras is the package keras, which is not installed: pip install 'keras=={_NEEDED}'", name="keras"
        )
    choose_backend()
    return importlib.import_module("keras._tf_keras.keras")
