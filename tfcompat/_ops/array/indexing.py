"""Subscripts: `tensor[key]`, and the functions that take the same key as numbers.

A subscript is part of the program's structure, except for positions: an integer index along a longer axis, and the
start of a slice of the first axis. A loop over positions repeats one structure, so it is compiled once. A short axis
usually holds components (query, key and value; x and y): indices into it are structure, which XLA can fuse better.
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import ElementTrace, element_trace, hosting_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, Ints, integers, op, registry
from tfcompat._core.calls.text import text_array
from tfcompat._core.operation.inference import LEAST
from tfcompat._core.operation.op import Op, Window
from tfcompat._core.operation.sized import Sized
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dimension import Dimension
from tfcompat._core.types.dtype import TRAINABLE, as_dtype, bool_, int32, string
from tfcompat._jaxpr.padded.bound import FOUND
from tfcompat._jaxpr.size import has_symbols, is_at_most, is_open, sizes_in, symbols_of, value_of
from tfcompat._ops.array.distance import distance
from tfcompat._ops.array.element_slice import sliced_by_row
from tfcompat._ops.array.found_slice import INDEX_DTYPES, is_computed, slice_end, without_found_slices
from tfcompat._ops.array.gathering import boolean_mask

_MOST_COMPONENTS = 4

# The kinds of items of a subscript; the number after the kind in the key is its argument.
_AT, _AT_POSITION, _CUT, CUT_POSITION, _NEW = range(5)
_POSITIONS = (_AT_POSITION, CUT_POSITION)
_ALL = (_CUT, None, None, None)


class Subscript(NamedTuple):
    """A subscript as structure (`key`, one tuple per item) and the positions that are inputs."""

    key: tuple[tuple[Any, ...], ...]
    positions: tuple[int | Tensor, ...]
    is_checked: bool


def getitem(tensor: Any, key: Any) -> Tensor:
    """The part of `tensor` selected by `subscript`: integers, slices, `...`, None, scalar tensors, or a mask.

    Shapes: as in NumPy; a mask merges the masked axes into one.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if an index is out of range or there are too many; TypeError for an invalid index.
    Source: TF 2.21 `tf.Tensor.__getitem__`.
    """
    if type(tensor) is not Tensor:
        tensor = convert_to_tensor(tensor)
    if here.graph is not None and not _is_mask(key):
        trace = element_trace()
        if hosting_trace() is None:
            tensor, key = without_found_slices(tensor, _items(tensor, key))
        elif trace is not None and (trace.cuts_on_host or _has_slice(key)):
            found = sliced_by_row(trace, tensor, _items(tensor, key))
            if found is not None:
                return found
    spelling = _spelling(key)
    if spelling is not None:
        return pick(tensor, _spelled(tensor._aval.shape, spelling))
    if _is_mask(key):
        return boolean_mask(tensor, key)
    return pick(tensor, parse(tensor._aval.shape, key))


def _items(tensor: Tensor, key: Any) -> list[Any]:
    return list(_spread(tensor._aval.shape, key if isinstance(key, (list, tuple)) else (key,)))


def _has_slice(key: Any) -> bool:
    """Whether an end of a slice of the subscript `key` is a value rather than a number."""
    items = key if isinstance(key, (list, tuple)) else (key,)
    ends = [end for item in items if isinstance(item, slice) for end in (item.start, item.stop, item.step)]
    return not all(end is None or type(end) is int for end in ends)


def _spelling(key: Any) -> tuple[Any, ...] | None:
    """A subscript of plain numbers, slices, None and `...` in hashable form; None for any other subscript."""
    found: list[Any] = []
    for item in key if type(key) is tuple else (key,):
        if type(item) is int or item is None or item is Ellipsis:
            found.append(item)
        elif type(item) is slice:
            bounds = (item.start, item.stop, item.step)
            if not all(bound is None or type(bound) is int for bound in bounds):
                return None
            found.append(bounds)
        else:
            return None
    return tuple(found)


@functools.lru_cache(maxsize=4096)
def _spelled(shape: tuple[int, ...], spelling: tuple[Any, ...]) -> Subscript:
    return parse(shape, tuple(slice(*item) if type(item) is tuple else item for item in spelling))


def _is_mask(key: Any) -> bool:
    if type(key) is Tensor or isinstance(key, np.ndarray):
        return key.dtype == bool_
    return isinstance(key, bool)


def pick(tensor: Tensor, subscript: Subscript) -> Tensor:
    """The part of `tensor` selected by `subscript`."""
    key, positions, is_checked = subscript
    trace = element_trace() if positions or tensor._aval.dtype is string else None
    if trace is not None and tensor._aval.dtype is not string and _short_windows(tensor._aval.shape, key):
        return _picked_by_row(trace, tensor, subscript)
    if tensor._aval.dtype is string:
        is_open = tensor._is_symbolic() or any(type(place) is Tensor and place._is_symbolic() for place in positions)
        if trace is not None and is_open:
            return _picked_by_row(trace, tensor, subscript)
        return Tensor(_picked_strings(np.asarray(tensor), subscript))
    is_plain = type(tensor._array) is np.ndarray and tensor._aval.dtype not in TRAINABLE and not is_checked
    if is_plain and not has_symbols(key):
        return Tensor(np.array(tensor._array[_host_key(key, positions)]))
    return record(_declared.bind((key,), len(positions), is_checked), (tensor, *as_inputs(tensor, positions)))


def _short_windows(shape: Sequence[Any], key: tuple[tuple[Any, ...], ...]) -> list[int]:
    """The items of `key` that are windows, whose axis of a tensor of `shape` has symbols and may be shorter."""
    axes = [number for number, item in enumerate(key) if item[0] != _NEW]
    windows = [(k, size, key[k][1]) for k, size in zip(axes, shape, strict=True) if key[k][0] == CUT_POSITION]
    return [k for k, size, width in windows if is_open(size) and not _holds(size, width)]


def _holds(size: Any, width: Any) -> bool:
    """Whether an axis of `size`, which has symbols, is never shorter than `width`."""
    try:
        return bool(size >= width)
    except jax.errors.InconclusiveDimensionOperation:
        return False


def _picked_by_row(trace: ElementTrace, tensor: Tensor, subscript: Subscript) -> Tensor:
    """The selected part, which the host picks for each element of a dataset. Windows end where their axis ends."""
    key, positions, _ = subscript
    places = [place if type(place) is Tensor else Tensor(np.array(place, np.int32)) for place in positions]
    short = _short_windows(tensor._aval.shape, key)
    kept = tuple([_ALL if k in short else item for k, item in enumerate(key)])
    count = sum(kind in _POSITIONS for kind, *_ in kept)
    declared = _declared.bind((kept,), count, False)

    def picked_from(dims: Sequence[Any]) -> Sequence[Any]:
        # Numbers stand for strings and for the values of positions.
        (picked,) = declared.infer((aval_of(tuple(dims), int32), *([aval_of((), int32)] * count)))
        return picked.shape

    shape = list(picked_from(tensor._aval.shape))
    # Symbols are sizes from 2 on; the host takes elements of all sizes.
    for size in range(0 if has_symbols(key) else LEAST):
        dims = [value_of(each, dict.fromkeys(symbols_of([each]), size)) for each in tensor._aval.shape]
        with suppress(InvalidArgumentError, IndexError):
            less = picked_from(dims)
            shape = [None if type(one) is int and one != other else one for one, other in zip(shape, less, strict=True)]
    for k in short:
        shape[sum(kind not in (_AT, _AT_POSITION) for kind, *_ in key[:k])] = None

    def compute(values: Mapping[str, int], array: np.ndarray, *found: np.ndarray) -> list[np.ndarray]:
        sized = Sized(values).argument(key) if has_symbols(key) else key
        try:
            picked = array[_host_key(sized, found)]
        except IndexError as refused:
            raise InvalidArgumentError.of(f"tf.strided_slice: slice index out of bounds: {refused}.") from refused
        return [text_array(picked) if tensor._aval.dtype is string else np.asarray(picked)]

    given, outputs = {"items": [_spelled_item(*item) for item in key]}, [(shape, tensor._aval.dtype)]
    op, sizes = None if has_symbols(key) else lambda array, *at: array[_host_key(key, at)], sizes_in(key)
    return trace.hosted("strided_slice", compute, [tensor, *places], outputs, arguments=given, sizes=sizes, op=op)[0]


def _spelled_item(kind: int, *arguments: Any) -> Any:
    """An item of a key: None for a new axis, a number, a slice, or "position" and the size of a window at one."""
    if kind == _NEW:
        return None
    if kind == _AT:
        return arguments[0]
    return slice(*arguments) if kind == _CUT else ("position", None if kind == _AT_POSITION else arguments[0])


def _picked_strings(array: np.ndarray, subscript: Subscript) -> np.ndarray:
    """The selected part of an array of strings; positions are read on the host."""
    key, positions, is_checked = subscript
    places = [np.asarray(place) for place in positions]
    if is_checked and outside_positions(array, places, key).any():
        raise InvalidArgumentError.of(f"tf.strided_slice: slice index {places} out of bounds of shape {array.shape}.")
    return text_array(array[_host_key(key, places)])


def as_inputs(tensor: Tensor, positions: Sequence[int | Tensor]) -> Sequence[int | Tensor]:
    """Positions in `tensor` as inputs of an op, so that a new position does not change the program.

    A plain number next to an integer tensor would take that tensor's dtype, which may be too small for it.
    """
    if tensor._aval.dtype in TRAINABLE:
        return positions
    return [place if type(place) is Tensor else Tensor(np.array(place, np.int32)) for place in positions]


def parse(shape: tuple[int, ...], key: Any) -> Subscript:
    """The subscript `key` of a tensor of `shape`. Raises TensorFlow's errors for invalid items."""
    items = key if isinstance(key, (list, tuple)) else (key,)
    if items and all(isinstance(item, bool) for item in items):
        raise InvalidArgumentError.of("tf.strided_slice: an index must be an integer, got bool; a mask is an array.")
    found: list[tuple[Any, ...]] = []
    positions: list[int | Tensor] = []
    axis = 0
    for item in _spread(shape, items):
        if item is None:
            found.append((_NEW,))
            continue
        entry, position = (slice_item if isinstance(item, slice) else _index)(item, shape[axis], axis)
        found.append(entry)
        if position is not None:
            positions.append(position)
        axis += 1
    is_checked = any(isinstance(place, Tensor) and place._array is None for place in positions)
    # The sizes of a trace with open dimensions may turn out smaller than a position.
    is_checked = is_checked or (bool(positions) and has_symbols(shape))
    return Subscript(tuple(found), tuple(positions), is_checked)


