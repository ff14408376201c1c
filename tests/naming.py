"""Names of test cases."""

from __future__ import annotations

import re


def name_of(value: object) -> str:
    """What `value` shows, without its address, so that every process names the case alike."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
