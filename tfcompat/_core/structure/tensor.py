"""The tensor: a handle with shape and dtype, and either a slot in a trace or a finished array.

TensorFlow's operators and indexing are ops, so they are attached by the layer of ops (`tfcompat._ops.operator`).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, MethodType
from typing import Any, NoReturn, Protocol

import jax
import numpy as np

from tfcompat._core.structure.check_outcome import examine_read, unexamined, unverified
from tfcompat._core.structure.failure import of_value
from tfcompat._core.system.device import alone, computing_device, full_name
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types.aval import Aval, OpenAval, SymbolicAval, aval_like
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape

_NUMPY_NAMES = frozenset(
    (
        *("T", "astype", "clip", "copy", "data", "item", "max", "mean", "min", "nbytes", "ravel", "reshape", "size"),
        *("sum", "tolist", "transpose"),
    )
)

_GRAPH_NAMES = frozenset(("graph", "name", "op", "value_index"))


class Source(Protocol):
    """Computes the value of a tensor that doesn't have one yet: its trace, or an object in place of a trace.

    A symbolic source computes no values. It also has `refuse(tensor, use)`, which raises, `read(tensor, use)`, which
    raises unless it expects a value, and `name_of(tensor)`; other sources have `thread`, the thread that records, or
    None.

    Attributes:
      is_symbolic: whether the tensor represents a value in a function that is being traced.
    """

    @property
    def is_symbolic(self) -> bool:
        """See the class."""
        ...

    def materialise(self, tensor: Tensor, cause: str, /) -> None:
        """Gives `tensor` its value, or raises an error if that is impossible; `cause` is counted."""
        ...


class Display:
    """How tensors are shown.

    Attributes:
      described: the text for the value of a tensor on a mesh; None for other tensors.
    """

    described: Callable[[Tensor], str | None] = staticmethod(lambda _: None)


display = Display()


class CoreTensor:
    """The parent of all classes whose instances count as tensors: tensors, variables, and classes of libraries.

    Its name and module are TensorFlow's, by which libraries recognise tensors.
    Source: TF 2.21 `tf.__internal__.types.Tensor`.
    """

    __slots__ = ()


CoreTensor.__name__ = CoreTensor.__qualname__ = "Tensor"
CoreTensor.__module__ = "tensorflow.python.types.core"


class _OfValue:
    """A method that only tensors with a value have: `hasattr` is False for others, as libraries expect."""

    def __init__(self, method: Callable[[Any], Any]) -> None:
        self._method = method

    def __get__(self, tensor: Tensor | None, owner: type[Any] | None = None) -> Any:
        if tensor is None:
            return self._method
        if tensor._array is None and tensor._is_symbolic():
            raise AttributeError  # Python then asks `__getattr__` for the text
        return MethodType(self._method, tensor)


class Tensor(CoreTensor):
    """An immutable array of numbers, booleans or strings.

    Created by ops and `tf.constant`. Its value is computed when it is read.
    Source: TF 2.21 `tf.Tensor`.
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_aval", "_slot", "_trace")

    __array_priority__ = 100

    # See `watched.py`.
    _is_watched = False

    def __init__(self, array: Any) -> None:
        """Wraps a NumPy or JAX array; ops make tensors in another way. Not public."""
        self._array = array
        self._aval: Aval = aval_like(array)
        self._trace: Any = None
        self._slot = -1

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._aval.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, a `tf.TensorShape`.

        Where a function takes an element of an iterator without rows, sizes of 0 are None, as those of all batches are
        in TensorFlow: Keras has another loss if it sees that there are no rows.
        """
        aval = self._aval
        if aval.is_empty and getattr(self._trace, "has_empty_element", False):
            return TensorShape._of(tuple([size or None for size in aval.shape]))
        return aval.tensor_shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._aval.ndim

    @property
    def device(self) -> str:
        """TensorFlow's name of the device that holds the value, `"/job:localhost/replica:0/task:0/device:CPU:0"`."""
        if isinstance(self._array, jax.Array):
            return full_name(min(self._array.devices(), key=lambda device: device.id))
        return full_name(computing_device())

    @property
    def backing_device(self) -> str:
        """The same as `device`."""
        return self.device

    @property
    def name(self) -> NoReturn:
        """Raises AttributeError, as TensorFlow does for eager tensors."""
        return self.__getattr__("name")

    @property
    def op(self) -> Any:
        """The op that computes a tensor of a function that is being traced. Raises AttributeError for others."""
        return self._trace.operation_of(self) if self._is_symbolic() else self.__getattr__("op")

    @property
    def graph(self) -> Any:
        """The graph of the function that is being traced. Raises AttributeError outside."""
        return self._trace.view() if self._is_symbolic() else self._graph_around()

    def _graph_around(self) -> Any:
        """The graph of the function that runs, for a tensor with a value; `tf.compat.v1` replaces this method.

        Raises: AttributeError outside of functions.
        """
        return self.__getattr__("graph")

    def consumers(self) -> NoReturn:
        """Raises NotImplementedError, as TensorFlow does for eager tensors."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> NoReturn:
        """Raises NotImplementedError, as TensorFlow does for eager tensors."""
        del feed_dict, session
        raise NotImplementedError("tf.Tensor.eval: sessions do not exist in eager execution; use `numpy()`.")

    def get_shape(self) -> TensorShape:
        """The shape, a `tf.TensorShape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Checks `shape` against the tensor's, or sets an unknown shape. Raises ValueError if they don't agree."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self._aval.shape} is not compatible with supplied shape {tuple(TensorShape(shape))}."
            )
        aval: Any = self._aval
        if type(aval) is OpenAval:
            self._trace.settle(self, shape)
        elif type(aval) is SymbolicAval and hasattr(self._trace, "narrow"):
            self._trace.narrow(self, shape)

    def ref(self) -> Reference:
        """A hashable reference to this tensor, for dictionaries and sets."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """The same as `ref()`: its name in TensorFlow 2.0."""
        return Reference(self)

    @_OfValue
    def numpy(self) -> Any:
        """The value: a new NumPy array, or a NumPy scalar if the tensor has rank 0. Runs pending ops."""
        host = _host(self, "numpy")
        return host[()] if self._aval.ndim == 0 else host.copy()

    def _is_symbolic(self) -> bool:
        """Whether the tensor has no value, because it belongs to a function that is being traced."""
        trace = self._trace
        return trace is not None and self._array is None and trace.is_symbolic

    def _value(self, cause: str = "read") -> Any:
        """The finished array, on the host or on the device."""
        while (array := self._array) is None:
            trace = self._trace
            if trace is not None:
                trace.materialise(self, cause)
            elif self._array is None and self._trace is None:  # otherwise another thread has just computed it
                raise AssertionError("A tensor that represents an argument has no value.")
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if _ignored.error is not None:
            _ignored.raise_in(sys._getframe(1))
        host = _host(self)
        return np.array(host, dtype) if copy or copy is None else np.asarray(host, dtype)

    def __buffer__(self, flags: int) -> memoryview:
        """The value as read-only memory, for `memoryview` (of Python 3.12 and later)."""
        del flags
        _ignored.error = None
        try:
            return _host(self).data.toreadonly()
        except BaseException as error:
            if not isinstance(error, Exception) or is_raised_by_handler(error):
                _ignored.keep(error, sys._getframe(1))
            raise

    def __jax_array__(self) -> Any:
        with jax.enable_x64(True):
            return jax.numpy.asarray(alone(_checked(self)))

    def __dlpack__(self, **options: Any) -> Any:
        with jax.enable_x64(True):
            return jax.numpy.array(alone(_checked(self)), copy=True).__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        array: Any = jax.numpy.asarray(alone(self._value()))
        return array.__dlpack_device__()

    def __bool__(self) -> bool:
        return bool(_host(self, "bool")) if self._aval.size or self._is_symbolic() else False

    def __int__(self) -> int:
        return int(_host(self, "int")[()])

    def __float__(self) -> float:
        return float(_host(self, "float")[()])

    def __complex__(self) -> complex:
        return complex(_host(self, "complex")[()])

    def __index__(self) -> int:
        return _host(self, "index")[()].__index__()

    def __len__(self) -> int:
        if self._is_symbolic():
            self._trace.refuse(self, "len")
        if self._aval.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`")
        return self._aval.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self._is_symbolic():
            self._trace.refuse(self, "iter")
        if self._aval.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(self._aval.shape[0]))  # pyright: ignore[reportIndexIssue]

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __format__(self, spec: str) -> str:
        if self._is_symbolic():
            return str(self) if not spec else self._trace.refuse(self, "format")
        return self.numpy().__format__(spec)

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self._trace.refuse(self, "pickle") if self._is_symbolic() else self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (_host(self, "pickle"),)

    def __getattr__(self, name: str) -> NoReturn:
        # Python also calls this where a property raises AttributeError, and then shows only the text raised here.
        if name == "numpy":
            self._trace.refuse(self, "numpy")
        if name in _GRAPH_NAMES:
            why = ": tfcompat builds no graphs" if self._is_symbolic() else " when eager execution is enabled"
            raise AttributeError(f"Tensor.{name} is undefined{why}.")
        remedy = "; use the functions of tf, or tensor.numpy()" if name in _NUMPY_NAMES else ""
        raise AttributeError(f"Tensor object has no attribute '{name}'{remedy}.")

    def __str__(self) -> str:
        if self._is_symbolic():
            return f'Tensor("{self._trace.name_of(self)}", shape={self.shape}, dtype={self.dtype.name})'
        text = display.described(self) or self._text()
        return f"tf.Tensor({text}, shape={self._aval.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        if self._is_symbolic():
            return f"<tf.Tensor '{self._trace.name_of(self)}' shape={self.shape} dtype={self.dtype.name}>"
        return f"<tf.Tensor: shape={self._aval.shape}, dtype={self.dtype.name}, {self._shown()}>"

    def _shown(self) -> str:
        """The value as `repr` shows it."""
        found = display.described(self)
        return f"numpy={self._text(repr)}" if found is None else f"value={found}"

    def _text(self, form: Callable[[Any], str] = str) -> str:
        """The value as TensorFlow prints it: a text of several lines begins on a new line."""
        host = _host(self)
        if host.ndim > 0:
            text = form(host)
            return f"\n{text}" if "\n" in text else text
        return form(host[()].item() if form is repr and host.dtype.kind != "O" else host[()])


