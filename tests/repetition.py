"""The number of repetitions of a test for rare events."""

from __future__ import annotations

import os

SHARE = 10


def count(full: int) -> int:
    """`full` where TFCOMPAT_SOAK is 1, as `make soak` has it, else a tenth of it, and at least 1."""
    return full if os.environ.get("TFCOMPAT_SOAK") == "1" else max(1, full // SHARE)
