"""Programs on several devices, among which XLA divides their work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.programs.program import NO_LEAVES, Program
from tfcompat._core.structure.interruption import NOTHING, Rebinding
from tfcompat._core.structure.sharding import moved, running, settle, turns
from tfcompat._core.structure.tensor import Tensor
from tfcompat._jaxpr.jit import jitted


class DividedProgram(Program):
    """A program whose inputs or results are placed on devices."""

    def run(
        self,
        args: Sequence[Any],
        targets: Sequence[Tensor],
        on_python: Callable[[], None],
        unshared: frozenset[int] = NO_LEAVES,
        rebinding: Rebinding = NOTHING,
    ) -> None:
        """See `Program.run`."""
        before = targets[-1]._array
        if self.calls_python:  # these functions may wait for other threads
            super().run(args, targets, on_python, unshared, rebinding)
        else:
            with turns:
                running.settle()
                super().run(args, targets, on_python, unshared, rebinding)
                settle([tensor._array for tensor in targets if tensor._array is not None])
        placement = self.extent.placement
        if targets[-1]._array is not before and placement is not None and placement.others is not None:
            for tensor in targets[: len(self.outputs)]:
                tensor._array = placement.spread(tensor._array)

    def _in_parts(self, run: Callable[..., Any]) -> Callable[..., Any]:
        shardings = self._shardings()

        def placed_run(*args: Any) -> list[Any]:
            results = zip(run(*args), shardings, strict=True)
            return [array if where is None else moved(array, where) for array, where in results]

        return placed_run

    def _whole(self, replay: Callable[..., Any], donate: tuple[int, ...]) -> Callable[..., Any]:
        return jitted(replay, donate_argnums=donate, out_shardings=self._shardings())

    def _shardings(self) -> tuple[Any, ...]:
        """The sharding of each output and of the flags, None where XLA chooses it."""
        placement = self.extent.placement
        chosen = [None] * len(self.outputs) if placement is None else placement.shardings(self.outputs)
        return (*chosen, None) if self.messages else tuple(chosen)
