"""A signal while an interrupted step restores the variables: all of them are restored, or none."""

from __future__ import annotations

import sys

import pytest

import tfcompat as tf
from tfcompat._core.tracing.trace import Trace


class Stop(Exception):
    """Raised as by a signal handler."""


def interrupting(code, place):
    """A trace function that raises Stop at the `place`th line of `code`, when a call comes to it first.

    At the end of a `with` statement, where its line comes again, Python runs no signal handlers.
    """
    met = set()

    def at_line(frame, event, _):
        if event == "line" and frame.f_lineno not in met:
            met.add(frame.f_lineno)
            if len(met) == place:
                raise Stop
        return at_line

    return lambda frame, *_: at_line if frame.f_code is code else None


@pytest.mark.parametrize("place", range(1, 6))
def test_second_interrupt_while_variables_are_restored_restores_all_or_none(place, monkeypatch):
    def fail(*_):
        raise Stop

    variables = [tf.Variable(float(k)) for k in range(4)]
    for variable in variables:
        variable.assign_add(1.0)
    with monkeypatch.context() as patch:
        patch.setattr("tfcompat._core.tracing.trace.choose", fail)
        before = sys.gettrace()
        sys.settrace(interrupting(Trace._roll_back.__code__, place))
        try:
            with pytest.raises(Stop):
                variables[0].numpy()
        finally:
            sys.settrace(before)
    assert [variable.numpy() for variable in variables] in ([0, 1, 2, 3], [1, 2, 3, 4])
