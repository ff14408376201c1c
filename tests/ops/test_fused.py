"""The tests with XLA's default flags notice if a product and a sum are rounded only once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import forked
from tests.daily import thorough

ROOT = Path(__file__).parents[2]
CHECK = "tests/ops/test_random.py::test_range_is_rounded_after_each_step"
# Runs the check, with `rounded` replaced by another function, if given, in all modules that have it.
PROGRAM = """
import sys
import pytest
import tfcompat
from tfcompat._ops.elementwise.rounding import rounded

other = {other}
for module in [module for module in sys.modules.values() if vars(module).get("rounded") is rounded]:
    module.rounded = other
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "{check}"]))
"""


def check_with(other: str, flags: str) -> int:
    """The result of pytest for the check in its own process, with those flags and `other` in place of `rounded`."""
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    environment |= {"TFCOMPAT_TEST_FLAGS": flags, "TFCOMPAT_HOST": "0"}
    return forked.run(["-c", PROGRAM.format(other=other, check=CHECK)], cwd=ROOT, environment=environment).returncode


@pytest.mark.parametrize(
    ("other", "flags", "passes"),
    [
        ("rounded", "default", True),
        *map(
            thorough,
            [
                ("lambda product: product", "default", False),
                # Why the tests are not only run with few optimisations.
                ("lambda product: product", "cheap", True),
            ],
        ),
    ],
    ids=["as it is", "removed", "removed, unnoticed"],
)
def test_a_sum_that_is_fused_with_a_product_is_noticed(other, flags, passes):
    assert check_with(other, flags) == (pytest.ExitCode.OK if passes else pytest.ExitCode.TESTS_FAILED)
