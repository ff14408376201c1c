"""Why a recording does not belong to a family."""

from __future__ import annotations


class Differs(Exception):
    """Two recordings differ in more than their sizes; the message names the op and the attribute that differ."""


class Coincides(Differs):
    """Two sizes are equal that an op's code has found different in the other recordings of the family."""


class NeedsSize(Differs):
    """An op's code needs to know a size."""
