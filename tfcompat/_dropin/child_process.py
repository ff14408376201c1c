"""Makes child processes of a program import tfcompat as TensorFlow, too: workers and other Python programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_FOLDER = str(Path(__file__).parent / "startup")
_PREFIX = "TFCOMPAT_ALIAS"
_PATH = "PYTHONPATH"


def give_alias_to_children() -> None:
    """Changes the environment so that Python processes started from now on have the alias from their start.

    It holds for interpreters of this environment, unless they ignore PYTHONPATH (`python -I`, `python -E`).
    """
    os.environ[_PREFIX] = sys.prefix
    os.environ[_PATH] = os.pathsep.join([_FOLDER, *_others(os.environ)])


def _others(environment: Mapping[str, str]) -> list[str]:
    return [folder for folder in environment.get(_PATH, "").split(os.pathsep) if folder and folder != _FOLDER]


def without_alias(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without the changes for child processes."""
    found = {name: value for name, value in environment.items() if name not in (_PREFIX, _PATH)}
    others = _others(environment)
    return {**found, _PATH: os.pathsep.join(others)} if others else found
