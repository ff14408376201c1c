"""`tf.map_fn`: a function of each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dispatch import dispatched
from tfcompat._core.dtype import as_dtype
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._function.control.row import over_rows, require_dtype, require_rows
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.identity import stop_gradient


@dispatched
def map_fn(
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
    """`fn` of each row of `elems`, stacked.

    `elems` may be a structure of tensors; `fn` then takes one of their rows. `fn_output_signature` (or `dtype`) has the
    structure and the dtypes of what `fn` returns, if these are not those of `elems`. The order of the calls is that of
    the rows, whatever `parallel_iterations`; `swap_memory` changes no value, and shapes are always known here, whatever
    `infer_shape`.

    Shapes: [n, ...] -> [n, ...]
    Dtypes: those of `fn_output_signature`.
    Raises: ValueError without tensors, for scalars, if the numbers of rows differ, or another structure is returned;
      InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.map_fn`.
    """
    del parallel_iterations, swap_memory, infer_shape, name
    if not callable(fn):
        raise TypeError(f"tf.map_fn: fn must be callable, got {fn!r}.")
    tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    if not tensors:
        raise ValueError(
            f"elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems!r}, which does not contain "
            "any Tensors."
        )
    if any(tensor.ndim == 0 for tensor in tensors):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is None:
        signature = nest.pack_sequence_as(elems, [tensor.dtype for tensor in tensors])
    specs = nest.flatten(signature)
    dtypes = [spec.dtype if isinstance(spec, TensorSpec) else as_dtype(spec) for spec in specs]
    if require_rows("map_fn", tensors) == 0 and not here.trace.is_symbolic:
        return nest.pack_sequence_as(signature, [_empty(spec) for spec in specs])

    def turn(state: list[Tensor], rows: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        result = fn(nest.pack_sequence_as(elems, rows))
        nest.assert_same_structure(signature, result)
        found = [
            convert_to_tensor(leaf, dtype_hint=dtype) for leaf, dtype in zip(nest.flatten(result), dtypes, strict=True)
        ]
        return state, [require_dtype(tensor, dtype) for tensor, dtype in zip(found, dtypes, strict=True)]

    _, answers = over_rows("map_fn", turn, [], tensors)
    return nest.pack_sequence_as(signature, answers if back_prop else [stop_gradient(x) for x in answers])


def _empty(spec: Any) -> Tensor:
    dims = spec.shape.as_list() if isinstance(spec, TensorSpec) and spec.shape.is_fully_defined() else []
    return zeros([0, *dims], spec.dtype if isinstance(spec, TensorSpec) else as_dtype(spec))
