"""`tf.Variable`: a cell that holds a tensor. Assigning rebinds the cell; what was read before keeps its value."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.device import to_device
from tfcompat._core.dtype import DType
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Reference, Tensor
from tfcompat._core.trace import here, record
from tfcompat._state.scope import scoped

_numbers = itertools.count()
_READ = Op("read", lambda x: x)
_ASSIGN = Op("assign", lambda x: x, blocked=True)
_ASSIGN_ADD = Op("assign_add", lambda x, y: x + y, blocked=True)
_ASSIGN_SUB = Op("assign_sub", lambda x, y: x - y, blocked=True)


class VariableSynchronization(enum.Enum):
    """When a distributed variable is synchronised. Source: TF 2.21 `tf.VariableSynchronization`."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How a distributed variable is aggregated. Source: TF 2.21 `tf.VariableAggregation`."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class Variable:
    """A tensor that can be assigned.

    Args:
      initial_value: the first value, or a function without arguments that gives it.
      trainable: whether tapes watch it when it is read; by default they do.
      validate_shape, caching_device, variable_def, import_scope: only their default is supported.
      name: `"Variable"` by default; names need not be unique.
      dtype: of the variable; by default that of the value.
      constraint: a function for optimizers to apply; assignment doesn't.
      synchronization, aggregation: kept for distribution strategies.
      shape: may leave dimensions open, `[None, 3]`; later assignments may then change them.

    Raises: ValueError without an initial value, or if it doesn't fit `shape`.
    Source: TF 2.21 `tf.Variable`.
    """

    __array_priority__ = 100

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        for argument, value in (("caching_device", caching_device), ("variable_def", variable_def), ("import_scope", import_scope)):
            if value is not None:
                raise NotImplementedError(f"tf.Variable: {argument} is not supported; leave it out.")
        del validate_shape, experimental_enable_variable_lifting
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must not be None. Received: initial_value=None")
        value = initial_value() if callable(initial_value) else initial_value
        tensor = convert_to_tensor(value, dtype)
        self._static_shape = tensor.shape if shape is None else TensorShape(shape)
        if not self._static_shape.is_compatible_with(tensor.shape):
            raise ValueError(f"The initial value's shape ({tensor.shape}) is not compatible with the explicitly supplied `shape` argument ({shape}).")
        self._dtype = tensor._aval.dtype
        self._trainable = True if trainable is None else bool(trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._name = scoped(name or "Variable") + ":0"
        self._number = next(_numbers)
        self._tensor = _own(tensor)

    @property
    def name(self) -> str:
        """The name with scopes and `":0"`."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape declared, perhaps with unknown dimensions."""
        return self._static_shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._tensor._aval.ndim

    @property
    def device(self) -> str:
        """TensorFlow's name of the device that holds the value."""
        return self._tensor.device

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable when it is read."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function given for optimizers to apply."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """As given."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """As given."""
        return self._aggregation

    @property
    def initial_value(self) -> NoReturn:
        """Raises RuntimeError, as TensorFlow does in eager mode."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def get_shape(self) -> TensorShape:
        """The shape declared."""
        return self._static_shape

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A true boolean tensor."""
        del name
        return Tensor(np.asarray(True))

    def ref(self) -> Reference:
        """A hashable reference to this variable."""
        return Reference(self)

    def numpy(self) -> Any:
        """The value as a fresh NumPy array, or scalar."""
        return self._read().numpy()

    def value(self) -> Tensor:
        """The value now; it doesn't follow later assignments."""
        return self._snapshot()

    def read_value(self) -> Tensor:
        """The value now; it doesn't follow later assignments."""
        return self._snapshot()

    def _read(self) -> Tensor:
        """The tensor held, as an operand of an op."""
        for tape in here.tapes:
            tape.touch(self)
        return self._tensor

    _as_tensor = _read

    def _snapshot(self) -> Tensor:
        if here.tapes:
            return record(_READ, (self._read(),))
        return _same(self._tensor)

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Variable | None:
        """Replaces the value by `value`; returns a view of the variable, or None without `read_value`.

        Raises: ValueError if the shape or dtype of `value` doesn't fit.
        """
        del use_locking, name
        tensor = self._fitting(value)
        if here.tapes:
            self._read()
            tensor = record(_ASSIGN, (tensor,))
        elif tensor._array is None or type(tensor._array) is not np.ndarray:
            tensor = _same(tensor)
        else:
            tensor = _own(tensor)
        return self._rebind(tensor, read_value)

    def _fitting(self, value: Any) -> Tensor:
        tensor = convert_to_tensor(value, self._dtype)
        if not self._static_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self._name}': Shape mismatch.The variable shape {self._static_shape}, "
                f"and the assigned value shape {tensor.shape} are incompatible."
            )
        return tensor

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Variable | None:
        """Adds `delta`, which has exactly the variable's shape; returns as `assign`. Raises InvalidArgumentError for another shape."""
        del use_locking, name
        return self._update(_ASSIGN_ADD, delta, read_value)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Variable | None:
        """Subtracts `delta`, which has exactly the variable's shape; returns as `assign`. Raises InvalidArgumentError for another shape."""
        del use_locking, name
        return self._update(_ASSIGN_SUB, delta, read_value)

    def _update(self, op: Op, delta: Any, read_value: bool) -> Variable | None:
        if type(delta) is not Tensor or delta._aval.dtype is not self._dtype:
            delta = convert_to_tensor(delta, self._dtype)
        tensor = self._read()
        if delta._aval.shape != tensor._aval.shape:
            raise InvalidArgumentError.of(
                f"tf.Variable.{op.name}: the shape of the variable is {tensor._aval.shape}, that of the value {delta._aval.shape}; they must be equal."
            )
        return self._rebind(record(op, (tensor, delta)), read_value)

    def _rebind(self, tensor: Tensor, read_value: bool) -> Variable | None:
        trace = here.trace
        if self._number not in trace.replaced:
            trace.replaced[self._number] = (self, self._tensor)
        self._tensor = tensor
        if not read_value:
            return None
        view = object.__new__(AssignedVariable)
        view.__dict__ = self.__dict__
        return view

    def __iter__(self) -> Any:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __complex__(self) -> complex:
        return complex(self._read())

    def __index__(self) -> int:
        return self._read().__index__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._read().__array__(dtype, copy)

    def __jax_array__(self) -> Any:
        return self._read().__jax_array__()

    def __hash__(self) -> int:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __copy__(self) -> Variable:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copy = Variable(
            Tensor(np.array(self._tensor._value())),
            *(self._trainable,),
            name=self._name[:-2],
            constraint=self._constraint,
            synchronization=self._synchronization,
            aggregation=self._aggregation,
            shape=self._static_shape,
        )
        memo[id(self)] = copy
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (np.asarray(self._tensor), self._trainable, self._name[:-2], self._static_shape.as_list())

    def __repr__(self) -> str:
        return f"<tf.Variable '{self._name}' shape={self._static_shape} dtype={self._dtype.name}, numpy={self._tensor._text(repr)}>"

    __str__ = __repr__


class AssignedVariable(Variable):
    """What an assignment returns: a view that shares everything with its variable."""


def _restored(value: np.ndarray, trainable: bool, name: str, shape: Any) -> Variable:
    return Variable(value, trainable=trainable, name=name, shape=shape)


def _own(tensor: Tensor) -> Tensor:
    """A tensor of its own for a variable: a host array moves to the device, so that a program may take the buffer over."""
    array = tensor._array
    if type(array) is np.ndarray and array.dtype.kind != "O":
        copy = Tensor.__new__(Tensor)
        copy._array, copy._aval, copy._trace, copy._slot = to_device(array), tensor._aval, None, -1
        return copy
    return _same(tensor)


def _same(tensor: Tensor) -> Tensor:
    """Another tensor with the value of `tensor`."""
    if tensor._trace is not None:
        return tensor._trace.alias(tensor)
    copy = Tensor.__new__(Tensor)
    copy._array, copy._aval, copy._trace, copy._slot = tensor._array, tensor._aval, None, -1
    return copy
