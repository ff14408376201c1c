"""Datasets of the values that a Python generator yields.

A generator is run no further than the elements that are asked for. Its values are converted for a whole block at
once where they are alike, else one by one. It may change an array or another object once it continues, so objects that
can be changed are copied or converted before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import (
    FailedPreconditionError,
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from tfcompat._core.types.container import is_namedtuple
from tfcompat._core.types.dtype import as_dtype, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block, Column, column_of
from tfcompat._data.blocks.nesting import flatten, flatten_up_to, is_nested, mapped, packer
from tfcompat._data.blocks.structure import Structure, read_component
from tfcompat._data.nodes.cursor import Cursor, Postponed
from tfcompat._data.nodes.node import UNKNOWN, Node

# Python's errors, and the class that a reader of the dataset gets.
_CLASSES: tuple[tuple[type[Exception], type[OpError]], ...] = (
    (ValueError, InvalidArgumentError),
    (TypeError, InvalidArgumentError),
    (NotImplementedError, UnimplementedError),
)
_NUMBERS = frozenset((int, float, bool))
# The types of values that cannot be changed.
_FIXED = frozenset((*_NUMBERS, complex, str, bytes, type(None), Tensor, *np.sctypeDict.values()))
_COPIED = _FIXED | {np.ndarray}


def signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    """The structure of specs for the arguments of `from_generator`. Raises TypeError unless they go together."""
    if output_signature is not None:
        for name, value in (("output_types", output_types), ("output_shapes", output_shapes)):
            if value is not None:
                raise TypeError(f"The `{name}` argument can not be used together with the `output_signature` argument.")
        for spec in flatten(output_signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                    f"{type(spec)} which is not."
                )
        return output_signature
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` argument or the "
            "`output_types` argument."
        )
    dtypes = [as_dtype(dtype) for dtype in flatten(output_types)]
    shapes = [None] * len(dtypes) if output_shapes is None else flatten_up_to(output_types, output_shapes)
    specs = [TensorSpec(TensorShape(shape), dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    return packer(output_types)(specs)


class Generated(Node):
    """The values that `generator(*args)` yields; it is called again for each cursor."""

    label = "_FlatMapDataset"

    def __init__(self, generator: Callable[..., Any], spec: Any, args: Any) -> None:
        super().__init__(Structure(spec), is_pure=False)
        self.generator = generator
        self.args = tuple([convert_to_tensor(arg).numpy() for arg in args or ()])

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _Cursor(self)

    def require_place(self) -> None:
        raise FailedPreconditionError.of("tf.data.Dataset.from_generator: a Python generator is stateful.")


class _Cursor(Postponed):
    """Runs a generator.

    Attributes:
      _yielded: values that were not read yet, as they are, copied, or converted.
    """

    def __init__(self, node: Generated) -> None:
        super().__init__()
        self._node = node
        self._iterator: Iterator[Any] | None = None
        self._yielded: list[Any] = []
        structure = node.structure
        self._is_plain = type(structure.spec) is tuple and not any(map(is_nested, structure.spec))

    def save(self) -> Any:
        """Raises FailedPreconditionError: the place of a generator cannot be saved."""
        self._node.require_place()

    def _read(self, most: int) -> Block | None:
        values = self._yielded
        if not values:
            self._pull(most)
            if not values:
                if self._error is None:
                    return None
                return self.read(most)
        if len(values) > most:
            values, self._yielded = values[:most], values[most:]
        else:
            self._yielded = []
        columns = self._columns(values)
        return self._one_by_one(values) if columns is None else Block(columns, len(values))

    def _pull(self, most: int) -> None:
        """Runs the generator for `most` more values."""
        append = self._yielded.append
        try:
            if self._iterator is None:
                self._iterator = iter(self._node.generator(*self._node.args))
            for value in islice(self._iterator, most):
                append(value if type(value) in _FIXED else self._kept(value))
        except Exception as error:
            self._iterator = iter(()) if self._iterator is None else self._iterator
            self._error = in_class_of(error)

    def _kept(self, value: Any) -> Any:
        """`value` if it cannot be changed, else a copy of its arrays, or its components."""
        if type(value) is tuple:
            kinds = frozenset(map(type, value))
            if kinds <= _FIXED:
                return value
            if kinds <= _COPIED:
                return tuple([part.copy() if type(part) is np.ndarray else part for part in value])
        if type(value) is np.ndarray:
            return value.copy()
        return _Converted(self._converted, value)

    def _columns(self, values: list[Any]) -> tuple[Column, ...] | None:
        """All values as columns; None unless each can be converted in the same simple way."""
        structure = self._node.structure
        if structure.is_single:
            parts: Any = (values,)
        elif self._is_plain and all(type(value) is tuple and len(value) == len(structure.spec) for value in values):
            parts = zip(*values, strict=True)
        else:
            return None
        columns: list[Column] = []
        for spec, part in zip(structure.specs, parts, strict=True):
            column = _alike(spec, part)
            if column is None:
                return None
            columns.append(column)
        return tuple(columns)

    def _one_by_one(self, values: list[Any]) -> Block:
        rows: list[list[Any]] = []
        for place, value in enumerate(values):
            try:
                rows.append(value.components() if type(value) is _Converted else self._converted(value))
            except Exception as error:
                if not rows:
                    self._yielded = values[1:] + self._yielded
                    raise in_class_of(error) from error
                self._yielded = values[place:] + self._yielded
                break
        return Block(tuple([column_of(column) for column in zip(*rows, strict=True)]), len(rows))

    def _converted(self, value: Any) -> list[Any]:
        """The components of a value. Raises TypeError if it does not fit the structure."""
        structure = self._node.structure
        if self._is_plain and is_namedtuple(type(value)):
            value = tuple(value)
        try:
            parts = flatten_up_to(structure.spec, value)
        except (TypeError, ValueError):
            parts = None
        if parts is None:
            shown = mapped(lambda spec: spec.dtype if isinstance(spec, TensorSpec) else spec, structure.spec)
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The expected structure was "
                f"{shown}, but the yielded element was {value}."
            )
        return [_component(spec, part) for spec, part in zip(structure.specs, parts, strict=True)]


class _Converted:
    """A value that was converted when it was yielded."""

    __slots__ = ("_components", "_error")

    def __init__(self, convert: Callable[[Any], list[Any]], value: Any) -> None:
        self._components: list[Any] = []
        self._error: Exception | None = None
        try:
            self._components = convert(value)
        except Exception as error:
            self._error = error

    def components(self) -> list[Any]:
        """The components. Raises the error of the conversion."""
        if self._error is not None:
            raise self._error
        return self._components


def _alike(spec: Any, values: Any) -> Column | None:
    """A column of numbers of one Python type, or of arrays of one shape; None for anything else."""
    if not isinstance(spec, TensorSpec) or spec.dtype is string:
        return None
    kinds = set(map(type, values))
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    if kind is np.ndarray:
        shape = values[0].shape
        if any(value.shape != shape for value in values):
            return None
        column = np.stack(values)
    elif kind in _NUMBERS or (issubclass(kind, np.generic) and kind is not np.void):
        column = np.array(values)
    else:
        return None
    if column.dtype.kind not in "biufc" or not spec.shape.is_compatible_with(column.shape[1:]):
        return None
    with np.errstate(all="ignore"):
        return column.astype(spec.dtype.as_numpy_dtype, copy=False)


def _component(spec: Any, value: Any) -> Any:
    """The host value of a component. Raises TypeError if it cannot have the type `spec`."""
    if isinstance(spec, TensorSpec):
        array = _array(spec.dtype, value)
        if not spec.shape.is_compatible_with(array.shape):
            raise TypeError(
                f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
                "expected."
            )
        return array
    found, host = read_component(value)
    if not spec.is_compatible_with(found):
        raise TypeError(f"`generator` yielded an element of {found} where an element of {spec} was expected.")
    return host


def _array(dtype: Any, value: Any) -> Any:
    if isinstance(value, Tensor):
        value = np.asarray(value)
    try:
        array = np.array(value)
        if dtype is string:
            return _text(array if array.dtype.kind in "USO" else array.astype(object))
        if array.dtype.kind not in "biufcVO" or (array.dtype.kind == "O" and value is None):
            raise TypeError
        with np.errstate(all="ignore"):
            return array.astype(dtype.as_numpy_dtype)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{dtype.name}, but the yielded element was {value}."
        ) from None


def _text(array: Any) -> Any:
    """An array of strings as one of bytes."""
    made = np.empty(array.shape, object)
    for place, element in np.ndenumerate(array):
        if not isinstance(element, str | bytes):
            raise InternalError.of(f"Unsupported object type {type(element).__name__}")
        made[place] = element.encode() if isinstance(element, str) else bytes(element)
    return made


def in_class_of(error: Exception) -> Exception:
    """The error that a reader of a dataset gets for one that a Python function raised."""
    if isinstance(error, OpError):
        return error if isinstance(error, InternalError) else UnknownError.of(f"{type(error).__name__}: {error}")
    kind = ResourceExhaustedError if isinstance(error, MemoryError) else UnknownError
    for python, ours in _CLASSES:
        if isinstance(error, python):
            kind = ours
            break
    made = kind.of(f"{type(error).__name__}: {error}")
    made.__cause__ = error
    return made
