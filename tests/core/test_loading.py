"""Loading the package leaves the garbage collector as it was."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("before", ["enable", "disable"])
def test_garbage_collector_is_left_as_it_was(before):
    program = f"import gc; gc.{before}(); import tfcompat; print(gc.isenabled())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(before == "enable")]
