"""Iterators of datasets, on which users call `next`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, Self

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError, OutOfRangeError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import string, variant
from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.blocks.element_spec import ElementSpec
from tfcompat._data.blocks.nesting import flatten
from tfcompat._data.blocks.optional import Optional, held
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.datasets.elements import Elements, epochs_of
from tfcompat._data.format.kernel_message import KernelMessage, kernel_message
from tfcompat._data.function.element_step import next_element
from tfcompat._data.function.graph import ElementGraph
from tfcompat._data.functional.origin import Origins
from tfcompat._data.nodes.holding import Cache
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.transfer import Transfer, Transferred
from tfcompat._data.places.place import place_bytes, place_of
from tfcompat._data.places.tensorflow_place import TensorFlowPlace
from tfcompat._function.arguments.element import ElementSource
from tfcompat._function.graphs.refusal import refuse_reading
from tfcompat._state.tracking.trackable import Trackable

_STATE = "_STATE"
# The name and the key of the message that holds the place in the form of this library, beside those of TensorFlow.
_OWN = "tfcompat"
_SUBJECT = "The place of an iterator"


class Iterator(ElementSource, Trackable):
    """An iterator of a dataset: `iter(dataset)`.

    Source: TF 2.21 `tf.data.Iterator`.
    """

    @abstractmethod
    def get_next(self) -> Any:
        """The next element. Raises OutOfRangeError at the end."""

    @abstractmethod
    def get_next_as_optional(self) -> Optional:
        """The next element as an optional, which is empty at the end."""

    def __iter__(self) -> Self:
        return self

    @abstractmethod
    def __next__(self) -> Any: ...


class OwnedIterator(Iterator):
    """An iterator that gives tensors.

    Source: TF 2.21 `iter(dataset)`.
    """

    def __init__(self, node: Node, *, is_numpy: bool = False) -> None:
        """An iterator of `node`, which gives NumPy's values if it `is_numpy`."""
        self._node = node
        self._structure = node.structure
        self._convert = node.structure.numpy_elements if is_numpy else node.structure.elements
        elements = Elements(node, self._convert)
        self._elements = Transferred(node, elements.next) if isinstance(node, Transfer) and not is_numpy else elements
        # Elements and errors that were taken, and given back.
        self._returned: list[tuple[Any] | Exception] = []

    @property
    def _element_key(self) -> Hashable:
        return self._structure.key

    def take(self) -> tuple[Any] | None:
        """The next element; None at the end."""
        if not self._returned:
            return self._elements.next()
        outcome = self._returned.pop()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def read_ahead(self) -> None:
        """Reads elements ahead while a program runs, if that cannot be observed."""
        if not self._returned and isinstance(self._elements, Elements):
            self._elements.read_ahead()

    def give_back(self, outcome: tuple[Any] | Exception) -> None:
        """Makes `outcome`, an element that was taken or its error, the next one again."""
        self._returned.append(outcome)

    @property
    def element_spec(self) -> Any:
        return self._structure.spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self._structure.spec)

    def __next__(self) -> Any:
        if here.graph is not None:
            return self._next_traced(here.graph)
        found = self.take()
        if found is None:
            raise StopIteration
        return found[0]

    def next(self) -> Any:
        """As `next(iterator)`."""
        return self.__next__()

    def get_next(self) -> Any:
        if here.graph is not None:
            return self._next_traced(here.graph)
        found = self.take()
        if found is None:
            raise OutOfRangeError.of("End of sequence")
        return found[0]

    def _next_traced(self, graph: Any) -> Any:
        """The next element in a function that is being traced."""
        if isinstance(graph, ElementGraph):
            return next_element(graph, self, self._structure)
        return graph.element_of(self)

    def get_next_as_optional(self) -> Optional:
        if here.graph is not None:
            refuse_reading("the next element of an iterator as an optional")
        found = self.take()
        return Optional.empty(self.element_spec) if found is None else held(self.element_spec, found[0])

    def _save(self) -> Any:
        """The place, which `_restore` of an iterator of the same dataset takes."""
        return {"elements": self._elements.save(), "returned": list(self._returned)}

    def _restore(self, state: Any, is_foreign: bool = False) -> None:
        """Continues at the place `state`; if that `is_foreign`, other programs may have made it up.

        Raises: many kinds of errors for a place that reading does not bring about; then the place is as it was.
        """
        counts = [(epochs, epochs.count) for epochs in epochs_of(self._node)]
        elements = Elements(self._node, self._convert)
        for epochs, count in counts:  # a place may begin no iteration
            epochs.count = count
        elements.restore(state["elements"], is_foreign)
        returned = list(state["returned"])
        if is_foreign:
            for (element,) in returned:
                if not _is_of(element, self._structure):
                    raise ValueError("an element that was given back is of another type")
        self._elements, self._returned = elements, returned

    def _continue_after(self, place: TensorFlowPlace) -> None:
        """Continues behind the elements that an iterator of TensorFlow has handed out, which are computed again."""
        number = place.delivered(self._node)
        for shuffle, count in place.iterations:
            shuffle.epochs.count = count
        elements = Elements(self._node, self._convert)
        elements.pass_over(number)
        self._elements, self._returned = elements, []

    # The name in a checkpoint of the tensor that holds the place is both together.
    _saveable_name = "ITERATOR"

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensor that a checkpoint holds for the iterator: its place.

        Raises: FailedPreconditionError for a dataset of a Python generator; NotImplementedError for a place that has no
          form in a file.
        """
        messages: list[bytes] | None = None
        if isinstance(self._elements, Elements) and not self._returned:
            elements, messages = self._elements.save_both()
            place = {"elements": elements, "returned": []}
        else:
            place = self._save()
        text = place_bytes(place, Origins(self._node))
        if messages is None:
            return {_STATE: convert_to_tensor(text, string)}
        return {_STATE: _variants([*messages, kernel_message(_OWN, {_OWN: text})])}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        """Continues at the place in a tensor of a checkpoint: a string, or the strings that TensorFlow saves.

        Raises: DataLossError if it is not the place of an iterator of such a dataset, NotImplementedError if TensorFlow
          saved that of an unsupported one; then the place is as it was.
        """
        own, texts = _forms(restored_tensors[_STATE].numpy())
        state = None if own is None else place_of(own, Origins(self._node))
        counts = [(epochs, epochs.count) for epochs in epochs_of(self._node)]
        caches = [(cache, cache.kept) for cache in _caches(self._node)]
        try:
            if own is None:
                self._continue_after(TensorFlowPlace(texts))
            else:
                self._restore(state, is_foreign=True)
        except BaseException as bad:
            for cache, kept in caches:
                cache.kept = kept
            for epochs, count in counts:
                epochs.count = count
            if own is None or not isinstance(bad, Exception) or is_raised_by_handler(bad):
                raise
            raise DataLossError.of(
                f"The place in the checkpoint is not that of an iterator of this dataset: {bad!r}"
            ) from bad


def _variants(texts: list[bytes]) -> Tensor:
    """A vector of the dtype `variant`."""
    found = Tensor(np.array(texts, object))
    found._aval = aval_of((len(texts),), variant)
    return found


def _forms(given: Any) -> tuple[bytes | None, list[bytes]]:
    """The place in the form of this library, if `given` holds it, and the messages of TensorFlow.

    Raises: DataLossError if `given`, of a checkpoint, is not the place of an iterator.
    """
    if isinstance(given, bytes):
        return given, []
    if not isinstance(given, np.ndarray) or given.ndim != 1 or given.dtype != object:
        raise DataLossError.of(f"{_SUBJECT} is corrupted: it is neither a string nor a vector of variants")
    texts: list[bytes] = given.tolist()
    for text in reversed(texts):
        message = KernelMessage(text, _SUBJECT)
        if message.name == _OWN.encode():
            part = message.parts().get(message.name)
            if part is None:
                raise DataLossError.of(f"{_SUBJECT} is corrupted: a part of it is empty")
            return part.content, texts
    return None, texts


def _is_of(element: Any, structure: Structure) -> bool:
    """Whether `element` is one of the type `structure`."""
    leaves = flatten(element)
    return len(leaves) == len(structure.specs) and all(
        spec.is_compatible_with(leaf) for spec, leaf in zip(structure.specs, leaves, strict=True)
    )


def _caches(node: Node) -> list[Cache]:
    """The caches in memory that an iterator of `node` fills."""
    inner = [cache for each in node.inputs for cache in _caches(each)]
    return [node, *inner] if isinstance(node, Cache) else inner


class NumpyIterator:
    """An iterator that gives NumPy's scalars and arrays that cannot be written to.

    Raises: TypeError for datasets of datasets.
    Source: TF 2.21 `tf.data.NumpyIterator`.
    """

    __slots__ = ("_iterator",)

    def __init__(self, dataset: Any) -> None:
        node: Node = dataset._node
        for part in node.structure.components:
            part.require_numpy()
        self._iterator = OwnedIterator(node, is_numpy=True)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        found = self._iterator.take()
        if found is None:
            raise StopIteration
        return found[0]

    def save(self) -> Tensor:
        """The place, which `restore` of an iterator of the same dataset takes.

        Shapes: -> [].
        Dtypes: -> string.
        Raises: FailedPreconditionError for a dataset of a Python generator.
        Source: TF 2.21 `tf.data.NumpyIterator.save`.
        """
        return convert_to_tensor(place_bytes(self._iterator._save(), Origins(self._iterator._node)), string)

    def restore(self, state: Any) -> None:
        """Continues at the place `state`.

        Raises: DataLossError if `state` is not a place in such a dataset.
        """
        self._iterator._restore_from_tensors({_STATE: convert_to_tensor(state)})

    def next(self) -> Any:
        """The next element. Raises StopIteration at the end."""
        return self.__next__()

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator!r})"


class IteratorSpec(ElementSpec):
    """The type of iterators whose elements have the type `element_spec`.

    Source: TF 2.21 `tf.data.IteratorSpec`.
    """

    __slots__ = ()

    @property
    def value_type(self) -> type[Any]:
        """The class of iterators."""
        return OwnedIterator

    def _is_value(self, value: Any) -> bool:
        return isinstance(value, Iterator)


def element_spec_of(dataset_or_iterator: Any) -> Any:
    """The type of the elements of a dataset or an iterator. Raises TypeError for anything else."""
    if isinstance(dataset_or_iterator, AnyDataset | Iterator):
        return dataset_or_iterator.element_spec
    raise TypeError(
        "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator object, "
        f"but got {type(dataset_or_iterator)}."
    )
