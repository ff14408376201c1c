"""Datasets that functions make, in places of iterators: how each was made is saved, and it is made again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfcompat._core.system.error import DataLossError
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.trace import Instances, Parts
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.source import Held
from tfcompat._data.nodes.template import instance_of

_MADE, _HELD, _SHARED = "made", "held", "shared"


class Origins:
    """The templates of the datasets that the functions of a dataset make, and the types of their elements, by number.

    The numbers are the same for all datasets that one program makes.
    """

    def __init__(self, node: Node) -> None:
        self._templates: list[Instances] = []
        self._structures: list[Structure] = []
        self._collect(node)

    def _collect(self, node: Node) -> None:
        self._collect_structures(node.structure)
        for calls in _calls_of(node):
            for result in _results_of(calls.trace.results):
                self._templates.append(result)
                self._collect(result.node)
        for each in node.inputs:
            self._collect(each)

    def _collect_structures(self, structure: Structure) -> None:
        self._structures.append(structure)
        for part in structure.components:
            if isinstance(part.spec, DatasetSpec):
                self._collect_structures(Structure(part.spec.element_spec))

    def parts_of(self, node: Node) -> tuple[Any, ...]:
        """How to make `node`. Raises NotImplementedError if it is not known."""
        for number, template in enumerate(self._templates):
            if node is template.node:
                return _SHARED, number
            if node.origin is not None and node.origin.template is template.node:
                given = [each if isinstance(each, Node) else None for each in node.origin.given]
                return _MADE, number, [node.origin.values[key] for key in template.places], given
        if isinstance(node, Held) and node.origin is None:
            for number, structure in enumerate(self._structures):
                if structure.key == node.structure.key:
                    return _HELD, number, node.label, node.block
        raise NotImplementedError(
            f"tf.train.Checkpoint: the place of this iterator is in a dataset of the kind {type(node).__name__} that a "
            "function made, which checkpoints do not support; leave the iterator out of the checkpoint."
        )

    def node_of(self, parts: tuple[Any, ...]) -> Node:
        """The dataset that is made as `parts` say. Raises DataLossError for parts of another dataset."""
        try:
            return self._made(*parts)
        except (TypeError, ValueError, IndexError, AttributeError) as bad:
            raise DataLossError.of(f"The place is that of an iterator of another dataset: {bad!r}") from bad

    def _made(self, kind: str, number: int, *parts: Any) -> Node:
        if kind == _HELD:
            label, block = parts
            if not (block is None or isinstance(block, Block)):
                raise TypeError("a dataset has no block")
            return Held(label, self._structures[number], block)
        template = self._templates[number]
        if kind == _SHARED:
            return template.node
        values, given = parts
        if not all(isinstance(value, np.ndarray) for value in values):
            raise TypeError("a value is not an array")
        return instance_of(template.node, dict(zip(template.places, values, strict=True)), given)


def _calls_of(node: Node) -> Iterator[Calls]:
    for value in vars(node).values():
        if isinstance(value, Calls):
            yield value
        elif isinstance(value, list | tuple):
            yield from (each for each in value if isinstance(each, Calls))


def _results_of(results: Any) -> Iterator[Instances]:
    for result in results:
        if isinstance(result, Instances):
            yield result
        elif isinstance(result, Parts):
            yield from _results_of(result.parts)
