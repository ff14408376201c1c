"""Runs the steps of a plan one after another, each op on the host or compiled separately."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.operation.op import Op
from tfcompat._core.programs.compiled_alone import compiled_alone
from tfcompat._core.programs.hosting import hosted
from tfcompat._core.programs.program import Extent
from tfcompat._core.programs.replay import Plan, check, inputs_of
from tfcompat._core.programs.replicas.placement import collected, use
from tfcompat._core.structure.explanation import report_devices
from tfcompat._core.structure.interruption import store_arrays
from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.sharding import Placement, is_placed, moved, placed, settle, turns
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.structure.value_check import messages_and_derivations
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._core.system.device import all_on_device
from tfcompat._core.system.error import ResourceExhaustedError
from tfcompat._core.system.heap import heap
from tfcompat._core.types.aval import Aval
from tfcompat._jaxpr.postponement import postponed


def planned(node: Node, extent: Extent, slots: tuple[int, ...]) -> Plan:
    """The plan to compute `slots` of the trace up to `node` one op after another.

    Gradients do not reuse the results of forward steps. Forward steps with a value check run anyway, for the check.
    """
    path = node.path()
    plan = Plan(path, extent.given, slots, node.slot)
    if not node.checks:
        return plan
    forward = [step.origin.forward for step in plan.steps if step.origin is not None]
    checked = [step.first for step in forward if step.op and step.op.check and step.first >= extent.start]
    return Plan(path, extent.given, (*slots, *checked), node.slot) if checked else plan


class OpByOp:
    """An executor (see `executor.py`) that runs each step of a plan separately."""

    donated: frozenset[int] = frozenset()
    guards: tuple[tuple[int, int], ...] = ()

    def __init__(
        self, plan: Plan, given: tuple[int, ...], outputs: tuple[int, ...], placement: Placement | None = None
    ) -> None:
        """Runs `plan` for the slots `outputs`, which have a `placement`; values of the slots `given` are passed in."""
        self._plan = plan
        self._placement = placement
        self._slots = (*(step.first for step in plan.leaves), *given)
        self.leaves = tuple(step.leaves - 1 for step in plan.leaves)
        self.outputs = outputs
        self.calls_python = plan.calls_python
        self.messages, self.derivations = messages_and_derivations(plan.steps, outputs)

    def __call__(
        self,
        floats: Sequence[float],
        ints: Sequence[int],
        arrays: Sequence[Any],
        given: Sequence[Any],
        targets: Sequence[Tensor],
        on_python: Callable[[], None],
    ) -> None:
        """See `executor.py`."""
        if self.calls_python:
            on_python()
        try:
            known = collected([*arrays, *given]) if use.has_begun else [*arrays, *given]
            values, flags = self._evaluated(dict(zip(self._slots, known, strict=True)), floats, ints)
            with jax.enable_x64(True):
                results = self._placed([values[slot] for slot in self.outputs])
        except MemoryError as failed:
            raise ResourceExhaustedError.of(f"not enough memory for ops that run once: {failed}") from failed
        store_arrays(targets, [*results, np.array(flags)] if flags else results)
        heap.freed += sum(aval.nbytes for step in self._plan.steps if step.op is not None for aval in step.avals)

    def _placed(self, results: list[Any]) -> list[Any]:
        """The `results` on their devices."""
        arrays = all_on_device(results)
        if self._placement is None:
            return arrays
        targets = zip(arrays, self._placement.shardings(self.outputs), strict=True)
        return [self._placement.spread(array) if where is None else moved(array, where) for array, where in targets]

    def _evaluated(
        self, known: dict[int, Any], floats: Sequence[float], ints: Sequence[int]
    ) -> tuple[dict[int, Any], list[bool]]:
        """The values of the outputs, and a flag for each step with a value check. Other values are dropped early."""

        def read(number: Number) -> Any:
            return number.on_host(floats, ints)

        values = known
        flags: list[bool] = []
        steps = self._plan.steps
        if settings.is_logging_devices:
            report_devices(step.op for step in steps if step.op is not None)
        with jax.enable_x64(True):
            for step, finished in zip(steps, self._finished(), strict=True):
                inputs = inputs_of(step, values, read)
                for slot in finished:
                    values.pop(slot, None)
                if step.op is None:
                    if step.inputs:
                        values[step.first] = inputs[0]
                    continue
                outputs = run_alone(step.op, step.signature, inputs)
                if settings.is_checking:
                    check(step, outputs)
                values.update(zip(range(step.first, step.slot), outputs, strict=True))
                if step.op.check is not None:
                    flags.append(bool(run_alone(step.op.checker(), step.signature, inputs)[0]))
        return values, flags

    def _finished(self) -> list[list[int]]:
        """For each step, the slots that it is the last to read, outputs aside."""
        seen = set(self.outputs)
        found: list[list[int]] = []
        for step in reversed(self._plan.steps):
            last = [slot for slot in dict.fromkeys(step.inputs) if type(slot) is int and slot not in seen]
            seen.update(last)
            found.append(last)
        return found[::-1]


def run_alone(op: Op, signature: tuple[Aval, ...], inputs: tuple[Any, ...]) -> Sequence[Any]:
    """The outputs of `op`, on the host or compiled separately. 64-bit types must be enabled."""
    if placed.is_used and is_placed(op, inputs):
        with turns:
            outputs = _compiled_alone(op, signature, inputs)
            settle(outputs)
            return outputs
    found = hosted(op, signature, inputs)
    if found is not None and (outputs := found(inputs)) is not None:
        return outputs
    return _compiled_alone(op, signature, inputs)


def _compiled_alone(op: Op, signature: tuple[Aval, ...], inputs: tuple[Any, ...]) -> Sequence[Any]:
    """The outputs of `op`, compiled separately."""
    run = op.compiled
    if run is not None and signature in op.compiled_alone_for:
        return run(*inputs)
    counts.op_compiles += 1
    run = compiled_alone.added(op, signature)
    # A signal handler may run the same op, and JAX can't call a function that it is compiling. Signals are not
    # postponed if Python functions are called, since these may wait for one.
    with contextlib.nullcontext() if op.calls_python else postponed():
        return run(*inputs)
