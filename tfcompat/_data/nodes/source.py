"""Datasets of values that are in memory, and of numbers in arithmetic progression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import as_dtype, int64, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block, column_of
from tfcompat._data.blocks.nesting import common_supertype
from tfcompat._data.blocks.structure import Structure, host_array, read
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import INFINITE, Node, integer, is_number
from tfcompat._ops.ragged.spec import RaggedTensorSpec


class Held(Node):
    """A dataset whose elements are the rows of a block."""

    def __init__(self, label: str, structure: Structure, block: Block | None) -> None:
        super().__init__(structure)
        self.label = label
        self.block = block

    def count(self) -> int:
        return 0 if self.block is None else self.block.count

    def cursor(self) -> Cursor:
        return HeldCursor(self.block)


class HeldCursor(Cursor):
    """A place in a block."""

    saved = ("_next",)

    def __init__(self, block: Block | None) -> None:
        self._block = block
        self._next = 0

    def is_possible(self) -> bool:
        return self._next >= 0

    def read(self, most: int) -> Block | None:
        block, start = self._block, self._next
        if block is None or start >= block.count:
            return None
        found = block.part(start, start + most)
        self._next = start + found.count
        return found


def from_tensors(tensors: Any) -> Node:
    """A dataset with the one element `tensors`."""
    structure, values = read(tensors)
    structure.require_tensors("tf.data.Dataset.from_tensors")
    return Held("_TensorDataset", structure, Block(tuple([column_of([value]) for value in values]), 1))


def from_tensor_slices(tensors: Any) -> Node:
    """A dataset of the rows of `tensors`.

    Raises: ValueError without components, for a scalar, and if the components differ in their number of rows.
    """
    structure, values = read(tensors)
    specs = structure.specs
    if not specs or all(spec.value_type is type(None) for spec in specs):
        raise ValueError("Invalid `element`. `element` should not be empty.")
    shapes = [shape for part in structure.components for shape in part.shapes()]
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    sizes = [shape[0] for shape in shapes]
    for size in sizes[1:]:
        if size != sizes[0]:
            raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")
    block = Block(structure.divided(values), sizes[0]) if sizes[0] else None
    return Held("_TensorSliceDataset", rows_of(structure), block)


def rows_of(structure: Structure) -> Structure:
    """The type of the rows of an element of the type `structure`."""
    return structure.like([_row_spec(part) for part in structure.components])


def _row_spec(part: Any) -> Any:
    """The type of a row: of a ragged tensor always a ragged one."""
    spec = part.spec
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(spec.shape[1:], spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype)
    return part.unbatched()


def from_list(elements: Sequence[Any]) -> Node:
    """A dataset of the elements of a list.

    Raises: ValueError if it is empty; TypeError if the elements have no common type.
    """
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    found = [read(element) for element in elements]
    spec = found[0][0].spec
    for structure, _ in found[1:]:
        spec = common_supertype(spec, structure.spec)
        if spec is None:
            raise TypeError(
                f"tf.data.experimental.from_list: elements must have a common type, got {found[0][0].spec} and "
                f"{structure.spec}."
            )
    columns = zip(*[values for _, values in found], strict=True)
    return Held("_ListDataset", Structure(spec), Block(tuple([column_of(column) for column in columns]), len(found)))


class Progression(Node):
    """The numbers from `start` in steps of `step`, up to `stop`, or for ever if that is None."""

    def __init__(self, label: str, start: Any, stop: int | None, step: Any, dtype: Any) -> None:
        super().__init__(Structure(TensorSpec([], dtype)))
        self.label = label
        self._bounds = start, stop, step
        self._dtype = as_dtype(dtype)

    def count(self) -> int:
        start, stop, step = self._bounds
        return INFINITE if stop is None else len(range(start, stop, step))

    def place_of(self, number: int) -> int:
        """How many numbers come before `number`."""
        start, _, step = self._bounds
        return (number - start) // step

    def number_at(self, place: Any) -> Any:
        """The number behind `place` others."""
        start, _, step = self._bounds
        return start + step * place

    def rows(self, places: np.ndarray[Any, Any]) -> Block:
        """The numbers at `places`, which count from 0."""
        # The numbers wrap where they leave int64, as TensorFlow's do.
        with np.errstate(over="ignore"):
            column = self.number_at(places).astype(self._dtype.as_numpy_dtype)
        return Block((column,), len(places))

    def cursor(self) -> Cursor:
        return _ProgressionCursor(self)


class _ProgressionCursor(Cursor):
    saved = ("_next",)

    def __init__(self, node: Progression) -> None:
        self._node = node
        self._next = 0

    def is_possible(self) -> bool:
        return is_number(self._next)

    def read(self, most: int) -> Block | None:
        size = self._node.cardinality
        count = most if size == INFINITE else min(most, size - self._next)
        if count <= 0:
            return None
        if self._node.structure.spec.dtype is string:
            raise InvalidArgumentError.of("Unsupported data type: string")
        block = self._node.rows(np.arange(self._next, self._next + count))
        self._next += count
        return block


def from_range(*args: Any, **kwargs: Any) -> Node:
    """The dataset for `tf.data.Dataset.range`."""
    output_type = as_dtype(kwargs.pop("output_type", int64))
    kwargs.pop("name", None)
    if not 1 <= len(args) <= 3:
        raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
    if kwargs:
        raise TypeError(
            "tf.data.Dataset.range: start, stop and step are passed by position; got unexpected keyword arguments: "
            f"{', '.join(sorted(kwargs))}."
        )
    bounds = (0, *args, 1) if len(args) == 1 else (*args, 1)
    start, stop, step = [integer(value, name) for name, value in zip(("start", "stop", "step"), bounds, strict=False)]
    if step == 0:
        raise InvalidArgumentError.of("step must be a non-zero integer.")
    return Progression("_RangeDataset", start, stop, step, output_type)


def from_counter(start: Any, step: Any, dtype: Any) -> Node:
    """The dataset for `tf.data.Dataset.counter`."""
    kind = as_dtype(dtype)
    first, stride = (host_array(convert_to_tensor(value, kind))[()] for value in (start, step))
    return Progression("_ScanDataset", first, None, stride, kind)


def strings(value: Any, name: str) -> list[str]:
    """The names in a string or a sequence of strings, for files."""
    tensor = convert_to_tensor(value, name=name)
    if tensor.dtype is not string:
        raise TypeError(f"The `{name}` argument must contain `tf.string` elements. Got `{tensor.dtype!r}` elements.")
    return [found.decode(errors="surrogateescape") for found in host_array(tensor).ravel().tolist()]


def from_strings(names: Sequence[bytes]) -> Node:
    """A dataset of strings, as of a tensor."""
    structure = Structure(TensorSpec(TensorShape([]), string))
    column = np.array(list(names), object)
    return Held("_TensorSliceDataset", structure, Block((column,), len(names)) if names else None)


def scalar_string(value: Any, name: str) -> str:
    """A string. Raises TypeError for other values; InvalidArgumentError for several strings."""
    tensor = convert_to_tensor(value, string, name=name)
    if tensor.shape.rank != 0:
        raise InvalidArgumentError.of(f"{name} must be a scalar")
    return host_array(tensor).item().decode(errors="surrogateescape")
