"""Python functions called on values: `tf.py_function` and `tf.numpy_function`."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from tfcompat._autodiff.connection import UnconnectedGradients
from tfcompat._autodiff.custom import custom_gradient
from tfcompat._autodiff.tape import GradientTape
from tfcompat._autodiff.watcher import accessing
from tfcompat._core.calls.by_row import apart, element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.host_call import sources
from tfcompat._core.structure.spec import CompositeSpec, TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import TRAINABLE, DType, as_dtype, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.graphs.answers import name_of, note_shapes
from tfcompat._function.graphs.awaited import staged
from tfcompat._function.graphs.called import Answer, Arrays, Site, error_for, observed
from tfcompat._function.graphs.untraced import eager


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """`func` of the tensors `inp`, called as Python: at once, or whenever the enclosing `tf.function` runs.

    `Tout` is the dtype of the result, or a list of dtypes for several results. A `tf.TensorSpec` also gives the shape;
    the type spec of a ragged or a sparse tensor stands for such a result.
    Inside a `tf.function` XLA needs the shape before a result is used: from `Tout`, or from `set_shape`,
    `tf.ensure_shape` or `tf.reshape` of the result. If it is not given, later calls expect that of the first one, and
    the Python code runs only for others. Without `func` it is a decorator.

    Shapes: those that `func` returns.
    Dtypes: `Tout`.
    Gradient: through the ops of `func`, as if they were called directly; inside a `tf.function` only the first.
    Raises: InvalidArgumentError, UnknownError, OutOfRangeError, ResourceExhaustedError or UnimplementedError for an
      exception of `func`; InvalidArgumentError for a result of another dtype or shape; TypeError without `inp` or
      `Tout`.
    Source: TF 2.21 `tf.py_function`.
    """
    if func is None:
        return _decorator(py_function, inp, Tout, name)
    tensors, shapes, dtypes = _read("py_function", func, inp, Tout)
    if element_trace() is not None:
        outputs = _by_row("py_function", _eager(func, tensors, dtypes), _parts(tensors), shapes, dtypes)
    elif here.graph is not None:
        call, inputs = _with_texts(functools.partial(_differentiated, func, tensors, dtypes), _parts(tensors))
        outputs = staged(Site("py_function", call, name_of(func)), inputs, shapes, dtypes, has_gradient=True)
    else:
        try:
            outputs = _directly(func, tensors, dtypes)
        except Exception as error:
            raise error_for("py_function", error) from error
    return _in_structure(outputs, Tout)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`func` of the values of `inp` as NumPy arrays: called at once, or whenever the enclosing `tf.function` runs.

    `Tout` is as in `tf.py_function`. Outside of a `tf.function` it is ignored: the result is the list of the values in
    the structure that `func` returns, or a single value. Calls are never removed or reordered, whether `stateful` or
    not.

    Shapes: those that `func` returns.
    Dtypes: those that `func` returns; inside a `tf.function` `Tout`.
    Gradient: None.
    Raises: the exceptions of `func`; inside a `tf.function` those of `tf.py_function`.
    Source: TF 2.21 `tf.numpy_function`.
    """
    if func is None:
        return _decorator(functools.partial(numpy_function, stateful=stateful), inp, Tout, name)
    tensors, shapes, dtypes = _read("numpy_function", func, inp, Tout)
    if here.graph is None and here.untraced is None:
        with eager():
            found = nest.flatten(func(*map(np.array, inp)))
        outputs = [None if value is None else convert_to_tensor(value) for value in found]
        return outputs[0] if len(outputs) == 1 else outputs
    if element_trace() is not None:
        call = functools.partial(_computed, func, dtypes)
        return _in_structure(_by_row("numpy_function", call, tensors, shapes, dtypes, has_effects=stateful), Tout)
    call, inputs = _with_texts(functools.partial(_computed, func, dtypes), tensors)
    if here.graph is not None:
        outputs = staged(Site("numpy_function", call, name_of(func)), inputs, shapes, dtypes, has_gradient=False)
    else:
        outputs = _untraced(call, name_of(func), inputs, shapes, dtypes)
    return _in_structure(outputs, Tout)


def _untraced(
    call: Callable[[Arrays], Answer],
    function: Hashable,
    inputs: Sequence[Tensor],
    shapes: Sequence[TensorShape],
    dtypes: Sequence[DType],
) -> list[Tensor]:
    """The results of `call`, which calls `function`, in a function that runs its Python code."""
    arrays = [tensor.numpy() for tensor in inputs]
    uses_variables = False

    def compute() -> Answer:
        nonlocal uses_variables
        with observed() as watcher:
            answer = call(arrays)
        uses_variables = bool(watcher.variables)
        return answer

    try:
        answer = compute() if here.answers is None else here.answers.call(function, compute)
    except Exception as error:
        raise error_for("numpy_function", error) from error
    _require_shapes("numpy_function", answer.values, shapes)
    # In a program they would have the values from before the call.
    shapes_found = None if uses_variables else tuple([value.shape for value in answer.values])
    note_shapes(function, [tensor.shape for tensor in inputs], shapes_found)
    return [convert_to_tensor(value, dtype) for value, dtype in zip(answer.values, dtypes, strict=True)]


