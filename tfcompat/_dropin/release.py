"""The versions of tfcompat and of the TensorFlow whose API it has, and the distribution that programs find of it."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterable
from typing import NoReturn

VERSION = "0.1.0"
TENSORFLOW = "2.21.0"
_NAME = "tensorflow"


class _Distribution(importlib.metadata.Distribution):
    """Metadata of the distribution `tensorflow`, which has no files."""

    def read_text(self, filename: str) -> str | None:
        return {
            "METADATA": f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: {TENSORFLOW}\n",
            "top_level.txt": f"{_NAME}\n",
        }.get(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> NoReturn:
        raise FileNotFoundError(f"importlib.metadata: tfcompat stands for the distribution {_NAME}, without {path}.")


def distributions_named(name: str | None) -> Iterable[importlib.metadata.Distribution]:
    """The distribution of TensorFlow, if `name` is its name or None: libraries ask for its version."""
    return [_Distribution()] if name is None or name.lower() == _NAME else []
