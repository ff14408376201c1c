"""The kernel that runs a program: functions that were saved here consist of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.system.error import DataLossError
from tfcompat._core.tracing.trace import record
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step
from tfcompat._saved_model.messages.attribute import RECORD
from tfcompat._saved_model.programs.program import loaded

_MOST_PROGRAMS = 128


def _computed(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    programs = frame.library.programs
    key = frame.plan.name, step.name
    if key not in programs:
        programs[key] = _op(step)
    results = record(programs[key], tuple([convert_to_tensor(value) for value in inputs]))
    return list(results)


def _op(step: Step) -> Op:
    """The program as an op."""
    if RECORD not in step.message.attr:
        raise NotImplementedError(
            f"tf.saved_model.load: the program in {step.subject} was not written by tf.saved_model.save of tfcompat; "
            "save the model here, or load it in JAX with jax.export.deserialize."
        )
    attr = step.message.attr
    if attr["function_list"].list.func or attr["dim_args_spec"].list.s or attr["has_token_input_output"].b:
        raise DataLossError.of(f"{step.subject} is corrupted: it was not written with these attributes")
    platforms = [name.decode(errors="replace").lower() for name in attr["platforms"].list.s]
    return _op_of(attr["module"].s, attr[RECORD].s, attr["version"].i, tuple(platforms))


@functools.lru_cache(maxsize=_MOST_PROGRAMS)
def _op_of(module: bytes, facts: bytes, version: int, platforms: tuple[str, ...]) -> Op:
    """The program as an op; the same for equal programs, so that a model that is loaded again is not compiled again."""
    call = loaded(module, facts, version, platforms)
    return Op("XlaCallModule", _as_tuple(call), many=True, gradient=GradientRule(no_gradient="XlaCallModule"))


def _as_tuple(call: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    return lambda *arrays: tuple(call(*arrays))


PROGRAM_KERNELS: dict[str, Kernel] = {"XlaCallModule": _computed}