def _directly(func: Callable[..., Any], tensors: Sequence[Any], dtypes: Sequence[DType]) -> list[Tensor]:
    """The results of `func`, whose ops belong to the code around it."""
    if here.untraced is None:
        with eager():
            return _converted(func(*tensors), dtypes)
    name, made = name_of(func), None
    inputs = [tensor for tensor in _parts(tensors) if tensor.dtype is not string]
    given = [tensor.shape for tensor in inputs]
    # Without a watcher, functions that it calls run programs of their own.
    is_watched = here.untraced.code.answer_shapes.may_recur(name, given)

    def compute() -> Answer:
        nonlocal made
        with accessing() if is_watched else nullcontext() as watcher, eager():
            made = _converted(func(*tensors), dtypes)
        if watcher is not None:
            shapes = None if watcher.variables else tuple([output._aval.shape for output in made])
            note_shapes(name, given, shapes)
        return Answer(() if here.answers is None else list(map(np.asarray, made)))

    answer = compute() if here.answers is None else here.answers.call(name, compute)
    return _with_gradient(answer, inputs, dtypes) if made is None else made


def _with_gradient(answer: Answer, inputs: Sequence[Tensor], dtypes: Sequence[DType]) -> list[Tensor]:
    """The results of a call with the numeric `inputs` that a program has made."""

    def results(*inputs: Tensor) -> tuple[list[Tensor], Callable[..., Any]]:
        def pulled(*upstream: Tensor) -> list[Tensor]:
            assert answer.pull is not None
            given = {k: each.numpy() for k, each in enumerate(upstream) if dtypes[k] in TRAINABLE}
            return list(map(Tensor, answer.pull(given)[: len(inputs)]))

        return list(map(convert_to_tensor, answer.values, dtypes)), pulled

    return custom_gradient(results)(*inputs)


def _require_shapes(name: str, values: Arrays, shapes: Sequence[TensorShape]) -> None:
    """Raises InvalidArgumentError if a Python function has returned `values` that don't have these `shapes`."""
    for array, shape in zip(values, shapes, strict=True):
        if not shape.is_compatible_with(array.shape):
            raise InvalidArgumentError.of(
                f"tf.{name}: the Python function returned an array of shape {array.shape}, expected {shape}."
            )


def _decorator(call: Callable[..., Any], inp: Any, kinds: Any, name: str | None) -> Callable[..., Any]:
    if inp is not None:
        raise TypeError("Don't set the `inp` argument when using tf.py_function as a decorator (`func=None`).")

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def called(*args: Any) -> Any:
            return call(func, args, kinds, name=name)

        return called

    return decorate


def _read(name: str, func: Any, inp: Any, kinds: Any) -> tuple[list[Any], list[TensorShape], list[DType]]:
    """The inputs, and the shapes and dtypes of the outputs."""
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    if inp is None:
        raise TypeError(f"tf.{name}: Missing argument `inp`, the list of the function's arguments.")
    if kinds is None:
        raise TypeError(f"tf.{name}: Missing required argument: 'Tout'")
    listed = _expanded(_listed(kinds))
    shapes = [kind.shape if isinstance(kind, TensorSpec) else TensorShape(None) for kind in listed]
    dtypes = [as_dtype(kind.dtype if isinstance(kind, TensorSpec) else kind) for kind in listed]
    return [_entering(value) for value in inp], shapes, dtypes


def _entering(value: Any) -> Any:
    """`value` as an input: a composite tensor as it is, anything else as a tensor."""
    return value if is_composite(type(value)) else convert_to_tensor(value)


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _expanded(values: Sequence[Any]) -> list[Any]:
    """`values` with the components of composites, or of their specs, in place of these."""
    parts = [nest.flatten(each, expand_composites=True) if is_composite(type(each)) else [each] for each in values]
    return list(itertools.chain.from_iterable(parts))


def _in_structure(outputs: list[Tensor], kinds: Any) -> Any:
    listed = _listed(kinds)
    if any(isinstance(kind, CompositeSpec) for kind in listed):
        outputs = nest.packed(listed, outputs, expand_composites=True)
    return outputs if isinstance(kinds, (list, tuple)) else outputs[0]


