"""`tf.experimental.ExtensionType`: user classes with annotated fields, which are tensors and plain values."""

from __future__ import annotations

import contextlib
import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from tfcompat._core.structure.spec import CompositeSpec, TypeSpec, are_specs
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._extension.extension_field import ImmutableDict, as_spec, as_value, converted, require_kind
from tfcompat._function.arguments.trace_type import types_of
from tfcompat._ops.elementwise.comparison import equal, logical_and
from tfcompat._ops.fold.reduction import reduce_all

# Fields of these names would hide members of instances or specs.
_RESERVED = ("Spec", "self", "value_type", "is_compatible_with", "most_specific_compatible_type")
_EMPTY = inspect.Parameter.empty


class _Hole:
    """The placeholder of a tensor in a skeleton."""

    def __repr__(self) -> str:
        return "..."


_HOLE = _Hole()


def _apart(value: Any, leaves: list[Any]) -> Any:
    """The skeleton of a field: holes replace its tensors, which are added to `leaves`. Mappings are sorted by key."""
    if isinstance(value, (Tensor, TypeSpec)) or is_composite(type(value)):
        leaves.append(value)
        return _HOLE
    if isinstance(value, tuple):
        return (tuple, tuple([_apart(each, leaves) for each in value]))
    if isinstance(value, Mapping):
        return (ImmutableDict, tuple([(key, _apart(value[key], leaves)) for key in sorted(value)]))
    return value


def _together(skeleton: Any, leaves: list[Any]) -> Any:
    """The inverse of `_apart`. Takes tensors from the front of `leaves`."""
    if skeleton is _HOLE:
        return leaves.pop(0)
    if isinstance(skeleton, tuple) and skeleton[0] is tuple:
        return tuple([_together(each, leaves) for each in skeleton[1]])
    if isinstance(skeleton, tuple):
        return ImmutableDict({key: _together(each, leaves) for key, each in skeleton[1]})
    return skeleton


def with_shapes(skeleton: Any, changed: Callable[[TensorShape], TensorShape]) -> Any:
    """The skeleton of a field with its shapes replaced by what `changed` returns for them."""
    if isinstance(skeleton, TensorShape):
        return changed(skeleton)
    if not isinstance(skeleton, tuple):
        return skeleton
    kind, parts = skeleton
    if kind is tuple:
        return (kind, tuple([with_shapes(part, changed) for part in parts]))
    return (kind, tuple([(key, with_shapes(part, changed)) for key, part in parts]))


def _signature(kinds: Mapping[str, Any], defaults: Mapping[str, Any]) -> inspect.Signature:
    """The signature of the constructor of fields of these kinds, or without annotations where the kind is `_EMPTY`.

    Parameters without a default after one with a default are keyword-only.
    """
    parameters, has_default = [], False
    for name in kinds:
        default = defaults.get(name, _EMPTY)
        has_default |= default is not _EMPTY
        kind = inspect.Parameter.KEYWORD_ONLY if has_default and default is _EMPTY else None
        kind = kind or (parameters[-1].kind if parameters else inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=kinds[name]))
    return inspect.Signature(parameters)


def _constructor(leaf: Callable[[str, Any, Any], Any]) -> Callable[..., None]:
    """The `__init__` of a class that sets the fields of that class, whose tensors `leaf` converts."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        self._bind(leaf, args, kwargs)

    return __init__


def _show_signature(kind: Any, is_generated: bool) -> None:
    """Lets `inspect` find the fields as the parameters of a generated constructor, or those of the user's."""
    if is_generated:
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        kind.__init__.__signature__ = inspect.Signature([own, *kind._arguments.parameters.values()])
    parameters = list(inspect.signature(kind.__init__).parameters.values())
    kind.__signature__ = inspect.Signature(parameters[1:])


