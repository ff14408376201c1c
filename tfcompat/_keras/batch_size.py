"""The size of the batches of a dataset, if it is known."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import constant
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.nesting import flatten
from tfcompat._data.nodes.batching import AnyBatch
from tfcompat._data.nodes.node import Node, Unary

_UNKNOWN = -1


def compute_batch_size(dataset: Any) -> Tensor:
    """The number of elements in a full batch of `dataset`, if it is known; else -1, as after `map`.

    Raises: IndexError if the elements are scalars.

    Source: TF 2.21, `compute_batch_size` of `tensorflow.python.data.experimental.ops.distribute`.
    """
    shapes = [getattr(spec, "shape", None) for spec in flatten(dataset.element_spec)]
    sizes = {None if shape is None or shape.rank is None else shape.as_list()[0] for shape in shapes}
    size = sizes.pop() if len(sizes) == 1 else None
    return constant(_of_node(dataset._node) if size is None else size, int64)


def _of_node(node: Node) -> int:
    """The size of the batches that `node`, or the nodes before it, make; -1 if they make none."""
    while not isinstance(node, AnyBatch):
        if not isinstance(node, Unary) or node.structure is not node.source.structure:
            return _UNKNOWN
        node = node.source
    return node.size
