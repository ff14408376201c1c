"""Shapes that are inferred for all sizes at once are those that JAX infers for each."""

from __future__ import annotations

import jax
import pytest

import tfcompat as tf
from tests import evaluate
from tests.conformance.table import ROWS, accepted, is_present
from tfcompat._core.calls.declare import registry
from tfcompat._core.operation.inference import _WITHOUT_RULE, Inference, Rule, _pattern
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._core.types.aval import aval_like, aval_of

# The examples of each name that are recorded, with their gradients.
MOST = 1
# New sizes in place of the different ones, from the first on.
CHANGES = [
    lambda size, _: size + 1,
    lambda size, k: 3 * size + 1 + k,
    lambda _, k: 7 + 5 * k,
]
# The ops that were tested, with their signatures: many names record the same.
TESTED = set()
# Names whose ops infer their results themselves, and the number of their examples that are recorded.
INFERRING = {name for name, declared in registry.items() if declared.infers}
INFERRING |= {"cast", "gather", "linalg.band_part", "nn.conv2d", "reshape"}
# It is a step only if the shape is not known.
INFERRING -= {"ensure_shape"}
MOST_INFERRING = 8


def recorded(name, *, is_inferred):
    """The ops of the examples of `name` and their gradients, with their signatures.

    They are those that infer their results themselves, if `is_inferred`, or those that ask JAX.
    """
    found = {}
    for each in accepted(name)[: MOST_INFERRING if is_inferred else MOST]:
        here.trace = trace = Trace()
        with tf.GradientTape(watch_accessed_variables=False):
            evaluate.attempt(evaluate.pending, tf, evaluate.GRADIENT, each.example, each.example.arrays())
        for node in trace.node.path():
            if node.op is not None and not node.op.is_elementwise and (node.op.infers is not None) == is_inferred:
                found[node.op, node.signature] = None
    here.trace = Trace()
    return list(found)


def changed(avals, change):
    """`avals` with other sizes in the same pattern, or None if the pattern changes with them."""
    pattern, values = _pattern(avals)
    sizes = {size: change(size, k) for k, size in enumerate(values)}
    other = tuple(aval_of(tuple(sizes.get(size, size) for size in aval.shape), aval.dtype) for aval in avals)
    return other if _pattern(other)[0] == pattern else None


def by_jax(op, avals):
    """The outputs of `op` from JAX, or None if it refuses."""
    try:
        with jax.enable_x64(True):
            return tuple(map(aval_like, jax.eval_shape(op.outputs, *[aval.struct for aval in avals])))
    except Exception:
        return None


def some_names():
    """The names, of which the daily run has a fifth."""
    return [
        pytest.param(name, marks=pytest.mark.thorough if k % 5 or name.startswith("raw_ops.") else ())
        for k, name in enumerate(filter(is_present, ROWS))
    ]


@pytest.mark.parametrize("name", some_names())
def test_shapes_for_all_sizes_are_those_for_each(name):
    wrong = []
    for op, avals in recorded(name, is_inferred=False):
        if (op, avals) in TESTED:
            continue
        TESTED.add((op, avals))
        inference = Inference(op.fn, op.many)
        # The next outputs are JAX's, and a rule is found.
        inference.rules[_pattern(avals)[0]] = _WITHOUT_RULE
        inference(avals)
        for change in CHANGES:
            other = changed(avals, change)
            wanted = None if other is None else by_jax(op, other)
            if wanted is not None and inference(other) != wanted:
                wrong.append(f"{op!r} for {other}: {inference(other)}, JAX infers {wanted}")
    assert not wrong, "\n".join(wrong)


def with_symbols(avals):
    """`avals` with symbols for the different sizes."""
    _, values = _pattern(avals)
    names = ", ".join(f"n{k}" for k in range(len(values)))
    symbols = dict(zip(values, jax.export.symbolic_shape(names), strict=True)) if values else {}
    return tuple(aval_of(tuple(symbols.get(size, size) for size in aval.shape), aval.dtype) for aval in avals)


@pytest.mark.parametrize("name", sorted(INFERRING & ROWS.keys()))
def test_shapes_that_ops_infer_themselves_are_those_of_jax(name):
    wrong, number = [], 0
    for op, avals in recorded(name, is_inferred=True):
        for other in (avals, *[changed(avals, change) for change in CHANGES], with_symbols(avals)):
            wanted = None if other is None else by_jax(op, other)
            found = None if wanted is None else op.infers(*other)
            number += found is not None
            if found is not None and (found,) != wanted:
                wrong.append(f"{op!r} for {other}: {found}, JAX infers {wanted}")
    assert not wrong, "\n".join(wrong)
    assert number


def test_a_rule_is_used_after_some_sizes():
    inference = Inference(lambda x, y: x @ y, many=False)
    calls = []
    asked = inference._asked
    for rows in (3, 5, 7, 9, 11):
        avals = (aval_of((rows, 4), tf.float32), aval_of((4, 2), tf.float32))
        assert inference(avals) == asked(avals)
        calls.append(any(isinstance(rule, Rule) for rule in inference.rules.values()))
    assert calls == [False, False, True, True, True]


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8])
def test_a_size_that_the_function_asks_for_is_no_part_of_the_rule(size):
    inference = Inference(lambda x: x[:1] if x.shape[0] == 4 else x[1:], many=False)
    for known in (6, 7, 11, 12, 13):
        inference((aval_of((known,), tf.float32),))
    (found,) = inference((aval_of((size,), tf.float32),))
    assert found.shape == ((1,) if size == 4 else (size - 1,))


@pytest.mark.parametrize("size", [2, 3, 9, 10])
def test_a_remainder_that_the_function_asks_for_is_no_part_of_the_rule(size):
    inference = Inference(lambda x: x[1:] if x.shape[0] % 2 == 0 else x, many=False)
    for known in (5, 7, 11, 13, 15):
        inference((aval_of((known,), tf.float32),))
    (found,) = inference((aval_of((size,), tf.float32),))
    assert found.shape == (size - 1 + size % 2,)


def test_a_function_that_orders_sizes_is_asked_each_time():
    inference = Inference(lambda x: x[:3] if x.shape[0] > 5 else x, many=False)
    shapes = [inference((aval_of((size,), tf.float32),))[0].shape for size in (3, 4, 6, 7, 5, 8)]
    assert shapes == [(3,), (4,), (3,), (3,), (5,), (3,)]
    assert list(inference.rules.values()) == [None]
