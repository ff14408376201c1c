"""Python's built-in functions that TensorFlow defines for tensors."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import float32, int32, string
from tfcompat._function.arguments.element import ElementSource
from tfcompat._function.arguments.elemental import Elemental
from tfcompat._function.autograph.staged_range import StagedRange, range_of
from tfcompat._function.autograph.staging import is_in_function, is_staged, is_tracing
from tfcompat._function.graphs.refusal import refuse_reading
from tfcompat._function.rows.map import vectorized_map
from tfcompat._function.tensor_array.array import TensorArray
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.extent import shape
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.debugging.printing import print as print_tensors
from tfcompat._ops.debugging.value_assertion import Assert
from tfcompat._ops.elementwise.algebraic import abs as absolute
from tfcompat._ops.elementwise.algebraic import maximum
from tfcompat._ops.elementwise.comparison import logical_and, not_equal
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.order.sorting import argsort, sort
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._ops.text.number import to_number

_UNSET: Any = object()


def overload_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that replaces the built-in `function` in rewritten code."""
    return _OVERLOADS.get(function, function)


def _abs(x: Any) -> Any:
    if _transforms(x):
        return x.map(_absolute_parts)
    return absolute(x) if is_staged(x) else builtins.abs(x)


def _absolute_parts(*parts: Any) -> Any:
    return nest.map_structure(absolute, parts[0] if len(parts) == 1 else parts)


def _float(x: Any = 0) -> Any:
    if not is_staged(x):
        return builtins.float(x)
    tensor = convert_to_tensor(x)
    return to_number(tensor, float32) if tensor.dtype is string else cast(tensor, float32)


def _int(x: Any = 0, base: Any = _UNSET) -> Any:
    if not is_staged(x):
        return builtins.int(x) if base is _UNSET else builtins.int(x, base)
    if base not in (10, _UNSET):
        raise NotImplementedError(f"base {base} not supported for int")
    tensor = convert_to_tensor(x)
    return to_number(tensor, int32) if tensor.dtype is string else cast(tensor, int32)


def _len(s: Any) -> Any:
    if isinstance(s, StagedRange):
        s = convert_to_tensor(s)
    if _is_dataset(s):
        count = s.cardinality()
        is_known = logical_and(not_equal(count, -1), not_equal(count, -2))
        Assert(is_known, [f"len requires dataset with definitive cardinality, got {count}"])
        return count
    if isinstance(s, TensorArray):
        return s.size()
    if isinstance(s, (RaggedTensor, SparseTensor)):
        # The number of rows, where Python knows no length.
        known = s.shape[0]
        if known is not None:
            return known
        return s.nrows() if isinstance(s, RaggedTensor) else cast(gather(s.dense_shape, 0), int32)
    if not is_staged(s):
        return builtins.len(s)
    if s.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {s.shape}")
    known = s._aval.shape[0] if isinstance(s, Tensor) else s.shape[0]
    return gather(shape(s), 0) if is_open(known) else known


def _print(*objects: Any, **kwargs: Any) -> None:
    if not any(is_staged(value) for value in objects):
        builtins.print(*objects, **kwargs)
        return
    unknown = kwargs.keys() - {"sep", "end", "file", "flush"}
    if unknown:
        raise ValueError(f"invalid keyword arguments: {tuple(unknown)}")
    options = {key: kwargs[key] for key in ("sep", "end") if kwargs.get(key) is not None}
    print_tensors(*objects, output_stream=kwargs.get("file") or sys.stdout, **options)


def _range(start_or_stop: Any, stop: Any = _UNSET, step: Any = _UNSET) -> Any:
    given = [end for end in (start_or_stop, stop, step) if end is not _UNSET]
    if not any(map(is_staged, given)):
        return builtins.range(*given)
    # Python's range is empty where TensorFlow's raises an error.
    if stop is _UNSET:
        return range_of(maximum(start_or_stop, 0))
    return range_of(start_or_stop, maximum(start_or_stop, stop)) if step is _UNSET else range_of(*given)


def _sorted(iterable: Any, key: Any = _UNSET, reverse: Any = _UNSET) -> Any:
    if not is_staged(iterable):
        options = {"key": key, "reverse": reverse}
        return builtins.sorted(iterable, **{name: value for name, value in options.items() if value is not _UNSET})
    if iterable.shape.rank != 1:
        raise ValueError("sort only supports only 1D tensors")
    # TensorFlow sorts in descending order whenever `reverse` is given, even if it is False.
    direction = "ASCENDING" if reverse is _UNSET else "DESCENDING"
    if key is _UNSET:
        return sort(iterable, direction=direction)
    keys = vectorized_map(key, iterable)
    if keys.shape.rank != 1:
        raise ValueError("sort only supports only 1D tensors")
    return gather(iterable, argsort(keys, direction=direction))


def _next(iterator: Any, default: Any = _UNSET) -> Any:
    given = (iterator,) if default is _UNSET else (iterator, default)
    if not isinstance(iterator, ElementSource) or not is_in_function():
        return builtins.next(*given)
    if default is _UNSET:
        return iterator.get_next()
    if is_tracing():
        refuse_reading("`next` with a default")
    found = iterator.take()
    return default if found is None else found[0]


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    return iterable.enumerate(start) if _is_dataset(iterable) else builtins.enumerate(iterable, start)


def _zip(*iterables: Any, **kwargs: Any) -> Any:
    if iterables and all(map(_is_dataset, iterables)):
        return type(iterables[0]).zip(*iterables)
    return builtins.zip(*iterables, **kwargs)  # noqa: B905  # the caller's `strict` is among the keywords


def _map(function: Any, *iterables: Any) -> Any:
    if iterables and all(map(_is_dataset, iterables)):
        datasets = iterables[0] if len(iterables) == 1 else type(iterables[0]).zip(*iterables)
        return datasets.map(function)
    return builtins.map(function, *iterables)


def _filter(function: Any, iterable: Any) -> Any:
    return iterable.filter(function) if _is_dataset(iterable) else builtins.filter(function, iterable)


def _is_dataset(value: Any) -> bool:
    """Whether `value` is a dataset in a function, where built-ins transform it."""
    return _transforms(value) and is_in_function()


def _transforms(value: Any) -> bool:
    """Whether `value` is a dataset, which has transformations, and not an iterator."""
    return isinstance(value, Elemental) and not value.is_source


_OVERLOADS: dict[Any, Callable[..., Any]] = {
    builtins.abs: _abs,
    builtins.enumerate: _enumerate,
    builtins.filter: _filter,
    builtins.float: _float,
    builtins.int: _int,
    builtins.len: _len,
    builtins.map: _map,
    builtins.next: _next,
    builtins.print: _print,
    builtins.range: _range,
    builtins.sorted: _sorted,
    builtins.zip: _zip,
}
