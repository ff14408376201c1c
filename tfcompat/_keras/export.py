"""`tf_export`: the decorator by which libraries give their functions public names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def exported(*names: str, **options: Any) -> Callable[[Any], Any]:
    """A decorator that notes the public `names` of a function or class; it publishes nothing.

    Source: TF 2.21, `tf_export` of `tensorflow.python.util.tf_export`.
    """
    del options

    def noted(decorated: Any) -> Any:
        decorated._tf_api_names = names
        return decorated

    return noted
