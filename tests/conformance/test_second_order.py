"""The gradient of the gradient is TensorFlow's, and None where TensorFlow's is None; so are values and gradients."""

from __future__ import annotations

import pytest

from tests.agreement import second_order_difference
from tests.conformance.table import assert_as_recorded, each_name

pytestmark = pytest.mark.thorough


@each_name
def test_every_example_is_as_under_tensorflow(name: str) -> None:
    assert_as_recorded(name, "value", is_thorough=True)
    assert_as_recorded(name, "gradient", is_thorough=True)
    assert_as_recorded(name, "second_order", second_order_difference, is_thorough=True)
