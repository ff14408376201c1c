"""Descriptions of jaxprs."""

from __future__ import annotations

from typing import Any


def described(closed: Any) -> tuple[str, list[Any]]:
    """The text of a jaxpr, which may contain addresses of functions, and the values of its constants."""
    return str(closed.jaxpr), list(closed.consts)
