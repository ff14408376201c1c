"""What TensorFlow needs in graphs and eager programs have for nothing: ops take effect in the order of the program."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any


def control_dependencies(control_inputs: Iterable[Any] | None) -> contextlib.AbstractContextManager[None]:
    """A context whose ops take effect after `control_inputs`, as they do anyway: these have been called already.

    Raises: TypeError if `control_inputs` cannot be iterated over.
    Source: TF 2.21 `tf.control_dependencies`.
    """
    if control_inputs is not None:
        iter(control_inputs)
    return contextlib.nullcontext()


def group(*inputs: Any, **kwargs: Any) -> None:
    """None, the operation that runs `inputs`, which have run already; the only keyword is `name`.

    Raises: ValueError for another keyword.
    Source: TF 2.21 `tf.group`.
    """
    del inputs
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"tf.group: unknown keyword arguments {', '.join(kwargs)}.")


def no_op(name: str | None = None) -> None:
    """None: the operation that does nothing. `name` is for graphs.

    Source: TF 2.21 `tf.no_op`.
    """
    del name
