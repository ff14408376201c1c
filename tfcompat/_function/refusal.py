"""What a tensor without a value refuses to be used for, in TensorFlow's words."""

from __future__ import annotations

from typing import NoReturn

from tfcompat._core.error import OperatorNotAllowedInGraphError
from tfcompat._core.tensor import Tensor

_IN_GRAPH = (
    "is not allowed. You can attempt the following resolutions to the problem: If you are running in Graph mode, use "
    "Eager execution mode or decorate this function with @tf.function. If you are using AutoGraph, you can try "
    "decorating this function with @tf.function. If that does not work, then you may be using an unsupported feature "
    "or your source code may not be visible to AutoGraph."
)
_TYPE_ERRORS = {
    "int": "int() argument must be a string, a bytes-like object or a real number, not 'SymbolicTensor'",
    "float": "float() argument must be a string or a real number, not 'SymbolicTensor'",
    "complex": "complex() first argument must be a string or a number, not 'SymbolicTensor'",
    "index": "'SymbolicTensor' object cannot be interpreted as an integer",
    "format": "unsupported format string passed to SymbolicTensor.__format__",
    "pickle": "cannot pickle 'SymbolicTensor' object",
}


def refuse(tensor: Tensor, name: str, use: str) -> NoReturn:
    """Raises what TensorFlow raises where the symbolic `tensor` is used so."""
    if use == "bool":
        raise OperatorNotAllowedInGraphError(f"Using a symbolic `tf.Tensor` as a Python `bool` {_IN_GRAPH}")
    if use == "iter":
        raise OperatorNotAllowedInGraphError(f"Iterating over a symbolic `tf.Tensor` {_IN_GRAPH}")
    if use == "len":
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({name}). Please call `x.shape` rather than `len(x)` for "
            "shape information."
        )
    if use == "numpy":
        raise AttributeError("'SymbolicTensor' object has no attribute 'numpy'")
    if use == "array":
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported; or it decides how large a result is, as "
            "in tf.boolean_mask and tf.where(condition): compute that outside of the function, or mask with tf.where."
        )
    if use in _TYPE_ERRORS:
        raise TypeError(_TYPE_ERRORS[use])
    raise NotImplementedError(
        f"The value of {tensor!r} decides a shape or an attribute, and is not known while a tf.function is traced: an "
        "XLA program's shapes are fixed. Pass it as a Python number, compute it outside of the function, or take a "
        "bound for it and mask."
    )


def out_of_scope(tensor: Tensor) -> NoReturn:
    """Raises TypeError: the function that `tensor` was made in is no longer being traced."""
    raise TypeError(
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow "
        "collections to access it.\nPlease see "
        "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values for more "
        "information."
    )