class _Fields:
    """The common part of instances and specs: annotated fields, in order."""

    _kinds: typing.ClassVar[dict[str, Any]] = {}
    _arguments: typing.ClassVar[inspect.Signature] = inspect.Signature()
    _is_frozen = False

    def _freeze(self, leaf: Callable[[str, Any, Any], Any]) -> None:
        """Converts the fields that a constructor has set, and makes them immutable."""
        missing = {name for name in self._kinds if name not in vars(self)}
        if missing:
            raise ValueError(f"Missing required fields: {missing}")
        for name, kind in self._kinds.items():
            object.__setattr__(self, name, converted(name, kind, vars(self)[name], leaf))
        object.__setattr__(self, "_is_frozen", True)

    def __setattr__(self, name: str, value: Any) -> None:
        self._require_open(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._require_open(name)
        super().__delattr__(name)

    def _require_open(self, name: str) -> None:
        if self._is_frozen or name not in self._kinds:
            kind = "ExtensionTypeSpec" if isinstance(self, TypeSpec) else "ExtensionType"
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of {kind}.")

    def _bind(self, leaf: Callable[[str, Any, Any], Any], args: Any, kwargs: Any) -> None:
        """Sets the fields. Raises TypeError if they don't fit."""
        bound = self._arguments.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            object.__setattr__(self, name, converted(name, self._kinds[name], value, leaf))

    def _parts(self) -> tuple[tuple[Any, ...], list[Any]]:
        """The skeleton of the fields, and the tensors or specs in them."""
        leaves: list[Any] = []
        return tuple([_apart(getattr(self, name), leaves) for name in self._kinds]), leaves

    @classmethod
    def _of(cls, skeleton: tuple[Any, ...], leaves: list[Any]) -> Any:
        """An instance with these parts, which are not checked."""
        made, rest = object.__new__(cls), list(leaves)
        for name, part in zip(cls._kinds, skeleton, strict=True):
            object.__setattr__(made, name, _together(part, rest))
        object.__setattr__(made, "_is_frozen", True)
        return made

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._kinds)
        return f"{type(self).__qualname__.rpartition('<locals>.')[2]}({fields})"


class ExtensionTypeSpec(_Fields, CompositeSpec):
    """The type of an instance of an extension type. Each class has its own subclass, `Spec`.

    Source: TF 2.21 `tf.experimental.ExtensionTypeSpec`.
    """

    _of_class: typing.ClassVar[Any] = None

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        _require_complete(cls._of_class)
        return super().__new__(cls)

    @property
    def value_type(self) -> Any:
        """The extension type."""
        return self._of_class

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of `value`."""
        skeleton, leaves = value._parts()
        return cls._of(skeleton, [types_of(leaf) for leaf in leaves])

    def _flatten_composite(self) -> list[Any]:
        return self._parts()[1]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        skeleton, specs = spec._parts()
        return spec if are_specs(leaves, specs) else spec._of_class._of(skeleton, leaves)

    def _tensor_kinds(self) -> list[tuple[Sequence[Any] | None, DType]]:
        return [kind for leaf in self._parts()[1] for kind in leaf._tensor_kinds()]

    def _of_tensors(self, tensors: Sequence[Tensor]) -> Any:
        skeleton, leaves = self._parts()
        supply = iter(tensors)
        return self._of_class._of(
            skeleton, [leaf._of_tensors([next(supply) for _ in leaf._tensor_kinds()]) for leaf in leaves]
        )

    def _beside(self, other: Any) -> list[tuple[Any, Any]] | None:
        """The pairs of leaves of this spec and `other`; None if the classes or the plain fields differ."""
        if isinstance(other, ExtensionType):
            other = other._type_spec
        if type(other) is not type(self):
            return None
        (mine, leaves), (its, others) = self._parts(), other._parts()
        return list(zip(leaves, others, strict=True)) if mine == its else None

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or an instance, has the same plain fields and compatible tensors."""
        pairs = self._beside(spec_or_value)
        return pairs is not None and all(mine.is_compatible_with(its) for mine, its in pairs)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a spec of this class that accepts every instance that this spec accepts."""
        pairs = self._beside(other)
        return pairs is not None and all(mine.is_subtype_of(its) for mine, its in pairs)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec compatible with this and all of `others`; None if plain fields or dtypes differ."""
        skeleton, leaves = self._parts()
        for other in others:
            pairs = self._beside(other)
            if pairs is None:
                return None
            leaves = [leaf.most_specific_common_supertype([its]) for leaf, (_, its) in zip(leaves, pairs, strict=True)]
            if None in leaves:
                return None
        return self._of(skeleton, leaves)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()  # pyright: ignore[reportAttributeAccessIssue]

    def __hash__(self) -> int:
        skeleton, leaves = self._parts()
        return hash((type(self), skeleton, tuple(leaves)))


