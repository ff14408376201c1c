"""The debug mode of input pipelines: functions of elements run as Python, so that a debugger can stop there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.tracing.trace import here
from tfcompat._data.blocks.nesting import flatten, packer
from tfcompat._function.graphs.python_call import py_function


class _Mode:
    """Whether the debug mode is on."""

    is_on = False


def enable_debug_mode() -> None:
    """Lets the functions of datasets that are made from now on run as Python, eagerly, for each element in turn.

    They are traced once, too, for the type of the result. Functions of or to other values than tensors, such as
    datasets and ragged tensors, are only traced.

    Raises: ValueError in a function that is being traced.
    Source: TF 2.21 `tf.data.experimental.enable_debug_mode`.
    """
    if here.graph is not None:
        raise ValueError("`enable_debug_mode() is only supported in eager mode.")
    _Mode.is_on = True


def as_python(function: Callable[..., Any], arguments: Any, result: Any) -> Callable[..., Any] | None:
    """`function` as a call of Python, in the debug mode, if the specs `arguments` and `result` are those of tensors."""
    specs = flatten(result)
    if not _Mode.is_on or not all(isinstance(spec, TensorSpec) for spec in [*flatten(arguments), *specs]):
        return None

    def called(*given: Any) -> Any:
        pack_given = packer(given)

        def computed(*tensors: Any) -> Any:
            found = function(*pack_given(tensors))
            leaves = flatten(tuple(found) if type(found) is list else found)
            return leaves if len(specs) > 1 else leaves[0]

        found = py_function(computed, flatten(given), specs if len(specs) > 1 else specs[0])
        return packer(result)(found if len(specs) > 1 else [found])

    return called
