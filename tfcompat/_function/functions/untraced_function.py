"""Concrete functions that no trace holds: each call is one of the decorated function."""

from __future__ import annotations

from typing import Any, NoReturn

from tfcompat._core.system.error import UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._function.arguments.argument_placeholder import placeholders_of
from tfcompat._function.arguments.function_type import FunctionType
from tfcompat._function.arguments.signature import Call
from tfcompat._function.functions.concrete import ConcreteFunction, Decorated
from tfcompat._function.graphs.refusal import refused_by_call


class UntracedFunction(ConcreteFunction):
    """A decorated function for arguments whose values determine the trace: strings, or the lengths of ragged rows.

    It can be called, and saved in a SavedModel.
    """

    def __init__(self, function: Decorated, specs: Any, refusal: str) -> None:
        """`specs` are the arguments, with specs in place of tensors; `refusal` says why they have no trace."""
        self._function = function
        self._specs = placeholders_of(specs)
        self._refusal = refusal.strip().rsplit("\n", 1)[-1].strip()

    @property
    def body(self) -> NoReturn:  # pyright: ignore[reportIncompatibleVariableOverride]  # there is no trace
        """Raises NotImplementedError."""
        self._refuse()

    @property
    def call(self) -> NoReturn:  # pyright: ignore[reportIncompatibleVariableOverride]  # there is no trace
        """Raises NotImplementedError."""
        self._refuse()

    @property
    def function_type(self) -> FunctionType:
        """The types of the arguments."""
        return self._accepted

    def _refuse(self) -> NoReturn:
        # In a function that is being traced, this one may have a trace once the other runs untraced, with values.
        raise (NotImplementedError if here.graph is None else UntraceableError)(
            f"tf.types.experimental.ConcreteFunction: {self.name} has no trace that serves all values of its "
            f"arguments, and can only be called and saved: {self._refusal}"
        )

    @property
    def _avals(self) -> list[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]  # no call has these
        return [None]

    def _run(self, call: Call) -> Any:
        try:
            return self._function.run(call)
        except (TypeError, ValueError) as refused:
            raise refused_by_call(refused) from None
