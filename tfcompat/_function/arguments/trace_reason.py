"""Why a function is traced, as `TFCOMPAT_EXPLAIN=1` says it: which argument differs from those of the nearest trace."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, MethodType
from typing import Any, NamedTuple
from weakref import WeakSet

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.location import user_line
from tfcompat._core.types.container import container_or_composite_of, is_composite, is_mapping, sorted_keys
from tfcompat._function.arguments.argument_placeholder import keys_of
from tfcompat._function.arguments.object_type import Weakref
from tfcompat._function.arguments.signature import Call, Signature
from tfcompat._state.variable import Variable

_PLAIN = (int, float, complex, str, bytes, type(None))
# The code of the functions that were traced.
_traced: WeakSet[CodeType] = WeakSet()


class _Entry(NamedTuple):
    """A part of an argument: its place, the value, and its part of the call's key."""

    place: str
    value: Any
    key: Any


def clear() -> None:
    """Forgets which functions were traced."""
    _traced.clear()


def report_trace(
    function: Callable[..., Any],
    signature: Signature,
    call: Call,
    earlier: Sequence[Call],
    count: int,
    *,
    is_refused: bool,
) -> None:
    """Writes one line on the trace that `function`, perhaps a method, is about to get for `call`.

    It has traces for the calls `earlier`; `count` were made in all. `is_refused` is whether a trace was given up.
    """
    if earlier:
        differences = [_differences(_entries(signature, call), _entries(signature, other)) for other in earlier[::-1]]
        why = "; ".join(min(differences, key=len)) or "the elements of iterators that it takes have other shapes"
    elif count and is_refused:
        why = "earlier calls ran its Python code, and have left no trace"
    elif count:
        why = "its first trace made variables, and serves no other call"
    else:
        why = _of_first(function)
    name = getattr(function, "__name__", "function")
    sys.stderr.write(f"tfcompat: tracing {name} at {user_line()}: {why}\n")


def _of_first(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    if code is None or code not in _traced:
        if code is not None:
            _traced.add(code)
        return "it has no trace yet"
    if isinstance(function, MethodType):
        return "it has no trace yet, as each object has its own; that of another object was traced before"
    return "it has no trace yet, as each tf.function has its own; another one of the same code was traced before"


def _entries(signature: Signature, call: Call) -> dict[str, list[_Entry]]:
    """The parts of each argument, in the order of the call's key."""
    keys = iter(call.key)
    next(keys)  # that of the tuple of arguments
    names = signature.argument_names(len(call.args))
    found = {name: _keyed(name, value, keys) for name, value in zip(names, call.args, strict=True)}
    if call.kwargs:
        next(keys)  # that of the mapping of arguments
        found |= {name: _keyed(name, call.kwargs[name], keys) for name in sorted_keys(call.kwargs)}
    return found


def _keyed(name: str, value: Any, keys: Iterator[Any]) -> list[_Entry]:
    return [_Entry(place, part, next(keys)) for place, part in _parts(f"argument {name!r}", value)]


def _parts(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """`value` and its components, each with its place, in the order of keys."""
    yield place, value
    container = container_or_composite_of(type(value))
    if container is not None:
        children = list(container.children(value))
        for key, child in zip(keys_of(value, len(children)), children, strict=True):
            yield from _parts(f"{place}[{key!r}]", child)


def _differences(new: dict[str, list[_Entry]], old: dict[str, list[_Entry]]) -> list[str]:
    """The arguments that differ, each with the first of its parts that does."""
    found = [f"argument {name!r} is given, and was not" for name in new if name not in old]
    found += [f"argument {name!r} was given, and is not" for name in old if name not in new]
    for name, entries in new.items():
        pairs = zip(entries, old.get(name, ()), strict=False)
        found += [f"{one.place}: {_change(one, other)}" for one, other in pairs if one.key != other.key][:1]
    return found


def _change(new: _Entry, old: _Entry) -> str:
    """How two parts in the same place differ."""
    shown, before = _shown(new), _shown(old)
    if shown != before:
        return f"{shown}, was {before.removeprefix('Python value ') if isinstance(new.value, _PLAIN) else before}"
    if isinstance(new.value, Variable):
        same, was_same = new.key[-1], old.key[-1]
        change = "no longer" if same < 0 else "now" if was_same < 0 else "in another place than before"
        return f"{shown}, {change} the same one as another argument"
    if isinstance(new.value, Tensor):
        return f"{shown} with other values, which decide shapes"
    return f"another {shown}"


def _shown(entry: _Entry) -> str:
    """A part of an argument as traces see it."""
    value = entry.value
    if isinstance(value, Tensor):
        return repr(value._aval) if value._aval.struct is not None else f"strings {value.numpy()!r}"
    if isinstance(value, Variable):
        kind = "variable" if value.trainable else "variable that is not trainable,"
        return f"{kind} {value._tensor._aval!r}"
    if isinstance(value, _PLAIN):
        return f"Python value {value!r}"
    if is_mapping(type(value)):
        return f"mapping with keys {sorted_keys(value)!r}"
    if is_composite(type(value)):
        return type(value).__name__
    container = container_or_composite_of(type(value))
    if container is not None:
        return f"{type(value).__name__} of length {len(list(container.children(value)))}"
    if isinstance(value, Weakref):
        value = value.deref()
        return f"object {value!r}" if value is not None else "an object that is gone"
    return f"object {value!r}"
