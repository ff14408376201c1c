"""`tf.map_fn` for ragged and sparse rows: the function is called for one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.by_row import element_trace, with_tensors
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.aval import fits
from tfcompat._core.types.dtype import as_dtype, int64
from tfcompat._function.rows.hosted import map_by_host
from tfcompat._function.rows.loop import require_dtype
from tfcompat._ops.array.creation import fill, zeros
from tfcompat._ops.array.extent import shape
from tfcompat._ops.array.joining import concat, stack
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.identity import ensure_shape, stop_gradient
from tfcompat._ops.ragged import joining
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse import layout
from tfcompat._ops.sparse.coordinate import dims_of
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec


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
    """`fn` of each row of `elems`, which may be ragged or sparse, stacked. Results are so where the signature is.

    Without `fn_output_signature`, results are like the rows of `elems`. In a function that is being traced, the rows
    are traced one by one.
    """
    del parallel_iterations, swap_memory, infer_shape, name
    leaves = [leaf if isinstance(leaf, SparseTensor) else joining.held(leaf) for leaf in nest.flatten(elems)]
    if any(leaf.shape.rank == 0 for leaf in leaves):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    signature = dtype if fn_output_signature is None else fn_output_signature
    specs = [_row_spec(leaf) for leaf in leaves] if signature is None else nest.flatten(signature)
    structure = elems if signature is None else signature

    def call(row: list[Any]) -> list[Any]:
        result = fn(nest.pack_sequence_as(elems, row))
        nest.assert_same_structure(structure, result)
        return [fitted(leaf, spec) for leaf, spec in zip(nest.flatten(result), specs, strict=True)]

    stacked = _mapped(call, leaves, specs)
    return nest.pack_sequence_as(structure, stacked if back_prop else [stop_gradient(value) for value in stacked])


def _mapped(call: Callable[[list[Any]], list[Any]], leaves: list[Any], specs: list[Any]) -> list[Any]:
    """`call` of each row of `leaves`, stacked. In functions of elements, whose rows vary, the host maps them."""
    trace = element_trace()
    if trace is not None and not any(isinstance(each, (SparseTensor, SparseTensorSpec)) for each in [*leaves, *specs]):
        return map_by_host(trace, call, leaves, specs)
    counts = {count_of(leaf, "map_fn") for leaf in leaves}
    if len(counts) != 1:
        raise ValueError(f"tf.map_fn: elems must have the same number of rows, got {sorted(counts)}.")
    answers = [call([_row(leaf, k) for leaf in leaves]) for k in range(counts.pop())]
    return [_stacked([row[i] for row in answers], spec) for i, spec in enumerate(specs)]


def count_of(leaf: Any, op: str) -> int:
    """The number of rows of `leaf`. Raises NotImplementedError if it is open."""
    if isinstance(leaf, SparseTensor):
        return dims_of(leaf, f"tf.{op}")[0]
    if leaf.shape[0] is None:
        raise NotImplementedError(
            f"tf.{op}: this number of rows is open, so each of them cannot be traced; use tf.map_fn of or to ragged "
            "tensors in tf.data.Dataset.map, tf.ragged.map_flat_values, a reduction along axis 1, or a padded tensor."
        )
    return int(leaf.shape[0])


def _row(leaf: Any, place: int) -> Any:
    """The row of `leaf` at `place`."""
    if not isinstance(leaf, SparseTensor):
        return leaf[place]
    dims = dims_of(leaf, "tf.map_fn")
    part = layout.slice(leaf, [place, *[0] * (len(dims) - 1)], [1, *dims[1:]])
    return layout.reshape(part, dims[1:])


def _row_spec(leaf: Any) -> Any:
    """The spec of a row of `leaf`."""
    if isinstance(leaf, SparseTensor):
        return SparseTensorSpec(None, leaf.dtype)
    if not isinstance(leaf, RaggedTensor):
        return TensorSpec(leaf.shape[1:], leaf.dtype)
    return RaggedTensorSpec(None, leaf.dtype, leaf.ragged_rank - 1, leaf.row_splits.dtype)


def dtype_of(spec: Any) -> Any:
    """The dtype of a spec, or the dtype that stands for one."""
    return spec.dtype if isinstance(spec, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)) else as_dtype(spec)


def fitted(value: Any, spec: Any) -> Any:
    """`value`, a result of `fn`, checked against the signature."""
    if isinstance(spec, RaggedTensorSpec):
        return _ragged_row(value, spec)
    if isinstance(spec, SparseTensorSpec):
        if not spec.is_compatible_with(value):
            raise ValueError(f"tf.map_fn: fn must return a {spec}, got {_described(value)}; set fn_output_signature.")
        return value
    if isinstance(value, (RaggedTensor, SparseTensor)):
        raise ValueError(f"tf.map_fn: fn returned a {type(value).__name__} where {spec} was expected.")
    return require_dtype(_of_shape(convert_to_tensor(value, dtype_hint=dtype_of(spec)), spec), dtype_of(spec))


def _of_shape(tensor: Tensor, spec: Any) -> Tensor:
    """`tensor`, of the shape in `spec`; programs check open sizes. Raises ValueError if it has another shape."""
    if not isinstance(spec, TensorSpec) or fits(tensor._aval, spec.shape):
        return tensor
    if tensor.shape.is_compatible_with(spec.shape):
        return ensure_shape(tensor, spec.shape)
    raise ValueError(f"tf.map_fn: fn must return a {spec}, got shape {tensor.shape}.")


def _ragged_row(value: Any, spec: RaggedTensorSpec) -> Any:
    """`value` as a row of a ragged tensor. Like TensorFlow, checks the rank of a dense row last."""
    value = with_tensors(value)
    if not spec.is_compatible_with(value):
        raise ValueError(f"tf.map_fn: fn must return a {spec}, got {_described(value)}; set fn_output_signature.")
    if isinstance(value, Tensor) and value.shape.rank == 0:
        rule = "tf.map_fn: Ragged values must have rank >= 1, got a scalar; set fn_output_signature to its dtype."
        raise ValueError(rule) if here.trace.is_symbolic else InvalidArgumentError.of(rule)
    return value


def _described(value: Any) -> str:
    """A description of `value` that doesn't read its elements."""
    if isinstance(value, (RaggedTensor, SparseTensor, Tensor)):
        return f"a {type(value).__name__} of {value.dtype.name} and shape {value.shape}"
    return repr(value)


