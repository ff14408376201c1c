"""A launch's claim on variables: while its program runs, other threads wait for their values."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from tfcompat._core.structure.interruption import set_attribute, set_values, store_arrays
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.lock import binding, require_free
from tfcompat._state.cell import Cell


class Claim:
    """Serves as the `_trace` of tensors that a program is about to compute.

    Tensors whose buffers are donated to the program have no arrays meanwhile. Other variables that it assigns hold new
    tensors.
    """

    __slots__ = ("_buffers", "_cells", "_donated", "_gate", "_new", "_old", "_owner")

    is_symbolic = False
    # No thread has recorded these tensors.
    thread = None

    def __init__(self) -> None:
        self._owner = threading.get_ident()
        self._gate = threading.Lock()
        self._gate.acquire()
        self._donated: Sequence[Tensor] = ()
        self._buffers: Sequence[Any] = ()
        self._cells: Sequence[Cell] = ()
        self._old: Sequence[Tensor] = ()
        self._new: Sequence[Tensor] = ()

    def hide(
        self,
        donated: Sequence[Tensor],
        buffers: Sequence[Any],
        cells: Sequence[Cell],
        old: Sequence[Tensor],
        new: Sequence[Tensor],
    ) -> None:
        """Hides the `buffers` of `donated`, and makes `cells` hold `new` instead of `old`; the caller holds `binding`.

        The attributes are set first, so that `end` can undo a part of it after an interrupt.
        """
        self._donated, self._buffers, self._cells, self._old, self._new = donated, buffers, cells, old, new
        # The trace is set first: a thread that finds no array asks the trace for it.
        set_attribute("_trace", (*donated, *new), self)
        set_attribute("_array", donated, None)
        set_values(cells, new)

    def materialise(self, tensor: Tensor, cause: str) -> None:
        """Waits for the value of `tensor`. A signal handler in the launching thread can't wait and gets the old one."""
        del cause
        if threading.get_ident() != self._owner:
            if settings.is_checking:
                require_free()
            with self._gate:
                pass
            if tensor._array is not None or tensor._trace is not self:
                return
            # The call ended without showing the tensor, because `end` raised too, for example RecursionError.
        before = [*zip(self._donated, self._buffers, strict=True), *zip(self._new, self._old_arrays(), strict=True)]
        tensors, arrays = zip(*before, strict=True)
        store_arrays(tensors, arrays)

    def _old_arrays(self) -> list[Any]:
        return [tensor._array for tensor in self._old]

    def end(self, *, has_results: bool) -> None:
        """Shows the tensors again, with their old values if the program has no results. May be called repeatedly."""
        if not has_results:
            store_arrays(self._donated, self._buffers)
            store_arrays(self._new, self._old_arrays())
            with binding:
                for cell, old, new in zip(self._cells, self._old, self._new, strict=True):
                    if cell._held is new:
                        cell._held = old
        set_attribute("_trace", (*self._donated, *self._new), None)
        self.open()

    def open(self) -> None:
        """Wakes the threads that wait."""
        if self._gate.locked():
            self._gate.release()
