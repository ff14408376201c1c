"""`tf.CriticalSection`: code that one thread runs at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NoReturn

from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.types import nest


class CriticalSection:
    """A section that one thread enters at a time; sections with the same `shared_name` share one lock.

    Raises: ValueError for `critical_section_def`, NotImplementedError for `import_scope`, which need graphs.
    Source: TF 2.21 `tf.CriticalSection`.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def is not None:
            raise ValueError("tf.CriticalSection: Argument `critical_section_def` is not supported.")
        if import_scope is not None:
            raise NotImplementedError(
                "tf.CriticalSection: import_scope is not supported, since it needs graphs; omit it."
            )
        del name
        self._lock = _Lock() if shared_name is None else _shared.setdefault(shared_name, _Lock())

    @property
    def name(self) -> NoReturn:
        """Raises AttributeError, as TensorFlow does in eager mode."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """The result of `fn`, with variables as tensors, run while no other thread is in the section.

        `exclusive_resource_access` has no effect without graphs.

        Raises: ValueError if this thread is already in the section.
        Source: TF 2.21 `tf.CriticalSection.execute`.
        """
        del exclusive_resource_access, name
        if self._lock.owner == threading.get_ident():
            raise ValueError(
                "Attempting to lock a CriticalSection in which we are already running. This is illegal and may cause "
                "deadlocks."
            )
        with self._lock.lock:
            self._lock.owner = threading.get_ident()
            try:
                return nest.map_structure(_value, fn())
            finally:
                self._lock.owner = None


class _Lock:
    """A lock, and the thread that holds it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.owner: int | None = None


_shared: dict[str, _Lock] = {}


def clear() -> None:
    """Removes all named sections."""
    _shared.clear()


def _value(leaf: Any) -> Any:
    tensor = as_tensor(leaf)
    return leaf if tensor is None else tensor
