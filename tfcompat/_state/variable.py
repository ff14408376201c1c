"""`tf.Variable`: a cell with a name, TensorFlow's operators, and the ways to change parts of it."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import DType
from tfcompat._core.op import Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Reference, Tensor
from tfcompat._ops.operator import attach
from tfcompat._state import part
from tfcompat._state.cell import Cell
from tfcompat._state.scope import scoped

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


class Variable(Cell):
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
        for argument, value in (
            ("caching_device", caching_device),
            ("variable_def", variable_def),
            ("import_scope", import_scope),
        ):
            if value is not None:
                raise NotImplementedError(f"tf.Variable: {argument} is not supported; leave it out.")
        del validate_shape, experimental_enable_variable_lifting
        if initial_value is None:
            raise ValueError("tf.Variable: the `initial_value` arg must be specified, got None.")
        value = initial_value() if callable(initial_value) else initial_value
        tensor = convert_to_tensor(value, dtype)
        declared = tensor.shape if shape is None else TensorShape(shape)
        if not declared.is_compatible_with(tensor.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({tensor.shape}) is not compatible with the explicitly supplied `shape` "
                f"argument ({shape})."
            )
        self._trainable = True if trainable is None else bool(trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._hold(tensor, declared, scoped(name or "Variable") + ":0")

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

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Replaces the value by `value`; returns a view of the variable, or None without `read_value`.

        Shapes: that of the variable.
        Dtypes: that of the variable; a Python or NumPy value is converted.
        Raises: ValueError if the shape or dtype of `value` doesn't fit.
        Source: TF 2.21 `tf.Variable.assign`.
        """
        del use_locking, name
        self._replace(value)
        return self._view() if read_value else None

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Adds `delta`; returns as `assign`.

        Shapes: exactly that of the variable.
        Dtypes: that of the variable.
        Raises: InvalidArgumentError for another shape, ValueError for another dtype.
        Source: TF 2.21 `tf.Variable.assign_add`.
        """
        del use_locking, name
        self._update(_ASSIGN_ADD, delta)
        return self._view() if read_value else None

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable | None:
        """Subtracts `delta`; returns as `assign`.

        Shapes: exactly that of the variable.
        Dtypes: that of the variable.
        Raises: InvalidArgumentError for another shape, ValueError for another dtype.
        Source: TF 2.21 `tf.Variable.assign_sub`.
        """
        del use_locking, name
        self._update(_ASSIGN_SUB, delta)
        return self._view() if read_value else None

    def _view(self) -> Variable:
        view = object.__new__(AssignedVariable)
        view.__dict__ = self.__dict__
        return view

    def __getitem__(self, key: Any) -> Tensor:
        return part.sliced(self, key)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows at `indices`.

        Shapes: indices [*n] -> [*n, *row].
        Dtypes: indices int32 or int64.
        Gradient: `tf.IndexedSlices`.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.sparse_read`.
        """
        return part.gather(self, indices, name=name)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements or slices at `indices`, as `tf.gather_nd`.

        Shapes: indices [*n, k] -> [*n, *rest].
        Dtypes: indices int32 or int64.
        Raises: InvalidArgumentError for an index out of range.
        Source: TF 2.21 `tf.Variable.gather_nd`.
        """
        return part.gather_nd(self, indices, name=name)

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
        value = self._tensor._text(repr)
        return f"<tf.Variable '{self.name}' shape={self._static_shape} dtype={self._dtype.name}, numpy={value}>"

    __str__ = __repr__


class AssignedVariable(Variable):
    """What an assignment returns: a view that shares everything with its variable but the name."""

    @property
    def name(self) -> str:
        """TensorFlow's name for what an assignment returns."""
        return "UnreadVariable"


def _restored(value: np.ndarray, trainable: bool, name: str, shape: Any) -> Variable:
    return Variable(value, trainable=trainable, name=name, shape=shape)


attach(Variable, Cell._read)
