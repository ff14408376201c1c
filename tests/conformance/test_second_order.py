"""The gradient of the gradient is TensorFlow's, and None where TensorFlow's is None."""

from __future__ import annotations

import pytest

from tests.agreement import second_order_difference
from tests.conformance.table import assert_as_recorded, each_name

pytestmark = pytest.mark.thorough


@each_name
def test_second_derivative_is_that_of_tensorflow(name: str) -> None:
    assert_as_recorded(name, "second_order", second_order_difference)
