"""The exception for primitives and sizes that padded programs do not support."""

from __future__ import annotations


class NoRule(Exception):
    """There is no rule by which a primitive is evaluated on padded arrays.

    Attributes:
      primitive: its name.
      reason: the missing rule or size.
    """

    def __init__(self, primitive: str, reason: str) -> None:
        super().__init__(f"{primitive}: {reason}")
        self.primitive = primitive
        self.reason = reason
