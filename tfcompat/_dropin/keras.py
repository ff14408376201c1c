"""Keras: which of its backends it uses, and where `tf.keras` has its names from."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from types import ModuleType

_BACKEND = "KERAS_BACKEND"
_NEEDED = "3.15.*"
_KERAS_2 = "TF_USE_LEGACY_KERAS"
_INSTALLATION = "pip install --no-deps 'tf_keras==2.21.*'"
# TensorFlow's private copy of Keras 2, and the same modules in the package.
KERAS_COPY = "tensorflow.python.keras"
_COPIED = "tf_keras.src"
_ONLY_IN_KERAS_2 = ("keras.engine", "keras.src.engine")
_MOVED = {"optimizer_v2": "optimizers.legacy"}
_OF_FIRST_VERSION = {
    "keras": "tf_keras.api._v1.keras",
    "layers": "tf_keras.api._v1.keras.__internal__.legacy.layers",
}


def uses_keras_2() -> bool:
    """Whether the environment asks for Keras 2, the package tf_keras, as `tf.keras`, in TensorFlow's words."""
    return os.environ.get(_KERAS_2) in ("true", "True", "1")


def keras_package() -> str:
    """The name of the package with the names of `tf.keras`."""
    return "tf_keras.api._v2.keras" if uses_keras_2() else "keras._tf_keras.keras"


def original_of(name: str) -> str:
    """The module of Keras 2, the package tf_keras, that TensorFlow's `name` is a copy of.

    Raises: ModuleNotFoundError if the package is not installed.
    """
    if importlib.util.find_spec("tf_keras") is None:
        raise ModuleNotFoundError(
            f"No module named {name!r}: it is a copy of Keras 2, the package tf_keras, which is not installed: "
            f"{_INSTALLATION}",
            name=name,
        )
    parts = name.removeprefix(KERAS_COPY).split(".")
    return _COPIED + ".".join(_MOVED.get(part, part) for part in parts)


def older_module(name: str, path: Sequence[str] | None) -> str | None:
    """The module of tf_keras that is `name` in libraries for Keras 2, when that was the package keras.

    None for a module that the package keras has, and unless the environment asks for Keras 2. `path` are the folders of
    the package that `name` is in. Libraries of those days, such as tensorflow-addons, import `keras.src.engine`.

    Raises: ModuleNotFoundError for `keras.src.engine`, if the environment does not ask for Keras 2.
    """
    is_wanted = uses_keras_2()
    if not is_wanted and name not in _ONLY_IN_KERAS_2:
        return None
    package = sys.modules.get(name.rpartition(".")[0])
    is_in_older = package is not None and package.__name__.partition(".")[0] == "tf_keras"
    if not is_in_older and PathFinder.find_spec(name, path) is not None:
        return None
    if not is_wanted:
        raise ModuleNotFoundError(
            f"No module named {name!r}: Keras 3 has none. For a library for Keras 2, set {_KERAS_2}=1, and install "
            f"tf_keras: {_INSTALLATION}",
            name=name,
        )
    part = name.removeprefix("keras")
    return next((root + part for root in ("tf_keras", _COPIED) if _exists(root + part)), None)


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def first_version_namespace(name: str) -> ModuleType | None:
    """`tf.compat.v1.keras` or `tf.compat.v1.layers`, which only Keras 2 has; None without it, and for other names."""
    target = _OF_FIRST_VERSION.get(name)
    return importlib.import_module(target) if target is not None and uses_keras_2() else None


def choose_backend() -> None:
    """Makes Keras use its TensorFlow backend when it is imported, unless the environment names another one."""
    os.environ.setdefault(_BACKEND, "tensorflow")


def load_keras() -> ModuleType:
    """The package with the names of `tf.keras`. Raises ModuleNotFoundError if it is not installed."""
    if uses_keras_2():
        if importlib.util.find_spec("tf_keras") is None:
            raise ModuleNotFoundError(
                f"{_KERAS_2} makes tf.keras the package tf_keras, which is not installed: {_INSTALLATION}",
                name="tf_keras",
            )
    elif importlib.util.find_spec("keras") is None:
        raise ModuleNotFoundError(
            f"tf.keras is the package keras, which is not installed: pip install 'keras=={_NEEDED}'", name="keras"
        )
    choose_backend()
    return importlib.import_module(keras_package())
