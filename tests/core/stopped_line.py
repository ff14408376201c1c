"""Exceptions that are raised at a line of library code, as a signal handler raises them between two bytecodes."""

from __future__ import annotations

import sys
from contextlib import contextmanager


class Stop(Exception):
    """Raised as by a signal handler."""


@contextmanager
def stopped_at(code, place):
    """Raises Stop at the `place`th line of `code`, of those that its calls come to, when a call comes to it first.

    At the end of a `with` statement, where its line comes again, Python runs no signal handlers.
    """
    met = set()

    def at_line(frame, event, _):
        if event == "line" and frame.f_lineno not in met:
            met.add(frame.f_lineno)
            if len(met) == place:
                raise Stop
        return at_line

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: at_line if frame.f_code is code else None)
    try:
        yield
    finally:
        sys.settrace(before)
