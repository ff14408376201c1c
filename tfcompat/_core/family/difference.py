"""Why a recording does not belong to a family."""

from __future__ import annotations


class Differs(Exception):
    """Two recordings are not the same but for their sizes; the message says in which op and attribute they differ."""


class NeedsSize(Differs):
    """An op's code needs to know a size."""