def _spread(shape: tuple[int, ...], items: Sequence[Any]) -> Iterator[Any]:
    """The items, with a full slice for each axis that `...` (or the end of the key) covers."""
    dots = [k for k, item in enumerate(items) if item is Ellipsis]
    named = sum(item is not None and item is not Ellipsis for item in items)
    if len(dots) > 1:
        raise InvalidArgumentError.of("tf.strided_slice: Multiple ellipses in slice spec not allowed.")
    if named > len(shape):
        raise InvalidArgumentError.of(
            f"tf.strided_slice: Index out of range using input dim {len(shape)}; input has only {len(shape)} dims."
        )
    where = dots[0] if dots else len(items)
    yield from items[:where]
    yield from (slice(None),) * (len(shape) - named)
    yield from items[where + 1 :]


def _index(item: Any, size: int, axis: int) -> tuple[tuple[Any, ...], int | Tensor | None]:
    """An integer index as structure or as a position; a tensor without a known value is always a position."""
    found = int(item) if isinstance(item, numbers.Integral) else _scalar(item)
    if isinstance(found, Tensor) and found._array is None:
        return (_AT_POSITION,), found
    place = int(np.asarray(found))
    if is_open(size):
        return _open_index(place, size)
    if not -size <= place < size:
        raise InvalidArgumentError.of(f"tf.strided_slice: slice index {place} of dimension {axis} out of bounds.")
    place %= size
    if size <= _MOST_COMPONENTS and not isinstance(found, Tensor):
        return (_AT, place), None
    return (_AT_POSITION,), place


