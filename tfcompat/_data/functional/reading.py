"""Values of a whole dataset: `reduce`, `get_single_element` and `cardinality`, also in functions of elements.

There the dataset is a template, and the host reads its instance for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.block import Block, entries
from tfcompat._data.blocks.component import Nested
from tfcompat._data.blocks.dataset_spec import require_eager
from tfcompat._data.blocks.host_value import arrays_of
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.function.graph import ElementGraph, HostStep
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.template import Stand, instance_of, tensors_of
from tfcompat._function.graphs.source import Part

_NUMBER = Structure(TensorSpec([], int64))
# A function of a dataset, and of the values of tensors by `id`, that returns one element.
Read = Callable[[Node, Mapping[int, np.ndarray]], Block]


def single_element(node: Node) -> Any:
    """The only element of `node`."""
    return read_as_element("get_single_element", node, node.structure, _only, ())


def _only(node: Node, values: Mapping[int, np.ndarray]) -> Block:
    del values
    cursor = node.cursor()
    found = cursor.read(1)
    if found is None:
        raise InvalidArgumentError.of("Dataset was empty.")
    if cursor.read(1) is not None:
        raise InvalidArgumentError.of("Dataset had more than one element.")
    return found


def cardinality(node: Node) -> Any:
    """The number of elements of `node`, int64."""
    if isinstance(here.graph, ElementGraph) and (_stands_of(node) or tensors_of(node)):
        return read_as_element("cardinality", node, _NUMBER, lambda node, _: _number(node), ())
    return _NUMBER.elements(_number(node))[0]


def _number(node: Node) -> Block:
    return Block((np.array([node.cardinality]),), 1)


def read_as_element(method: str, node: Node, structure: Structure, read: Read, tensors: Sequence[Tensor]) -> Any:
    """`read` of `node`, an element of the type `structure`; `tensors` are those without values that it reads.

    Raises: HostLoopError in a `tf.function`, which reads datasets in its loops only.
    """
    graph = here.graph
    if not isinstance(graph, ElementGraph):
        require_eager(method)
        return structure.elements(read(node, {}))[0]
    stands = _stands_of(node)
    if stands and graph.is_branch:
        raise UntraceableError(f"tf.data.Dataset.{method} reads an argument of the function in a branch or a loop")
    if any(isinstance(part, Nested) for part in structure.components):
        raise UntraceableError(f"the result of tf.data.Dataset.{method} has a dataset")
    wanted = list({id(tensor): tensor for tensor in [*tensors_of(node), *tensors]}.values())
    sources = [Part(place, 0) for place in stands]
    graph.shapes.update(dict.fromkeys(sources))

    def compute(values: Mapping[str, int], *given: Any) -> list[np.ndarray]:
        del values
        known = {id(tensor): array for tensor, array in zip(wanted, given, strict=False)}
        arguments = dict(zip(stands, given[len(wanted) :], strict=True))
        found = read(instance_of(node, known, arguments), known)
        return [array for column in found.columns for array in arrays_of(entries(column)[0])]

    kinds = [part.spec._tensor_kinds() for part in structure.components]
    step = HostStep(
        f"tf.data.Dataset.{method}", compute, (*graph.inputs(wanted), *sources), has_effects=not node.is_pure
    )
    made = iter(graph.stepped(step, [kind for each in kinds for kind in each]))
    return structure.pack(
        [
            part.spec._of_tensors([next(made) for _ in each])
            for part, each in zip(structure.components, kinds, strict=True)
        ]
    )


def _stands_of(node: Node) -> list[int]:
    """The places of the arguments that `node` reads."""
    own = [node.place] if isinstance(node, Stand) else []
    return list(dict.fromkeys([*own, *[place for each in node.inputs for place in _stands_of(each)]]))
