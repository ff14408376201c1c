"""A lack of memory raises an error: the process does not end, and no read waits for ever."""

from __future__ import annotations

import sys

import pytest

from tests import forked


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux's")
def test_lack_of_memory_that_a_started_program_meets_is_raised_by_the_read():
    script = """
import resource
import tfcompat as tf
x, rows = tf.ones([3000, 3000]), tf.constant([1.0, 2.0])
double = tf.function(lambda row: x * tf.gather(rows, row), autograph=False)
zeros = [tf.constant(0)] * 12
for zero in zeros[:4]:
    tf.reduce_sum(double(zero)).numpy()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**20, resource.RLIM_INFINITY))
kept, raised = [], 0
for zero in zeros[4:]:
    kept.append(double(zero))
    try:
        tf.reduce_sum(kept[-1]).numpy()
    except tf.errors.ResourceExhaustedError:
        raised += 1
kept.clear()
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print(raised > 0, int(tf.reduce_sum(double(zero))))
"""
    run = forked.run(["-c", script], timeout=300)
    assert run.stdout == "True 9000000\n", run.stderr
