"""Random programs.

A program begins with tensors and variables in registers. Each step applies an action to some of them and puts
the result into a register. Plain integers select the registers, axes and numbers, modulo the number of valid ones. So
every program can run, and Hypothesis can make it smaller.
"""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """One instruction: an action's name, the registers that it reads, and two numbers that it may use."""

    action: str
    picks: tuple[int, int, int]
    k: int
    number: float


class Program(NamedTuple):
    """The steps before, on and after the tape.

    Attributes:
      dtype: the dtype of the floating registers.
      shapes: the shapes of the first registers, three floating ones and an integer one.
      way: "plain", "nested", "persistent", "jacobian" or "forward": how derivatives are taken, or "decorated" for all
        of it in a `tf.function`.
      target: the register to differentiate.
      seed: the seed of the first values.
    """

    dtype: str
    shapes: tuple[tuple[int, ...], ...]
    before: tuple[Step, ...]
    taped: tuple[Step, ...]
    after: tuple[Step, ...]
    way: str
    target: int
    seed: int

    @property
    def casts(self) -> bool:
        """Whether a step casts, perhaps to float32."""
        return any(step.action == "cast" for step in (*self.before, *self.taped, *self.after))
