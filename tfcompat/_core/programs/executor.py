"""The calling convention of everything that computes a part of a trace: compiled programs, and ops run one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tfcompat._core.structure.tensor import Tensor


class Executor(Protocol):
    """Computes some slots of a trace from its leaves, its numbers and earlier slots.

    Attributes:
      leaves: the leaves that it reads, by number.
      outputs: the slots that it computes.
      donated: the leaves, by number, whose buffers are donated to it.
      calls_python: whether it is known to call Python functions.
      messages: the error messages of its value checks, one for each flag that it returns.
      derivations: the outputs that derive from checked steps, each with the numbers of those checks.
      guards: pairs of slots, the new and the old value of a variable that keeps the old value if a check fails.
    """

    @property
    def leaves(self) -> tuple[int, ...]:
        """See the class."""
        ...

    @property
    def outputs(self) -> tuple[int, ...]:
        """See the class."""
        ...

    @property
    def donated(self) -> frozenset[int]:
        """See the class."""
        ...

    @property
    def calls_python(self) -> bool:
        """See the class."""
        ...

    @property
    def messages(self) -> tuple[str, ...]:
        """See the class."""
        ...

    @property
    def derivations(self) -> dict[int, frozenset[int]]:
        """See the class."""
        ...

    @property
    def guards(self) -> tuple[tuple[int, int], ...]:
        """See the class."""
        ...

    def __call__(
        self,
        floats: Sequence[float],
        ints: Sequence[int],
        arrays: Sequence[Any],
        given: Sequence[Any],
        targets: Sequence[Tensor],
        on_python: Callable[[], None],
        /,
    ) -> None:
        """Computes the outputs from the trace's numbers, the arrays of `leaves`, and those of the given earlier slots.

        `targets` receive the outputs, and the last one the flags if the executor has checks: all of them or, if an
        error is raised, perhaps none. `on_python` is called before Python functions are called.
        """
        ...
