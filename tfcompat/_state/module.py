"""`tf.Module`: an object that finds the variables and modules in its attributes."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from tfcompat._core.types import nest
from tfcompat._core.types.container import (
    Container,
    container_of,
    container_or_composite_of,
    is_composite,
    is_mapping,
    sorted_keys,
)
from tfcompat._state.scope import name_scope
from tfcompat._state.tracking.auto_trackable import AutoTrackable
from tfcompat._state.tracking.trackable import TRACKING_ATTRIBUTES
from tfcompat._state.variable import Variable

Path = tuple[Any, ...]
Predicate = Callable[[Any], bool]

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")


class Module(AutoTrackable):
    """A container that finds variables and other modules in its attributes.

    Args:
      name: a Python identifier; by default the name of the class in snake case.

    Raises: ValueError if `name` is not an identifier; TypeError if it is not a string.
    Source: TF 2.21 `tf.Module`.
    """

    # Attributes that are not searched for variables.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = TRACKING_ATTRIBUTES

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _WORD_STARTS.sub("_", type(self).__name__).lower()
        if not isinstance(name, str):
            raise TypeError(f"tf.Module: name must be a string, got {name!r}.")
        if not (name.isascii() and name.isidentifier()):
            rule = "Module names must be valid Python identifiers (e.g. a valid class name)"
            raise ValueError(f"tf.Module: {name!r} is not a valid module name. {rule}.")
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope(scope)

    @property
    def name(self) -> str:
        """The given name, or the name of the class in snake case."""
        return getattr(self, "_name", None) or _raise_uninitialised(self, "_name")

    @property
    def name_scope(self) -> name_scope:
        """The scope for the names of this module's variables, inside the scope in which the module was created."""
        return getattr(self, "_name_scope", None) or _raise_uninitialised(self, "_name_scope")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module in the order of its attributes' names, then those of its submodules."""
        return tuple(_members(self)[0])

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable variables among `variables`."""
        return tuple([variable for variable in _members(self)[0] if variable.trainable])

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables among `variables` that are not trainable."""
        return tuple([variable for variable in _members(self)[0] if not variable.trainable])

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in the attributes, and the modules in those, each once."""
        return tuple(_members(self)[1])

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """`method`, run within the name scope of the module that it is called on."""

        @functools.wraps(method)
        def method_with_name_scope(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return method_with_name_scope

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Predicate | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The objects in the attributes, with containers flattened.

        Args:
          recursive: whether to include the attributes of submodules.
          predicate: selects objects; all by default.
          attribute_traversal_key: the key for sorting the names of attributes.
          with_path: whether to return pairs of path and object, for every path; else each object is returned once.
          expand_composites: whether to flatten composite tensors too.

        Raises: ValueError if an attribute holds a dictionary whose keys cannot be sorted.
        """
        walk = _Walk(recursive, predicate, attribute_traversal_key, with_path, expand_composites)
        return walk.visit(self, (), ())


def _members(module: Module) -> tuple[list[Variable], list[Module]]:
    """The variables and the modules in `module`, each once. Training loops request them in every step."""
    variables: list[Variable] = []
    modules: list[Module] = []
    _collect(module, {id(module)}, variables, modules)
    return variables, modules


def _collect(module: Module, seen: set[int], variables: list[Variable], modules: list[Module]) -> None:
    submodules: list[Module] = []
    attributes = vars(module)
    ignored = module._TF_MODULE_IGNORED_PROPERTIES
    for name in sorted(attributes):
        if name in ignored:
            continue
        value = attributes[name]
        is_leaf = container_or_composite_of(type(value)) is None
        for leaf in (value,) if is_leaf else _flat(name, value):
            if isinstance(leaf, _MEMBERS) and id(leaf) not in seen:
                seen.add(id(leaf))
                if isinstance(leaf, Module):
                    submodules.append(leaf)
                else:
                    variables.append(leaf)
    modules += submodules
    for submodule in submodules:
        _collect(submodule, seen, variables, modules)


def _flat(name: str, value: Any) -> list[Any]:
    """The objects in `value`. A module that is a composite tensor, a linear operator, comes after its components."""
    found: list[Any] = []
    try:
        for leaf in nest.flatten(value):
            if not is_composite(type(leaf)):
                found.append(leaf)
                continue
            found += nest.flatten(leaf, expand_composites=True)
            if isinstance(leaf, Module):
                found.append(leaf)
    except TypeError as error:
        raise ValueError(f"Error processing property {name!r} of {value!r}") from error
    return found


_MEMBERS = (Variable, Module)


class _Walk:
    """One traversal of a module; see `Module._flatten`."""

    def __init__(
        self,
        recursive: bool,
        predicate: Predicate | None,
        key: Callable[[str], Any] | None,
        with_path: bool,
        expand_composites: bool,
    ) -> None:
        self._is_recursive = recursive
        self._predicate = predicate
        self._key = key
        self._with_path = with_path
        self._container_of = container_or_composite_of if expand_composites else container_of
        self._seen: set[int] = set()

    def visit(self, module: Module, path: Path, above: Sequence[Module]) -> Iterator[Any]:
        """The objects in `module`, which is at `path` inside the modules `above`, and then those in its submodules."""
        self._seen.add(id(module))
        # A module that contains itself is returned once more, but not traversed again.
        goes_deeper = self._is_recursive and not any(module is other for other in above)
        submodules: list[tuple[Path, Module]] = []
        attributes = vars(module)
        for name in sorted(attributes, key=self._key):
            if name in module._TF_MODULE_IGNORED_PROPERTIES:
                continue
            for inner, leaf in self._leaves(name, attributes[name]):
                if not self._with_path:
                    if id(leaf) in self._seen:
                        continue
                    self._seen.add(id(leaf))
                if self._predicate is None or self._predicate(leaf):
                    yield ((*path, *inner), leaf) if self._with_path else leaf
                if goes_deeper and isinstance(leaf, Module):
                    submodules.append(((*path, *inner), leaf))
        for inner, submodule in submodules:
            yield from self.visit(submodule, inner, (*above, module))

    def _leaves(self, name: str, value: Any) -> Sequence[tuple[Path, Any]]:
        container = self._container_of(type(value))
        if container is None:
            return (((name,), value),)
        found: list[tuple[Path, Any]] = []
        try:
            self._collect(container, value, (name,), found)
        except TypeError as error:
            raise ValueError(f"Error processing property {name!r} of {value!r}") from error
        return found

    def _collect(self, container: Container, value: Any, path: Path, found: list[tuple[Path, Any]]) -> None:
        for key, child in zip(_keys(value), container.children(value), strict=False):
            inner = self._container_of(type(child))
            if inner is None:
                found.append(((*path, key), child))
            else:
                self._collect(inner, child, (*path, key), found)


def _keys(container: Any) -> Iterable[Any]:
    """The names of the children of `container`: keys, fields or positions."""
    kind = type(container)
    if is_mapping(kind):
        return sorted_keys(container)
    if hasattr(container, "_fields"):
        return container._fields
    if hasattr(kind, "__attrs_attrs__"):
        return [attribute.name for attribute in kind.__attrs_attrs__]
    return itertools.count()


def _raise_uninitialised(module: Module, attribute: str) -> NoReturn:
    kind = type(module).__name__
    raise AttributeError(
        f"{kind!r} object has no attribute {attribute!r}; call super().__init__() first in {kind}.__init__."
    )
