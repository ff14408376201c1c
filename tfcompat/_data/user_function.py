"""A user's function of elements, traced when a dataset is made of it: Python runs once, for all elements.

Sizes that the elements leave open are symbols in the trace. Components on which a program cannot compute (strings,
None) may only be returned as they are.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple, NoReturn

import jax
import numpy as np

from tfcompat._core.aval import aval_of
from tfcompat._core.check_outcome import raise_failed_checks
from tfcompat._core.container import is_composite
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import string
from tfcompat._core.error import UntraceableError
from tfcompat._core.sampling import sampled
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor, pending
from tfcompat._data.component import Dense, Nested, Nothing
from tfcompat._data.dataset_spec import AnyDataset, DatasetSpec
from tfcompat._data.nesting import container, flatten, packer
from tfcompat._data.node import Node
from tfcompat._data.structure import Structure, host_array, read_component
from tfcompat._data.template import Given, tensors_of
from tfcompat._function.body import traced
from tfcompat._function.concrete import result_spec
from tfcompat._function.open_size import OpenSizes
from tfcompat._function.signature import entered
from tfcompat._function.stored_trace import StoredTrace
from tfcompat._jaxpr.comparison import Denied, among, can_watch, denied

# The sizes that stand for open ones.
_FIRST, _STEP = 48, 7


class Computed(NamedTuple):
    """A component of the result that the trace computes: its output number `place`."""

    place: int


class Passed(NamedTuple):
    """A component of the result that is an argument: component number `place` of the elements."""

    place: int


class Constant(NamedTuple):
    """A component of the result that is the same for each element, as a host value."""

    value: Any


class Instances(NamedTuple):
    """A component of the result that is a dataset, made for each element: an instance of `node`.

    `places` are the numbers of the outputs that it depends on, by the `id` of the tensor.
    """

    node: Node
    places: Mapping[int, int]


Result = Computed | Passed | Constant | Instances


class ElementTrace(NamedTuple):
    """A trace of a function of elements.

    Attributes:
      stored: the trace; `sizes` are its symbols, None without open sizes.
      compared: the pairs of sizes that it has compared and found different.
      results: how each component of the result is made; `outputs` are the computed ones.
      pack: packs components into the result.
    """

    stored: StoredTrace
    sizes: OpenSizes | None
    compared: Sequence[Denied]
    results: Sequence[Result]
    outputs: Sequence[Any]
    pack: Any


class UserFunction:
    """A function of elements.

    Attributes:
      label: the method that it was passed to, for messages.
      numeric: the places of the components that are arguments of the trace.
      trace: the trace for all elements.
      structure: the type of the result.
    """

    def __init__(
        self,
        label: str,
        function: Any,
        arguments: Sequence[Structure],
        *,
        is_spread: bool = False,
        shares_rows: bool = False,
    ) -> None:
        """Traces `function` of elements of the types `arguments`; a tuple is several arguments if `is_spread`.

        `shares_rows` is whether all components have the same number of rows, as those of a batch.

        Raises: ValueError if `function` cannot be called; its own exceptions; TypeError for a result that is no
          tensor; NotImplementedError if no trace can hold it.
        """
        if not callable(function):
            raise ValueError("Argument `func` must be a callable.")
        from tfcompat._function.autograph import converted  # imported here because it loads a parser

        self.label = label
        self._function = converted(function, None)
        self._arguments = arguments
        self._shares_rows = shares_rows
        self._is_spread = is_spread and type(arguments[0].spec) is tuple
        parts = [part for each in arguments for part in each.components]
        self._opaque = [self._placeholder(place, part) for place, part in enumerate(parts)]
        self.numeric = [place for place, value in enumerate(self._opaque) if value is _NUMERIC]
        self._specs: list[TensorSpec] = [parts[place].spec for place in self.numeric]
        self._lock = threading.Lock()
        self._results: list[Result] = []
        self._pack: Any = None
        self.trace = self._traced()
        self.structure = Structure(self.trace.pack([self._spec(result, parts) for result in self.trace.results]))

    def _placeholder(self, place: int, part: Any) -> Any:
        """The argument for a component on which no program computes; `_NUMERIC` for others."""
        if isinstance(part, Nothing):
            return None
        if isinstance(part, Nested):
            return AnyDataset.kind._of(Given(place, Structure(part.spec.element_spec)))
        if not isinstance(part, Dense):
            raise NotImplementedError(
                f"{self.label}: components of the type {part.spec!r} are not supported; pass the parts of composite "
                "tensors as a tuple, and make them outside of the dataset."
            )
        shape = part.spec.shape
        if shape.rank is None:
            raise NotImplementedError(
                f"{self.label}: the rank of component {place} is unknown ({part.spec!r}), and the function is traced "
                "before the elements are read; declare its shape in output_signature."
            )
        if part.spec.dtype is not string:
            return _NUMERIC
        return pending(_Text(self.label), -1, aval_of(tuple([size or 0 for size in shape]), string))

    def _spec(self, result: Any, parts: Sequence[Any]) -> Any:
        if isinstance(result, Computed):
            return result_spec(self.trace.outputs[result.place])
        if isinstance(result, Passed):
            return parts[result.place].spec
        if isinstance(result, Instances):
            return DatasetSpec(result.node.structure.spec)
        return read_component(None)[0] if result.value is None else TensorSpec(*_type_of(result.value))

    def _traced(self) -> ElementTrace:
        """The trace for all elements, with the first sizes in place of open ones for which there is one."""
        if all(spec.shape.is_fully_defined() for spec in self._specs):
            return self.trace_for([[size or 0 for size in spec.shape] for spec in self._specs])
        raise_failed_checks()  # errors of earlier programs are not those of the trace
        refusal: Exception | None = None
        axes = [tuple([axis for axis, size in enumerate(spec.shape) if size is None]) for spec in self._specs]
        for shapes in self._choices():
            flat = [_tensor(shape, spec) for shape, spec in zip(shapes, self._specs, strict=True)]
            sizes = OpenSizes(flat, tuple(axes))
            watching = denied() if can_watch() else nullcontext([])
            try:
                with watching as compared, sampled(sizes.made, sizes.values(flat) or {}):
                    found = self.trace_for(shapes, sizes)
            except Exception as refused:  # code that needs to know a size may raise any error
                refusal = refusal or refused
            else:
                return found._replace(compared=among(compared, sizes.symbols))
        assert refusal is not None
        if isinstance(refusal, jax.errors.InconclusiveDimensionOperation):
            self._refuse(refusal)
        raise refusal

    def _choices(self) -> Iterator[list[list[int]]]:
        """The shapes to trace with: open sizes differ, or those of rows are equal, or those of each axis.

        Sizes that differ serve all elements, but fail where the function combines components.
        """
        by_place, by_row = lambda place, axis: (place, axis), lambda place, axis: (axis and place, axis)
        first = (by_row, by_place) if self._shares_rows else (by_place, by_row)
        tried: list[list[list[int]]] = []
        for group in (*first, lambda _, axis: axis):
            sizes: dict[Any, int] = {}
            shapes = [
                [
                    sizes.setdefault(group(place, axis), _FIRST + _STEP * len(sizes)) if size is None else size
                    for axis, size in enumerate(spec.shape)
                ]
                for place, spec in enumerate(self._specs)
            ]
            if shapes not in tried:
                tried.append(shapes)
                yield shapes

    def trace_for(self, shapes: Sequence[Sequence[int]], sizes: OpenSizes | None = None) -> ElementTrace:
        """The trace for numeric components of `shapes`, with symbols if `sizes` is given.

        Raises: the errors of the function; NotImplementedError if no trace can hold it.
        """
        flat = [_tensor(shape, spec) for shape, spec in zip(shapes, self._specs, strict=True)]
        names = [f"args_{place}" for place in range(len(flat))]
        with self._lock:
            try:
                body = traced(self._entry, self.label, entered(tuple(flat), {}), names, creates=False, sizes=sizes)
            except UntraceableError as refused:
                self._refuse(refused)
            return ElementTrace(body.stored, sizes, (), self._results, body.result, self._pack)

    def _refuse(self, refusal: Exception) -> NoReturn:
        raise NotImplementedError(
            f"{self.label}: no trace can hold this function: {refusal} Compute shapes from shapes, with bounds and "
            "masks; or yield the finished elements with tf.data.Dataset.from_generator."
        ) from refusal

    def _entry(self, *numeric: Tensor) -> list[Tensor]:
        """The function as it is traced: of the numeric components, to the computed components."""
        leaves = list(self._opaque)
        for place, tensor in zip(self.numeric, numeric, strict=True):
            leaves[place] = tensor
        packed: list[Any] = []
        at = 0
        for each in self._arguments:
            count = len(each.components)
            packed.append(each.pack(leaves[at : at + count]))
            at += count
        result = self._function(*(packed[0] if self._is_spread else packed))
        if type(result) is list:
            result = tuple(result)
        self._pack, self._results = packer(result), []
        computed: list[Tensor] = []
        for value in flatten(result):
            self._results.append(self._result(value, leaves, computed))
        return computed

    def _result(self, value: Any, leaves: Sequence[Any], computed: list[Tensor]) -> Result:
        for place, leaf in enumerate(leaves):
            if leaf is value and leaf is not None and place not in self.numeric:
                return Passed(place)
        if value is None:
            return Constant(None)
        if isinstance(value, AnyDataset):
            tensors = {id(tensor): tensor for tensor in tensors_of(value._node)}
            first = len(computed)
            computed += tensors.values()
            return Instances(value._node, {key: first + k for k, key in enumerate(tensors)})
        if is_composite(type(value)) and not hasattr(type(value), "_snapshot"):
            raise NotImplementedError(
                f"{self.label}: results of the class {type(value).__name__} are not supported; return its parts as a "
                "tuple."
            )
        try:
            tensor = convert_to_tensor(value)
        except (TypeError, ValueError) as refused:
            if container(value) is not None or isinstance(value, list):
                raise
            raise TypeError(
                f"Unsupported return value from function passed to {self.label.removeprefix('tf.data.')}(): {value}. "
                "Expected tensors, or values that can be converted to tensors."
            ) from refused
        if tensor._is_symbolic():
            if tensor.dtype is string:
                tensor._value("map")
            computed.append(tensor)
            return Computed(len(computed) - 1)
        return Constant(host_array(tensor))


class _Text:
    """In place of a trace: the strings of an element, which no program holds."""

    is_symbolic = True
    is_open = True

    def __init__(self, label: str) -> None:
        self.label = label

    def refuse(self, tensor: Tensor, use: str) -> NoReturn:
        """Raises NotImplementedError: the strings are not known while the function is traced."""
        del tensor, use
        raise NotImplementedError(
            f"{self.label}: functions of strings are not supported, strings can only be passed on; compute on strings "
            "before tf.data.Dataset.from_tensor_slices, or in the generator of tf.data.Dataset.from_generator."
        )

    materialise = refuse

    def name_of(self, tensor: Tensor) -> str:
        """A name for printing."""
        del tensor
        return "string:0"


def _tensor(shape: Sequence[int], spec: TensorSpec) -> Tensor:
    return pending(None, -1, aval_of(tuple(shape), spec.dtype))


def _type_of(array: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    tensor = Tensor(array)
    return tensor.shape, tensor.dtype


_NUMERIC: Any = object()
