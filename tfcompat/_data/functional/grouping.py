"""Datasets of groups of elements: `group_by_window`, `bucket_by_sequence_length`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import InternalError, InvalidArgumentError
from tfcompat._core.types.dtype import int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block, entries, joined
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.nesting import flatten_up_to
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.functional.mapping import Functional, shares_rows
from tfcompat._data.functional.padding import PaddedBatch
from tfcompat._data.nodes.batching import Batch
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import INFINITE, UNKNOWN, Node
from tfcompat._data.nodes.source import Held
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_sum

_KEY = TensorSpec([], int64)
# The size of a group with a key, and the dataset that is made of the group with a key.
SizeOf = Callable[[int], int]
MakeOf = Callable[[int, Node], Node]


class GroupByWindow(Functional):
    """The elements of the datasets that are made of groups of elements with one key."""

    label = "_GroupByWindowDataset"

    def __init__(
        self, source: Node, calls: Calls, structure: Structure, rules: Callable[[], tuple[SizeOf, MakeOf]]
    ) -> None:
        """`calls` compute the keys; `rules` are made for each iterator."""
        self.calls = calls
        super().__init__(source, structure, is_pure=calls.is_pure)
        self.rules = rules

    def count(self) -> int:
        return INFINITE if self.source.cardinality == INFINITE else UNKNOWN

    def cursor(self) -> Cursor:
        return _Grouped(self)


class _Grouped(Cursor):
    """Reads elements until a group is full, and then all elements of its dataset.

    Attributes:
      _groups: the elements of the groups that are not full, by key; `_sizes` are the sizes of the groups.
      _current: the key and the elements of the group that was full last, `_inner` the cursor of its dataset.
    """

    def __init__(self, node: GroupByWindow) -> None:
        self._cursor = node.source.cursor()
        self._structure = node.source.structure
        self._caller = Caller(node.calls)
        self._size_of, self._make_of = node.rules()
        self._groups: dict[int, list[Block]] = {}
        self._sizes: dict[int, int] = {}
        self._current: tuple[int, Block] | None = None
        self._inner: Cursor | None = None
        self._has_ended = False

    def read(self, most: int) -> Block | None:
        while True:
            if self._inner is not None:
                block = self._inner.read(most)
                if block is not None:
                    return block
                self._current = self._inner = None
            if not self._has_ended:
                self._take()
            elif self._groups:
                self._finish(min(self._groups))
            else:
                return None

    def _take(self) -> None:
        """Reads an element."""
        block = self._cursor.read(1)
        if block is None:
            self._has_ended = True
            return
        (outcome,) = self._caller.outcomes(block)
        if isinstance(outcome, Exception):
            raise outcome
        key = int(outcome.columns[0][0])
        if key not in self._groups:
            size = self._size_of(key)
            if size <= 0:
                raise InvalidArgumentError.of(f"Window size must be greater than zero, but got {size}.")
            self._groups[key], self._sizes[key] = [], size
        self._groups[key].append(block)
        if len(self._groups[key]) == self._sizes[key]:
            self._finish(key)

    def _finish(self, key: int) -> None:
        self._current = key, joined(self._groups.pop(key))
        self._inner = self._begun(*self._current)

    def _begun(self, key: int, rows: Block) -> Cursor:
        """The cursor of the dataset of a group."""
        return self._make_of(key, Held("_WindowDataset", self._structure, rows)).cursor()

    def save(self) -> Any:
        groups = {key: list(blocks) for key, blocks in self._groups.items()}
        inner = None if self._inner is None else self._inner.save()
        place = groups, dict(self._sizes), self._current, inner, self._has_ended
        return {"cursor": self._cursor.save(), "streams": self._caller.save(), "place": place}

    def restore(self, state: Any) -> None:
        self._cursor.restore(state["cursor"])
        self._caller.restore(state["streams"])
        groups, sizes, self._current, inner, self._has_ended = state["place"]
        self._groups, self._sizes = {key: list(blocks) for key, blocks in groups.items()}, dict(sizes)
        self._inner = None if self._current is None else self._begun(*self._current)
        if self._inner is not None:
            self._inner.restore(inner)


def grouped(node: Node, key_function: Any, reduce_function: Any, size: Any, size_function: Any) -> Node:
    """The dataset for `group_by_window`.

    Raises: ValueError unless exactly one of the sizes is given, and unless keys are scalars of dtype int64; TypeError
      unless `reduce_function` returns a dataset.
    """
    label = "tf.data.Dataset.group_by_window"
    if (size is None) == (size_function is None):
        raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
    number_of = _numbers(label, key_function)
    keys = UserFunction(label, number_of, [node.structure], is_spread=True, shares_rows=shares_rows(node))
    if keys.structure.spec != _KEY:
        spec = keys.structure.spec
        raise ValueError(f"Invalid `key_func`. `key_func` must return a scalar of dtype int64, but returns {spec}.")
    given = _numbers(label, size_function) if size is None else lambda _: convert_to_tensor(size, int64)
    sizes = Calls(UserFunction(label, given, [Structure(_KEY)]))
    found = UserFunction(label, reduce_function, [Structure(_KEY), Structure(DatasetSpec(node.structure.spec))])
    spec = found.structure.spec
    if not isinstance(spec, DatasetSpec):
        raise TypeError(
            "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return type is "
            f"{spec}."
        )
    calls = Calls(found)

    def rules() -> tuple[SizeOf, MakeOf]:
        size_caller, caller = Caller(sizes), Caller(calls)
        return (
            lambda key: int(_one(size_caller, [np.array([key])])),
            lambda key, window: _one(caller, [np.array([key]), [window]]),
        )

    return GroupByWindow(node, Calls(keys), Structure(spec.element_spec), rules)


def _numbers(label: str, function: Any) -> Callable[..., Any]:
    """`function` with its result as a tensor of dtype int64. Raises ValueError unless it can be called."""
    if not callable(function):
        raise ValueError(f"{label}: the function of an element or a key must be callable, got {function!r}.")
    return lambda *arguments: convert_to_tensor(function(*arguments), int64)


def _one(caller: Caller, columns: list[Any]) -> Any:
    """The result of a call with one component. Raises its error."""
    (outcome,) = caller.outcomes(Block(tuple(columns), 1))
    if isinstance(outcome, Exception):
        raise outcome
    return entries(outcome.columns[0])[0]


class Buckets:
    """The arguments of `bucket_by_sequence_length`.

    Raises: ValueError for another number of sizes than of boundaries and one.
    """

    def __init__(self, boundaries: Sequence[int], sizes: Sequence[int]) -> None:
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(sizes)}` and `len(bucket_boundaries)={len(boundaries)}`."
            )
        self.boundaries = list(boundaries)
        self.sizes = list(sizes)

    def key_function(self, length_function: Any) -> Callable[..., Any]:
        """The function of an element that returns the number of its bucket."""
        bounds = np.array(self.boundaries, np.int32)

        def key(*element: Any) -> Any:
            length = cast(length_function(*element), int32)
            return reduce_sum(cast(length >= convert_to_tensor(bounds), int64))

        return key


def bucketed(
    node: Node,
    length_function: Any,
    buckets: Buckets,
    shapes: Any,
    values: Any,
    *,
    pads_to_boundary: bool,
    no_padding: bool,
    drop_remainder: bool,
) -> Node:
    """The dataset for `bucket_by_sequence_length`. Raises as `padded_batch`."""
    label = "tf.data.Dataset.bucket_by_sequence_length"
    function = buckets.key_function(length_function)
    keys = UserFunction(label, function, [node.structure], is_spread=True, shares_rows=shares_rows(node))

    def batches(key: int, window: Node) -> Node:
        size = buckets.sizes[key]
        if no_padding:
            return Batch(window, size, drop_remainder)
        wanted = shapes
        if pads_to_boundary:
            if key == len(buckets.boundaries):
                raise InternalError.of(
                    "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
                )
            wanted = _filled(node, shapes, buckets.boundaries[key] - 1)
        return PaddedBatch(window, size, wanted, values, drop_remainder)

    example = Held("_WindowDataset", node.structure, None)
    structure = (
        Batch(example, 1, drop_remainder) if no_padding else PaddedBatch(example, 1, shapes, values, drop_remainder)
    ).structure
    open_sizes = [TensorSpec([None, *spec.shape[1:]], spec.dtype) for spec in structure.specs]
    return GroupByWindow(node, Calls(keys), structure.like(open_sizes), lambda: (buckets.sizes.__getitem__, batches))


def _filled(node: Node, shapes: Any, size: int) -> Any:
    """`shapes`, or those of the elements, with `size` for open sizes."""
    structure = node.structure
    found = [spec.shape for spec in structure.specs] if shapes is None else flatten_up_to(structure.spec, shapes)
    dims = [[size if dim in (None, -1) else dim for dim in TensorShape(each)] for each in found]
    return structure.pack(list(map(TensorShape, dims)))
