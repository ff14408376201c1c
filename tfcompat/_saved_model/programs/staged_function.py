"""Functions that take turns with the host: those of strings, of files, and of ragged and sparse tensors.

They are traced like the functions of the elements of a dataset: programs compute numbers, and the host computes the
rest in steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.system.error import OpError
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import string
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.function.graph import HostStep
from tfcompat._data.function.loop import Iterated
from tfcompat._data.function.stage import leaves_of
from tfcompat._data.function.trace import Computed, Constant, ElementTrace, FromHost, Parts, Passed, Result
from tfcompat._data.function.user_function import UserFunction
from tfcompat._extension.extension_type import ExtensionType, ExtensionTypeSpec
from tfcompat._function.arguments.argument_placeholder import keys_of
from tfcompat._function.functions.function import Function
from tfcompat._function.functions.late_autograph import autograph
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.sizes.sized_trace import rescoped
from tfcompat._saved_model.messages.refusal import Unsaved
from tfcompat._state.static_table import StaticHashTable, StaticVocabularyTable
from tfcompat._state.variable import Variable, VariableSpec


def is_staged(specs: Any) -> bool:
    """Whether a function of such arguments takes turns with the host."""
    leaves = nest.flatten(specs)
    return any(isinstance(leaf, TypeSpec) and not _is_numeric(leaf) for leaf in leaves)


def _is_numeric(spec: TypeSpec) -> bool:
    return isinstance(spec, VariableSpec) or (isinstance(spec, TensorSpec) and spec.dtype is not string)


def _tensors_in(spec: Any) -> tuple[TypeSpec, ...]:
    """The specs in the structure `spec`, whose other leaves are Python values."""
    return tuple(leaf for leaf in nest.flatten(spec) if isinstance(leaf, TypeSpec))


def _filled(spec: Any, tensors: Sequence[Any]) -> Any:
    """The structure `spec` with `tensors` in place of specs."""
    given = iter(tensors)
    return nest.map_structure(lambda leaf: next(given) if isinstance(leaf, TypeSpec) else leaf, spec)


def _require_no_extension_type(name: str, values: Any) -> None:
    for leaf in nest.flatten(values):
        if isinstance(leaf, (ExtensionType, ExtensionTypeSpec)):
            kind = leaf.value_type if isinstance(leaf, ExtensionTypeSpec) else type(leaf)
            raise NotImplementedError(f"{name}: the extension type {kind.__name__} is not saved; pass its tensors.")


class StagedFunction:
    """A decorated function for arguments of some types, as a trace with steps of the host.

    Attributes:
      name: the name of the Python function.
      structured_input_signature: the positional and keyword arguments, with specs in place of tensors.
      structured_outputs: the result, with specs in place of tensors.
      tensor_names: names for the tensors among the arguments, unique ones if parameters have one tensor.
      trace: the trace, whose sizes are at least 1; `stored` is its part that programs compute.
      components: those of the arguments.

    Raises: NotImplementedError if no trace can hold the function.
    """

    def __init__(self, function: Function, specs: Sequence[Any]) -> None:
        self.name = function.name
        _require_no_extension_type(self.name, specs)
        python = autograph().converted(function.undecorated(), None)
        found: list[Any] = []
        kinds = [_tensors_in(spec) for spec in specs]

        def flat(*tensors: tuple[Any, ...]) -> tuple[Any, ...]:
            given = iter(tensors)
            result = python(
                *[_filled(spec, next(given)) if kind else spec for spec, kind in zip(specs, kinds, strict=True)]
            )
            _require_no_extension_type(self.name, result)
            found[:] = [nest.map_structure(lambda _: None, result)]
            return tuple(nest.flatten(result))

        names = function.signature.argument_names(len(specs))
        self.structured_input_signature = tuple(map(_named, names, specs)), {}
        label = f"tf.function {self.name}"
        arguments = [Structure(kind) for kind in kinds if kind]
        traced, self.stored = _traced(label, flat, arguments)
        self.components = traced.components
        self.numeric = traced.numeric
        self.trace = traced.trace
        self._require_kinds()
        self.structured_outputs = nest.pack_sequence_as(found[0], [part.spec for part in traced.structure.components])
        leaves = [(name, leaf) for name, kind in zip(names, kinds, strict=True) for leaf in kind]
        self.tensor_names = [getattr(leaf, "name", None) or name for name, leaf in leaves for _ in leaf._tensor_kinds()]

    def _require_kinds(self) -> None:
        for step in self.trace.steps:
            if _draws(step):
                raise Unsaved(step.name)
        kinds = (Computed, Constant, FromHost, Parts, Passed)
        if not all(isinstance(result, kinds) for result in self.trace.results):
            raise NotImplementedError(f"{self.name}: it returns a dataset.")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or assigns."""
        every = [*self.stored.variables(), *[each for inner in self.inner() for each in inner.variables]]
        return tuple({each._number: each for each in every}.values())

    @property
    def tables(self) -> list[StaticHashTable]:
        """The tables that it looks up on the host."""
        found = [step.arguments.get("self") for step in self.trace.steps]
        found = [each._table if isinstance(each, StaticVocabularyTable) else each for each in found]
        own = {id(table): table for table in found if isinstance(table, StaticHashTable)}
        return list((own | {id(table): table for inner in self.inner() for table in inner.tables}).values())

    def inner(self) -> list[StagedBlock]:
        """The functions that it maps over rows."""
        return [StagedBlock(self.name, each) for each in _iterated(self.trace)]

    def results(self) -> list[Result]:
        """How each tensor of the result is made."""
        return [part for result in self.trace.results for part in _parts(result)]


