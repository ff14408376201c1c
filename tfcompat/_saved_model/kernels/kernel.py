"""The kernels that compute nodes: those of `tf.raw_ops`, and those that belong to graphs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tfcompat._raw_ops import (
    array,
    backward,
    derivative,
    elementwise,
    image,
    matrix,
    neural,
    normalization,
    random,
    reduction,
    resource,
    selection,
    text,
    training,
)
from tfcompat._saved_model.kernels.file_kernel import FILE_KERNELS
from tfcompat._saved_model.kernels.graph_kernel import GRAPH_KERNELS
from tfcompat._saved_model.kernels.library import Frame, Kernel, attributes
from tfcompat._saved_model.kernels.list_kernel import LIST_KERNELS
from tfcompat._saved_model.kernels.more_kernel import MORE_KERNELS
from tfcompat._saved_model.kernels.plan import Step
from tfcompat._saved_model.kernels.program_kernel import PROGRAM_KERNELS
from tfcompat._saved_model.kernels.ragged_kernel import RAGGED_KERNELS
from tfcompat._saved_model.kernels.random_kernel import RANDOM_KERNELS
from tfcompat._saved_model.kernels.side_kernel import SIDE_KERNELS
from tfcompat._saved_model.kernels.table_kernel import TABLE_KERNELS

_MODULES = (
    *(array, backward, derivative, elementwise, image, matrix, neural, normalization, random, reduction, resource),
    *(selection, text, training),
)
# Names of tensors among the parameters in files, and in `tf.raw_ops`.
_RENAMED = {"reduction_indices": "axis", "dim": "axis", "split_dim": "axis"}
_RENAMED_IN = {"Where": {"input": "condition"}}
_OWN: dict[str, Kernel] = {
    **FILE_KERNELS,
    **GRAPH_KERNELS,
    **LIST_KERNELS,
    **MORE_KERNELS,
    **PROGRAM_KERNELS,
    **RAGGED_KERNELS,
    **RANDOM_KERNELS,
    **SIDE_KERNELS,
    **TABLE_KERNELS,
}


@functools.cache
def kernel_of(op: str) -> Kernel | None:
    """The function for the nodes of the kernel `op`; None if it does not exist here."""
    if op in _OWN:
        return _OWN[op]
    if not op[:1].isupper():
        return None
    # A module may have imported another object of this name, such as `Any`.
    found = (vars(module)[op] for module in _MODULES if op in vars(module))
    function = next((each for each in found if inspect.isfunction(each) and each.__name__ == op), None)
    return None if function is None else _of_function(op, function)


def _of_function(op: str, function: Callable[..., Any]) -> Kernel:
    """The kernel `op`, computed by `function` of `tf.raw_ops`."""
    accepted = dict(inspect.signature(function).parameters)
    renamed = _RENAMED_IN.get(op, {})

    def run(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
        del frame
        given = attributes(step, accepted)
        place = 0
        for name, count, is_list in step.groups:
            part = inputs[place : place + count]
            place += count
            known = name if name in accepted else renamed.get(name, _RENAMED.get(name, name))
            given[known] = part if is_list else part[0]
        return flattened(function(**given))

    return run


def flattened(result: Any) -> list[Any]:
    """The tensors of the result of a kernel, in the order of its outputs."""
    if isinstance(result, (list, tuple)):
        return [each for part in result for each in flattened(part)]
    return [] if result is None else [result]
