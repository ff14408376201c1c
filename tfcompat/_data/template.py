"""Datasets that a user's function makes of its arguments: they are made once, and copied for each element.

While the function is traced, its tensors have no values, and the datasets among its arguments stand for others. A node
that depends on them is a template; its instance for an element is a copy with the values of that element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import int64
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._data.block import Block
from tfcompat._data.cursor import Cursor
from tfcompat._data.nesting import flatten, packer
from tfcompat._data.node import UNKNOWN, Node
from tfcompat._data.source import Held, Progression, require_components
from tfcompat._data.structure import Structure

Array = np.ndarray[Any, Any]


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
    return here.graph is not None and isinstance(value, Tensor) and value._is_symbolic()


def template_of(elements: Any, *, is_sliced: bool) -> Node | None:
    """The template of `from_tensors`, or of `from_tensor_slices` if `is_sliced`; None if all values are known."""
    if here.graph is None:
        return None
    tensors = [convert_to_tensor(leaf) for leaf in flatten(elements)]
    if not any(map(has_no_value, tensors)):
        return None
    shapes = [tensor.shape for tensor in tensors]
    if not is_sliced:
        structure = Structure(packer(elements)([TensorSpec(one.shape, one.dtype) for one in tensors]))
        require_components(structure)
        return Made("_TensorDataset", structure, tensors, lambda *arrays: _held(structure, [x[None] for x in arrays]))
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    structure = Structure(packer(elements)([TensorSpec(one.shape[1:], one.dtype) for one in tensors]))
    return Made("_TensorSliceDataset", structure, tensors, lambda *arrays: _held(structure, arrays))


def _held(structure: Structure, columns: Sequence[Array]) -> Node:
    count = min(map(len, columns))
    return Held("_TensorSliceDataset", structure, Block(tuple(columns), count) if count else None)


def range_template(bounds: Sequence[Any], dtype: Any) -> Node | None:
    """The template of `range`; None if all bounds are known."""
    if not any(map(has_no_value, bounds)):
        return None
    tensors = [convert_to_tensor(bound, int64) for bound in bounds]

    def make(*numbers: Array) -> Node:
        start, stop, *step = [int(number) for number in ((0, *numbers) if len(numbers) == 1 else numbers)]
        return Progression("_RangeDataset", start, stop, step[0] if step else 1, dtype)

    return Made("_RangeDataset", Structure(TensorSpec([], dtype)), tensors, make)


def counted(kind: Callable[[Node, Any], Node], source: Node, number: Any) -> Node:
    """`kind(source, number)`, or its template if the number has no value yet."""
    if not has_no_value(number):
        return kind(source, number)
    tensor = convert_to_tensor(number, int64)
    label = getattr(kind, "label", "")
    return Made(label, source.structure, [tensor], lambda inner, value: kind(inner, int(value)), source)


def tensors_of(node: Node) -> list[Tensor]:
    """The tensors without values that `node` and its inputs depend on."""
    own = list(node.tensors) if isinstance(node, Made) else node.captured()
    return own + [tensor for each in node.inputs for tensor in tensors_of(each)]


class Origin(NamedTuple):
    """How a dataset was made for an element: see `instance_of`."""

    template: Node
    values: Mapping[int, Array]
    given: Sequence[Any]


def instance_of(node: Node, values: Mapping[int, Array], given: Sequence[Any]) -> Node:
    """The dataset for one element: `values` are those of tensors by `id`, `given` the components of the element."""
    found = _instance(node, values, given)
    if found is not node and found.origin is None:
        found.origin = Origin(node, values, given)
    return found


def _instance(node: Node, values: Mapping[int, Array], given: Sequence[Any]) -> Node:
    if isinstance(node, Stand):
        return given[node.place]
    inputs = [_instance(each, values, given) for each in node.inputs]
    if isinstance(node, Made):
        return node.make(*inputs, *[values[id(tensor)] for tensor in node.tensors])
    if node.is_inner or any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
        return node.copied(inputs, values)
    return node
