"""Functions with loops and branches: recordings that differ in sizes only are one family."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tests.core.family import loop
from tests.core.family.loop import P, floats, traced
from tests.core.family.recorded import arguments, exact, recorded
from tests.daily import without
from tests.jaxpr.padded.trial import with_garbage
from tests.naming import name_of
from tests.stack import with_room
from tfcompat._core.operation.op import Op
from tfcompat._core.programs.family.family import generalised
from tfcompat._core.types.aval import Aval, SymbolicAval, aval_of
from tfcompat._jaxpr.padded.evaluation import padded
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.size import is_open, value_of

BLOCKS = {"cond", "switch_case", "while_loop", "scan", "map_fn", "foldl", "foldr", "vectorized_map"}
# They have the parts of another case, in another order, or with an open size; `make thorough` runs them.
VARIANTS = {loop.second_while, loop.lstm_reversed, loop.drawn_open, loop.nested_open, loop.cond_open}
VARIANTS |= {loop.second, loop.lstm_scan, loop.scan_without_start, loop.nested, loop.custom_open, loop.at_most}
VARIANTS |= {loop.cond_on_count, loop.array_partly, loop.alternating, loop.tape_inside, loop.triangular, loop.strided}
VARIANTS |= {loop.mapped_pairs, loop.array_dynamic, loop.array_read, loop.vectorized_one, loop.quadratic}


@pytest.fixture(
    scope="module",
    params=without(VARIANTS, loop.CASES),
    ids=lambda step: step.__name__,
)
def family_and_third(request):
    """The family of two recordings of a step, and a third recording."""

    def made():
        first, second, third = (recorded(request.param, size) for size in (11, 16, 7))
        return generalised(first.path, second.path), third

    return with_room(made)


def close(got, wanted):
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    scale = max(1e-3, np.abs(wanted).max())
    np.testing.assert_allclose(got / scale, wanted / scale, atol=2e-6)


def by_padded_program(family, recording, room):
    """The results of the family's jaxpr on arrays that are `room` longer, with garbage behind their contents."""
    jaxpr = family.jaxpr(recording.outputs)
    sizes = family.checked(recording.path)
    largest = {name: size + room for name, size in sizes.items()}
    given = []
    for aval, array in zip(jaxpr.in_avals, arguments(recording, family.plan(recording.outputs)), strict=True):
        is_padded = any(map(is_open, aval.shape))
        given.append(with_garbage(array, physical_shape(aval.shape, largest)) if is_padded else array)
    with jax.enable_x64(True):
        found = jax.jit(padded(jaxpr, largest))({name: np.int32(size) for name, size in sizes.items()}, *given)
    for aval, array in zip(jaxpr.out_avals, found, strict=True):
        yield np.asarray(array)[tuple(slice(value_of(size, sizes)) for size in aval.shape)]


def test_a_third_recording_is_computed_by_the_family_of_two(family_and_third):
    family, third = family_and_third
    found = list(by_padded_program(family, third, 6))
    flags = found[len(third.outputs) :]
    for got, wanted in zip(found, exact(third), strict=bool(not flags)):
        close(got, wanted)
    assert not any(map(np.any, flags))


def with_sizes(value, sizes):
    """`value`, an argument of a recipe, with the values of its symbols in place of them."""
    if isinstance(value, tuple):
        return tuple([with_sizes(part, sizes) for part in value])
    if isinstance(value, (Aval, SymbolicAval)):
        return aval_of(tuple([value_of(size, sizes) for size in value.shape]), value.dtype)
    if isinstance(value, Op):
        if value.recipe is None:
            return value
        made = value.recipe.made(with_sizes(value.recipe.sized, sizes))
        made.recipe = value.recipe._replace(sized=with_sizes(value.recipe.sized, sizes))
        return made
    return value_of(value, sizes) if is_open(value) else value


def written(op, signature):
    """The text of the jaxpr of `op`."""
    with jax.enable_x64(True):
        return name_of(jax.make_jaxpr(op.outputs)(*[aval.struct for aval in signature]))


