"""The exceptions of `tf.errors`: one class per error code, none of them a ValueError.

The library raises them as `InvalidArgumentError.of("tf.reshape: ...")`.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Self

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An error with a code: the base class of all but one of the classes in this module.

    `args` is empty, as in TensorFlow; the text is `message`.

    Source: TF 2.21 `tf.errors.OpError`.
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int, *args: Any) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads: Any = args[0] if args else {}

    @classmethod
    def of(cls, message: str) -> Self:
        """An error of a subclass, which has a fixed code, with `message`."""
        return cls(None, None, message)  # pyright: ignore[reportCallIssue]

    @property
    def message(self) -> str:
        """The error message."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation passed to the constructor, usually None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The graph node passed to the constructor, usually None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number of the kind of error, such as `tf.errors.INVALID_ARGUMENT`."""
        return self._error_code

    @property
    def experimental_payloads(self) -> Any:
        """The first of the further arguments of the constructor, or an empty dictionary."""
        return self._experimental_payloads

    def __str__(self) -> str:
        return self._message

    def __reduce__(self) -> tuple[Any, ...]:
        code = (self._error_code,) if type(self) is OpError else ()
        return type(self), (self._node_def, self._op, self._message, *code), self.__dict__


class CancelledError(OpError):
    """An operation was cancelled before it finished."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, CANCELLED, *args)


class UnknownError(OpError):
    """An operation failed for a reason that no other class describes."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNKNOWN, *args)


class InvalidArgumentError(OpError):
    """An operation was given an unacceptable argument: a wrong shape, rank, axis or value."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, INVALID_ARGUMENT, *args)


class DeadlineExceededError(OpError):
    """An operation did not finish in time."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, DEADLINE_EXCEEDED, *args)


class NotFoundError(OpError):
    """A requested object, such as a file, does not exist."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, NOT_FOUND, *args)


class AlreadyExistsError(OpError):
    """An object to be created, such as a file, already exists."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, ALREADY_EXISTS, *args)


class PermissionDeniedError(OpError):
    """The caller does not have permission for the operation."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, PERMISSION_DENIED, *args)


class ResourceExhaustedError(OpError):
    """A resource is used up, such as memory or disk space."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, RESOURCE_EXHAUSTED, *args)


class FailedPreconditionError(OpError):
    """The system is not in a state in which the operation can run: a variable that was never initialised."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, FAILED_PRECONDITION, *args)


class AbortedError(OpError):
    """An operation was aborted because of a concurrent one."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, ABORTED, *args)


class OutOfRangeError(OpError):
    """An operation went past the end of its input, such as a data set without further elements."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, OUT_OF_RANGE, *args)


class UnimplementedError(OpError):
    """The operation is not implemented, for these arguments or on this device."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNIMPLEMENTED, *args)


class InternalError(OpError):
    """An invariant of the system was violated."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, INTERNAL, *args)


class UnavailableError(OpError):
    """A required service is currently unavailable."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNAVAILABLE, *args)


class DataLossError(OpError):
    """Data were lost or are corrupt, such as a file that ends too early."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, DATA_LOSS, *args)


class UnauthenticatedError(OpError):
    """The caller is not authenticated."""

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, UNAUTHENTICATED, *args)


class InaccessibleTensorError(ValueError):
    """A symbolic tensor was used outside of the part of the function that it was made in."""


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operator that needs a value was applied to a symbolic tensor."""


class UntraceableError(NotImplementedError):
    """A trace cannot hold the code, in which a shape depends on data, for instance; run eagerly, the code works.

    Attributes:
      created: references to the variables that the function has created before.
    """

    created: tuple[Any, ...] = ()


class CreationError(UntraceableError):
    """A branch, a loop or a mapped function creates a variable, in the first call of the function around it."""


class SeveralSizesError(UntraceableError):
    """A loop or a branch finds sizes, beside others that are open: each shape would have a trace of its own."""


class FindsSizeError(UntraceableError):
    """A trace cannot hold a size that the code finds, unless it may have bounds for such sizes."""


class UnmetError(FindsSizeError):
    """A value that decides a shape is to be expected in the next call, if that call has it, too."""


class UnexpectedValueError(UntraceableError):
    """In a call, a value that decides a shape is not what its trace expects. Nothing has been returned or assigned.

    Attributes:
      answers: the results of the Python functions that its program has called.
    """

    def __init__(self, message: str, answers: Any) -> None:
        super().__init__(message)
        self.answers = answers


class HostLoopError(UntraceableError):
    """A function reads a dataset, which only the host can do. Its loops may still run compiled programs."""


def wrong_dtype(message: str) -> InvalidArgumentError:
    """The error for an argument of a dtype that is not allowed: TensorFlow's TypeError while a function is traced."""
    error = InvalidArgumentError.of(message)
    vars(error)["_is_about_dtype"] = True
    return error


def is_about_dtype(error: BaseException) -> bool:
    """Whether `error` was made by `wrong_dtype`."""
    return "_is_about_dtype" in vars(error)


def found_early(message: str, *, is_static: bool = False) -> InvalidArgumentError:
    """An error that TensorFlow raises when a function runs: it keeps its class although it is found while tracing.

    If it `is_static`, TensorFlow finds it while tracing, too, and raises it with this class.
    """
    error = InvalidArgumentError.of(message)
    vars(error)["_is_found_early"] = not is_static
    return error


@contextmanager
def found_by_kernel() -> Generator[None]:
    """A context for the computation of a value, whose errors TensorFlow finds when a function runs."""
    try:
        yield
    except InvalidArgumentError as error:
        vars(error)["_is_found_early"] = True
        raise


def is_found_at_run(error: Exception) -> bool:
    """Whether `error`, raised by an op while a function is traced, is one that TensorFlow finds when the op runs."""
    if isinstance(error, InvalidArgumentError):
        return vars(error).get("_is_found_early", False)
    return isinstance(error, OpError) and not isinstance(error, (UnimplementedError, OutOfRangeError))
