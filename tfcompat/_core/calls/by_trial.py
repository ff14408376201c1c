"""Ops that no trace can hold, in functions of elements: the host computes them, for each element.

Trials find the types of its results: the op is called with arrays of several sizes, or ranks. If all of these calls
fail, the error of the trace is raised.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import Arguments, apart, element_trace, hosting_trace, infers_only, with_tensors
from tfcompat._core.calls.shape_trial import specs_by_trial
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types import nest
from tfcompat._core.types.aval import OpenAval
from tfcompat._core.types.dtype import DType, int32, int64, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import is_open, symbols_of, value_of

# The sizes of tensors of unknown rank in trials.
_SIZES = (2, 3, 4, 5)
# The least open size, and the integers, in each trial. Some ops need large sizes, or integers other than 0.
_TRIALS = ((5, 1), (7, 2), (64, 0), (300, 3), (9, 1))
# The largest size that is sought for one that fits.
_LARGEST = 1024
# How many fixed sizes of the tensors open sizes are tried with.
_MOST_FIXED = 8
# One of this number of symbols in a size is tried with a fixed size, while the others are 0, as where parts are joined.
_SEVERAL = 3
# Values of these dtypes may decide sizes; others are data.
_DECISIVE = (int32, int64, string)
# The packages of pure functions, except for `tf.print` and random numbers that are not stateless.
_OPS, _RANDOM = (f"{__name__.partition('.')[0]}.{package}." for package in ("_ops", "_random"))
# `tf.print` has effects; `==` and `!=` answer for sizes that do not fit.
_UNTRIED = ("print", "eq", "ne")
# The most elements of an array in a trial: several open sizes of 300 would not fit into memory.
_MOST_ELEMENTS = 1 << 22
_PLAIN = (
    *(type(None), bool, int, float, complex, str, bytes, type(...)),
    *(np.ndarray, np.generic, np.dtype, type, DType, TensorShape),
)


def or_by_host(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """`function(*args, **kwargs)`; in a trace of a function of elements that cannot hold it, computed by the host.

    Raises: the error of `function` if it raises one for arrays, too.
    """
    trace = element_trace()
    if trace is None:
        return function(*args, **kwargs)
    args, kwargs = with_tensors((args, kwargs))
    try:
        return trace.attempt(lambda: function(*args, **kwargs))
    except Exception as refusal:
        found = by_host(refusal, function, args, kwargs)
        if found is None:
            raise
        return found


def by_host(refusal: Exception, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result of an op that failed with `refusal` in a trace of a function of elements, computed by the host.

    None if it fails for arrays, too; if a signal handler has raised `refusal`; outside of such a trace; for functions
    of functions, and for those with effects, such as drawing from the streams of random numbers. In a trace that only
    infers shapes, the result has no value.
    """
    trace = element_trace()
    if (trace is None and not infers_only()) or is_raised_by_handler(refusal):
        return None
    receiver = getattr(function, "__self__", None)
    if isinstance(receiver, Tensor) or (hasattr(receiver, "_type_spec") and not isinstance(receiver, type)):
        function, args = getattr(type(receiver), function.__name__), (receiver, *args)
    call = _Call(function, args, kwargs)
    if not call.is_plain:
        return None
    if trace is None:
        return call.without_value()
    tensors = call.tensors
    if any(map(_has_open_rank, tensors)):
        ranks = ([_of_rank(tensor, rank) for tensor in tensors] for rank in range(len(_SIZES) + 1))
        return call.by_host(ranks, is_known=True)
    if not any(tensor._is_symbolic() for tensor in tensors):
        return None
    sizes = [size for tensor in tensors for size in tensor._aval.shape]
    names = sorted(symbols_of(sizes))
    is_known = not any(tensor._is_symbolic() and tensor.dtype in _DECISIVE for tensor in tensors)
    found = call.by_host(_of_different_sizes(tensors, names), is_known=is_known)
    if found is None and call.value_counts:
        alike = [
            {name: least + (place + 1) * (name in call.value_counts) for place, name in enumerate(names)}
            for least, _ in _TRIALS
        ]
        found = call.by_host(_of_sizes(tensors, alike), is_known=is_known)
    if found is not None or not names:
        return found
    if len(names) > 1 and trace.may_share:
        alike = call.equal_symbols()
        for equal in alike:
            trace.notice_equal(equal)
        found = None if alike else call.by_host(_of_sizes(tensors, _broadcasting(tensors)), is_known=is_known)
        if found is not None or alike or not _summed(sizes):
            return found  # a trace in which these sizes, or those of an axis, are equal may hold it
    fixed = {size for size in [*sizes, *call.numbers] if type(size) is int and size > 1}
    chosen = sorted({*fixed, *_solutions(sizes, fixed), 2, 3, _TRIALS[0][0]})[:_MOST_FIXED]
    # If an op takes one of these sizes, but not its double, its result has one shape only.
    tried = [dict.fromkeys(names, size) for size in dict.fromkeys([1, *chosen, *[2 * size for size in chosen]])]
    tried += [dict(zip(names, pair, strict=True)) for pair in _pairs(sizes, fixed)] if len(names) == 2 else []
    tried += [{name: size if name == one else 0 for name in names} for size in fixed for one in _summed(sizes)]
    return call.by_host(_of_sizes(tensors, tried), is_known=is_known, is_all=len(names) == 1)