def _open_index(place: int, size: Any) -> tuple[tuple[Any, ...], int | Tensor | None]:
    """The index `place` of an axis whose `size` has symbols. The program checks it unless no size is too small.

    It always does in functions of elements, and for sizes that it finds: they may be below those of the symbols.
    """
    if element_trace() is not None or (here.graph is not None and here.graph.is_found(size)):
        return (_AT_POSITION,), place
    try:
        is_inside = -size <= place < size
    except jax.errors.InconclusiveDimensionOperation:
        return (_AT_POSITION,), place
    if not is_inside:
        raise InvalidArgumentError.of(f"tf.strided_slice: slice index {place} is out of bounds of an axis of {size}.")
    return (_AT, place if place >= 0 else size + place), None


def _scalar(item: Any) -> Any:
    """A scalar tensor, array or dimension that may be an index. Raises TypeError if it may not."""
    if isinstance(item, Dimension) and item.value is not None:
        return item.value
    tensor = None if isinstance(item, (list, tuple)) else as_tensor(item)
    found = item if tensor is None and isinstance(item, np.ndarray) else tensor
    if found is None or found.ndim != 0 or as_dtype(found.dtype) not in INDEX_DTYPES:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {item!r}"
        )
    return found


def slice_item(item: slice, size: int, axis: int) -> tuple[tuple[Any, ...], int | Tensor | None]:
    """A slice as structure; if both its ends are given, its start along the first axis becomes a position.

    Ends without known values need a constant distance: only the start of the slice may depend on a call.
    """
    start, stop, step = item.start, item.stop, item.step
    if here.graph is not None:
        start, stop, step = map(slice_end, (start, stop, step))
    if here.graph is not None and step in (None, 1) and (is_computed(start) or is_computed(stop)):
        width = distance(0 if start is None else start, size if stop is None else stop)
        if width is not None and width >= 0 and is_computed(start):
            return (CUT_POSITION, width), start
    start, stop, step = map(known_bound, (start, stop, step))
    if step == 0:
        raise InvalidArgumentError.of(f"tf.strided_slice: strides[{axis}] must be non-zero.")
    if has_symbols((size, start, stop)):
        return (_CUT, start, stop, step), None
    is_run = axis == 0 and size > _MOST_COMPONENTS and step in (None, 1)
    if is_run and start is not None and stop is not None and 0 <= start < stop:
        first, last = min(start, size), min(stop, size)
        if 0 < last - first < size:
            return (CUT_POSITION, last - first), first
    return (_CUT, start, stop, step), None


