"""Packages that only some functions need: they are imported at the first call."""

from __future__ import annotations

import importlib
from typing import Any


def package(module: str, name: str, purpose: str) -> Any:
    """The module `module` of the package `name`. Raises ImportError, naming the extra that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise ImportError(
            f"tfcompat needs the package {name} {purpose}: `pip install 'tfcompat[data]'` installs it."
        ) from missing


def pillow() -> Any:
    """The module `PIL.Image`."""
    return package("PIL.Image", "pillow", "to read and write images")


def simplejpeg() -> Any:
    """The module `simplejpeg`; None if it is not installed, in which case Pillow decodes JPEG."""
    try:
        return importlib.import_module("simplejpeg")
    except ImportError:
        return None
