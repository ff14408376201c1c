"""The arguments of a gradient call: targets, their weights and sources, checked as TensorFlow checks them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types import nest
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import as_dtype
from tfcompat._ops.array.layout import broadcast_to
from tfcompat._ops.identity import identity
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._state.handle import acting
from tfcompat._state.variable import Variable

PLAIN = (Tensor, Variable)


def aval_of(value: Tensor | Variable) -> Aval:
    """The shape and dtype of a tensor or a variable."""
    return value._tensor._aval if isinstance(value, Variable) else value._aval


def flat_sources(sources: Any) -> list[Any]:
    """The tensors and variables in the structure `sources`; for a ragged tensor, its values.

    Raises: TypeError for None and for a value of a type that cannot be differentiated; ValueError for a composite that
      has no gradient; AttributeError for any other value.
    """
    return _flat("source", sources)


def _flat(role: str, values: Any) -> list[Any]:
    found: list[Any] = []
    for value in map(acting, [values] if isinstance(values, PLAIN) else nest.flatten(values)):
        found += (value,) if isinstance(value, PLAIN) else _components(role, value)
    return found


def parts_of(value: Any) -> list[Any] | None:
    """The tensors in a composite tensor that receive gradients; None for anything else."""
    if hasattr(type(value), "_differentiated"):
        return [value._differentiated()]
    return value._gradient_parts() if hasattr(type(value), "_gradient_parts") else None


def _components(role: str, value: Any) -> list[Any]:
    found = parts_of(value)
    if found is not None:
        return found
    if isinstance(value, IndexedSlices):
        raise AttributeError("'IndexedSlices' object has no attribute '_id'")
    if is_composite(type(value)):
        name = type(value).__name__
        raise ValueError(f"Type {name} is not supported as a gradient source or gradient target.")
    raise _refusal(role, value)


def in_structure(sources: Any, gradients: list[Any]) -> Any:
    """The gradients in the structure `sources`, composite if the source is."""
    given = iter(gradients)
    found = [_of_source(source, given) for source in map(acting, nest.flatten(sources))]
    return nest.pack_sequence_as(sources, found)


def _of_source(source: Any, given: Iterator[Any]) -> Any:
    """The gradient of `source`, made of as many of `given` as the source has components."""
    if hasattr(type(source), "_gradient_parts"):
        parts = list(itertools.islice(given, len(source._gradient_parts())))
        return None if all(part is None for part in parts) else source._with_gradients(parts)
    gradient = next(given)
    return gradient if gradient is None or isinstance(source, PLAIN) else source._with_gradient(gradient)


def flat_targets(target: Any) -> list[Any]:
    """The tensors and variables in the structure `target`, None for those that carry no gradient.

    Raises: as `flat_sources`.
    """
    return [leaf if differentiable(aval_of(leaf)) else None for leaf in _flat("target", target)]


def single(value: Any) -> Any:
    """`value`, a tensor or a variable, or the variable that it acts as. Raises AttributeError for anything else."""
    value = acting(value)
    if not isinstance(value, PLAIN):
        raise AttributeError(
            f"{type(value).__name__!r} object has no attribute 'shape': tf.GradientTape: a jacobian is taken of one "
            "tensor or variable."
        )
    return value


def require_batches(target: Aval, source: Aval) -> None:
    """Raises ValueError, IndexError for scalars, unless both have rank 2 at least and the same first dimension."""
    if target.shape[0] != source.shape[0]:
        raise ValueError(
            f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match."
        )
    for aval in (target, source):
        if aval.ndim < 2:
            raise ValueError(f"Shape {aval.shape} must have rank at least 2")


def _refusal(role: str, value: Any) -> Exception:
    """The error for something that is neither tensor nor variable."""
    if value is None or isinstance(value, (str, bytes)):
        as_dtype(value)
    attribute = "_id" if hasattr(value, "dtype") or isinstance(value, bool) else "dtype"
    return AttributeError(
        f"{type(value).__name__!r} object has no attribute '{attribute}': tf.GradientTape: a {role} must be a tensor "
        "or a variable; convert it with tf.constant before the tape is entered."
    )


def weighed(targets: list[Any], output_gradients: Any) -> Iterator[tuple[Any, Tensor | None]]:
    """Each target that carries a gradient, with its weight; None after the last weight, as in TensorFlow."""
    weights = [tensor for weight in nest.flatten(output_gradients) for tensor in _tensors(weight)]
    for target, weight in itertools.zip_longest(targets, weights[: len(targets)]):
        if target is not None:
            yield target, None if weight is None else fitted_weight(weight, aval_of(target))


def _tensors(weight: Any) -> list[Any]:
    if hasattr(type(weight), "_gradient_parts"):
        return list(map(_tensor, weight._gradient_parts()))
    return [_tensor(weight)]


def _tensor(weight: Any) -> Any:
    if weight is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor: "
            "tf.GradientTape: output_gradients must not hold None; use zeros for a target that doesn't count."
        )
    if hasattr(type(weight), "_differentiated"):
        return weight._differentiated()
    return identity(weight) if isinstance(weight, Variable) else convert_to_tensor(weight)


def fitted_weight(weight: Tensor, aval: Aval) -> Tensor:
    """`weight` in the shape of its target. Raises InvalidArgumentError if it doesn't fit."""
    if weight._aval == aval:
        return weight
    if weight._aval.dtype is not aval.dtype:
        raise InvalidArgumentError.of(
            "tf.GradientTape: output_gradients must have the dtype of the target, "
            f"{aval.dtype.name}, got {weight.dtype.name}."
        )
    try:
        return broadcast_to(weight, aval.shape)
    except InvalidArgumentError as unfit:
        raise InvalidArgumentError.of(
            "tf.GradientTape: output_gradients must have the shape of the target, "
            f"{aval.shape}, got {weight._aval.shape}."
        ) from unfit
