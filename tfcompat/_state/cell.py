"""The cell behind a variable: it holds a tensor. Assigning rebinds it; what was read before keeps its value."""

from __future__ import annotations

import itertools
from threading import get_ident
from typing import Any, ClassVar, Self

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.device import to_device
from tfcompat._core.dtype import NUMERIC, DType, string
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor, finished
from tfcompat._core.trace import Trace, here, record, record_pair, running
from tfcompat._ops.operator import attach

_numbers = itertools.count()
_READ = Op("read", lambda x: x)
_ASSIGN = Op("assign", lambda x: x, blocked=True, cuts=True)


class Cell:
    """What can be read and assigned.

    The number tells cells apart; it is the same for all views of one variable.
    """

    _tensor: Tensor
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
        self._tensor = _own(tensor)

    def _read(self) -> Tensor:
        """The tensor held, as an operand of an op; in a function that is being traced it has no value."""
        for tape in here.tapes:
            tape.touch(self)
        tensor = self._tensor
        if here.graph is not None and not tensor._is_symbolic():
            return here.graph.standing_for(tensor)
        return tensor if tensor._array is not None or not tensor._trace.is_symbolic else self._current()

    _as_tensor = _read

    def _entered(self) -> Tensor:
        """The tensor held, which no tape takes as a read; a function that is being traced finds it at each call."""
        if here.graph is not None:
            here.graph.enter(self)
        return self._current()

    def _current(self) -> Tensor:
        """The tensor held, for this thread: what another one assigns while it traces a function stays there."""
        tensor = self._tensor
        if is_foreign(tensor):
            with running:
                tensor = self._tensor
                while is_foreign(tensor):
                    _, tensor = tensor._trace.replaced[self._number]
        return tensor

    def _snapshot(self) -> Tensor:
        """The value as a tensor that doesn't follow later assignments."""
        tensor = self._read()
        return record(_READ, (tensor,)) if here.tapes and self._dtype is not string else _same(tensor)

    def _view(self) -> Self:
        """What an assignment returns: another object that shares everything with this one; tapes take it as a read."""
        self._read()
        view = object.__new__(self._view_type)
        view.__dict__ = self.__dict__
        return view

    def _replace(self, value: Any) -> None:
        """Holds `value` from now on. Raises ValueError if its shape or dtype doesn't fit."""
        tensor = convert_to_tensor(value, self._dtype)
        if not self._static_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self._name}': Shape mismatch.The variable shape "
                f"{self._static_shape}, and the assigned value shape {tensor.shape} are incompatible."
            )
        self._rebind(_own(tensor))

    def _update(self, op: Op, delta: Any) -> None:
        """Holds `op` of the value and `delta` from now on. No other thread assigns in between.

        Raises: InvalidArgumentError if `delta` has another shape, or the variable does not hold numbers.
        """
        if here.graph is not None:
            here.graph.enter(self)
        if type(delta) is not Tensor or delta._aval is not self._tensor._aval:
            delta = convert_to_tensor(delta, self._dtype)
            if delta._aval is not self._tensor._aval:
                raise InvalidArgumentError.of(
                    f"tf.Variable.{op.name}: the shapes of the variable and of the value must be equal, got "
                    f"{self._tensor._aval.shape} and {delta._aval.shape}."
                )
        if self._dtype not in NUMERIC:
            raise InvalidArgumentError.of(f"tf.Variable.{op.name}: dtype must be a number's, got {self._dtype.name}.")
        with running:
            self._rebind(record_pair(op, self._current(), delta))

    def _rebind(self, tensor: Tensor, trace: Trace | None = None) -> None:
        """Holds `tensor` from now on, which `trace` computes, by default the one that is being recorded.

        Where another thread traces a function that assigns this cell, that goes on undisturbed.
        """
        with running:
            held, graph = self._tensor, None
            while is_foreign(held):
                graph = held._trace
                _, held = graph.replaced[self._number]
            if graph is not None:
                graph.replaced[self._number] = (self, tensor)
                return
            replaced = (trace or here.trace).replaced
            if self._number not in replaced:
                replaced[self._number] = (self, held)
            self._tensor = tensor


def is_foreign(tensor: Tensor) -> bool:
    """Whether `tensor` belongs to a function that another thread is tracing."""
    return tensor._array is None and tensor._trace.is_symbolic and tensor._trace.thread != get_ident()


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
    if tensor._is_symbolic() and tensor._trace is not here.trace:
        tensor._value("assignment")
    return finished(tensor._array, tensor._aval) if tensor._trace is None else tensor._trace.alias(tensor)


attach(Cell, Cell._read)
