"""Importing the package does not affect the garbage collector, and rarely used modules load at the first access."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import forked
from tests.daily import thorough

# Every call of these is an error; their results are not needed.
WATCHED = """
import gc, sys
touched = []
for name in ("enable", "disable", "set_threshold", "freeze", "unfreeze", "collect"):
    setattr(gc, name, lambda *args, name=name: touched.append(name))
def state():
    return gc.isenabled(), gc.get_threshold()
"""
IMPORTED = "import tfcompat\n"
# A module of the package that is loaded late in its import fails.
FAILED = """
sys.modules["tfcompat._state.variable"] = None
try:
    import tfcompat
except ImportError:
    pass
else:
    raise AssertionError("the import did not fail")
"""


@pytest.mark.parametrize("before", ["gc.disable()", thorough("gc.set_threshold(123, 4, 5)")])
@pytest.mark.parametrize("loaded", [IMPORTED, FAILED], ids=["imported", "failed"])
def test_garbage_collector_is_left_alone(before, loaded):
    # Effects of JAX on the collector are excluded: it is there before.
    program = f"import gc, jax; {before}\n{WATCHED}\nbefore = state()\n{loaded}\nprint(touched, state() == before)"
    assert forked.run(["-c", program]).stdout == "[] True\n"


def test_special_fields_are_loaded_when_they_are_asked_for():
    program = """
import sys
import tfcompat as tf
print("tfcompat.image" in sys.modules, "jax.scipy.special" in sys.modules, "image" in dir(tf))
tf.image
print("tfcompat.image" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False False True", "True"]


def test_special_fields_may_be_loaded_while_a_function_is_traced():
    program = """
import jax, sys
import tfcompat as tf

late = [name for name in tf.__all__ if name not in vars(tf)]
for name in late:
    traced = tf.function(lambda x: (getattr(tf, name), x + 1.0)[1])
    assert float(traced(1.0)) == 2.0
held = [value for name, module in sys.modules.items() if name.startswith("tfcompat") for value in vars(module).values()]
print("image" in late, any(isinstance(value, jax.core.Tracer) for value in held))
"""
    assert forked.run(["-c", program]).stdout == "True False\n"
