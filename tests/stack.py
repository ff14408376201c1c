"""Room on Python's stack for deep calls.

Python 3.11 to 3.13 keep frames in pieces of 16 KiB. A loop whose calls cross the end of a piece maps and unmaps memory
each time: for JAX's calls, some hundred frames deep, that took a tenth of the time of the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def with_room(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, whose frames are all in one piece, up to a mebibyte of them."""
    return function(*args, **kwargs)


# Python doubles a new piece until the frame fits: this one of a mebibyte is in a piece of two.
with_room.__code__ = with_room.__code__.replace(co_stacksize=2**17)
