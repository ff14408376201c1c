"""Where in the user's code something happened: the nearest frame outside this package."""

from __future__ import annotations

import pathlib
import sys

_PACKAGE = str(pathlib.Path(__file__).parent.parent) + "/"


def user_line() -> str:
    """`file:line` of the nearest caller outside tfcompat."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
