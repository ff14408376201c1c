"""The ops that are compiled alone, outside of programs, with a bound on their number."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tfcompat._core.operation.op import Avals, Op
from tfcompat._core.system.config import settings
from tfcompat._core.system.python_program import CallingPython
from tfcompat._jaxpr.jit import jitted

# The number of signatures of ops that are kept compiled for each program that may be kept. Both take as much memory.
_FOR_EACH_PROGRAM = 2


class CompiledAlone:
    """The ops that are compiled alone, the one that was compiled least recently first."""

    def __init__(self) -> None:
        self._ops: OrderedDict[Op, None] = OrderedDict()
        self._signatures = 0
        # Reentrant: the handler of a signal may run ops.
        self._lock = threading.RLock()

    def clear(self) -> None:
        """Drops the compiled functions of all ops."""
        with self._lock:
            for op in list(self._ops):
                self._drop(op)

    def added(self, op: Op, signature: Avals) -> Callable[..., Any]:
        """The function that JAX compiles for `signature` when it is called. Drops those of other ops, if many are."""
        with self._lock:
            while self._ops and self._signatures >= _FOR_EACH_PROGRAM * settings.max_programs:
                self._drop(next(iter(self._ops)))
            run = op.compiled
            if run is None:
                run = jitted(op.outputs)
                run = op.compiled = CallingPython(run, functools.partial(_another, op)) if op.calls_python else run
            op.compiled_alone_for |= {signature}
            op.compiled_for |= {signature}
            self._ops[op] = None
            self._ops.move_to_end(op)
            self._signatures += 1
            return run

    def _drop(self, op: Op) -> None:
        del self._ops[op]
        self._signatures -= len(op.compiled_alone_for)
        op.compiled_alone_for = frozenset()
        op.compiled = None


def _another(op: Op) -> Callable[..., Any]:
    """A compiled function of `op` of its own, although JAX has one."""
    return jitted(functools.partial(op.outputs))


compiled_alone = CompiledAlone()
