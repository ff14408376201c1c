"""`from_jax`: a JAX function as an op, which tapes and decorated functions record."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.dependence import dependence
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import record
from tfcompat._core.types.aval import Aval, aval_like
from tfcompat._core.types.dtype import WIDE
from tfcompat._jaxpr.postponement import postponed

# How many functions, and how many argument structures of one function, are cached.
_MOST_FUNCTIONS = 256
_MOST_STRUCTURES = 256


def from_jax(function: Callable[..., Any]) -> JaxFunction:
    """The JAX function `function` on tensors: an op on tapes and in decorated functions. TensorFlow has no such name.

    Arguments and result are pytrees. Tensors, variables, arrays and keys among the arguments reach `function` as JAX
    arrays, and a Python float as a number of JAX's weak type. These are values: changing them compiles nothing. All
    other leaves (integers, booleans, strings, functions, None) are structure: `function` receives them unchanged, and
    is traced once for each. Everything that it closes over, variables included, is a constant of the trace: pass values
    that change as arguments. Side effects (printing) follow JAX's rules. JAX's 64-bit types are enabled in it if an
    argument has one, or if the user has enabled them.

    Shapes: as `function` computes them.
    Dtypes: as `function` computes them.
    Gradient: JAX's, of any order; a `custom_vjp` is respected. None where the result doesn't depend on an argument.
    Raises: what `function` raises while it is traced; TypeError for an argument that is neither an array nor hashable,
      or if `function` returns tensors; NotImplementedError if it returns keys.
    """
    if not callable(function):
        raise TypeError(f"tfcompat.from_jax: function must be callable, got {function!r}.")
    return _shared(function) if _is_hashable(function) else JaxFunction(function)


class _Array(NamedTuple):
    """A leaf that is an array. It has JAX's weak type if it was a Python float."""

    is_weak: bool

    def leaf(self, arrays: Iterator[Any]) -> Any:
        """The value that the function receives. Takes its array, if any, from `arrays`."""
        return next(arrays)


class _Key(NamedTuple):
    """A leaf that is a key of `jax.random.key`."""

    implementation: Any

    def leaf(self, arrays: Iterator[Any]) -> Any:
        """The value that the function receives. Takes its array, if any, from `arrays`."""
        return jax.random.wrap_key_data(next(arrays), impl=self.implementation)


class _Static(NamedTuple):
    """A leaf that is part of the structure. The type distinguishes True from 1."""

    type: type[Any]
    value: Any

    def leaf(self, arrays: Iterator[Any]) -> Any:
        """The value that the function receives. Takes its array, if any, from `arrays`."""
        del arrays
        return self.value


_Kind = _Array | _Key | _Static
_ARRAY, _NUMBER = _Array(False), _Array(True)


class _Traced(NamedTuple):
    """The trace of a function for arguments of one structure.

    Attributes:
      op: from the arrays among the arguments to those of the result.
      tree, leaves: the structure of the result.
    """

    op: Op
    tree: Any
    leaves: tuple[_Kind, ...]


class JaxFunction:
    """A JAX function as an op, made by `from_jax`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._trace_for = functools.lru_cache(_MOST_STRUCTURES)(self._traced)
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        entered = [_entered(leaf) for leaf in leaves]
        kinds = tuple([kind for kind, _ in entered])
        given = [value for kind, value in entered if type(kind) is not _Static]
        is_wide = jax.config.read("jax_enable_x64") or any(type(x) is Tensor and x._aval.dtype in WIDE for x in given)
        number = np.float64 if is_wide else np.float32
        tensors = tuple([x if type(x) is Tensor else Tensor(np.asarray(x, number)) for x in given])
        traced = self._trace_for(tree, kinds, tuple([x._aval for x in tensors]), is_wide)
        outputs = iter(record(traced.op, tensors) if _ARRAY in traced.leaves else ())
        return jax.tree.unflatten(traced.tree, [kind.leaf(outputs) for kind in traced.leaves])

    def _traced(self, tree: Any, kinds: tuple[_Kind, ...], avals: tuple[Aval, ...], is_wide: bool) -> _Traced:
        """The trace for arguments of this structure."""
        name = getattr(self._function, "__qualname__", type(self._function).__name__)
        result: list[Any] = []

        def run(*arrays: Any) -> list[Any]:
            given = iter(arrays)
            args, kwargs = jax.tree.unflatten(tree, [kind.leaf(given) for kind in kinds])
            leaves, result[:] = _flattened(name, self._function(*args, **kwargs))
            return leaves

        weak = [kind.is_weak if type(kind) is _Array else False for kind in kinds if type(kind) is not _Static]
        structs = [
            jax.ShapeDtypeStruct(aval.shape, aval.struct.dtype, weak_type=is_weak)
            for aval, is_weak in zip(avals, weak, strict=True)
        ]
        with postponed():
            from jax.extend.core import jaxpr_as_fun  # imported here because it loads Pallas

            with jax.enable_x64(is_wide):
                closed = jax.make_jaxpr(run)(*structs)

        fn = jaxpr_as_fun(closed)
        linked = dependence(fn, [aval.struct for aval in avals], through_comparisons=False).linked
        op = Op("from_jax", fn, label=name, many=True, gradient=GradientRule(linked=tuple(linked)), is_wide=is_wide)
        op.inferred[avals] = tuple(map(aval_like, closed.out_avals))
        return _Traced(op, *result)

    def __repr__(self) -> str:
        return f"<tfcompat.from_jax of {self._function!r}>"


_shared = functools.lru_cache(_MOST_FUNCTIONS)(JaxFunction)


def _entered(leaf: Any) -> tuple[_Kind, Any]:
    """The kind of `leaf`, a leaf of the arguments, and its tensor or number."""
    if type(leaf) is float:
        return _NUMBER, leaf
    if hasattr(type(leaf), "_as_tensor"):
        tensor = leaf._as_tensor()
    elif isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return _Key(jax.random.key_impl(leaf)), convert_to_tensor(jax.random.key_data(leaf))
    elif isinstance(leaf, (Tensor, jax.Array, np.ndarray, np.generic)):
        tensor = convert_to_tensor(leaf)
    elif _is_hashable(leaf):
        return _Static(type(leaf), leaf), None
    else:
        raise TypeError(
            "tfcompat.from_jax: arguments must be pytrees of tensors, arrays and hashable values, got a leaf of type "
            f"{type(leaf).__name__}."
        )
    if tensor._aval.struct is None:
        raise TypeError(f"tfcompat.from_jax: JAX has no arrays of {tensor.dtype.name}; pass it outside of a tensor.")
    return _ARRAY, tensor


def _flattened(name: str, result: Any) -> tuple[list[Any], tuple[Any, tuple[_Kind, ...]]]:
    """The arrays of a result, and (its tree, its leaves)."""
    leaves, tree = jax.tree.flatten(result)
    arrays: list[Any] = []
    kinds: list[_Kind] = []
    for leaf in leaves:
        if isinstance(leaf, Tensor) or hasattr(type(leaf), "_as_tensor"):
            raise TypeError(f"tfcompat.from_jax: {name} must compute with JAX's functions, but it returned {leaf!r}.")
        if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            raise NotImplementedError(
                f"tfcompat.from_jax: {name} returned a key, which a tensor can't hold; return jax.random.key_data(key)."
            )
        if isinstance(leaf, (jax.Array, np.ndarray, np.generic, int, float, complex)):
            arrays.append(jnp.asarray(leaf))
            kinds.append(_ARRAY)
        else:
            kinds.append(_Static(type(leaf), leaf))
    return arrays, (tree, tuple(kinds))


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
