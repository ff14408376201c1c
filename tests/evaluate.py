"""Runs an example under any `tf`: its value, its gradient, and the gradient of its gradient.

The recorder runs it under TensorFlow and the conformance tests under tfcompat. So both compute the same gradients: the
gradient of sum(out * weights) with seeded weights, and of sum(gradient * weights) after that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.cases.dtype import PRECISE, is_differentiable, numpy_dtype
from tests.cases.fill import RUGGED
from tests.cases.recipe import Array, Example, recipes


@dataclass(frozen=True)
class Value:
    """The result of a call: its structure, and the arrays at its leaves."""

    structure: object
    leaves: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Gradient:
    """One array or None per differentiable input, and which are IndexedSlices; None if that does not matter."""

    entries: tuple[np.ndarray | None, ...]
    is_sliced: tuple[bool, ...] | None


@dataclass(frozen=True)
class Refusal:
    """The class of the exception that was raised instead."""

    error: str


Outcome = Value | Gradient | Refusal
Arrays = list[np.ndarray]


# The number of differentiations before the value is read.
VALUE, GRADIENT, SECOND_ORDER = 0, 1, 2


def answer(tf: object, order: int, example: Example, arrays: Arrays | None = None) -> Outcome:
    """The value of one example or its derivative of that order, on other inputs if `arrays` are given."""
    return fetch(tf, order, pending(tf, order, example, example.arrays() if arrays is None else arrays)[order])


def answers(tf: object, calls: list[tuple[int, Example, Arrays]]) -> list[list[Outcome | Exception]]:
    """For each call its results up to its order, all recorded before the first read: one program.

    The outermost tape starts a new program, so a tape that watches nothing surrounds the calls.
    """
    with tf.GradientTape(watch_accessed_variables=False):
        results = [attempt(pending, tf, *call) for call in calls]
    return [fetched(tf, *call, result) for call, result in zip(calls, results)]


def fetched(
    tf: object, order: int, example: Example, arrays: Arrays, results: list[object] | Exception
) -> list[Outcome | Exception]:
    """The values of `results`; values that cannot be computed together are computed one by one."""
    orders = range(order + 1)
    if isinstance(results, Exception):
        return [attempt(answer, tf, each, example, arrays) for each in orders]
    found = [attempt(fetch, tf, each, result) for each, result in zip(orders, results)]
    return [
        attempt(answer, tf, each, example, arrays) if isinstance(outcome, Exception) else outcome
        for each, outcome in zip(orders, found)
    ]


def attempt(function: Callable[..., object], *args: object) -> object:
    """The result of `function`, or its exception."""
    try:
        return function(*args)
    except Exception as error:
        return error


def pending(tf: object, order: int, example: Example, arrays: Arrays) -> list[object]:
    """The result of the example and its derivatives up to `order`, not yet read."""
    tensors = tensors_of(tf, arrays)
    if order == VALUE:
        return [example.call(tf, tensors)]
    sources = [tensor for tensor in tensors if is_differentiable(tensor.dtype.name)]
    return (with_gradient if order == GRADIENT else with_second_order)(tf, example, tensors, sources)


def tensors_of(tf: object, arrays: Arrays) -> list[object]:
    """The inputs as tensors."""
    return [tf.constant(array) for array in arrays]


def fetch(tf: object, order: int, result: object) -> Outcome:
    """Reads a value, or the derivatives of an order."""
    return fetch_value(tf, result) if order == VALUE else fetch_gradient(tf, result)


def fetch_value(tf: object, result: object) -> Value:
    """Reads `result`."""
    leaves: list[object] = []
    structure = describe(tf, result, leaves)
    return Value(structure, tuple(read(tf, leaf) for leaf in leaves))


def has_gradient(example: Example) -> bool:
    """Whether the first derivative is compared: if TensorFlow differentiates with respect to any of the inputs.

    This holds for one dtype of each kind: a rule for bfloat16 and complex64 holds for float16 and complex128 too.
    """
    names = {recipe.dtype for recipe in recipes((example.args, example.attributes))}
    return example.distance <= 1 and any(map(is_differentiable, names)) and not {"float16", "complex128"} & names


def has_second_order(example: Example) -> bool:
    """Whether the second derivative is compared.

    It is for 32 and 64 bit floats, where it has digits to compare, and not where it is an accident: of nothing, of nan,
    or at the zeros and ties at which TensorFlow's differs from op to op with the formula of the first derivative.
    """
    found = list(recipes((example.args, example.attributes)))
    names = [recipe.dtype for recipe in found if is_differentiable(recipe.dtype)]
    is_apart = all(recipe.fill not in RUGGED and 0 not in recipe.shape for recipe in found if isinstance(recipe, Array))
    return bool(names) and example.distance == 0 and is_apart and all(name in PRECISE for name in names)


def with_gradient(tf: object, example: Example, tensors: list[object], sources: list[object]) -> list[object]:
    """The value, and the gradient of sum(out * weights) for each of `sources`."""
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        result = example.call(tf, tensors)
        targets, weights = weighted(tf, example, result)
    return [result, tape.gradient(targets, sources, output_gradients=weights)]


def with_second_order(tf: object, example: Example, tensors: list[object], sources: list[object]) -> list[object]:
    """The value, the gradient, and the gradient of sum(gradient * weights); the last empty if there is no gradient."""
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        result, found = with_gradient(tf, example, tensors, sources)
        firsts = [tf.convert_to_tensor(entry) for entry in found if entry is not None]
    if not firsts:
        return [result, found, []]
    weights = [tf.constant(second_weights(example, i, entry)) for i, entry in enumerate(firsts)]
    return [result, found, tape.gradient(firsts, sources, output_gradients=weights)]


def second_weights(example: Example, i: int, entry: object) -> np.ndarray:
    """The weights of the gradient's `i`-th entry that is not None."""
    return seeded(f"{example.name} second {i}", entry)