def test_an_op_made_again_for_plain_sizes_computes_the_same(family_and_third):
    family, third = family_and_third
    sizes = family.checked(third.path)
    blocks = [pair for pair in zip(family.path, third.path, strict=True) if pair[1].op and pair[1].op.name in BLOCKS]
    assert blocks
    for symbolic, node in blocks:
        made = with_sizes(symbolic.op, sizes)
        assert written(made, node.signature) == written(node.op, node.signature)


def repeated(factor=0.5, start=0, function=tf.tanh, checks=False, reverse=False, rows=1):
    """A recording's step with a loop that differs in one thing from another such loop."""

    def step(n):
        def loss(x):
            def body(i, y):
                if checks:
                    tf.debugging.assert_less(tf.reduce_max(y), 100.0)
                return i + rows, function(y @ P * factor + x[i])

            if reverse:
                found = tf.scan(lambda y, row: function(y @ P * factor + row), x, tf.ones([3, 4]), reverse=True)
                return tf.reduce_sum(found)
            return tf.reduce_sum(tf.while_loop(lambda i, _: i < n, body, (start, tf.ones([3, 4])))[1])

        return traced(loss, floats(n, 3, 4))

    return step


def test_loops_that_differ_in_sizes_only_have_one_skeleton():
    assert recorded(repeated(), 5).path[-1].skeleton() == recorded(repeated(), 9).path[-1].skeleton()


@pytest.mark.parametrize(
    "changed",
    [
        {"factor": 0.25},
        {"factor": -0.0},
        {"start": 1},
        {"function": tf.sin},
        {"checks": True},
        {"reverse": True},
        {"rows": 2},
    ],
    ids=lambda changed: "".join(changed),
)
def test_loops_that_differ_in_something_else_have_others(changed):
    alike = {"factor": 0.0} if changed == {"factor": -0.0} else {}
    assert recorded(repeated(**alike), 6).path[-1].skeleton() != recorded(repeated(**changed), 8).path[-1].skeleton()


def test_branches_that_differ_in_something_else_have_others():
    def step(n, other, swaps=False):
        def loss(x):
            pair = (lambda: x * 2.0), (lambda: other(x))
            return tf.reduce_sum(tf.cond(x[0, 0] > 0.0, *(pair[::-1] if swaps else pair)))

        return traced(loss, floats(n, 4))

    first = recorded(step, 5, tf.sin).path[-1].skeleton()
    assert first == recorded(step, 9, tf.sin).path[-1].skeleton()
    assert first != recorded(step, 9, tf.cos).path[-1].skeleton()
    assert first != recorded(step, 9, tf.sin, True).path[-1].skeleton()


def test_a_loop_of_a_table_of_numbers_is_no_other_loop():
    """The numbers 1, 2, 4, ... are not a progression: tables of several lengths are several loops."""

    def step(n, factor):
        def loss(x):
            found = tf.while_loop(
                lambda i, *_: i < n, lambda i, k, y: (i + 1, k * factor, y + x * tf.cast(k, tf.float32)), (0, 1, x)
            )
            return tf.reduce_sum(found[2])

        return traced(loss, floats(4))

    keys = [recorded(step, *pair).path[-1].skeleton() for pair in ((5, 2), (5, 2), (6, 2), (5, 3))]
    assert keys[0] == keys[1]
    assert keys[0] not in keys[2:]


@pytest.mark.parametrize("size", [0, 1])
def test_sizes_of_0_and_1_belong_to_no_family(size):
    family = generalised(recorded(loop.lstm_scan, 11).path, recorded(loop.lstm_scan, 16).path)
    assert family.sizes_of(recorded(loop.lstm_scan, 2).path) == {"s0": 2}
    assert family.sizes_of(recorded(loop.lstm_scan, size).path) is None


def test_a_limit_that_follows_the_size_is_an_expression():
    family = generalised(recorded(loop.at_most, 5).path, recorded(loop.at_most, 9).path)
    assert family.sizes_of(recorded(loop.at_most, 20).path) == {"s0": 20}
