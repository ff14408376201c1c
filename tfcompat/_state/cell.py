"""The cell behind a variable: it holds a tensor. Assigning rebinds it; what was read before keeps its value."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from threading import get_ident
from typing import Any, ClassVar, Self

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.device import to_device
from tfcompat._core.dtype import NUMERIC, DType, string
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.lock import binding
from tfcompat._core.op import GradientRule, Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor, finished
from tfcompat._core.trace import Trace, here, record, record_pair
from tfcompat._ops.operator import attach

_numbers = itertools.count()
_READ = Op("read", lambda x: x, gradient=GradientRule(reads=False))
_ASSIGN = Op("assign", lambda x: x, gradient=GradientRule(blocked=True, cuts=True))


class Cell:
    """What can be read and assigned.

    What it holds is `_held`. While a function is traced its assignments are kept in the function's graph, so that no
    other thread sees them; `_tensor` is what the cell holds for the code that runs now. The number tells cells apart;
    it is the same for all views of one variable.
    """

    _held: Tensor
    _static_shape: TensorShape
    _dtype: DType
    _name: str
    _number: int
    _view_type: ClassVar[type[Any]]

    def _hold(self, tensor: Tensor, shape: TensorShape, name: str) -> None:
        """Begins to hold `tensor`; the function that is being traced has made it."""
        self._begin(tensor, shape, name)
        if here.graph is not None:
            here.graph.create(self)

    def _begin(self, tensor: Tensor, shape: TensorShape, name: str) -> None:
        self._static_shape = shape
        self._dtype = tensor._aval.dtype
        self._name = name
        self._number = next(_numbers)
        self._held = _own(tensor)

    @property
    def _tensor(self) -> Tensor:
        """The tensor held; in a function that is being traced the one that it has assigned, if it has."""
        graph = here.graph
        return self._held if graph is None else graph.held_by(self)

    def _read(self) -> Tensor:
        """The tensor held, as an operand of an op; in a function that is being traced it has no value."""
        graph = here.graph
        if graph is None:
            tensor = self._held
            for tape in here.tapes:
                tape.touch(self, tensor)
            return tensor
        for tape in here.tapes:
            tape.touch(self, graph.held_by(self))
        tensor = graph.held_by(self)
        return tensor if tensor._is_symbolic() else graph.standing_for(tensor)

    _as_tensor = _read

    def _observed(self) -> Tensor:
        """The tensor held, to read its value: tapes note that, and nothing is recorded.

        So what the handler of a signal has interrupted goes on as it would have.
        """
        if here.graph is not None:
            return self._read()
        for tape in here.tapes:
            tape.observe(self)
        return self._held

    def _entered(self) -> Tensor:
        """The tensor held, which no tape takes as a read; a function that is being traced finds it at each call."""
        if here.graph is not None:
            here.graph.enter(self)
        return self._tensor

    def _snapshot(self) -> Tensor:
        """The value as a tensor that doesn't follow later assignments."""
        tensor = self._read()
        return record(_READ, (tensor,)) if here.tapes and self._dtype is not string else _same(tensor)

    def _view(self) -> Self:
        """What an assignment returns: another object that shares everything with this one; tapes take it as a read."""
        if here.tapes or here.graph is not None:
            self._read()
        view = object.__new__(self._view_type)
        view.__dict__ = self.__dict__
        return view

    def _replace(self, value: Any) -> None:
        """Holds `value` from now on. Raises ValueError if its shape or dtype doesn't fit."""
        tensor = convert_to_tensor(value, self._dtype)
        self._require_shape(tensor)
        self._rebind(_own(tensor))

    def _require_shape(self, tensor: Tensor) -> None:
        """Raises ValueError if `tensor` does not have the shape declared."""
        if not self._static_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self._name}': Shape mismatch.The variable shape "
                f"{self._static_shape}, and the assigned value shape {tensor.shape} are incompatible."
            )

    def _update(self, op: Op, delta: Any) -> None:
        """Holds `op` of the value and `delta` from now on.

        Raises: InvalidArgumentError if `delta` has another shape, or the variable does not hold numbers.
        """
        graph = here.graph
        if graph is None:
            tensor = self._held
        else:
            graph.enter(self)
            tensor = graph.held_by(self)
        if type(delta) is not Tensor or delta._aval is not tensor._aval:
            delta = convert_to_tensor(delta, self._dtype)
            if delta._aval is not tensor._aval:
                raise InvalidArgumentError.of(
                    f"tf.Variable.{op.name}: the shapes of the variable and of the value must be equal, got "
                    f"{tensor._aval.shape} and {delta._aval.shape}."
                )
        if self._dtype not in NUMERIC:
            raise InvalidArgumentError.of(f"tf.Variable.{op.name}: dtype must be a number's, got {self._dtype.name}.")
        while not self._swap(tensor, record_pair(op, tensor, delta)):
            tensor = self._tensor

    def _replace_by(self, compute: Callable[[Tensor], Tensor]) -> None:
        """Holds `compute(value)` from now on. Raises ValueError if its shape doesn't fit."""
        while True:
            tensor = self._entered()
            new = compute(tensor)
            self._require_shape(new)
            if self._swap(tensor, _own(new)):
                return

    def _swap(self, held: Tensor, new: Tensor) -> bool:
        """Holds `new` from now on if it is `held` that is held now: no other thread has assigned in between."""
        if here.graph is not None:
            here.graph.assign(self, new)
            return True
        replaced = here.trace.replaced
        with binding:
            if self._held is not held:
                return False
            if self._number not in replaced:
                replaced[self._number] = (self, held)
            self._held = new
        return True

    def _rebind(self, tensor: Tensor, trace: Trace | None = None) -> None:
        """Holds `tensor` from now on, which `trace` computes, by default the one that is being recorded."""
        if trace is None:
            if here.graph is not None:
                here.graph.assign(self, tensor)
                return
            trace = here.trace
        with binding:
            if self._number not in trace.replaced:
                trace.replaced[self._number] = (self, self._held)
            self._held = tensor


def _own(tensor: Tensor) -> Tensor:
    """A tensor of its own for a cell.

    A host array moves to the device, so that a program may take the buffer over. What a tape has recorded of the value
    doesn't lead into the cell.
    """
    array = tensor._array
    trace = tensor._trace
    if trace is not None and (here.tapes or (trace is here.trace and trace.is_held())):
        return record(_ASSIGN, (tensor,))
    return finished(to_device(array), tensor._aval) if type(array) is np.ndarray else _same(tensor)


def _same(tensor: Tensor) -> Tensor:
    """Another tensor with the value of `tensor`."""
    trace = tensor._trace
    if tensor._is_symbolic():
        if trace is not here.trace:
            tensor._value("assignment")
        return trace.alias(tensor)
    # What another thread computes is computed first: its trace may end at any moment.
    if trace is None or trace.thread != get_ident():
        return finished(tensor._value("thread"), tensor._aval)
    return trace.alias(tensor)


attach(Cell, Cell._read)