def ragged_of(rows: Tensor, spec: Any) -> Any:
    """`rows`, which have one shape, as a ragged tensor if `spec` says so."""
    if not isinstance(spec, RaggedTensorSpec):
        return rows
    sizes = shape(rows, out_type=spec.row_splits_dtype)
    flat = reshape(rows, concat([sizes[:1] * sizes[1:2], sizes[2:]], 0))
    return RaggedTensor.from_row_lengths(flat, fill(sizes[:1], sizes[1]), validate=False)


def empty(spec: Any) -> Any:
    """The result without rows for a dtype or a spec. Raises ValueError if a `tf.TensorSpec` leaves sizes open."""
    if isinstance(spec, RaggedTensorSpec):
        return _stacked([], spec)
    dims = spec.shape.as_list() if isinstance(spec, TensorSpec) and spec.shape.rank else []
    if None in dims:
        raise ValueError(f"Tensor's shape (0,) is not compatible with supplied shape {(0, *dims)}.")
    return zeros([0, *dims], dtype_of(spec))


def _stacked(rows: list[Any], spec: Any) -> Any:
    """The rows as one tensor; without rows, an empty one as in the signature."""
    if isinstance(spec, RaggedTensorSpec):
        if rows:
            return joining.stacked(rows, spec.row_splits_dtype)
        inner = spec.shape.as_list()[spec.ragged_rank + 1 :] if spec.shape.rank else []
        flat = zeros([0, *(size or 0 for size in inner)], spec.dtype)
        return RaggedTensor.from_nested_row_splits(flat, [[0]] * (spec.ragged_rank + 1))
    if isinstance(spec, SparseTensorSpec):
        return _stacked_sparse(rows, spec)
    return stack(rows) if rows else empty(spec)


def _stacked_sparse(rows: list[SparseTensor], spec: SparseTensorSpec) -> SparseTensor:
    """Sparse rows as one tensor; without rows, an empty one as in the signature."""
    if rows:
        return layout.concat(0, [layout.expand_dims(row, 0) for row in rows], expand_nonconcat_dims=True)
    dims: list[int | None] = spec.shape.as_list() if spec.shape.rank else []
    return SparseTensor(zeros([0, len(dims) + 1], int64), zeros([0], spec.dtype), [0, *(size or 0 for size in dims)])