def first_weights(example: Example, i: int, leaf: object) -> np.ndarray:
    """The weights of the `i`-th floating output."""
    return seeded(f"{example.name} {i}", leaf)


def weighted(tf: object, example: Example, result: object) -> tuple[list[object], list[object] | None]:
    """The leaves of `result` to differentiate, with a weight for each: all of them unweighted if none is floating."""
    leaves: list[object] = []
    describe(tf, result, leaves)
    tensors = [leaf for leaf in leaves if tf.is_tensor(leaf)]
    floating = [leaf for leaf in tensors if is_differentiable(leaf.dtype.name)]
    if not floating:
        return tensors, None
    return floating, [tf.constant(first_weights(example, i, leaf)) for i, leaf in enumerate(floating)]


def seeded(key: str, like: object) -> np.ndarray:
    """Fixed weights of the shape and dtype of a tensor or array, each between 0.5 and 1.5 in size."""
    shape, dtype = tuple(like.shape), like.dtype.name
    seed = int.from_bytes(hashlib.sha256(f"{key} {shape}".encode()).digest()[:8], "little")
    rng = np.random.default_rng(seed)
    weights = (0.5 + rng.random(shape)) * np.where(rng.random(shape) < 0.5, -1, 1)
    if dtype.startswith("complex"):
        weights = weights + 1j * (0.5 + rng.random(shape))
    return np.asarray(weights).astype(numpy_dtype(dtype))


def describe(tf: object, result: object, leaves: list[object]) -> object:
    """The structure of `result` as JSON, its tensors and arrays put into `leaves`."""
    if result is None or isinstance(result, bool | int | float | str):
        return result
    if isinstance(result, tf.IndexedSlices):
        return {"IndexedSlices": [describe(tf, part, leaves) for part in (result.values, result.indices)]}
    if isinstance(result, tf.RaggedTensor):
        return {"RaggedTensor": describe(tf, [result.flat_values, *result.nested_row_splits], leaves)}
    if isinstance(result, tf.SparseTensor):
        return {"SparseTensor": describe(tf, [result.indices, result.values, result.dense_shape], leaves)}
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        parts = {name: describe(tf, part, leaves) for name, part in zip(result._fields, result, strict=True)}
        return {type(result).__name__: parts}
    if isinstance(result, dict):
        return {"dict": {key: describe(tf, part, leaves) for key, part in result.items()}}
    if isinstance(result, list | tuple):
        return {type(result).__name__: [describe(tf, part, leaves) for part in result]}
    if isinstance(result, tf.DType):
        return f"tf.{result.name}"
    assert tf.is_tensor(result) or isinstance(result, np.ndarray | np.generic), f"of no known kind: {result!r}"
    leaves.append(result)
    return "tensor" if tf.is_tensor(result) else type(result).__name__


def read(tf: object, leaf: object) -> np.ndarray:
    """The leaf's array; its properties before the read must agree with it."""
    if not tf.is_tensor(leaf):
        return np.asarray(leaf)
    shape, dtype = tuple(leaf.shape), leaf.dtype.name
    array = np.asarray(leaf.numpy(), object if dtype == "string" else None)
    assert (array.shape, array.dtype) == (shape, numpy_dtype(dtype)), (
        f"promised {dtype}{list(shape)}, gave {array.dtype}{list(array.shape)}"
    )
    return array


def fetch_gradient(tf: object, entries: list[object]) -> Gradient:
    """Reads gradients; IndexedSlices are made dense, and marked."""
    is_sliced = tuple(isinstance(entry, tf.IndexedSlices) for entry in entries)
    arrays = [None if entry is None else read(tf, tf.convert_to_tensor(entry)) for entry in entries]
    return Gradient(tuple(arrays), is_sliced)
