"""Runs a random program under TensorFlow or tfcompat, whichever `tf` is, and returns all its results."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tests.fuzz.action import ACTIONS
from tests.fuzz.program import Program, Step

REGISTERS = 8
# A larger result is summed.
ELEMENTS = 200
# Actions that may be refused because of values. tfcompat refuses these at the read, so they are read at once.
VALUE_CHECKS = (
    "math.floordiv of integers",
    "math.floormod of integers",
    "integer_beside_number",
    "gather",
    "segments",
    "scatter",
)


def outcome(tf: Any, program: Program) -> dict[str, Any]:
    """The results of `program` under `tf`: arrays, None, or the names of errors, each under the name of its place."""
    return Machine(tf, program).run()


class Machine:
    """The registers and variables of steps."""

    def __init__(self, tf: Any, program: Program) -> None:
        self.tf = tf
        self.program = program
        rng = np.random.default_rng(program.seed)
        *floating, integer = program.shapes
        first = [tf.constant(rng.normal(size=shape).astype(program.dtype)) for shape in floating]
        self.registers: list[Any] = [*first, tf.constant(rng.integers(0, 3, integer), tf.int32)]
        self.variables = [tf.Variable(rng.normal(size=shape).astype(program.dtype)) for shape in floating[:2]]
        self.told: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """Runs it all."""
        if self.program.way == "decorated":
            self.tell("result", lambda: self.tf.function(self.body, autograph=False)(self.registers))
        else:
            self.body(self.registers)
        self.tell("variables", lambda: self.variables)
        return self.told

    def body(self, registers: list[Any]) -> Any:
        """The three parts; in a function it returns the gradients and the registers."""
        self.registers = list(registers)
        way, tf = self.program.way, self.tf
        self.steps("before", self.program.before)
        watched = list({id(x): x for x in self.registers if x.dtype.is_floating}.values())
        with contextlib.ExitStack() as stack:
            outer = stack.enter_context(tf.GradientTape()) if way == "nested" else None
            tape = tf.GradientTape(persistent=way == "persistent")
            with tape:
                for tensor in watched:
                    tape.watch(tensor)
                if way == "forward":
                    direction = [tf.ones_like(x) for x in watched]
                    forward = stack.enter_context(tf.autodiff.ForwardAccumulator(watched, direction))
                self.steps("taped", self.program.taped)
                target = self.pick("f", self.program.target)
            sources = [*self.variables, *watched]
            gradients = self.differentiated(tape, target, sources)
            if way == "forward":
                self.tell("tangent", lambda: [forward.jvp(target)])
        if outer is not None and gradients:
            self.tell("second", lambda: outer.gradient([g for g in gradients if g is not None], self.variables))
        if way == "persistent":
            self.tell("again", lambda: tape.gradient(tf.square(target), sources))
        self.steps("after", self.program.after)
        if way == "decorated":
            return [g for g in gradients or [] if g is not None], self.registers
        self.tell("registers", lambda: self.registers)
        return None

    def differentiated(self, tape: Any, target: Any, sources: list[Any]) -> Any:
        """The gradients, or jacobians, which are also recorded."""
        if self.program.way == "jacobian":
            return self.tell("jacobian", lambda: tape.jacobian(target, sources[:3]))
        gradients = self.attempt("gradient", lambda: tape.gradient(target, sources))
        if gradients is not None:
            self.told["is None"] = [g is None for g in gradients]
            if self.program.way != "decorated":
                self.tell("gradient", lambda: gradients)
        return gradients

    def steps(self, place: str, steps: Iterable[Step]) -> None:
        """Runs steps; records a refusal and continues with the next step."""
        for n, step in enumerate(steps):
            self.attempt(f"{place} {n}: {step.action}", lambda step=step: self.step(step))

    def step(self, step: Step) -> None:
        """Runs a step."""
        kinds, function = ACTIONS[step.action]
        operands = [self.pick(kind, n) for kind, n in zip(kinds, step.picks, strict=False)]
        answer = function(self.tf, *operands, step.k, step.number)
        if answer is None:
            return
        if step.action in VALUE_CHECKS and self.tf.executing_eagerly():
            answer.numpy()
        if int(np.prod(answer.shape)) > ELEMENTS:
            answer = self.tf.reduce_sum(answer)
        if len(self.registers) < REGISTERS:
            self.registers.append(answer)
        else:
            self.registers[4 + step.k % 4] = answer

    def pick(self, kind: str, n: int) -> Any:
        """The n-th register of a kind, counted round and round, the newest first."""
        if kind == "v":
            return self.variables[n % 2]
        fits = {
            "f": lambda x: x.dtype.is_floating,
            "i": lambda x: x.dtype.is_integer,
            "b": lambda x: x.dtype.is_bool,
            "*": lambda x: x is not None,
        }[kind]
        chosen = [x for x in reversed(self.registers) if fits(x)]
        return chosen[n % len(chosen)] if chosen else self.tf.greater(self.registers[0], 0)

    def tell(self, place: str, compute: Callable[[], Any]) -> Any:
        """Records the values that `compute` returns, or the error; returns its result."""

        def told() -> Any:
            answer = compute()
            self.told[place] = [self.value(x) for x in self.tf.nest.flatten(answer)]
            return answer

        return self.attempt(place, told)

    def value(self, x: Any) -> Any:
        """The array of `x`."""
        if isinstance(x, self.tf.IndexedSlices):
            x = self.tf.convert_to_tensor(x)
        return None if x is None else x.numpy()

    def attempt(self, place: str, run: Callable[[], Any]) -> Any:
        """The result of `run`, or None if it refuses, which is recorded."""
        try:
            return run()
        except Exception as error:
            errors = self.tf.errors
            refusals = (ValueError, TypeError, errors.InvalidArgumentError, errors.FailedPreconditionError)
            # While a function is traced, TensorFlow raises other classes for the same errors.
            is_traced = self.program.way == "decorated" and isinstance(error, refusals)
            self.told[place] = "refused" if is_traced else type(error).__name__
            self.told[f"{place} (said)"] = str(error)[:300]
            return None
