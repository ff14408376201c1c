"""A user's function of elements, traced when a dataset is made of it: Python runs once, for all elements.

Sizes that the elements leave open are symbols in the trace.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import jax
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.sampling import sampled, sampled_values
from tfcompat._core.structure.check_outcome import raise_failed_checks
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor, pending
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.system.location import is_raised_by_user
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import int64, string
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.component import Dense, Nested, Nothing, Ragged, Sparse
from tfcompat._data.blocks.dataset_spec import AnyDataset, DatasetSpec
from tfcompat._data.blocks.debugging import as_python
from tfcompat._data.blocks.nesting import container, flatten, packer
from tfcompat._data.blocks.structure import Structure, host_array, read_component
from tfcompat._data.function.function_graph import FunctionGraph
from tfcompat._data.function.graph import HostValue, key_of
from tfcompat._data.function.short_shape import short_shapes
from tfcompat._data.function.size import ElementSizes, Equal, Sharing
from tfcompat._data.function.trace import Computed, Constant, ElementTrace, FromHost, Instances, Parts, Passed, Result
from tfcompat._data.nodes.template import Stand, tensors_of
from tfcompat._function.arguments.signature import entered
from tfcompat._function.functions.concrete import result_spec
from tfcompat._function.functions.late_autograph import autograph
from tfcompat._function.functions.type_spec import type_spec_from_value
from tfcompat._function.graphs.source import Hosted, Part
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.running.body import traced
from tfcompat._function.running.initialisation import initialise
from tfcompat._jaxpr.size import is_open


class UserFunction:
    """A function of elements.

    Attributes:
      label: the method that it was passed to, for messages.
      given: the function as the user passed it.
      components: the components of the elements, those of all arguments in a row.
      numeric: the places of the components that are arguments of the program.
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
        cuts_on_host: bool = False,
    ) -> None:
        """Traces `function` of elements of the types `arguments`; a tuple is several arguments if `is_spread`.

        `shares_rows` is whether all components have the same number of rows, as those of a batch. With `cuts_on_host`
        the host computes all slices of axes of open sizes.

        Raises: ValueError if `function` cannot be called; its own exceptions; TypeError for a result that is no
          tensor; NotImplementedError if no trace can hold it.
        """
        if not callable(function):
            raise ValueError("Argument `func` must be a callable.")
        self.label = label
        self.given = function
        self._function = autograph().converted(function, None)
        self._arguments = arguments
        self._shares_rows = shares_rows
        self._cuts_on_host = cuts_on_host
        self._is_spread = is_spread and type(arguments[0].spec) is tuple
        self.components = [part for each in arguments for part in each.components]
        self.numeric = [place for place, part in enumerate(self.components) if _is_numeric(part)]
        self._specs: list[TensorSpec] = [self.components[place].spec for place in self.numeric]
        self._lock = threading.Lock()
        # As a tf.function: variables are created in the first call, that of the trace for all elements.
        self._creates = here.graph is None
        self._results: list[Result] = []
        self._pack: Any = None
        self.trace: ElementTrace = self.traced_anew()
        self._creates = False
        self._short = short_shapes(self)
        self.structure = Structure(
            self.trace.pack([self._widened(k, result) for k, result in enumerate(self.trace.results)])
        )
        called = as_python(function, tuple([each.spec for each in arguments]), self.structure.spec)
        if called is not None:
            self._function = called
            self.trace = self.traced_anew()

    def _widened(self, place: int, result: Any) -> Any:
        """The spec of a result: `x[:1]` has one row in the trace, which is for two or more, and none without rows."""
        spec = self._spec(result)
        shapes = [shapes[place] for shapes in self._short if shapes[place] is not None]
        for shape in shapes if isinstance(spec, TensorSpec) else ():
            spec = TensorSpec(spec.shape.most_specific_compatible_shape(shape), spec.dtype)
        return spec

    def _spec(self, result: Any) -> Any:
        trace = self.trace
        if isinstance(result, Computed):
            return result_spec(trace.outputs[result.place])
        if isinstance(result, Passed):
            return self.components[result.place].spec
        if isinstance(result, Parts):
            return result.spec
        if isinstance(result, FromHost):
            return TensorSpec(result.shape, result.dtype)
        if isinstance(result, Instances):
            return DatasetSpec(result.node.structure.spec)
        return read_component(None)[0] if result.value is None else TensorSpec(*_type_of(result.value))

    def traced_anew(self) -> ElementTrace:
        """A trace for all elements, with the first symbols for open sizes for which there is one."""
        raise_failed_checks()  # errors of earlier programs are not those of the trace
        refusal: Exception | None = None
        first, second = (Sharing.ROWS, Sharing.NONE) if self._shares_rows else (Sharing.NONE, Sharing.ROWS)
        ways: list[tuple[Sharing, Equal]] = [(Sharing.AXES, {}), (second, {}), (first, {})]
        while ways:
            sharing, equal = ways.pop()
            sizes = ElementSizes(self._specs, sharing, equal)
            try:
                return self._traced_twice(sizes)
            except Exception as refused:  # code that needs to know a size may raise any error
                if not sizes.made or is_raised_by_user(refused):
                    raise
                refusal = refused if equal or refusal is None else refusal
                if sharing is first and sizes.noticed.keys() - equal.keys():
                    ways.insert(1, (first, {**equal, **sizes.noticed}))
        assert refusal is not None
        if isinstance(refusal, jax.errors.InconclusiveDimensionOperation):
            self._refuse(refusal)
        raise refusal

    def _traced_twice(self, sizes: ElementSizes) -> ElementTrace:
        """The trace with symbols for open sizes; if it creates variables, another trace that finds them made."""
        found = self._trace_with(sizes)
        if self._creates and found.stored.graph.created:
            self._creates = False
            sizes = ElementSizes(self._specs, sizes.sharing, sizes.equal)
            found = self._trace_with(sizes)
        return found if sizes.made else found._replace(sizes=None)

    def _trace_with(self, sizes: ElementSizes) -> ElementTrace:
        """The trace with symbols for open sizes. Variables that it has created get their first values."""
        with sizes, sampled(sizes.made, sizes.numbers):
            found = self._trace(sizes)
            initialise(found.stored, None, sampled_values())
        return found

    def trace_for(self, shapes: Sequence[Sequence[int]], opened: Sequence[Sequence[int] | None]) -> ElementTrace:
        """The trace for numeric components of `shapes` and values of the host with the sizes `opened`, if known.

        Raises: the errors of the function; NotImplementedError if no trace can hold it.
        """
        keys = [key_of(self.trace.steps, source) for source in self.trace.opened]
        known = {key: sizes for key, sizes in zip(keys, opened, strict=True) if sizes is not None}
        return self._trace(None, shapes, known)

    def _trace(
        self,
        sizes: ElementSizes | None,
        shapes: Sequence[Sequence[int]] = (),
        opened: Mapping[Any, Sequence[int]] = MappingProxyType({}),
    ) -> ElementTrace:
        avals = [aval_of(tuple(shape), spec.dtype) for shape, spec in zip(shapes, self._specs, strict=False)]
        flat = [pending(None, -1, aval) for aval in (avals if sizes is None else sizes.avals)]
        names = [f"args_{place}" for place in range(len(flat))]
        with self._lock:
            graph = FunctionGraph(self.label, sizes, opened)
            graph.creates, graph.cuts_on_host = self._creates, self._cuts_on_host
            try:
                call = entered(tuple(flat), {})
                body = traced(self._entry, self.label, call, names, creates=self._creates, graph=graph)
                _require_own_sizes(body.stored, sizes)
            except UntraceableError as refused:
                self._refuse(refused)
            return ElementTrace(
                body.stored, graph.steps, graph.shapes, graph.opened, sizes, self._results, body.result, self._pack
            )

    def _refuse(self, refusal: Exception) -> NoReturn:
        raise NotImplementedError(
            f"{self.label}: no trace can hold this function: {refusal} Compute shapes from shapes, with bounds and "
            "masks; or yield the finished elements with tf.data.Dataset.from_generator."
        ) from refusal

    def _entry(self, *numeric: Tensor) -> list[Tensor]:
        """The function as it is traced: of the numeric components, to the computed components."""
        given = dict(zip(self.numeric, numeric, strict=True))
        leaves = [
            given[place] if place in given else _argument(place, part) for place, part in enumerate(self.components)
        ]
        result = self._called(leaves)
        self._pack, self._results = packer(result), []
        computed: list[Tensor] = []
        for value in flatten(result):
            self._results.append(self._result(value, leaves, computed))
        return computed

    def _called(self, leaves: Sequence[Any]) -> Any:
        """The result of the function of the components `leaves`."""
        packed: list[Any] = []
        at = 0
        for each in self._arguments:
            count = len(each.components)
            packed.append(each.pack(leaves[at : at + count]))
            at += count
        result = self._function(*(packed[0] if self._is_spread else packed))
        return tuple(result) if type(result) is list else result

    def call(self, element: Block) -> Any:
        """The result of the function of the only element of `element`, computed immediately."""
        pairs = zip(self.components, element.columns, strict=True)
        return self._called([part.values(column)[0] for part, column in pairs])

    def _result(self, value: Any, leaves: Sequence[Any], computed: list[Tensor]) -> Result:
        for place, leaf in enumerate(leaves):
            if leaf is value and leaf is not None and place not in self.numeric:
                return self._passed(place, leaf)
        if value is None:
            return Constant(None)
        if isinstance(value, AnyDataset):
            tensors = {id(tensor): tensor for tensor in tensors_of(value._node)}
            return Instances(
                value._node, {key: self._result(tensor, leaves, computed) for key, tensor in tensors.items()}
            )
        if is_composite(type(value)) and not hasattr(type(value), "_snapshot"):
            parts = tuple([self._result(part, leaves, computed) for part in value._flatten_composite()])
            return Parts(type_spec_from_value(value), parts)
        tensor = self._tensor(value)
        if isinstance(tensor._trace, HostValue) and tensor._trace.graph is not here.graph:
            tensor = _own(tensor)
        if isinstance(tensor._trace, HostValue):
            return FromHost(tensor._trace.source, tensor.shape, tensor.dtype)
        if tensor._is_symbolic():
            source = here.graph.source_of(tensor)
            if isinstance(source, Hosted):
                return FromHost(source, tensor.shape, tensor.dtype)
            computed.append(tensor)
            return Computed(len(computed) - 1)
        return Constant(host_array(tensor))

    def _passed(self, place: int, leaf: Any) -> Result:
        """The result for the argument `leaf`, component number `place`; the function may have set its shape."""
        part = self.components[place]
        if isinstance(leaf, Tensor) and (isinstance(part, Ragged) or leaf.shape != part.spec.shape):
            return FromHost(Part(place, 0), leaf.shape, leaf.dtype)
        return Passed(place)

    def _tensor(self, value: Any) -> Tensor:
        """`value`, which the function has returned, as a tensor. Raises TypeError if it cannot become one."""
        try:
            return convert_to_tensor(value)
        except (TypeError, ValueError) as refused:
            if container(value) is not None or isinstance(value, list):
                raise
            raise TypeError(
                f"Unsupported return value from function passed to {self.label.removeprefix('tf.data.')}(): {value}. "
                "Expected tensors, or values that can be converted to tensors."
            ) from refused


