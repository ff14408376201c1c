"""Datasets that a user's function makes of its arguments: they are made once, and copied for each element.

While the function is traced, its tensors have no values, and the datasets among its arguments stand for others. A node
that depends on them is a template; its instance for an element is a copy with the values of that element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.by_row import apart
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import as_dtype, int64
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.structure import Structure, spec_of
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.generator import Generated
from tfcompat._data.nodes.node import UNKNOWN, Node
from tfcompat._data.nodes.source import Held, Progression, from_tensor_slices, from_tensors, rows_of

Array = np.ndarray[Any, Any]
# The components of an element by their places.
Given = Sequence[Any] | Mapping[int, Any]


class Template(Node):
    """A dataset that has elements only in its instances."""

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        raise NotImplementedError(
            "tf.data.Dataset: a dataset made of the arguments of a function can only be returned by it, to flat_map "
            "or interleave."
        )


class Stand(Template):
    """The dataset that is the component number `place` of an element."""

    label = "_VariantDataset"

    def __init__(self, place: int, structure: Structure) -> None:
        super().__init__(structure)
        self.place = place


class Made(Template):
    """The dataset that `make` makes of the instances of the inputs and of values.

    Attributes:
      tensors: the tensors without values that it depends on.
    """

    def __init__(
        self,
        label: str,
        structure: Structure,
        tensors: Sequence[Tensor],
        make: Callable[..., Node],
        *inputs: Node,
    ) -> None:
        super().__init__(structure, *inputs)
        self.label = label
        self.tensors = tensors
        self.make = make


def has_no_value(value: Any) -> bool:
    """Whether `value` is a tensor of a function that is being traced."""
    if here.graph is None:
        return False
    tensor = value if isinstance(value, Tensor) else as_tensor(value) if hasattr(type(value), "_as_tensor") else None
    return tensor is not None and tensor._is_symbolic()


def template_of(elements: Any, *, is_sliced: bool) -> Node | None:
    """The template of `from_tensors`, or of `from_tensor_slices` if `is_sliced`; None if all values are known."""
    if here.graph is None or not any(map(has_no_value, nest.flatten(elements, expand_composites=True))):
        return None
    spec, elements = spec_of(elements)
    structure = Structure(spec)
    if is_sliced:
        if any(shape.rank == 0 for part in structure.components for shape in part.shapes()):
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        structure = rows_of(structure)
    else:
        structure.require_tensors("tf.data.Dataset.from_tensors")
    leaves = nest.flatten(elements, expand_composites=True)
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]

    def make(*arrays: Array) -> Node:
        if len(arrays) == len(structure.components):  # all are dense
            columns = arrays if is_sliced else [array[np.newaxis] for array in arrays]
            count = min(map(len, columns))
            return Held(label, structure, Block(tuple(columns), count) if count else None)
        values = iter(arrays)
        found = [Tensor(next(values)) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        with apart():
            packed = nest.pack_sequence_as(elements, found, expand_composites=True)
            return (from_tensor_slices if is_sliced else from_tensors)(packed)

    label = "_TensorSliceDataset" if is_sliced else "_TensorDataset"
    return Made(label, structure, tensors, make)


def range_template(bounds: Sequence[Any], dtype: Any) -> Node | None:
    """The template of `range`; None if all bounds are known."""
    if not any(map(has_no_value, bounds)):
        return None
    tensors = [convert_to_tensor(bound, int64) for bound in bounds]

    def make(*numbers: Array) -> Node:
        start, stop, *step = [int(number) for number in ((0, *numbers) if len(numbers) == 1 else numbers)]
        return Progression("_RangeDataset", start, stop, step[0] if step else 1, dtype)

    return Made("_RangeDataset", Structure(TensorSpec([], dtype)), tensors, make)


def counter_template(start: Any, step: Any, dtype: Any) -> Node | None:
    """The template of `counter`; None if `start` and `step` are known."""
    if not any(map(has_no_value, (start, step))):
        return None
    kind = as_dtype(dtype)
    tensors = [convert_to_tensor(number, kind) for number in (start, step)]

    def make(first: Array, stride: Array) -> Node:
        return Progression("_ScanDataset", first[()], None, stride[()], kind)

    return Made("_ScanDataset", Structure(TensorSpec([], kind)), tensors, make)


def generator_template(generator: Callable[..., Any], spec: Any, args: Any) -> Node | None:
    """The template of `from_generator`; None if all arguments of the generator are known."""
    if not any(map(has_no_value, args or ())):
        return None
    tensors = [convert_to_tensor(argument) for argument in args]
    return Made(Generated.label, Structure(spec), tensors, lambda *arrays: Generated(generator, spec, arrays))


def counted(make: Callable[..., Node], source: Node, *numbers: Any, like: Callable[[], Node] | None = None) -> Node:
    """`make(source, *numbers)`, or its template if a number has no value yet.

    `like` makes a dataset of the type of the result; by default the type is that of `source`.
    """
    open_places = [place for place, number in enumerate(numbers) if has_no_value(number)]
    if not open_places:
        return make(source, *numbers)
    tensors = [convert_to_tensor(numbers[place], int64) for place in open_places]

    def made(inner: Node, *values: Array) -> Node:
        given = list(numbers)
        for place, value in zip(open_places, values, strict=True):
            given[place] = int(value)
        return make(inner, *given)

    example = source if like is None else like()
    label = getattr(make, "label", "") if like is None else example.label
    return Made(label, example.structure, tensors, made, source)


def tensors_of(node: Node) -> list[Tensor]:
    """The tensors without values that `node` and its inputs depend on."""
    own = list(node.tensors) if isinstance(node, Made) else node.captured()
    return own + [tensor for each in node.inputs for tensor in tensors_of(each)]


class Origin(NamedTuple):
    """How a dataset was made for an element: see `instance_of`."""

    template: Node
    values: Mapping[int, Array]
    given: Given


def instance_of(node: Node, values: Mapping[int, Array], given: Given) -> Node:
    """The dataset for one element: `values` are those of tensors by `id`, `given` the components of the element."""
    found = _instance(node, values, given)
    if found is not node and found.origin is None:
        found.origin = Origin(node, values, given)
    return found


def _instance(node: Node, values: Mapping[int, Array], given: Given) -> Node:
    if isinstance(node, Stand):
        return given[node.place]
    inputs = [_instance(each, values, given) for each in node.inputs]
    if isinstance(node, Made):
        return node.make(*inputs, *[values[id(tensor)] for tensor in node.tensors])
    if node.is_inner or any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
        return node.copied(inputs, values)
    return node
