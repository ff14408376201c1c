"""Forks of the process that has imported JAX run programs as new processes of Python do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests import forked
from tests.daily import thorough

PROGRAM = """
import atexit, os, sys
import jax
import tfcompat as tf
assert "tests.forked" not in sys.modules
atexit.register(print, "ended")
print(__name__, sys.argv[1:], os.environ["GIVEN"], os.getcwd(), sys.modules["__main__"].__dict__ is globals())
print(jax.config.jax_enable_x64, tf.reduce_sum(tf.function(lambda x: x * x)(tf.constant([1.0, 2.0]))).numpy())
"""


@pytest.mark.parametrize("kind", ["code", *map(thorough, ("module", "script"))])
def test_program_sees_what_a_new_process_shows_it(tmp_path, kind):
    (tmp_path / "given.py").write_text(PROGRAM)
    program = {"code": ["-c", PROGRAM], "module": ["-m", "given"], "script": [str(tmp_path / "given.py")]}[kind]
    environment = {**os.environ, "GIVEN": "x"}
    ran = forked.run([*program, "a", "-c"], cwd=tmp_path, environment=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"__main__ ['a', '-c'] x {tmp_path} True\nFalse 5.0\nended\n"


@pytest.mark.thorough
def test_variables_of_jax_count():
    ran = forked.run(["-c", PROGRAM], environment={**os.environ, "GIVEN": "", "JAX_ENABLE_X64": "1"})
    assert ran.stdout.endswith("True 5.0\nended\n"), ran.stderr


def test_seed_of_numpy_is_new():
    assert len({forked.run(["-c", "import numpy; print(numpy.random.rand())"]).stdout for _ in range(2)}) == 2


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("raise ValueError('a reason')", 1, "ValueError: a reason"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
        ("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(9)", -signal.SIGINT, "KeyboardInt"),
    ],
    ids=["exit", "error", "killed", "interrupted"],
)
def test_status_is_that_of_a_new_process(code, status, words):
    ran, expected = (
        forked.run(["-c", code]),
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False),
    )
    assert ran.returncode == expected.returncode == status
    assert words in ran.stderr
    assert words in expected.stderr


def test_program_that_takes_too_long_is_killed(tmp_path):
    code = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); print(1); time.sleep(99)"
    with pytest.raises(subprocess.TimeoutExpired):
        forked.run(["-c", code], timeout=0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
