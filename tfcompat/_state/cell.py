"""The cell behind a variable: it holds a tensor. Assigning rebinds it; tensors read before keep their values."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar, Self
from weakref import ref

import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.sharding import placed, sharding_of
from tfcompat._core.structure.tensor import Tensor, finished, pending
from tfcompat._core.system.device import to_device
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.lock import binding
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.tracing.trace import Trace, here, record, record_pair
from tfcompat._core.types.dtype import NUMERIC, DType, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import has_symbols
from tfcompat._ops.identity import ensure_shape
from tfcompat._ops.operator import attach
from tfcompat._ops.sharding import placed_tensor, shard_tensor

_numbers = itertools.count()
_READ = Op("read", lambda x: x, gradient=GradientRule(reads=False, passes=True))
_ASSIGN = Op("assign", lambda x: x, gradient=GradientRule(blocked=True, cuts=True))


class Cell:
    """A mutable reference to a tensor.

    `_held` is the tensor. While a function is traced, its assignments are kept in the function's graph, so that other
    threads do not see them; `_tensor` is the tensor as seen by the running code. The number identifies the cell; all
    views of a variable have the same number.
    """

    _held: Tensor
    _static_shape: TensorShape
    _dtype: DType
    _name: str
    _number: int
    # Where the values are placed; None if they may be anywhere.
    _sharding: Any = None
    _view_type: ClassVar[type[Any]]

    def _hold(self, tensor: Tensor, shape: TensorShape, name: str) -> None:
        """Sets the first tensor; a function that is being traced records the creation."""
        self._begin(tensor, shape, name)
        if here.graph is not None:
            here.graph.create(self)
        elif here.untraced is not None:
            here.untraced.create()
        else:
            here.made += 1

    def _begin(self, tensor: Tensor, shape: TensorShape, name: str) -> None:
        self._static_shape = shape
        self._dtype = tensor._aval.dtype
        self._name = name
        self._number = next(_numbers)
        self._held = _own(tensor)
        if placed.is_used:
            self._sharding = sharding_of(self._held._array)

    @property
    def has_open_shape(self) -> bool:
        """Whether assignments may change the shape."""
        return not self._static_shape.is_fully_defined()

    def _put(self, sharding: Any) -> None:
        """Moves the value, and those that are assigned from now on, to the devices of `sharding`."""
        tensor = placed_tensor(self._held, sharding)
        self._sharding = sharding
        self._rebind(tensor)

    @property
    def _tensor(self) -> Tensor:
        """The tensor held, or the tensor that the function being traced has assigned."""
        graph = here.graph
        return self._held if graph is None else graph.held_by(self)

    def _read(self) -> Tensor:
        """The tensor held, as an operand of an op; in a function that is being traced, a tensor without a value."""
        graph = here.graph
        if graph is None:
            tensor = self._held
            for tape in here.tapes:
                tape.touch(self, tensor)
            return tensor
        for tape in here.tapes:
            tape.touch(self, graph.held_by(self))
        tensor = graph.held_by(self)
        return tensor if tensor._is_symbolic() else graph.placeholder_for(tensor)

    _as_tensor = _read

    def _observed(self) -> Tensor:
        """The tensor held, to read its value: tapes note the read, and nothing is recorded.

        So a signal handler can call it without an effect on the code that it interrupts.
        """
        if here.graph is not None:
            return self._read()
        for tape in here.tapes:
            tape.observe(self)
        return self._held

    def _entered(self) -> Tensor:
        """The tensor held, without a read for tapes; a function that is being traced reads it at each call."""
        if here.graph is not None:
            here.graph.enter(self)
        return self._tensor

    def _snapshot(self) -> Tensor:
        """The value as a tensor, which later assignments do not change."""
        tensor = self._read()
        return record(_READ, (tensor,)) if here.tapes and self._dtype is not string else alias_of(tensor)

    def _view(self) -> Self:
        """The result of an assignment: another object with the same state as this one. Counts as a read for tapes."""
        if here.tapes or here.graph is not None:
            self._read()
        view = object.__new__(self._view_type)
        view.__dict__ = self.__dict__
        return view

    def _replace(self, value: Any) -> None:
        """Sets the value. Raises ValueError if its shape or dtype does not fit."""
        tensor = _of_shape(self._static_shape, convert_to_tensor(value, self._dtype))
        self._require_shape(tensor)
        self._rebind(_own(self._placed(tensor)))

    def _placed(self, tensor: Tensor) -> Tensor:
        """`tensor` on the devices of the variable's values, if these are placed."""
        return tensor if self._sharding is None else shard_tensor(tensor, self._sharding)

    def _require_shape(self, tensor: Tensor) -> None:
        """Raises ValueError if `tensor` does not have the declared shape."""
        if not self._static_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self._name}': Shape mismatch.The variable shape "
                f"{self._static_shape}, and the assigned value shape {tensor.shape} are incompatible."
            )

    def _update(self, op: Op, delta: Any) -> None:
        """Sets the value to `op` of the value and `delta`.

        Raises: InvalidArgumentError if `delta` has another shape, or the variable does not hold numbers.
        """
        graph = here.graph
        if graph is None:
            tensor = self._held
        else:
            graph.enter(self)
            tensor = graph.held_by(self)
        if type(delta) is not Tensor or delta._aval != tensor._aval:
            delta = _of_shape(tensor.shape, convert_to_tensor(delta, self._dtype))
            if delta._aval != tensor._aval:
                raise InvalidArgumentError.of(
                    f"tf.Variable.{op.name}: the shapes of the variable and of the value must be equal, got "
                    f"{tensor._aval.shape} and {delta._aval.shape}."
                )
        if self._dtype not in NUMERIC:
            raise InvalidArgumentError.of(f"tf.Variable.{op.name}: dtype must be a number's, got {self._dtype.name}.")
        while not self._swap(tensor, record_pair(op, tensor, delta)):
            tensor = self._tensor

    def _replace_by(self, compute: Callable[[Tensor], Tensor]) -> None:
        """Sets the value to `compute(value)`. Raises ValueError if its shape does not fit."""
        while True:
            tensor = self._entered()
            new = compute(tensor)
            self._require_shape(new)
            if self._swap(tensor, _own(new)):
                return

    def _swap(self, held: Tensor, new: Tensor) -> bool:
        """Sets `new` if the cell still holds `held`, and returns whether it does: another thread may have assigned."""
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

    def _overwrite(self, value: Tensor) -> None:
        """Sets `value`, which is known and fits. A pending value before is computed only if something else reads it."""
        tensor = _own(self._placed(value))
        with binding:
            here.trace.replaced.pop(self._number, None)
            self._held = tensor

    def _rebind(self, tensor: Tensor, trace: Trace | None = None) -> None:
        """Sets `tensor`, which `trace` computes, by default the trace of this thread."""
        if trace is None:
            if here.graph is not None:
                here.graph.assign(self, tensor)
                return
            trace = here.trace
        with binding:
            if self._number not in trace.replaced:
                trace.replaced[self._number] = (self, self._held)
            self._held = tensor


