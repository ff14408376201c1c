"""A signal while an interrupted step restores the variables: all of them are restored, or none."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.core.stopped_line import Stop, stopped_at
from tfcompat._core.tracing.trace import Trace


@pytest.mark.parametrize("place", range(1, 6))
def test_second_interrupt_while_variables_are_restored_restores_all_or_none(place, monkeypatch):
    def fail(*_):
        raise Stop

    variables = [tf.Variable(float(k)) for k in range(4)]
    for variable in variables:
        variable.assign_add(1.0)
    with monkeypatch.context() as patch:
        patch.setattr("tfcompat._core.tracing.trace.choose", fail)
        with pytest.raises(Stop), stopped_at(Trace._roll_back.__code__, place):
            variables[0].numpy()
    assert [variable.numpy() for variable in variables] in ([0, 1, 2, 3], [1, 2, 3, 4])
