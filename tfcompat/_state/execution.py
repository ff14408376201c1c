"""Control dependencies and groups, which have no effect: ops always take effect in the order of the program."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._ops.array.joining import stack


def control_dependencies(control_inputs: Iterable[Any] | None) -> contextlib.AbstractContextManager[None]:
    """A context whose ops take effect after `control_inputs`. It has no effect, since these were called before.

    Raises: TypeError if `control_inputs` cannot be iterated over.
    Source: TF 2.21 `tf.control_dependencies`.
    """
    if control_inputs is not None:
        iter(control_inputs)
    return contextlib.nullcontext()


def group(*inputs: Any, **kwargs: Any) -> None:
    """None, in place of an operation that runs `inputs`, since they have been called; the only keyword is `name`.

    Raises: ValueError for another keyword.
    Source: TF 2.21 `tf.group`.
    """
    del inputs
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"tf.group: unknown keyword arguments {', '.join(kwargs)}.")


def no_op(name: str | None = None) -> None:
    """None, in place of an operation without effect. `name` is ignored.

    Source: TF 2.21 `tf.no_op`.
    """
    del name


def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """`tensors` in their structure. They depend on all `tensors` and `control_inputs`, since these were called before.

    Source: TF 2.21 `tf.tuple`.
    """
    del control_inputs, name
    return nest.map_structure(_same, tensors)


def _same(leaf: Any) -> Any:
    return leaf


def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """The tensors `values`, of the same shape, stacked; only in a function.

    Shapes: n times [*dims] -> [n, *dims].
    Dtypes: any -> the same.
    Raises: RuntimeError outside of functions, as in TensorFlow.
    Source: TF 2.21 `tf.parallel_stack`.
    """
    if here.graph is None:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    return stack(values, name=name)
