"""Any program gives the same when each op runs at once, when it is flushed once, and when it is read in between."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import tolerance
from tests.conformance.table import tf

UNARY = ("tanh", "sin", "square", "abs", "sigmoid", "negative", "exp", "identity", "stop_gradient", "transpose")
BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "matmul", "where")
REDUCTION = ("reduce_sum", "reduce_mean", "reduce_max")
SLICING = ("rotate", "reverse", "first_row", "corner")
STATE = ("read_variable", "assign", "assign_add", "assign_sub")
OBSERVATION = ("numpy", "float", "drop")
SIDE = 3


@dataclass(frozen=True)
class Step:
    """One instruction: it reads the registers `left` and `right` and writes to `out`."""

    action: str
    left: int
    right: int
    out: int
    number: float


@dataclass(frozen=True)
class Program:
    """Steps outside and inside of a tape, whether that tape is inside another one, and steps on the gradients."""

    before: list[Step]
    taped: list[Step]
    after: list[Step]
    is_nested: bool


STEP = st.builds(
    Step,
    st.sampled_from((*UNARY, *BINARY, *REDUCTION, *SLICING, *STATE, *OBSERVATION)),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from((0.5, -1.0, 0.1, 1.5, 0.0)),
)
PROGRAM = st.builds(
    Program,
    st.lists(STEP, max_size=4),
    st.lists(STEP, min_size=1, max_size=10),
    st.lists(STEP, max_size=4),
    st.booleans(),
)
SETTINGS = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


class Machine:
    """Four registers with tensors and two variables, on which steps act."""

    def __init__(self, does_observe: bool) -> None:
        self.does_observe = does_observe
        rng = np.random.default_rng(0)
        self.registers = [tf.constant(rng.uniform(-1, 1, (SIDE, SIDE)).astype(np.float32)) for _ in range(4)]
        self.variables = [tf.Variable(rng.uniform(-1, 1, (SIDE, SIDE)).astype(np.float32)) for _ in range(2)]

    def run(self, steps: list[Step]) -> None:
        """Executes `steps`; every result is kept in bounds."""
        for step in steps:
            if step.action in OBSERVATION:
                self.observe(step)
            elif step.action in STATE:
                self.touch(step)
            else:
                self.registers[step.out] = tf.tanh(self.compute(step) * step.number + 0.1)

    def observe(self, step: Step) -> None:
        """Reads a register, if this machine may; or discards its value."""
        value = self.registers[step.left]
        if step.action == "drop":
            self.registers[step.left] = tf.constant(np.full((SIDE, SIDE), step.number, np.float32))
        elif self.does_observe:
            value.numpy() if step.action == "numpy" else float(tf.reduce_sum(value))

    def touch(self, step: Step) -> None:
        """Reads a variable into a register, or assigns a register to it."""
        variable = self.variables[step.right % 2]
        if step.action == "read_variable":
            self.registers[step.out] = variable * step.number
        else:
            getattr(variable, step.action)(self.registers[step.left] * step.number)

    def compute(self, step: Step) -> object:
        """The value of a step, of any shape that broadcasts to a register's."""
        left, right = self.registers[step.left], self.registers[step.right]
        if step.action == "where":
            return tf.where(left > right, left, right * step.number)
        if step.action in BINARY:
            return getattr(tf, step.action)(left, right)
        if step.action in REDUCTION:
            return left + getattr(tf, step.action)(left, axis=step.right % 2, keepdims=True)
        if step.action in SLICING:
            return sliced(step.action, left)
        return getattr(tf, step.action)(left)


def sliced(action: str, value: object) -> object:
    """A part of `value`, or its rows in another order."""
    if action == "rotate":
        return tf.concat([value[1:], value[:1]], 0)
    if action == "reverse":
        return value[:, ::-1]
    return value[0] + tf.zeros_like(value) if action == "first_row" else value[-1, -1] + tf.zeros_like(value)


def results(program: Program, does_observe: bool = False) -> list[np.ndarray | None]:
    """All registers, variables and gradients at the end of the program."""
    machine = Machine(does_observe)
    machine.run(program.before)
    sources = [*machine.registers[:2], *machine.variables]
    with tf.GradientTape() if program.is_nested else contextlib.nullcontext() as outer:
        if outer:
            outer.watch(sources[:2])
        with tf.GradientTape() as tape:
            tape.watch(sources[:2])
            machine.run(program.taped)
            loss = tf.add_n(machine.registers)
        gradients = tape.gradient(loss, sources)
        penalty = sum((tf.reduce_sum(g * g) for g in gradients if g is not None), tf.constant(0.0))
    seconds = outer.gradient(penalty, sources) if outer else []
    for index, gradient in enumerate(g for g in gradients if g is not None):
        machine.variables[index % 2].assign_sub(0.1 * gradient)
    machine.run(program.after)
    found = [*machine.registers, *machine.variables, *gradients, *seconds]
    return [None if item is None else item.numpy() for item in found]


def immediate() -> contextlib.AbstractContextManager:
    """The context in which each op runs when it is called."""
    return tf.config.immediate() if tf.__name__ == "tfcompat" else contextlib.nullcontext()


def assert_same(got: list[np.ndarray | None], want: list[np.ndarray | None]) -> None:
    """None in the same places, and numbers as near as gradients have to be."""
    assert [item is None for item in got] == [item is None for item in want]
    for place, (left, right) in enumerate(zip(got, want)):
        if right is not None:
            assert (left.dtype, left.shape) == (right.dtype, right.shape), place
            assert tolerance.is_close(left, right, tolerance.GRADIENT).all(), f"result {place}:\n{left}\n{right}"


@SETTINGS
@given(PROGRAM)
def test_flushed_once_as_run_at_once(program: Program) -> None:
    with immediate():
        want = results(program)
    assert_same(results(program), want)


@SETTINGS
@given(PROGRAM)
def test_reading_in_between_changes_nothing(program: Program) -> None:
    assert_same(results(program, does_observe=True), results(program))


@SETTINGS
@given(PROGRAM)
def test_running_again_gives_the_same(program: Program) -> None:
    first, second = results(program), results(program)
    assert_same(second, first)
