"""Gradients are the same op by op and as one program, step by step and at once.

These tests are specific to tfcompat.
"""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import Phase, given, settings

import tfcompat as tf
from tests import tolerance
from tests.autodiff.reading import values
from tests.conformance.test_random_program import PROGRAM, SETTINGS, STATE, Machine, Program, assert_same, results
from tfcompat._autodiff import backward as walking
from tfcompat._core.programs.program_cache import cache


@pytest.fixture(scope="module")
def by_op():
    """A function that computes the results of a program op by op, or as one compiled program."""
    with pytest.MonkeyPatch.context() as patch:

        def computed(program, is_by_op):
            patch.setattr("tfcompat._core.tracing.flush.runs_op_by_op", lambda *_: is_by_op)
            cache.clear()
            return results(program)

        yield computed


FEW = settings(SETTINGS, max_examples=12, phases=[Phase.generate])


@FEW
@given(program=PROGRAM)
def test_op_by_op_as_one_program(by_op, program: Program):
    assert_same(by_op(program, True), by_op(program, False))


@FEW
@given(program=PROGRAM)
def test_remembered_walk_as_walked_anew(program: Program):
    remembered = [results(program), results(program)][1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "backward", walked_anew)
        patch.setattr("tfcompat._autodiff.tape.backward", walked_anew)
        anew = results(program)
    assert_same(remembered, anew)


def walked_anew(trace, span, targets, sources, customs):
    """`backward` without a memory."""
    return list(walking.Walk(trace, span, customs).run(targets, sources))


