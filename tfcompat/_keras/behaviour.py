"""Tests of the behaviour of TensorFlow and of its variables, for libraries."""

from __future__ import annotations

import contextlib
from typing import Any

from tfcompat._autodiff.suspension import init_scope
from tfcompat._state.handle import acts_as_variable
from tfcompat._state.variable import Variable


def enabled() -> bool:
    """True: the behaviour is that of TensorFlow 2. Source: TF 2.21 `tf.__internal__.tf2.enabled`."""
    return True


def eager_mode() -> contextlib.AbstractContextManager[None]:
    """A context in which ops run outside of a function that is being traced.

    Source: TF 2.21 `tf.__internal__.eager_context.eager_mode`.
    """
    return init_scope()


def is_resource_variable(var: Any) -> bool:
    """Whether `var` is a variable, or acts as one. Source: TF 2.21 `tf.__internal__.ops.is_resource_variable`."""
    return isinstance(var, Variable) or acts_as_variable(var)
