"""Names of test cases."""

from __future__ import annotations

import re


def name_of(value: object) -> str:
    """The text of `value` without its address, so that every process uses the same name."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
