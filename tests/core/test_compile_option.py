"""Options with which XLA compiles programs."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs.compile_option import compiler_options
from tfcompat._core.programs.program import Program
from tfcompat._core.system.config import settings

ON_CPU = pytest.mark.skipif(jax.default_backend() != "cpu", reason="options of the CPU's compiler")


def options_for(monkeypatch, size):
    """The options of the programs of a function on tensors with `size` elements."""
    found = []
    monkeypatch.delenv("XLA_FLAGS", raising=False)

    def compilable(program, equal=None):
        found.append(compiler_options(program._plan.steps))
        return original(program, equal)

    original = Program._compilable
    monkeypatch.setattr(Program, "_compilable", compilable)
    monkeypatch.setattr(settings, "is_hosting", False)
    step = tf.function(lambda x: tf.reduce_sum(tf.sin(x) * 3.0))
    assert step(tf.constant(np.zeros(size, np.float32))).numpy() == 0.0
    return found


@ON_CPU
def test_programs_on_small_arrays_run_their_instructions_one_after_another(monkeypatch):
    (options,) = options_for(monkeypatch, 60_001)
    assert list(options) == ["xla_cpu_scheduler_type"]


@ON_CPU
def test_programs_on_large_arrays_use_threads(monkeypatch):
    assert options_for(monkeypatch, 70_001) == [None]


@ON_CPU
def test_choice_of_the_user_is_kept(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_scheduler_type=CPU_SCHEDULER_TYPE_DEFAULT")
    assert compiler_options([]) is None