def second_derivatives(program: Program, point: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The gradient of a program's loss for its first register at `point`, and the gradient of that one's sum."""
    machine = Machine(does_observe=False)
    x = machine.registers[0] = tf.constant(point)
    machine.registers[1:] = [tf.cast(register, tf.float64) for register in machine.registers[1:]]
    machine.variables = [tf.Variable(tf.cast(variable, tf.float64)) for variable in machine.variables]
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            machine.run([step for step in program.taped if step.action not in LEFT_OUT])
            loss = tf.add_n(machine.registers)
        first = inner.gradient(loss, x)
        total = None if first is None else tf.reduce_sum(first)
    second = None if total is None else outer.gradient(total, x)
    return tuple(None if part is None else part.numpy() for part in (first, second))


# A difference across a kink is not a derivative; `drop` replaces a value by one of float32.
LEFT_OUT = frozenset(("abs", "maximum", "minimum", "where", "reduce_max", "drop", "stop_gradient", *STATE))


@FEW
@given(program=PROGRAM)
def test_second_order_as_finite_differences(program: Program):
    rng = np.random.default_rng(1)
    point, direction = rng.uniform(-1, 1, (2, 3, 3))
    _, second = second_derivatives(program, point)
    ahead, _ = second_derivatives(program, point + tolerance.STEP * direction)
    behind, _ = second_derivatives(program, point - tolerance.STEP * direction)
    difference = 0.0 if ahead is None else float(np.sum(ahead - behind) / (2 * tolerance.STEP))
    derivative = 0.0 if second is None else float(np.sum(second * direction))
    assert tolerance.is_slope(derivative, difference)


def training_step(v, compute):
    """One step of descent on `compute(v)`."""
    with tf.GradientTape() as tape:
        loss = compute(v)
    v.assign_sub(0.1 * tf.convert_to_tensor(tape.gradient(loss, v)))
    return loss


LOSSES = {
    "square": lambda v: tf.reduce_sum(v * v),
    "read in the middle": lambda v: tf.reduce_sum(v * v) * (1.0 if float(tf.reduce_sum(v)) > 0.0 else 2.0),
    "gather": lambda v: tf.reduce_sum(tf.gather(v, [0, 0]) ** 2.0),
    "custom": lambda v: tf.reduce_sum(tf.grad_pass_through(lambda t: t * t)(v * 2.0)),
    "recomputed": lambda v: tf.reduce_sum(tf.recompute_grad(lambda t: tf.sin(t) * t)(v * 2.0)),
    "penalty": lambda v: penalty(v),
    "jacobian": lambda v: tf.reduce_sum(jacobian(v) ** 2.0),
    "custom jacobian": lambda v: tf.reduce_sum(jacobian(v, tf.grad_pass_through(lambda t: t * t)) ** 2.0 * v),
    "forward": lambda v: forward(v),
}


def penalty(v):
    """The squared length of a gradient."""
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v * v)
    return tf.reduce_sum(tape.gradient(y, v) ** 2.0)


def jacobian(v, fn=lambda t: t * t * t):
    """The jacobian of `fn`."""
    with tf.GradientTape() as tape:
        y = fn(v * 1.5)
    return tape.jacobian(y, v)


def forward(v):
    """A product with a direction."""
    with tf.autodiff.ForwardAccumulator(v, tf.ones([3])) as acc:
        y = tf.reduce_sum(v * v * v)
    return acc.jvp(y)


@pytest.mark.parametrize("compute", LOSSES.values(), ids=LOSSES.keys())
def test_fixed_loop_compiles_nothing_after_the_third_step(compute):
    v = tf.Variable([1.0, 0.5, 0.25])
    for _ in range(3):
        training_step(v, compute)
    tf.sync()
    with tf.counted() as counted:
        for _ in range(3):
            training_step(v, compute)
        tf.sync()
    assert (counted.compiles, counted.op_compiles) == (0, 0)


@pytest.mark.parametrize("compute", LOSSES.values(), ids=LOSSES.keys())
def test_fixed_loop_computes_the_same_when_everything_runs_at_once(compute):
    found = []
    for is_immediate in (False, True):
        v = tf.Variable([1.0, 0.5, 0.25])
        with tf.config.immediate(is_immediate):
            losses = [training_step(v, compute) for _ in range(3)]
        found.append((values(losses), values(v.value())))
    assert found[0] == found[1]


def test_tape_that_is_used_up_lets_go_of_what_it_held():
    v = tf.Variable(np.ones(1000, np.float32))
    with tf.GradientTape() as tape:
        m = tf.exp(v)
        y = tf.reduce_sum(m * m)
    g = tape.gradient(y, v)
    g.numpy()
    array = weakref.ref(m._array)
    del m, y
    tf.sync()
    gc.collect()
    assert array() is None
    assert tape.watched_variables()[0] is v


def test_persistent_tape_lets_go_when_it_is_deleted():
    v = tf.Variable(np.ones(1000, np.float32))
    with tf.GradientTape(persistent=True) as tape:
        m = tf.exp(v)
        y = tf.reduce_sum(m * m)
    tape.gradient(y, v).numpy()
    array = weakref.ref(m._array)
    del m, y
    gc.collect()
    assert array() is not None
    del tape
    tf.sync()
    gc.collect()
    assert array() is None


@pytest.mark.parametrize("limit", [1, 150, 1 << 30], ids=["one row", "some rows", "all rows"])
def test_jacobian_in_chunks_is_the_same(monkeypatch, limit):
    monkeypatch.setattr(tf.config.settings, "max_bytes", limit)
    size = 5 + limit.bit_length()
    x = np.linspace(0.0, 1.0, size)
    source = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = tf.sin(source) * tf.reduce_sum(source)
    want = np.diag(np.cos(x) * x.sum()) + np.sin(x)[:, None]
    assert tolerance.is_close(tape.jacobian(y, source).numpy(), want, tolerance.GRADIENT).all()


def test_gradient_function_that_reads_a_value_cannot_be_vectorised():
    @tf.custom_gradient
    def fn(x):
        return x * x, lambda upstream: upstream * float(tf.reduce_sum(upstream))

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    with pytest.raises(NotImplementedError, match="must not read values"):
        tape.jacobian(y, x)
    assert values(tape.gradient(y, x)) == [2.0, 2.0]


def test_custom_gradient_in_a_custom_gradient_of_a_jacobian_under_a_tape_is_refused():
    @tf.custom_gradient
    def inner(u):
        return u * 3.0, lambda upstream: upstream * 7.0

    @tf.custom_gradient
    def fn(x):
        return x * x, lambda upstream: inner(upstream * x)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    assert values(tape.jacobian(y, x)) == [[3.0, 0.0], [0.0, 6.0]]
    with tf.GradientTape():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        with pytest.raises(NotImplementedError, match="a gradient function that itself calls"):
            tape.jacobian(y, x)