class StagedBlock(StagedFunction):
    """The function that a step of the host maps over rows, as a function of the values that it reads."""

    def __init__(self, outer: str, iterated: Iterated) -> None:
        block = iterated.block
        self.name = f"{outer}_map"
        self.trace, self.stored = block.trace, _of_any_size(block.trace, is_strict=False)
        self.components, self.numeric = block.components, []
        self.tensor_names = [f"value_{place}" for place in range(len(block.components))]
        self.structured_input_signature, self.structured_outputs = ((), {}), None
        self._require_kinds()


def _draws(step: HostStep) -> bool:
    """Whether a step draws random numbers."""
    iterated = step.arguments.get("iterated")
    if not isinstance(iterated, Iterated):
        return step.draws
    trace = iterated.block.trace
    return any(type(source) is Drawn for source in leaves_of(trace.stored).values()) or any(map(_draws, trace.steps))


def _parts(result: Result) -> list[Result]:
    return [part for each in result.parts for part in _parts(each)] if isinstance(result, Parts) else [result]


def _iterated(trace: ElementTrace) -> list[Iterated]:
    """The functions that steps of `trace` map over rows."""
    found = [step.arguments.get("iterated") for step in trace.steps]
    return [each for each in found if isinstance(each, Iterated)]


def _traced(label: str, function: Any, arguments: Sequence[Structure]) -> tuple[UserFunction, Any]:
    """`function` as a function of elements, and the part of its trace that programs compute, for open sizes.

    Slices of open sizes may be what no program holds for sizes of 1: then they are steps of the host.

    Raises: NotImplementedError if no trace can hold the function, or if it is only for sizes above 2.
    """
    made: dict[bool, UserFunction] = {}
    for is_strict in (True, False):
        for cuts_on_host in (False, True):
            if cuts_on_host not in made:
                made[cuts_on_host] = UserFunction(label, function, arguments, cuts_on_host=cuts_on_host)
            traced = made[cuts_on_host]
            stored = _of_any_size(traced.trace, is_strict=is_strict)
            if stored is not None and _are_of_any_size(_iterated(traced.trace), is_strict=is_strict):
                return traced, stored
    raise NotImplementedError(
        f"{label}: its shapes for open sizes of 1 and 2 follow another rule than those for larger ones; give the "
        "sizes in the input signature."
    )


def _are_of_any_size(mapped: Sequence[Iterated], *, is_strict: bool) -> bool:
    """Whether programs compute the functions `mapped` over rows, for open sizes as in `_of_any_size`."""
    traces = [each.block.trace for each in mapped]
    return all(
        _of_any_size(trace, is_strict=is_strict) is not None and _are_of_any_size(_iterated(trace), is_strict=is_strict)
        for trace in traces
    )


def _of_any_size(trace: ElementTrace, *, is_strict: bool) -> Any:
    """The part of `trace` that programs compute, for open sizes of at least 1.

    Unless it `is_strict`, they are at least 2 where its steps require that. None if it is for larger ones only.
    """
    if trace.sizes is None:
        return trace.stored
    found = _of_sizes(trace, ())
    if found is not None or is_strict:
        return found
    larger = sorted(trace.sizes.numbers)
    for symbol in tuple(larger):
        others = [other for other in larger if other != symbol]
        if _of_sizes(trace, others) is not None:
            larger = others
    return _of_sizes(trace, larger)


def _of_sizes(trace: ElementTrace, larger: Sequence[str]) -> Any:
    """The copy of the stored part of `trace` whose symbols are at least 1, and `larger` at least 2, or None."""
    scope = jax.export.SymbolicScope([f"{symbol} >= 2" for symbol in larger])
    try:
        return rescoped(trace.stored, scope)
    except (ValueError, TypeError, OpError, jax.errors.InconclusiveDimensionOperation):
        return None


def _named(name: str, spec: Any) -> Any:
    """`spec` with names for tensors: those of the parameter `name` unless they have names."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(spec.shape, spec.dtype, spec.name or name)
    if isinstance(spec, TypeSpec) or not isinstance(spec, (list, tuple, dict)):
        return spec
    keys = list(keys_of(spec, len(spec)))
    children = [spec[key] for key in keys] if isinstance(spec, dict) else list(spec)
    named = [_named(f"{name}_{key}", child) for key, child in zip(keys, children, strict=True)]
    return nest.pack_sequence_as(spec, nest.flatten(named))