class Reference:
    """A hashable reference to a tensor or a variable; equal to references to the same object.

    Source: TF 2.21 `tf.Tensor.ref`.
    """

    __slots__ = ("_referent",)

    def __init__(self, referent: Any) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The object referred to."""
        return self._referent

    def __hash__(self) -> int:
        return id(self._referent)

    def __eq__(self, other: object) -> bool:
        return self._referent is self._of(other)

    def __lt__(self, other: object) -> bool:
        return id(self._referent) < id(self._of(other))

    def __gt__(self, other: object) -> bool:
        return id(self._referent) > id(self._of(other))

    def _of(self, other: object) -> Any:
        """The object that `other` refers to. Raises TypeError unless it is a reference."""
        if not isinstance(other, Reference):
            raise TypeError(f"Cannot compare wrapped object with unwrapped object, got {other!r}.")
        return other._referent

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referent!r}>"


def _checked(tensor: Tensor, use: str = "array") -> Any:
    """The value for `use`. Raises the errors of failed checks in programs."""
    if tensor._is_symbolic():
        return tensor._trace.read(tensor, use)
    value = tensor._value()
    if unexamined.outcomes or unverified.entries:
        examine_read(tensor)
        value = tensor._value()
    return value


def finished(array: Any, aval: Aval) -> Tensor:
    """A tensor with the value `array`."""
    tensor = pending(None, -1, aval)
    tensor._array = array
    return tensor


def pending(trace: Source | None, slot: int, aval: Aval | OpenAval) -> Tensor:
    """A tensor for the value in `slot` of `trace`, which will compute it."""
    tensor = object.__new__(Tensor)
    tensor._array = None
    tensor._aval = aval  # pyright: ignore[reportAttributeAccessIssue]  # an open one has the attributes that are used
    tensor._trace = trace
    tensor._slot = slot
    return tensor


def _restored(array: np.ndarray) -> Tensor:
    """The tensor that a pickle holds, which does not name the class: under the alias its module is TensorFlow's."""
    return Tensor(array)


class _Ignored(threading.local):
    """The exception of a signal handler in `__buffer__`: NumPy ignores it, and calls `__array__`, which raises it."""

    error: BaseException | None = None
    place: tuple[int, int] = (0, 0)

    def keep(self, error: BaseException, caller: FrameType) -> None:
        """Keeps `error` for `__array__`, if the same call of `caller` calls that."""
        self.error, self.place = error, (id(caller), caller.f_lasti)

    def raise_in(self, caller: FrameType) -> None:
        """Raises the error, if it was kept in this call of `caller`."""
        error, self.error = self.error, None
        if error is not None and self.place == (id(caller), caller.f_lasti):
            raise error


_ignored = _Ignored()


def _host(tensor: Tensor, use: str = "array") -> np.ndarray:
    """The value on the host for `use`, not copied."""
    value = _checked(tensor, use)
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.generic):
        return np.asarray(value)
    try:
        # If a program ran out of memory, this raises an error; a read by NumPy would abort or block the process.
        return np.asarray(value.block_until_ready())
    except jax.errors.JaxRuntimeError as failed:
        raise of_value(failed) from failed