def _is_numeric(part: Any) -> bool:
    """Whether a component is an argument of the program."""
    return isinstance(part, Dense) and part.spec.shape.rank is not None and part.spec.dtype is not string


def _argument(place: int, part: Any) -> Any:
    """The argument for a component that is not numeric."""
    if isinstance(part, Nothing):
        return None
    if isinstance(part, Nested):
        if part.spec._dataset_shape.rank:
            raise NotImplementedError(
                "tf.data.Dataset: functions of batches of datasets are not supported; call them before `batch`."
            )
        return AnyDataset.kind._of(Stand(place, Structure(part.spec.element_spec)))
    kinds = part.spec._tensor_kinds()
    tensors = [here.graph.part(Part(place, k), dims, dtype) for k, (dims, dtype) in enumerate(kinds)]
    if isinstance(part, Sparse) and part.spec.shape.is_fully_defined():
        tensors[2] = convert_to_tensor(part.spec.shape.as_list(), int64)
    return part.spec._of_tensors(tensors)


def _require_own_sizes(stored: StoredTrace, sizes: ElementSizes | None) -> None:
    """Raises UntraceableError if `stored` reads open sizes of an enclosing function, which have other symbols."""
    given: list[Any] = [size for aval in stored.leaf_avals for size in aval.shape]
    given += [size for source in stored.sources if type(source) is Sizes for size in source.array.ravel()]
    if any(is_open(size) and (sizes is None or size.scope is not sizes.scope) for size in given):
        raise UntraceableError(
            "it reads a tensor of an enclosing function whose size is open; pass the tensor as a component of the "
            "elements, by tf.data.Dataset.zip with Dataset.from_tensors(tensor).repeat()."
        )


def _own(tensor: Tensor) -> Tensor:
    """A value of the function for `tensor`, a value of the host in an enclosing function."""
    dims = None if tensor.shape.rank is None else tensor.shape.as_list()
    return here.graph.hosted("identity", lambda _, array: [array], [tensor], [(dims, tensor.dtype)])[0]


def _type_of(array: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    tensor = Tensor(array)
    return tensor.shape, tensor.dtype