def _of_shape(shape: TensorShape, tensor: Tensor) -> Tensor:
    """`tensor`, whose open sizes are checked for each element if it is that of a function of elements."""
    is_checked = element_trace() is not None and tensor._is_symbolic() and shape.is_compatible_with(tensor.shape)
    return ensure_shape(tensor, shape) if is_checked and has_symbols(tensor._aval.shape) else tensor


def _own(tensor: Tensor) -> Tensor:
    """A separate tensor for a cell, with the value of `tensor`.

    A host array is copied to the device, so that a program can reuse the buffer. Gradients do not flow from the cell to
    `tensor`.
    """
    array = tensor._array
    trace = tensor._trace
    if trace is not None and (here.tapes or (trace is here.trace and trace.is_held())):
        return record(_ASSIGN, (tensor,))
    return finished(to_device(array), tensor._aval) if type(array) is np.ndarray else alias_of(tensor)


def alias_of(tensor: Tensor) -> Tensor:
    """Another tensor with the value of `tensor`."""
    trace = tensor._trace
    if tensor._is_symbolic():
        if trace is not here.trace:
            tensor._value("assignment")
        return trace.alias(tensor)
    # A tensor of another thread is computed first, since that thread's trace may end at any moment.
    if trace is None or trace.thread != recorder.number:
        return finished(tensor._value("thread"), tensor._aval)
    return trace.alias(tensor)


def aliases_of(tensor: Tensor, count: int) -> list[Tensor]:
    """`count` other tensors with the value of `tensor`."""
    trace = here.trace
    if tensor._trace is trace and tensor._array is None and type(trace) is Trace and trace.waiting is None:
        slot, aval = tensor._slot, tensor._aval
        found = [pending(trace, slot, aval) for _ in range(count)]
        trace.pending.extend(map(ref, found))
        return found
    return [alias_of(tensor) for _ in range(count)]


attach(Cell, Cell._read)
