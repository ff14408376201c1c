"""Value, dtype, shape and structure are TensorFlow's."""

from __future__ import annotations

from tests.conformance.table import assert_as_recorded, each_name


@each_name
def test_value_is_that_of_tensorflow(name: str) -> None:
    assert_as_recorded(name, "value")
