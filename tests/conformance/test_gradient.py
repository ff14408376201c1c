"""The gradient is TensorFlow's: its content, its dtype, where it is None, where it is a set of rows."""

from __future__ import annotations

from tests.conformance.table import assert_as_recorded, each_name


@each_name
def test_gradient_is_that_of_tensorflow(name: str) -> None:
    assert_as_recorded(name, "gradient")