def known_bound(bound: Any) -> int | None:
    """An end or the step of a slice. The value of a tensor is read, because it determines a shape."""
    if isinstance(bound, bool):
        raise InvalidArgumentError.of("tf.strided_slice: the ends of a slice must be integers, got bool.")
    if bound is None or type(bound) is int or is_open(bound):
        return bound
    if isinstance(bound, numbers.Integral):
        return int(bound)
    found, trace = _scalar(bound), hosting_trace()
    if trace is not None and type(found) is Tensor and found._is_symbolic():
        return trace.sizes_in(found).item()
    return int(np.asarray(found))


def _host_key(key: tuple[tuple[Any, ...], ...], positions: Sequence[Any]) -> tuple[Any, ...]:
    """The key in NumPy's form."""
    places = iter(positions)
    found: list[Any] = []
    for kind, *arguments in key:
        if kind == _NEW:
            found.append(None)
        elif kind == _AT:
            found.append(arguments[0])
        elif kind == _CUT:
            found.append(slice(*arguments))
        else:
            place = int(np.asarray(next(places)))
            found.append(place if kind == _AT_POSITION else slice(place, place + arguments[0]))
    return tuple(found)


def narrowed(
    shape: tuple[int, ...], key: Ints, positions: Sequence[Array]
) -> tuple[list[Any], list[int], tuple[Any, ...]]:
    """A subscript in two parts: the start and the sizes of a window at positions, and the static key inside it."""
    places = iter(positions)
    starts: list[Any] = [np.int32(0)] * len(shape)
    sizes = list(shape)
    inside: list[Any] = []
    axis = 0
    for kind, *arguments in key:
        if kind == _NEW:
            inside.append(None)
            continue
        if kind in _POSITIONS:
            place = next(places).astype(jnp.int32)
            starts[axis] = jnp.where(place < 0, place + shape[axis], place)
            sizes[axis] = arguments[0] if arguments else 1
            inside.append(slice(None) if arguments else 0)
        else:
            inside.append(arguments[0] if kind == _AT else slice(*arguments))
        axis += 1
    return starts, sizes, tuple(inside)


def _taken(array: Array, inside: tuple[Any, ...]) -> Array:
    """`array[inside]`, in which indices may have symbols: JAX takes these as bounds only."""
    array, inside = _without_starts(array, inside)
    if not any(map(is_open, inside)):
        return array[inside]
    rows = array[tuple([slice(at, at + 1) if is_open(at) else at for at in inside])]
    kept = [at for at in inside if type(at) is not int]
    return rows[tuple([0 if is_open(at) else slice(None) for at in kept])]


