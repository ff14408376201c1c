"""Finalizers that compute after Python's `atexit`: they get an error, and the process ends."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import tfcompat as tf

v = tf.Variable([2.0, 3.0])
square = tf.function(lambda: v * v)
for _ in range(3):
    square().numpy()

class Late:
    def __init__(self, compute):
        self.compute = compute

    def __del__(self):
        try:
            self.compute()
        except (RuntimeError, ImportError, AttributeError):
            print("refused")

# Python drops this value first when it ends: after `atexit`, before the modules that the finalizers need.
sys.last_value = [
    Late(lambda: v.assign_add([1.0, 1.0]).numpy()), Late(lambda: square().numpy()), Late(lambda: (v + v).numpy())
]
"""


def test_finalizers_that_compute_at_the_end_do_not_wait():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=True)
    assert run.stdout.split() == ["refused"] * 3, run.stderr
