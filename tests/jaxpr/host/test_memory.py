"""Arrays of the host reuse memory that was freed, rather than new pages of the system."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from tfcompat._jaxpr.host import memory

# Arrays of 4 MB that are freed at once, ten times; and the new pages that a process touches for them.
PROGRAM = """
import resource
import jax
import numpy as np
from tfcompat._jaxpr.host.evaluation import HostProgram

program = HostProgram(jax.make_jaxpr(lambda x: -(x + 1.0))(np.ones(1 << 20, np.float32)))
x = np.ones(1 << 20, np.float32)
program(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    program(x)
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * resource.getpagesize() >> 20)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no threshold")
def test_large_arrays_reuse_freed_memory():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    # Without it, each run takes 4 MB of new pages.
    assert int(done.stdout) <= 20


def test_small_arrays_do_not_need_that_memory(monkeypatch):
    monkeypatch.setattr(memory, "_LARGEST", 1 << 60)  # no machine has as much
    memory.keep_freed_memory.cache_clear()
    memory.keep_freed_memory()