def _without_starts(array: Array, inside: tuple[Any, ...]) -> tuple[Array, tuple[Any, ...]]:
    """`array` cut to its first elements along axes of which `inside` takes as many as sizes of arguments say.

    They are supposed to be there, as in a table of positions: JAX's own size would be the lesser of the two. Steps
    with symbols serve only calls in which all shapes are right.
    """
    found, axis = list(inside), 0
    for k, item in enumerate(inside):
        if type(item) is slice and is_open(item.stop) and type(array.shape[axis]) is int and _is_start(item):
            array, found[k] = jnp.take(array, jnp.arange(item.stop), axis, mode="clip"), slice(None)
        axis += item is not None
    return array, tuple(found)


def _is_start(item: slice) -> bool:
    if item.start not in (None, 0) or item.step not in (None, 1) or not is_at_most(0, item.stop):
        return False
    return not any(name.startswith(FOUND) for name in symbols_of([item.stop]))


def outside_positions(input_: Array, positions: Sequence[Array], key: Ints) -> Array:
    """Whether a position of the subscript `key` lies outside of `input_`."""
    axes = [item for item in key if item[0] != _NEW]
    open_axes = [(item, size) for item, size in zip(axes, input_.shape, strict=True) if item[0] in _POSITIONS]
    bad = positions[0] != positions[0]
    for place, (item, size) in zip(positions, open_axes, strict=True):
        if item[0] == _AT_POSITION:
            bad = bad | (place < -size) | (place >= size)
        else:
            bad = bad | (place < 0) | (place > size - item[1])
    return bad


def _windows(key: Ints) -> dict[int, Window]:
    """The indices that each position of the subscript `key` selects, by its number among the inputs."""
    found: dict[int, Window] = {}
    axis = along = 0
    for k, (kind, *arguments) in enumerate(key):
        if kind in _POSITIONS:
            width = arguments[0] if arguments else None
            found[1 + len(found)] = Window(axis, width, along, functools.partial(_whole, key, k))
        axis += kind != _NEW
        along += kind not in (_AT, _AT_POSITION)
    return found


def _whole(key: Ints, item: int) -> Op | None:
    """The op of the subscript `key` with item number `item` replaced by a full slice."""
    whole = (*key[:item], _ALL, *key[item + 1 :])
    count = sum(kind in _POSITIONS for kind, *_ in whole)
    return None if set(whole) == {_ALL} else _declared.bind((whole,), count, count > 0)


@op(
    "strided_slice",
    same=("input_",),
    windows=_windows,
    check=Check(("positions",), outside_positions, "slice index out of bounds"),
    gradient_reads=False,
)
def _strided_slice(input_: Array, positions: Arrays, key: Ints) -> Array:
    if not positions:
        return _taken(input_, narrowed(input_.shape, key, ())[2])
    starts, sizes, inside = narrowed(input_.shape, key, positions)
    if 0 in input_.shape:
        # Traced in an iteration that never runs; a slice that is computed fails its check, or is empty.
        return jnp.zeros(sizes, input_.dtype)[inside]
    return jax.lax.dynamic_slice(input_, starts, sizes)[inside]


_declared = registry["strided_slice"]


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """The part of `input_` from `begin` to `end` with steps `strides`, each with one number per axis.

    Bit k of a mask means that begin[k] or end[k] is ignored, or that item k is `...`, a new axis, or a single index.

    Shapes: as in `input_[begin[0]:end[0]:strides[0], ...]`.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if begin, end and strides differ in length, a stride is 0, or an index is out of range.
    Source: TF 2.21 `tf.strided_slice`.
    """
    del name, var
    lists = [listed(part) for part in (begin, end, strides if strides is not None else [1] * len(listed(begin)))]
    if len({len(part) for part in lists}) != 1:
        raise InvalidArgumentError.of(
            "tf.strided_slice: begin, end and strides must have the same length, got " + ", ".join(map(str, lists))
        )
    key: list[Any] = []
    for k, (start, stop, step) in enumerate(zip(*lists, strict=True)):
        bit = 1 << k
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            if step != 1:
                raise InvalidArgumentError.of("tf.strided_slice: only stride 1 allowed on non-range indexing.")
            key.append(start)
        else:
            key.append(slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step))
    return getitem(input_, tuple(key))


def listed(part: Any) -> list[int]:
    """A static vector of integers."""
    try:
        found = integers(part)
    except TypeError as refused:
        raise InvalidArgumentError.of(f"tf.strided_slice: expected integers, got {part!r}.") from refused
    if not isinstance(found, tuple):
        raise InvalidArgumentError.of(f"tf.strided_slice: begin, end and strides must be vectors, got {part!r}.")
    return list(found)