def _spec_members(cls: type[Any], own: Any) -> dict[str, Any]:
    """The members that the user's class `own`, nested in `cls`, adds to the spec; a constructor if `own` has none."""
    if own is None:
        return {"__init__": _freezing(_constructor(as_spec))}
    if not isinstance(own, type):
        raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {own}.")
    if own.__bases__ not in ((object,), (TypeSpec,)):
        raise ValueError(f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.")
    members = {name: member for name, member in vars(own).items() if name not in ("__dict__", "__weakref__")}
    members["__init__"] = _freezing(members.get("__init__") or _constructor(as_spec))
    return members


def _freezing(construct: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(construct)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        construct(self, *args, **kwargs)
        self._freeze(as_spec)

    return __init__


def _require_complete(kind: Any) -> None:
    """Resolves the annotations of the extension type `kind`. Raises TypeError if one names an unknown class."""
    try:
        kind._complete()
    except NameError as unknown:
        raise TypeError(f"{kind.__qualname__}: an annotation names an unknown class: {unknown}") from unknown


class ExtensionTypeMetaclass(type):
    """Creates extension types from annotated classes, and creates their instances."""

    _kinds: dict[str, Any]
    _arguments: inspect.Signature
    _is_complete: bool
    _has_own_constructors: tuple[bool, bool]
    _spec_base: Any

    def __init__(cls, name: str, bases: tuple[type[Any], ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if bases == (_Fields,):
            return
        cls._kinds, cls._is_complete = {}, False
        named, own = f"{cls.__qualname__.rpartition('<locals>.')[2]}.Spec", namespace.get("Spec")
        cls._has_own_constructors = ("__init__" in namespace, "__init__" in getattr(own, "__dict__", ()))
        if "__init__" not in namespace:
            # Also where a base class has a constructor: it does not know the fields of this class.
            cls.__init__ = _constructor(as_value)
        members = _spec_members(cls, own)
        members |= {"_kinds": cls._kinds, "_of_class": cls, "__module__": cls.__module__}
        cls.Spec = type(ExtensionTypeSpec)(named, (cls._spec_base,), members)  # pyright: ignore[reportCallIssue]
        with contextlib.suppress(NameError):  # an annotation may name a class that is made later, or this one
            cls._complete()

    def _complete(cls) -> None:
        """Resolves the annotations. Raises NameError if one names a class that does not exist yet."""
        if cls._is_complete:
            return
        hints = typing.get_type_hints(cls)
        known = [key for base in reversed(cls.__mro__) for key in vars(base).get("__annotations__", ())]
        kinds = {key: hints[key] for key in known if not key.startswith("_")}
        for key, kind in kinds.items():
            if key in _RESERVED:
                raise ValueError(f"The field annotations for {cls.__name__} are invalid. Field {key!r} is reserved.")
            require_kind(key, kind)
        cls._kinds |= kinds
        defaults = {
            key: converted(f"default value for {key}", kind, getattr(cls, key), as_value)
            for key, kind in kinds.items()
            if hasattr(cls, key)
        }
        spec: Any = cls.Spec  # pyright: ignore[reportAttributeAccessIssue]
        cls._arguments, spec._arguments = _signature(kinds, defaults), _signature(dict.fromkeys(kinds, _EMPTY), {})
        for kind, has_own in zip((cls, spec), cls._has_own_constructors, strict=True):
            _show_signature(kind, not has_own)
        cls._is_complete = True

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A new instance whose fields are set, converted, validated and immutable."""
        if cls is ExtensionType:
            raise AssertionError(
                "Cannot create an instance of ExtensionType because ExtensionType is an abstract base class."
            )
        _require_complete(cls)
        made: Any = type.__call__(cls, *args, **kwargs)
        made._freeze(as_value)
        made.__validate__()
        return made


class ExtensionType(_Fields, metaclass=ExtensionTypeMetaclass):
    """A class whose annotated fields are tensors, extension types, plain values, and tuples or mappings of these.

    Instances are immutable. Functions take and return them, `tf.nest` flattens them if composites are expanded, and
    each class describes its instances by its `Spec`.

    Raises: TypeError for another annotation, or for a value that doesn't fit; AssertionError for this class itself.
    Source: TF 2.21 `tf.experimental.ExtensionType`.
    """

    _spec_base = ExtensionTypeSpec
    _is_tensor = False

    def __validate__(self) -> None:
        """Raises an error if the fields are inconsistent. Subclasses override it."""

    @property
    def _type_spec(self) -> Any:
        return type(self).Spec.from_value(self)  # pyright: ignore[reportAttributeAccessIssue]

    def _flatten_composite(self) -> list[Any]:
        return self._parts()[1]

    def _plain(self) -> Any:
        return self._parts()[0]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        return cls._of(spec._parts()[0], leaves)

    def __eq__(self, other: object) -> Any:
        """Whether all fields are equal: a tensor, or False if plain fields or shapes differ."""
        if type(other) is not type(self):
            return False
        mine, its = self._parts()[0], other._parts()[0]  # pyright: ignore[reportAttributeAccessIssue]
        pairs = list(zip(*(nest.flatten(each, expand_composites=True) for each in (self, other)), strict=False))
        if mine != its or any(one.shape != two.shape or one.dtype != two.dtype for one, two in pairs):
            return False
        truth: Any = True
        for one, two in pairs:
            truth = logical_and(reduce_all(equal(one, two)), truth)
        return truth

    def __ne__(self, other: object) -> Any:
        found = self == other
        return not found if isinstance(found, bool) else equal(found, False)

    __hash__ = None  # pyright: ignore[reportAssignmentType]