def _solutions(sizes: Sequence[Any], fixed: Collection[int]) -> set[int]:
    """The values for all symbols with which one of `sizes`, or two of them together, is one of the `fixed` sizes."""
    found = {size // 2 for size in fixed if size > 2 and size % 2 == 0}
    for size in {str(size): size for size in sizes if is_open(size)}.values():
        names = symbols_of([size])
        most = min(max(fixed, default=0), _LARGEST)
        found.update(n for n in range(most + 1) if value_of(size, dict.fromkeys(names, n)) in fixed)
    return found


def _pairs(sizes: Sequence[Any], fixed: Collection[int]) -> list[tuple[int, int]]:
    """Values for two symbols with which one of `sizes`, which depends on both, is one of the `fixed` sizes."""
    found: list[tuple[int, int]] = []
    for size in sizes:
        names = sorted(symbols_of([size]))
        if len(names) == 2:
            some = ((one, other) for most in sorted(fixed) for one in (0, 1, most) for other in (0, most - 1, most))
            found += [pair for pair in some if value_of(size, dict(zip(names, pair, strict=True))) in fixed]
    return list(dict.fromkeys(found))[:_MOST_FIXED]


def _broadcasting(tensors: Sequence[Tensor]) -> list[dict[str, int]]:
    """Values for all symbols with which `tensors` have the same size along each axis: a fixed size that one has.

    A mask that is padded to the size of an image has sums of symbols as sizes.
    """
    found: list[dict[str, int]] = []
    for least, _ in _TRIALS[:2]:
        values: dict[str, int] = {}
        for place, sizes in enumerate(itertools.zip_longest(*[reversed(tensor._aval.shape) for tensor in tensors])):
            wanted = max([size for size in sizes if type(size) is int], default=1)
            wanted = min(wanted if wanted > 1 else least + place, _LARGEST)
            for size in filter(is_open, sizes):
                names = sorted(symbols_of([size]) - values.keys())
                values.update(dict.fromkeys(names, 0))
                for name in names[:1]:
                    fitting = (n for n in range(wanted + 1) if value_of(size, {**values, name: n}) == wanted)
                    values[name] = next(fitting, 0)
        found.append(values)
    return found


def _summed(sizes: Sequence[Any]) -> list[str]:
    """The symbols of those `sizes` that depend on at least `_SEVERAL`."""
    several = [symbols_of([size]) for size in sizes if is_open(size)]
    return sorted({name for names in several if len(names) >= _SEVERAL for name in names})


def _has_open_rank(tensor: Tensor) -> bool:
    aval: Any = tensor._aval
    return type(aval) is OpenAval


class _Call:
    """A call of an op.

    Attributes:
      tensors: those among its arguments.
      is_plain: whether it can be tried: it is pure, and all other arguments are values.
    """

    def __init__(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._function = function
        self._given = [*args, *kwargs.values()]
        self._args, self._kwargs = args, kwargs
        self._arguments = Arguments([list(args), dict(kwargs)])
        self.tensors = self._arguments.tensors

    @property
    def is_plain(self) -> bool:
        module, name = getattr(self._function, "__module__", None) or "", getattr(self._function, "__name__", "")
        is_pure = module.startswith(_OPS) or (module.startswith(_RANDOM) and name.startswith("stateless"))
        return is_pure and name not in _UNTRIED and all(map(_is_plain, self._arguments.leaves))

    @property
    def numbers(self) -> list[Any]:
        """The integers, the sizes of lists and the sums of their integers among the arguments.

        They may be those of an open size.
        """
        return [number for argument in self._given for number in _numbers_in(argument)]

    @functools.cached_property
    def value_counts(self) -> frozenset[str]:
        """The symbols of the numbers of values of ragged tensors; their row splits mostly have other sizes."""
        counts = [value._value_count for value in nest.flatten(self._given) if hasattr(value, "_value_count")]
        return symbols_of(counts)

    @property
    def _has_no_composite(self) -> bool:
        return not any(hasattr(value, "_type_spec") for value in nest.flatten(self._given))

    def equal_symbols(self) -> list[list[str]]:
        """The sets of symbols, each of several, that are the sizes of one axis of tensors, if it takes equal sizes."""
        classes: list[set[str]] = []
        axes = itertools.zip_longest(*[reversed(tensor._aval.shape) for tensor in self.tensors])
        for sizes in axes:
            names = {str(size) for size in sizes if is_open(size) and str(size).isidentifier()}
            for met in [each for each in classes if each & names]:
                classes.remove(met)
                names |= met
            classes += [names] if names else []
        others = symbols_of([size for tensor in self.tensors for size in tensor._aval.shape]).difference(*classes)
        groups = [*classes, *[{name} for name in sorted(others)]]
        tried = [{name: least + place for place, names in enumerate(groups) for name in names} for least, _ in _TRIALS]
        with postponed():
            for arrays in _of_sizes(self.tensors, tried):
                try:
                    self._result(self._valid(arrays))
                except Exception:  # an op may refuse arrays with any error
                    continue
                return [sorted(names) for names in classes if len(names) > 1]
        return []

    def _result(self, arrays: Sequence[np.ndarray]) -> Any:
        positional, named = self._arguments.with_arrays(arrays)
        with apart(by_host=True):
            return self._function(*positional, **named)

    def _named(self) -> Mapping[str, Any]:
        """The arguments by the names of their parameters."""
        bound = inspect.signature(self._function).bind(*self._args, **self._kwargs)
        bound.apply_defaults()
        return bound.arguments

    def _of_tensors(self, *tensors: Tensor) -> Any:
        positional, named = self._arguments.with_tensors(tensors)
        return self._function(*positional, **named)

    def _valid(self, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """`arrays`, with the row splits of ragged tensors replaced by such that fit the number of their values."""
        found = {id(tensor): array for tensor, array in zip(self.tensors, arrays, strict=True)}
        for value in nest.flatten(self._given):
            if hasattr(value, "_fit_splits"):
                value._fit_splits(found)
        return [found[id(tensor)] for tensor in self.tensors]

    def _compute(self, values: Mapping[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
        del values
        found = self._result(arrays)
        with apart(by_host=True):
            return [np.asarray(leaf) for leaf in nest.flatten(found, expand_composites=True)]

    def without_value(self) -> Any:
        """The result without a value; None if no trial finds its shapes, or for composite tensors."""
        trace = hosting_trace()
        found = specs_by_trial(self.tensors, self.numbers, self._result) if self._has_no_composite else None
        if found is None or trace is None:
            return None
        sample, specs = found
        outputs = [part for spec in specs for part in spec._tensor_kinds()]
        return nest.pack_sequence_as(
            sample, trace.hosted("op", self._compute, self.tensors, outputs, op=self._of_tensors)
        )

    def by_host(self, trials: Generator[list[np.ndarray]], *, is_known: bool, is_all: bool = False) -> Any:
        """The result, computed by the host; None if the op fails in all `trials`.

        Its sizes are open if they differ between trials, or unless `is_known`. If the op takes one trial only, they are
        known if that `is_all` that it takes: not the first, of size 1, as an axis of 1 often fits any other.
        """
        samples: list[Any] = []
        for place, arrays in enumerate(trials):
            with postponed():  # the exception of a signal handler says nothing about arrays
                try:
                    samples.append(self._result(self._valid(arrays)))
                except Exception:  # an op may refuse arrays with any error
                    continue
            is_all = is_all and place > 0
        columns = list(zip(*map(nest.flatten, samples), strict=False))
        specs = [_spec_of(column, is_known and (is_all or len(samples) > 1)) for column in columns]
        if not samples or None in specs:
            return None
        trace = element_trace()
        assert trace is not None
        parts = [spec._tensor_kinds() for spec in specs]
        outputs = [part for each in parts for part in each]
        name = getattr(self._function, "__name__", "op")
        try:
            made = trace.attempt(
                lambda: trace.hosted(
                    name, self._compute, self.tensors, outputs, arguments=self._named(), op=self._of_tensors
                )
            )
        except UntraceableError:
            return None  # a trace for known sizes follows the one for open sizes
        tensors = iter(made)
        packed = [
            spec._of_tensors(list(itertools.islice(tensors, len(each))))
            for spec, each in zip(specs, parts, strict=True)
        ]
        return nest.pack_sequence_as(samples[0], packed)


def _spec_of(values: Sequence[Any], is_known: bool) -> Any:
    """A spec for all `values`, or None. Without `is_known`, the sizes of tensors are open."""
    specs = [
        TensorSpec(value.shape, value.dtype) if isinstance(value, Tensor) else getattr(value, "_type_spec", None)
        for value in values
    ]
    first = specs[0]
    found = first.most_specific_common_supertype(specs[1:]) if isinstance(first, TypeSpec) else None
    if not isinstance(found, TensorSpec) or found.shape.rank is None:
        return found
    dims = found.shape.as_list() if is_known else [None] * found.shape.rank
    return TensorSpec(dims, found.dtype)


def _numbers_in(argument: Any) -> list[Any]:
    if isinstance(argument, list | tuple):
        total = [sum(argument)] if argument and all(type(each) is int for each in argument) else []
        return [len(argument), *total, *[number for each in argument for number in _numbers_in(each)]]
    return [*argument.shape] if isinstance(argument, np.ndarray) else [argument] if type(argument) is int else []


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


def _of_different_sizes(tensors: Sequence[Tensor], symbols: Sequence[str]) -> Generator[list[np.ndarray]]:
    """Arrays for `tensors`, for each trial; each of `symbols` has another size."""
    for least, number in _TRIALS:
        values = {name: least + place for place, name in enumerate(symbols)}
        if all(math.prod(_sizes(tensor, values)) <= _MOST_ELEMENTS for tensor in tensors):
            yield [_array(tensor, values, number) for tensor in tensors]


def _of_sizes(tensors: Sequence[Tensor], tried: Sequence[Mapping[str, int]]) -> Generator[list[np.ndarray]]:
    """Arrays for `tensors`, with the sizes `tried` in place of symbols."""
    for values in tried:
        if all(math.prod(_sizes(tensor, values)) <= _MOST_ELEMENTS for tensor in tensors):
            yield [_array(tensor, values, 1) for tensor in tensors]


def _sizes(tensor: Tensor, values: Mapping[str, int]) -> list[int]:
    return [value_of(size, values) for size in tensor._aval.shape]


def _array(tensor: Tensor, values: Mapping[str, int], number: int) -> np.ndarray:
    """An array for `tensor`: its value if that is known, or a matter of sizes."""
    dtype, known = tensor.dtype, tensor._array
    if isinstance(known, np.ndarray) and known.dtype == object and dtype is not string:
        found = [value_of(size, values) for size in known.ravel()]
        return np.array(found, dtype.as_numpy_dtype).reshape(known.shape)
    if not tensor._is_symbolic():
        return np.asarray(tensor)
    return _filled(_sizes(tensor, values), dtype, number)


def _filled(shape: Sequence[int], dtype: DType, number: int) -> np.ndarray:
    """An array of `number`; of random floats for an even one, as sizes may depend on them, too."""
    if dtype.is_floating and number % 2 == 0:
        return np.random.default_rng(number).random(shape).astype(dtype.as_numpy_dtype)
    return np.full(shape, b"%d" % number if dtype is string else number, dtype.as_numpy_dtype)
