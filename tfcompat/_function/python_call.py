"""Python functions called on values: `tf.py_function` and `tf.numpy_function`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.aval import Aval, aval_of
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import as_dtype
from tfcompat._core.error import InvalidArgumentError, OpError, UnknownError
from tfcompat._core.op import Op
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace, here, record

# The classes that TensorFlow has for what a Python function raises.
_REFUSALS = (TypeError, ValueError)


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """`func` of the tensors `inp`, called as Python: at once, or whenever the function around it runs.

    `Tout` is the dtype of its result, or a list of them for several. Inside a `tf.function` a `tf.TensorSpec` must
    stand for each dtype, because XLA has to know the shapes.

    Shapes: whatever `func` answers.
    Dtypes: `Tout`.
    Gradient: through what `func` computes, as if it stood there; inside a `tf.function` None.
    Raises: InvalidArgumentError or UnknownError for what `func` raises, or for a result of another dtype;
      NotImplementedError inside a `tf.function` without shapes.
    Source: TF 2.21 `tf.py_function`.
    """
    del name
    function = _callable("py_function", func)
    tensors = [convert_to_tensor(value) for value in inp or ()]
    if here.graph is not None:
        return _staged("py_function", lambda *arrays: function(*map(Tensor, arrays)), tensors, Tout)
    try:
        found = function(*tensors)
        dtypes = [as_dtype(kind.dtype if isinstance(kind, TensorSpec) else kind) for kind in _listed(Tout)]
        values = _listed(found) if dtypes else []
        answers = [convert_to_tensor(value, dtype) for value, dtype in zip(values, dtypes, strict=True)]
    except OpError:
        raise
    except _REFUSALS as error:
        raise InvalidArgumentError.of(f"tf.py_function: {type(error).__name__}: {error}") from error
    except Exception as error:
        raise UnknownError.of(f"tf.py_function: {type(error).__name__}: {error}") from error
    return answers if isinstance(Tout, (list, tuple)) else answers[0]


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`func` of the values of `inp` as NumPy arrays: called at once, or whenever the function around it runs.

    `Tout` is as in `tf.py_function`. Calls are never left out or moved, whether `stateful` or not.

    Shapes: whatever `func` answers.
    Dtypes: those of what `func` answers; inside a `tf.function` `Tout`.
    Gradient: None.
    Raises: what `func` raises; NotImplementedError inside a `tf.function` without shapes.
    Source: TF 2.21 `tf.numpy_function`.
    """
    del stateful, name
    function = _callable("numpy_function", func)
    tensors = [convert_to_tensor(value) for value in inp or ()]
    if here.graph is not None:
        return _staged("numpy_function", function, tensors, Tout)
    found = function(*[tensor.numpy() for tensor in tensors])
    answers = [convert_to_tensor(value) for value in _listed(found)]
    return answers if len(answers) > 1 or not _listed(Tout) else answers[0]


def _callable(name: str, func: Any) -> Callable[..., Any]:
    if not callable(func):
        raise ValueError(f"tf.{name}: Expected func to be callable. Received func={func} of type {type(func)}.")
    return func


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _staged(name: str, function: Callable[..., Any], tensors: Sequence[Tensor], kinds: Any) -> Any:
    """What a program computes that calls `function` on arrays."""
    specs = _listed(kinds)
    for spec in specs:
        if not isinstance(spec, TensorSpec) or not spec.shape.is_fully_defined():
            raise NotImplementedError(
                f"tf.{name}: inside a tf.function XLA has to know the shape of what the Python function answers; give "
                f"Tout=tf.TensorSpec(shape, dtype), got {spec!r}."
            )
    avals = [aval_of(tuple(spec.shape), spec.dtype) for spec in specs]
    answers = record(Op(name, _calling(name, function, avals), many=True, blocked=True), tuple(tensors))
    here.graph.effects.append(answers[-1])
    outputs = list(answers[:-1])
    return outputs if isinstance(kinds, (list, tuple)) else outputs[0]


def _calling(name: str, function: Callable[..., Any], avals: Sequence[Aval]) -> Callable[..., tuple[Any, ...]]:
    """The function on arrays that calls `function` on the host; its last output says that it did."""

    def on_host(*arrays: Any) -> tuple[np.ndarray, ...]:
        # The function's ops are no part of what is being run.
        trace, graph, tapes = here.trace, here.graph, here.tapes
        here.trace, here.graph, here.tapes = Trace(), None, []
        try:
            answers = [np.asarray(answer) for answer in _listed(function(*map(np.asarray, arrays)))]
        finally:
            here.trace, here.graph, here.tapes = trace, graph, tapes
        for answer, aval in zip(answers, avals, strict=True):
            if answer.shape != aval.shape:
                raise InvalidArgumentError.of(f"tf.{name}: expected the shape {aval.shape}, got {answer.shape}.")
        cast = [answer.astype(aval.struct.dtype) for answer, aval in zip(answers, avals, strict=True)]
        return (*cast, np.zeros((), np.int32))

    def call(*arrays: Any) -> tuple[Any, ...]:
        structs = (*[aval.struct for aval in avals], jax.ShapeDtypeStruct((), np.int32))
        return tuple(jax.pure_callback(on_host, structs, *arrays, vmap_method="sequential"))

    return call
