"""Datasets whose elements are copied to a device before they are asked for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device import to_device
from tfcompat._core.system.error import UnimplementedError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types import nest
from tfcompat._data.blocks.component import Nested, Nothing
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import UNKNOWN, Node, Unary

Outcome = tuple[Any] | Exception | None


class Transfer(Unary):
    """The elements of the input, for iterators on a device. Nodes that read it get them on the host.

    Attributes:
      device: JAX's device.
      ahead: how many elements are copied before they are asked for.
    """

    label = "_CopyToDeviceDataset"

    def __init__(self, source: Node, device: Any, ahead: int, label: str) -> None:
        """Raises: TypeError for elements with components other than tensors."""
        super().__init__(source)
        for part in source.structure.components:
            if isinstance(part, Nested | Nothing):
                raise TypeError(f"Cannot convert the argument `type_value`: {part.spec!r} to a TensorFlow DType.")
        self.device = device
        self.ahead = ahead
        self.label = label

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return self.source.cursor()


class Transferred:
    """Elements that are copied to the device of a `Transfer` some steps before they are handed out.

    An accelerator receives them while the program runs.
    """

    def __init__(self, node: Transfer, read: Callable[[], tuple[Any] | None]) -> None:
        """`read` returns the next element; None at the end."""
        self._node = node
        self._read = read
        self._held: deque[Outcome] = deque()
        self._has_ended = False
        self._lock = threading.Lock()

    def next(self) -> tuple[Any] | None:
        """The next element; None at the end. Raises the error of an element."""
        with self._lock:
            while len(self._held) <= self._node.ahead and not self._has_ended:
                self._held.append(self._outcome())
                self._has_ended = self._held[-1] is None
            outcome = self._held.popleft() if self._held else None
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def save(self) -> Any:
        """Raises: UnimplementedError."""
        raise UnimplementedError.of("GeneratorDataset does not support checkpointing.")

    def _outcome(self) -> Outcome:
        try:
            found = self._read()
            return found and nest.map_structure(self._moved, found, expand_composites=True)
        except Exception as error:
            if is_raised_by_handler(error):
                raise
            return error

    def _moved(self, tensor: Any) -> Any:
        array = tensor._array
        if not isinstance(array, np.ndarray) or array.dtype.kind == "O":
            return tensor
        with jax.default_device(self._node.device):
            return Tensor(to_device(array))
