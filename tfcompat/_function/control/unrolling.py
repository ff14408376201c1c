"""`tf.map_fn` where rows have different lengths: row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dispatch import register
from tfcompat._core.dtype import as_dtype
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._function.control.mapping import map_fn
from tfcompat._function.control.row import require_dtype
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.joining import stack
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.ragged import joining
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor


def map_rows(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row of `elems`, which may be ragged, stacked; ragged where the signature says so.

    What `fn_output_signature` leaves out is as `elems` is. In a function that is being traced the rows are traced one
    by one.
    """
    del parallel_iterations, swap_memory, infer_shape, name
    leaves = [joining.held(leaf) for leaf in nest.flatten(elems)]
    counts = {int(leaf.shape[0]) for leaf in leaves}
    if len(counts) != 1:
        raise ValueError(f"tf.map_fn: elems must have the same number of rows, got {sorted(counts)}.")
    signature = dtype if fn_output_signature is None else fn_output_signature
    specs = [_row_spec(leaf) for leaf in leaves] if signature is None else nest.flatten(signature)
    structure = elems if signature is None else signature
    answers: list[list[Any]] = []
    for k in range(counts.pop()):
        result = fn(nest.pack_sequence_as(elems, [leaf[k] for leaf in leaves]))
        nest.assert_same_structure(structure, result)
        answers.append([_fitted(leaf, spec) for leaf, spec in zip(nest.flatten(result), specs, strict=True)])
    stacked = [_stacked([row[i] for row in answers], spec) for i, spec in enumerate(specs)]
    return nest.pack_sequence_as(structure, stacked if back_prop else [stop_gradient(value) for value in stacked])


def _row_spec(leaf: Any) -> Any:
    """What a row of `leaf` is."""
    if not isinstance(leaf, RaggedTensor):
        return TensorSpec(leaf.shape[1:], leaf.dtype)
    return RaggedTensorSpec(None, leaf.dtype, leaf.ragged_rank - 1, leaf.row_splits.dtype)


def _dtype(spec: Any) -> Any:
    return spec.dtype if isinstance(spec, (TensorSpec, RaggedTensorSpec)) else as_dtype(spec)


def _fitted(value: Any, spec: Any) -> Any:
    """What `fn` returned, if the signature allows for it."""
    if isinstance(spec, RaggedTensorSpec):
        return _ragged_row(value, spec)
    if isinstance(value, RaggedTensor):
        raise ValueError(f"tf.map_fn: fn returned a ragged tensor where {spec} was expected.")
    return require_dtype(convert_to_tensor(value, dtype_hint=_dtype(spec)), _dtype(spec))


def _ragged_row(value: Any, spec: RaggedTensorSpec) -> Any:
    """`value` as a row of a ragged tensor; of a row that isn't cut itself TensorFlow asks what shape it has last."""
    if not spec.is_compatible_with(value):
        raise ValueError(f"tf.map_fn: fn must return a {spec}, got {_told(value)}; tell fn_output_signature otherwise.")
    if isinstance(value, Tensor) and value.ndim == 0:
        rule = "tf.map_fn: Ragged values must have rank >= 1, got a scalar; tell fn_output_signature what fn returns."
        raise ValueError(rule) if here.trace.is_symbolic else InvalidArgumentError.of(rule)
    return value


def _told(value: Any) -> str:
    """`value` in words that need no number of it."""
    if isinstance(value, (RaggedTensor, Tensor)):
        return f"a {type(value).__name__} of {value.dtype.name} and shape {value.shape}"
    return repr(value)


def _stacked(rows: list[Any], spec: Any) -> Any:
    """The rows as one tensor; of no rows what the signature tells."""
    if isinstance(spec, RaggedTensorSpec):
        if rows:
            return joining.stacked(rows, spec.row_splits_dtype)
        inner = spec.shape.as_list()[spec.ragged_rank + 1 :] if spec.shape.rank else []
        flat = zeros([0, *(size or 0 for size in inner)], spec.dtype)
        return RaggedTensor.from_nested_row_splits(flat, [[0]] * (spec.ragged_rank + 1))
    if rows:
        return stack(rows)
    dims = spec.shape.as_list() if isinstance(spec, TensorSpec) and spec.shape.rank else []
    return zeros([0, *(size or 0 for size in dims)], _dtype(spec))


register(map_fn, RaggedTensor, map_rows)
register(map_fn, RaggedTensorSpec, map_rows)
