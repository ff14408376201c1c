"""What a random program is.

A program begins with tensors and variables in registers. Each step applies an action to some of them and puts what
comes out into a register; which registers, axes and numbers these are is said with plain integers, which the machine
takes modulo what there is. So every program is one that can run, and stays so when Hypothesis makes it smaller.
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
    """What runs before the tape, on it, and after it.

    Attributes:
      dtype: of the floating registers.
      shapes: of the first registers, three floating ones and an integer one.
      way: "plain", "nested", "persistent", "jacobian" or "forward": how derivatives are taken, or "decorated" for all
        of it in a `tf.function`.
      target: which register is differentiated.
      seed: of the first values.
    """

    dtype: str
    shapes: tuple[tuple[int, ...], ...]
    before: tuple[Step, ...]
    taped: tuple[Step, ...]
    after: tuple[Step, ...]
    way: str
    target: int
    seed: int
