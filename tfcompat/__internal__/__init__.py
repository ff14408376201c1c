"""`tf.__internal__`: names of TensorFlow for libraries, such as Keras."""

from tfcompat.__internal__ import (
    decorator,
    dispatch,
    distribute,
    eager_context,
    nest,
    ops,
    smart_cond,
    tf2,
    tracking,
    types,
)
from tfcompat._core.tensor_class import EagerTensor, SymbolicTensor
from tfcompat._extension.composite import CompositeTensor
from tfcompat._keras.shape_graph import FuncGraph
from tfcompat._state.scope import get_current_name_scope as get_name_scope

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "SymbolicTensor",
    "decorator",
    "dispatch",
    "distribute",
    "eager_context",
    "get_name_scope",
    "nest",
    "ops",
    "smart_cond",
    "tf2",
    "tracking",
    "types",
]
