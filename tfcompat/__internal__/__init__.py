"""`tf.__internal__`: names of TensorFlow for libraries, such as Keras."""

from tfcompat.__internal__ import (
    autograph,
    decorator,
    dispatch,
    distribute,
    eager_context,
    feature_column,
    function,
    mixed_precision,
    nest,
    ops,
    saved_model,
    smart_cond,
    tf2,
    tracking,
    train,
    types,
)
from tfcompat._core.structure.tensor_class import EagerTensor, SymbolicTensor
from tfcompat._extension.composite import CompositeTensor
from tfcompat._keras.device_function import execute_fn_for_device
from tfcompat._keras.load_options import load_context
from tfcompat._keras.registration import (
    register_call_context_function,
    register_clear_session_function,
    register_get_session_function,
    register_load_model_function,
)
from tfcompat._keras.shape_graph import FuncGraph
from tfcompat._state.scope import get_current_name_scope as get_name_scope

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "SymbolicTensor",
    "autograph",
    "decorator",
    "dispatch",
    "distribute",
    "eager_context",
    "execute_fn_for_device",
    "feature_column",
    "function",
    "get_name_scope",
    "load_context",
    "mixed_precision",
    "nest",
    "ops",
    "register_call_context_function",
    "register_clear_session_function",
    "register_get_session_function",
    "register_load_model_function",
    "saved_model",
    "smart_cond",
    "tf2",
    "tracking",
    "train",
    "types",
]
