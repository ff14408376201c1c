"""Datasets of the names of files: `list_files`."""

from __future__ import annotations

import glob
import os
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import string
from tfcompat._data.functional.shuffling import Shuffle
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.source import from_strings, strings

_WILDCARDS = "*?["


def listed(file_pattern: Any, shuffle: Any, seed: Any) -> Node:
    """The files that match a pattern or one of several; sorted, or shuffled again in each iteration.

    Raises: InvalidArgumentError if no file matches.
    """
    patterns = strings(convert_to_tensor(file_pattern, string, name="file_pattern"), "file_pattern")
    names = sorted(os.fsencode(name) for pattern in patterns for name in matching(pattern))
    if not names:
        raise InvalidArgumentError.of(f"No files matched pattern: {', '.join(patterns)}")
    node = from_strings(names)
    return Shuffle(node, len(names), seed, True) if shuffle is None or shuffle else node


def matching(pattern: str) -> list[str]:
    """The files that match `pattern`, with `./` before it if it begins with a wildcard in the current directory."""
    if not any(wildcard in pattern for wildcard in _WILDCARDS):
        return [pattern] if os.path.lexists(pattern) else []
    first = pattern[: min(pattern.find(wildcard) for wildcard in _WILDCARDS if wildcard in pattern)]
    return glob.glob(pattern if "/" in first else f"./{pattern}", include_hidden=True)
