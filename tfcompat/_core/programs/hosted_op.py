"""One op evaluated on the host.

Its function is traced once for the sizes at hand; ops of a kind that occur with many sizes share one trace. An op that
has a function of NumPy (see `Op.on_host`) is not traced.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from tfcompat._core.operation.op import Avals, Op, pullback_like
from tfcompat._core.programs.family.difference import Differs
from tfcompat._core.programs.family.family import Family, generalised
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.skeleton import kind_of
from tfcompat._core.system.counter import counts
from tfcompat._jaxpr.host.control import TooLong
from tfcompat._jaxpr.host.evaluation import HostProgram, NoKernel
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.tracing import traced

_MOST_KINDS = 4096
# This many ops of one kind are traced for their own sizes. The next trace is for all sizes, which takes longer.
_TRACED_ALONE = 3
# How often an op is traced for all sizes, because more of its sizes vary than before.
_ATTEMPTS = 3
# The nanoseconds that a function of NumPy takes, by itself and for each element: a million of truncated normal numbers
# take 58 ms, of normal ones 28, of uniform ones 17 (CPU time, NumPy 2.4, one core at 2 to 3 GHz).
_CALL, _ELEMENT = 150e3, 50.0


class HostedOp:
    """The evaluation of an op on the host, for one signature.

    Attributes:
      work: the estimated nanoseconds of a call; `spent`: those of all calls so far.
    """

    __slots__ = ("_count", "_run", "spent", "work")

    def __init__(self, run: Callable[..., Sequence[np.ndarray]], count: int, work: float) -> None:
        """Calls `run` for its first `count` outputs, which takes `work`."""
        self._run = run
        self._count = count
        self.work = work
        self.spent = 0.0

    def __call__(self, inputs: Sequence[Any]) -> Sequence[np.ndarray] | None:
        """The outputs for arrays; None if a loop takes too long; then no later call is tried."""
        self.spent += self.work
        try:
            outputs = self._run(*map(np.asarray, inputs))
        except TooLong:
            self.spent = math.inf
            return None
        counts.host_ops += 1
        return outputs[: self._count]


class _Kind:
    """Ops that differ in sizes only. After several of them have occurred, one is traced for all sizes."""

    def __init__(self, op: Op, signature: Avals) -> None:
        self._first = _path(op, signature)
        self._family: Family | None = None
        self._program: HostProgram | None = None
        self._met = 1
        self._attempts = 0

    @property
    def is_traced(self) -> bool:
        """Whether it is traced for all sizes."""
        return self._program is not None

    def hosted(self, op: Op, signature: Avals) -> HostedOp | None:
        """The evaluation of `op` by the program for all sizes; None if that program isn't valid for it."""
        self._met += 1
        if self._met <= _TRACED_ALONE:
            return None
        path = _path(op, signature)
        sizes = self._family.sizes_of(path) if self._family is not None else None
        if sizes is None and self._attempts < _ATTEMPTS:
            self._attempts += 1
            try:
                with postponed():
                    family = generalised(self._first, path)
                    self._program = HostProgram(family.jaxpr(range(path[-1].first, path[-1].slot)))
                    self._family = family
            except (Differs, NoKernel):
                return None
            sizes = family.sizes_of(path)
        return None if sizes is None or self._program is None else _of_program(self._program, path[-1].avals, sizes)


def _of_program(program: HostProgram, outputs: Avals, sizes: dict[str, int]) -> HostedOp:
    """The evaluation by `program`, whose symbols have the values `sizes`."""
    return HostedOp(functools.partial(program, sizes=sizes), len(outputs), program.work_for(sizes))


def _of_function(op: Op, signature: Avals) -> HostedOp:
    """The evaluation by the function of NumPy that `op` has."""
    function, (aval,) = op.on_host, op.infer(signature)
    assert function is not None
    dtype = aval.dtype.as_numpy_dtype

    def run(*inputs: np.ndarray) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            return [np.asarray(function(*inputs), dtype)]

    return HostedOp(run, 1, _CALL + _ELEMENT * aval.size)


def _of_pullback(op: Op, signature: Avals) -> HostedOp | None:
    """The evaluation by the jaxpr that was traced to find the form of a pullback; None for other ops."""
    if op.recipe is None or op.recipe.maker is not pullback_like:
        return None
    (*_, form), (forward, avals) = op.recipe.fixed, op.recipe.sized
    cotangents = signature[len(form.read) :]
    jaxpr = form.jaxprs.pop((ref(forward), (*avals, *cotangents)), None)
    if jaxpr is None:
        return None
    # The results don't depend on these.
    unread = [np.broadcast_to(np.zeros((), aval.dtype.as_numpy_dtype), aval.shape) for aval in avals]
    program = HostProgram(jaxpr)

    def run(*inputs: np.ndarray) -> list[np.ndarray]:
        primals = [inputs[form.place[i]] if i in form.place else array for i, array in enumerate(unread)]
        return program(*primals, *inputs[len(form.read) :])

    return HostedOp(run, len(op.infer(signature)), program.work)


_kinds: dict[Hashable, _Kind] = {}


def is_traced(op: Op, signature: Avals) -> bool:
    """Whether `op` needs no trace before the host evaluates it for inputs of `signature`."""
    if op.on_host is not None or signature in op.hosted:
        return True
    kind = _kinds.get(_key(op, signature))
    return kind is not None and kind.is_traced


def _key(op: Op, signature: Avals) -> Hashable:
    return kind_of(op), *(aval.kind for aval in signature)


def hosted_op(op: Op, signature: Avals) -> HostedOp | None:
    """The evaluation of `op` for inputs of `signature`; None if the host cannot do it."""
    if op.on_host is not None:
        return _of_function(op, signature)
    key = _key(op, signature)
    kind = _kinds.get(key)
    if kind is None:
        if len(_kinds) >= _MOST_KINDS:
            _kinds.clear()
        _kinds[key] = _Kind(op, signature)
    elif (found := kind.hosted(op, signature)) is not None:
        return found
    try:
        if (pullback := _of_pullback(op, signature)) is not None:
            return pullback
        program = HostProgram(traced(op.fn, [aval.struct for aval in signature]))
        return _of_program(program, op.infer(signature), {})
    except NoKernel:
        return None


def _path(op: Op, signature: Avals) -> Sequence[Node]:
    """A recording of `op` alone."""
    node = Node(None, None, (), (), (), "")
    for aval in signature:
        node = Node(node, None, (), (), (aval,), "")
    return Node(node, op, tuple(range(len(signature))), signature, op.infer(signature), "").path()