def _with_texts(call: Callable[[Arrays], Answer], tensors: Sequence[Tensor]) -> tuple[Callable[..., Any], list[Tensor]]:
    """`call` as a function of numeric arrays, and the tensors of these: strings are computed on the host."""
    places = [k for k, tensor in enumerate(tensors) if tensor.dtype is not string]
    read, values = sources([tensor for tensor in tensors if tensor.dtype is string])
    count = len(places)

    def with_texts(arrays: Arrays) -> Answer:
        numbers, texts = iter(arrays[:count]), iter(values(*arrays[count:]))
        answer = call([next(texts) if tensor.dtype is string else next(numbers) for tensor in tensors])
        if answer.pull is None:
            return answer
        pull = answer.pull

        def pulled(upstream: dict[int, np.ndarray]) -> list[np.ndarray]:
            found = pull(upstream)
            return [*[found[k] for k in places], *map(np.zeros_like, arrays[count:])]

        return Answer(answer.values, pulled)

    return with_texts, [*[tensors[k] for k in places], *read]


def _eager(func: Callable[..., Any], like: Sequence[Any], dtypes: Sequence[DType]) -> Callable[[Arrays], Answer]:
    """`func` of tensors as a function of arrays, whose ops nothing else records."""

    def call(arrays: Arrays) -> Answer:
        given = nest.pack_sequence_as(list(like), list(map(Tensor, arrays)), expand_composites=True)
        with apart():
            return Answer([np.asarray(output) for output in _converted(func(*given), dtypes)])

    return call


def _by_row(
    name: str,
    call: Callable[[Arrays], Answer],
    tensors: Sequence[Tensor],
    shapes: Sequence[TensorShape],
    dtypes: Sequence[DType],
    *,
    has_effects: bool = True,
) -> list[Tensor]:
    """The results of `call` for each element of a dataset."""
    trace = element_trace()
    assert trace is not None

    def compute(values: Mapping[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
        del values
        try:
            found = call(list(arrays)).values
        except Exception as error:
            raise error_for(name, error) from error
        _require_shapes(name, found, shapes)
        return list(found)

    dims = [None if shape.rank is None else shape.as_list() for shape in shapes]
    outputs = list(zip(dims, dtypes, strict=True))
    return trace.hosted(name, compute, tensors, outputs, has_effects=has_effects)


def _converted(found: Any, dtypes: Sequence[DType]) -> list[Tensor]:
    """The results of a Python function as tensors of `dtypes`."""
    values = _expanded(_listed(found))
    if len(values) < len(dtypes):
        raise ValueError(f"the Python function returned {len(values)} values, expected {len(dtypes)}")
    return [convert_to_tensor(value, dtype) for value, dtype in zip(values, dtypes, strict=False)]


def _parts(values: Sequence[Any]) -> list[Tensor]:
    """The tensors in `values`, which are tensors and composites."""
    return nest.flatten(list(values), expand_composites=True)


def _differentiated(func: Callable[..., Any], like: Sequence[Any], dtypes: Sequence[DType], arrays: Arrays) -> Answer:
    """The results of `func` for tensors `like` the recorded ones, and their derivative."""
    inputs = [Tensor(np.array(array)) for array in arrays]
    given = nest.pack_sequence_as(list(like), inputs, expand_composites=True)
    moving = [tensor for tensor in inputs if tensor.dtype in TRAINABLE]
    with GradientTape(persistent=True) as tape:
        tape.watch(moving)
        outputs = _converted(func(*given), dtypes)
    values = [np.asarray(output) for output in outputs]

    def pull(upstream: dict[int, np.ndarray]) -> list[np.ndarray]:
        targets = [outputs[k] for k in upstream]
        weights = [Tensor(np.array(gradient)) for gradient in upstream.values()]
        found = tape.gradient(targets, inputs, weights, UnconnectedGradients.ZERO)
        return [np.asarray(convert_to_tensor(gradient)) for gradient in found]

    return Answer(values, pull)


def _computed(func: Callable[..., Any], dtypes: Sequence[DType], arrays: Arrays) -> Answer:
    """The results of `func` for arrays."""
    values = [np.asarray(value) for value in _listed(func(*[np.array(array)[()] for array in arrays]))]
    if len(values) != len(dtypes):
        raise ValueError(f"the Python function returned {len(values)} values, expected {len(dtypes)}")
    for k, (value, dtype) in enumerate(zip(values, dtypes, strict=True)):
        if dtype is string:
            values[k] = convert_to_tensor(value, string).__array__()
        elif value.dtype != dtype.as_numpy_dtype:
            raise ValueError(f"value {k} returned by the Python function is {value.dtype}, but expects {dtype.name}")
    return Answer(values)
