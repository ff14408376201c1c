"""Errors for symbolic tensors that are used where a value is needed, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import (
    FindsSizeError,
    HostLoopError,
    InaccessibleTensorError,
    InvalidArgumentError,
    OperatorNotAllowedInGraphError,
    UntraceableError,
    is_about_dtype,
)
from tfcompat._core.system.location import is_read_by_library
from tfcompat._core.tracing.trace import here
from tfcompat._function.arguments.elemental import Elemental

_IN_GRAPH = (
    "is not allowed. You can attempt the following resolutions to the problem: If you are running in Graph mode, use "
    "Eager execution mode or decorate this function with @tf.function. If you are using AutoGraph, you can try "
    "decorating this function with @tf.function. If that does not work, then you may be using an unsupported feature "
    "or your source code may not be visible to AutoGraph."
)
# The uses that read a value. Both the user's code and ops read values in this way.
_READS = frozenset(("array", "bool", "complex", "float", "index", "int", "numpy"))
_REFUSED = "_refused_while_traced"
# The attribute that `found_early` sets on an error.
_FOUND_EARLY = "_is_found_early"
_TYPE_ERRORS = {
    "int": "int() argument must be a string, a bytes-like object or a real number, not 'SymbolicTensor'",
    "float": "float() argument must be a string or a real number, not 'SymbolicTensor'",
    "complex": "complex() first argument must be a string or a number, not 'SymbolicTensor'",
    "index": "'SymbolicTensor' object cannot be interpreted as an integer",
    "format": "unsupported format string passed to SymbolicTensor.__format__",
    "pickle": "cannot pickle 'SymbolicTensor' object",
}


def refuse(tensor: Tensor, name: str, use: str) -> NoReturn:
    """Raises TensorFlow's error for `use`, a use of the symbolic `tensor` that needs its value."""
    if use == "thread":
        # An op outside of the function takes the tensor.
        out_of_scope(tensor)
    if is_by_op(use):
        undecided(tensor)
    if use == "bool":
        raise OperatorNotAllowedInGraphError(f"Using a symbolic `tf.Tensor` as a Python `bool` {_IN_GRAPH}")
    if use == "iter":
        refuse_iteration()
    if use == "len":
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({name}). Please call `x.shape` rather than `len(x)` for "
            "shape information."
        )
    if use == "numpy":
        raise AttributeError(
            "'SymbolicTensor' object has no attribute 'numpy': while a tf.function is traced, tensors have no values. "
            "tf.print them, return them and read them outside, or let a tf.py_function read them."
        )
    if use == "array":
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported."
        )
    if use in _TYPE_ERRORS:
        raise TypeError(_TYPE_ERRORS[use])
    undecided(tensor)


def refuse_iteration() -> NoReturn:
    """Raises OperatorNotAllowedInGraphError: Python iterates over a symbolic tensor."""
    raise OperatorNotAllowedInGraphError(f"Iterating over a symbolic `tf.Tensor` {_IN_GRAPH}")


def is_by_op(use: str) -> bool:
    """Whether an op uses the value of a tensor for `use`, not the user's code."""
    return use == "shape" or (use in _READS and is_read_by_library())


def undecided(tensor: Tensor) -> NoReturn:
    """Raises FindsSizeError: an op needs the value of `tensor`."""
    raise FindsSizeError(
        f"The value of {tensor!r} decides a shape or an attribute, and is not known while a tf.function is traced: an "
        "XLA program's shapes are fixed. Call the function instead of asking for its concrete function, pass a Python "
        "number, or use an upper bound and a mask."
    )


def out_of_scope(tensor: Tensor) -> NoReturn:
    """Raises TypeError: the function in which `tensor` was made is no longer being traced.

    Raises InaccessibleTensorError if only a part of that function (a branch, loop or called function) has ended, also
    if the function runs untraced.
    """
    around = getattr(tensor._trace, "outer", None)
    is_inside = here.untraced is not None or (around is not None and around.is_symbolic and around.is_open)
    raise (InaccessibleTensorError if is_inside else TypeError)(
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow "
        "collections to access it.\nPlease see "
        "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values for more "
        "information."
    )


def refuse_creation() -> NoReturn:
    """Raises ValueError: a function creates a variable again."""
    raise ValueError(
        "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable "
        "is only created once or created outside tf.function. See "
        "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
    )


def refuse_strings(found: str) -> NoReturn:
    """Raises UntraceableError: `found` describes strings between which only a program can choose."""
    raise UntraceableError(
        f"{found}, and an XLA program can't choose strings. Call the function instead of asking for its concrete "
        "function, or return a number and look up its string."
    )


def refuse_reading(use: str) -> NoReturn:
    """Raises HostLoopError: `use`, which concerns a dataset, needs the function's Python code at each call."""
    raise HostLoopError(
        f"{use} is left to the host, since an XLA program can't read datasets. Call the function instead of asking for "
        "its concrete function."
    )


def returned(function: Any, value: Any) -> Any:
    """`value`, which `function` has returned, as a tensor; a dataset or an iterator as it is.

    Raises: TypeError if it can't become a tensor; HostLoopError for a dataset while the function is traced.
    """
    if isinstance(value, Elemental):
        if here.graph is not None:
            refuse_reading("returning a dataset or an iterator")
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {function}, found return value of type {type(value).__name__}, which is "
            "not a Tensor or ExtensionType."
        ) from None


def remembered(error: Exception) -> dict[str, Any]:
    """The attributes that this module has set on `error`, to be copied to an error that replaces it."""
    return next(filter(None, map(_notes, _versions(error))), {})


def _notes(error: BaseException) -> dict[str, Any]:
    return {note: value for note, value in vars(error).items() if note in (_FOUND_EARLY, _REFUSED)}


def _versions(error: BaseException) -> Iterator[BaseException]:
    """The `error`, and those that libraries caught and raised again with a longer message, as Keras' layers do."""
    yield error
    before = error.__context__
    while before is not None and type(before) is type(error) and str(before) and str(before) in str(error):
        yield before
        error, before = before, before.__context__


def refused_while_traced(error: Exception) -> Exception | None:
    """TensorFlow's error for an op that refuses its arguments while it is traced; None if that is `error` itself."""
    if not isinstance(error, InvalidArgumentError) or remembered(error):
        return None
    refused = (TypeError if any(map(is_about_dtype, _versions(error))) else ValueError)(error.message)
    vars(refused)[_REFUSED] = error
    return refused


def refused_by_program(error: Exception) -> Exception:
    """The original of `error` if `refused_while_traced` made it: TensorFlow's graphs raise that one when they run."""
    return remembered(error).get(_REFUSED, error)


def refused_by_call(error: Exception) -> Exception:
    """The error of a call with open sizes: TensorFlow refuses dtypes while it traces, and sizes when the graph runs."""
    original = refused_by_program(error)
    return error if any(map(is_about_dtype, _versions(original))) else original
