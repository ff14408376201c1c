"""Ops that no trace can hold, in functions of elements: the host computes them, for each element.

What such an op returns is found by trials: it is called for arrays of several sizes, or ranks. If it fails for all of
them, the fault is the user's, and the error of the trace is raised.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core import nest
from tfcompat._core.aval import OpenAval
from tfcompat._core.by_row import Arguments, apart, element_trace
from tfcompat._core.dtype import DType, int32, int64, string
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._jaxpr.size import symbols_of, value_of

# The sizes of tensors of unknown rank in trials.
_SIZES = (2, 3, 4, 5)
# The least open size, and the integers, in each trial. Some ops need large sizes, or integers other than 0.
_TRIALS = ((5, 1), (7, 2), (64, 0), (300, 3), (9, 1))
# Values of these dtypes may decide sizes; others are data.
_DECISIVE = (int32, int64, string)
_PLAIN = (
    *(type(None), bool, int, float, complex, str, bytes, type(...)),
    *(np.ndarray, np.generic, np.dtype, type, DType, TensorShape),
)


def of_unknown(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result of an op for tensors of unknown rank in a trace of a function of elements; None if it fits no rank."""
    call = _Call(function, args, kwargs)
    if element_trace() is None or not any(map(_has_open_rank, call.tensors)):
        return None
    trials = ([_of_rank(tensor, rank) for tensor in call.tensors] for rank in range(len(_SIZES) + 1))
    return call.by_host(trials, is_known=True)


def or_by_host(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`function(*args, **kwargs)`; in a trace of a function of elements that cannot hold it, computed by the host.

    Functions of functions, and those that draw from the streams of random numbers, are not computed by the host.
    Raises: the error of `function` if it raises one for arrays, too.
    """
    trace = element_trace()
    if trace is None:
        return function(*args, **kwargs)
    receiver = getattr(function, "__self__", None)
    if isinstance(receiver, Tensor) or (hasattr(receiver, "_type_spec") and not isinstance(receiver, type)):
        function, args = getattr(type(receiver), function.__name__), (receiver, *args)
    call = _Call(function, args, kwargs)
    if not call.is_plain or not any(map(_is_open, call.tensors)):
        return function(*args, **kwargs)
    try:
        return trace.attempt(lambda: function(*args, **kwargs))
    except Exception:
        names = symbols_of([size for tensor in call.tensors for size in tensor._aval.shape])
        is_known = not any(_is_open(each) and each.dtype in _DECISIVE for each in call.tensors)
        found = call.by_host(_trials(call.tensors, sorted(names)), is_known=is_known)
        if found is None:
            raise
        return found


def _is_open(tensor: Tensor) -> bool:
    return tensor._is_symbolic() and not _has_open_rank(tensor)


def _has_open_rank(tensor: Tensor) -> bool:
    aval: Any = tensor._aval
    return type(aval) is OpenAval


class _Call:
    """A call of an op.

    Attributes:
      tensors: those among its arguments.
      is_plain: whether all other arguments are values, and no random number is drawn.
    """

    def __init__(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._function = function
        self._arguments = Arguments([list(args), dict(kwargs)])
        self.tensors = self._arguments.tensors

    @property
    def is_plain(self) -> bool:
        module, name = getattr(self._function, "__module__", ""), getattr(self._function, "__name__", "")
        draws = "._random." in f"{module}." and not name.startswith("stateless")
        return not draws and all(map(_is_plain, self._arguments.leaves))

    def _result(self, arrays: Sequence[np.ndarray]) -> Any:
        positional, named = self._arguments.with_arrays(arrays)
        with apart():
            return self._function(*positional, **named)

    def _compute(self, values: Mapping[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
        del values
        found = self._result(arrays)
        with apart():
            return [np.asarray(leaf) for leaf in nest.flatten(found, expand_composites=True)]

    def by_host(self, trials: Generator[list[np.ndarray]], *, is_known: bool) -> Any:
        """The result, computed by the host; None if the op fails in all `trials`.

        Its sizes are open if they differ between trials, or unless `is_known`.
        """
        samples: list[Any] = []
        for arrays in trials:
            try:
                samples.append(self._result(arrays))
            except Exception:  # an op may refuse arrays with any error
                continue
        columns = list(zip(*map(nest.flatten, samples), strict=False))
        specs = [_spec_of(column, is_known) for column in columns]
        if not samples or None in specs:
            return None
        trace = element_trace()
        assert trace is not None
        parts = [spec._tensor_kinds() for spec in specs]
        name = getattr(self._function, "__name__", "op")
        tensors = iter(trace.hosted(name, self._compute, self.tensors, [part for each in parts for part in each]))
        made = [
            spec._of_tensors(list(itertools.islice(tensors, len(each))))
            for spec, each in zip(specs, parts, strict=True)
        ]
        return nest.pack_sequence_as(samples[0], made)


def _spec_of(values: Sequence[Any], is_known: bool) -> Any:
    """A spec for all `values`; None if there is none. Without `is_known`, the sizes of tensors are open."""
    specs = [
        TensorSpec(value.shape, value.dtype) if isinstance(value, Tensor) else getattr(value, "_type_spec", None)
        for value in values
    ]
    found = specs[0] and specs[0].most_specific_common_supertype(specs[1:])
    if not isinstance(found, TensorSpec) or found.shape.rank is None:
        return found
    dims = found.shape.as_list() if is_known and len(values) > 1 else [None] * found.shape.rank
    return TensorSpec(dims, found.dtype)


def _is_plain(leaf: Any) -> bool:
    if isinstance(leaf, slice):
        return not any(isinstance(bound, Tensor) for bound in (leaf.start, leaf.stop, leaf.step))
    return isinstance(leaf, (Tensor, *_PLAIN))


def _of_rank(tensor: Tensor, rank: int) -> np.ndarray:
    """An array for `tensor`, of `rank` if its own is unknown."""
    if not tensor._is_symbolic():
        return np.asarray(tensor)
    aval: Any = tensor._aval
    shape = _SIZES[:rank] if _has_open_rank(tensor) else [size if type(size) is int else 1 for size in aval.shape]
    return _filled(shape, aval.dtype, 1)


def _trials(tensors: Sequence[Tensor], symbols: Sequence[str]) -> Generator[list[np.ndarray]]:
    """Arrays for `tensors`, whose sizes have `symbols`, for each trial."""
    for least, number in _TRIALS:
        values = {name: least + place for place, name in enumerate(symbols)}
        yield [_array(tensor, values, number) for tensor in tensors]


def _array(tensor: Tensor, values: Mapping[str, int], number: int) -> np.ndarray:
    """An array for `tensor`: its value if that is known, or a matter of sizes."""
    dtype, known = tensor.dtype, tensor._array
    if isinstance(known, np.ndarray) and known.dtype == object and dtype is not string:
        found = [value_of(size, values) for size in known.ravel()]
        return np.array(found, dtype.as_numpy_dtype).reshape(known.shape)
    if not tensor._is_symbolic():
        return np.asarray(tensor)
    return _filled([value_of(size, values) for size in tensor._aval.shape], dtype, number)


def _filled(shape: Sequence[int], dtype: DType, number: int) -> np.ndarray:
    """An array of `number`; of random floats for an even one, as sizes may depend on them, too."""
    if dtype.is_floating and number % 2 == 0:
        return np.random.default_rng(number).random(shape).astype(dtype.as_numpy_dtype)
    return np.full(shape, b"%d" % number if dtype is string else number, dtype.as_numpy_dtype)
